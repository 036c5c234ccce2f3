"""Bounds as bars, one panel per data set, the test risk as a black line across each bar."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from reproduction.report.figures.style import COLORS, RISK_COLOR, figure_of, panels, titles
from reproduction.report.frames import BOUND_LABELS, binary_sets, forest_summary, multiclass_sets

FIGURE_1_SETS = ("Cod-RNA", "Phishing", "Splice", "Letter", "MNIST", "Sensorless")
"""Three binary and three multiclass sets; the paper's text does not name its own choice."""

BINARY_BOUNDS = ("first_order", "c1", "c2", "c_tandem", "tandem")
MULTICLASS_BOUNDS = ("first_order", "c_tandem", "tandem")
OPTIMIZED_BOUNDS = ("first_order", "tandem")
HATCH = "////"


@dataclass(frozen=True)
class Bar:
    """Which number a bar shows: a bound's column at a bagging and a weighting."""

    column: str
    bagging: str
    weighting: str
    hatched: bool = False


def chosen_bounds(forests: pd.DataFrame) -> Figure | None:
    """Figure 1: test risk and bounds of uniformly weighted forests on a few data sets."""
    binary, present = set(binary_sets(forests)), set(forests["dataset"])
    sets = [name for name in FIGURE_1_SETS if name in present] or sorted(present)[:6]
    bars = {
        name: _uniform_bars(BINARY_BOUNDS if name in binary else MULTICLASS_BOUNDS) for name in sets
    }
    return _draw(forests, bars, columns=6)


def uniform_bounds(forests: pd.DataFrame, *, binary: bool) -> Figure | None:
    """Bounds with uniform weights."""
    return _draw_all(forests, _uniform_bars(_bounds(binary=binary)), binary=binary)


def optimized_bounds(forests: pd.DataFrame, *, binary: bool) -> Figure | None:
    """Bounds before and after optimizing the weights."""
    bars = [
        bar
        for column in OPTIMIZED_BOUNDS
        for bar in (Bar(column, "full", "uniform"), Bar(column, "full", column, hatched=True))
    ]
    return _draw_all(forests, bars, binary=binary, hatch="optimized for it")


def uniform_baggings(forests: pd.DataFrame, *, binary: bool) -> Figure | None:
    """Bounds with full and reduced bagging, uniform weights."""
    votes = dict.fromkeys(_bounds(binary=binary), "uniform")
    return _draw_all(forests, _both_baggings(votes), binary=binary, hatch="reduced bagging")


def optimized_baggings(forests: pd.DataFrame, *, binary: bool) -> Figure | None:
    """Optimized bounds with full and reduced bagging."""
    votes = {column: column for column in OPTIMIZED_BOUNDS}
    return _draw_all(forests, _both_baggings(votes), binary=binary, hatch="reduced bagging")


def _bounds(*, binary: bool) -> tuple[str, ...]:
    return BINARY_BOUNDS if binary else MULTICLASS_BOUNDS


def _uniform_bars(columns: Sequence[str]) -> list[Bar]:
    return [Bar(column, "full", "uniform") for column in columns]


def _both_baggings(weightings: dict[str, str]) -> list[Bar]:
    return [
        Bar(column, bagging, weighting, hatched=bagging == "reduced")
        for column, weighting in weightings.items()
        for bagging in ("full", "reduced")
    ]


def _draw_all(
    forests: pd.DataFrame, bars: list[Bar], *, binary: bool, hatch: str | None = None
) -> Figure | None:
    sets = binary_sets(forests) if binary else multiclass_sets(forests)
    return _draw(forests, dict.fromkeys(sets, bars), columns=4 if binary else 5, hatch=hatch)


def _draw(
    forests: pd.DataFrame, bars: dict[str, list[Bar]], *, columns: int, hatch: str | None = None
) -> Figure | None:
    """Draw a panel for each data set that has the rows of all its bars, if any has."""
    summary, names = forest_summary(forests), titles(forests)
    bars = {
        name: chosen
        for name, chosen in bars.items()
        if all((name, bar.bagging, bar.weighting) in summary.index for bar in chosen)
    }
    if not bars:
        return None
    axes = panels(len(bars), columns=columns)
    for place, (name, chosen) in zip(axes, bars.items(), strict=True):
        place.set_title(names[name])
        _panel(place, summary, name, chosen)
    figure = figure_of(axes)
    columns_shown = dict.fromkeys(bar.column for chosen in bars.values() for bar in chosen)
    handles: list[Patch | Line2D] = [
        Patch(facecolor=COLORS[column], label=BOUND_LABELS[column]) for column in columns_shown
    ]
    if hatch is not None:
        handles.append(Patch(facecolor="white", edgecolor="black", hatch=HATCH, label=hatch))
    handles.append(Line2D([], [], color=RISK_COLOR, label="test risk"))
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    return figure


def _panel(axes: Axes, summary: pd.DataFrame, name: str, bars: list[Bar]) -> None:
    paired = any(bar.hatched for bar in bars)
    place = 0.0
    for bar in bars:
        place += 0.85 if bar.hatched or not paired else 1.15
        means = summary.loc[(name, bar.bagging, bar.weighting)]
        deviation = means[bar.column, "std"]
        axes.bar(
            place,
            means[bar.column, "mean"],
            width=0.8,
            color=COLORS[bar.column],
            hatch=HATCH if bar.hatched else None,
            edgecolor="white" if bar.hatched else COLORS[bar.column],
            linewidth=0,
            yerr=None if pd.isna(deviation) else deviation,
            error_kw={"elinewidth": 0.7, "ecolor": "#555555"},
        )
        risk = means["test_risk", "mean"]
        axes.plot([place - 0.42, place + 0.42], [risk, risk], color=RISK_COLOR, linewidth=1.6)
        if means[bar.column, "mean"] >= 1.0:  # cut: the bound itself is larger
            axes.plot(place, 0.97, marker="^", color="white", markersize=4)
    axes.set_xticks([])
    axes.set_ylim(bottom=0)
    if axes.get_ylim()[1] > 1:
        axes.set_ylim(top=1.02)
