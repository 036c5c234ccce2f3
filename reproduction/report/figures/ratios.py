"""Ratios between two votes on the same split: medians with quartiles, and a scatter."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter, StrMethodFormatter

from reproduction.report.figures.point_names import name_points
from reproduction.report.figures.style import COLORS, figure_of, panels, titles
from reproduction.report.frames import dataset_order, summarise

TINY_LOSS_SETS = ("Mushroom", "Shuttle", "Protein")
"""Left out of the scatter, as in the paper: losses near 0, or bounds above 1."""

NEARLY_NO_ERRORS = ("Mushroom", "Shuttle")
"""Left out of ratios of test risks between baggings, as in the paper: some are 0."""

KEYS = ["dataset", "repetition"]
QUARTILES = [0.25, 0.5, 0.75]


def optimized_risk_ratios(forests: pd.DataFrame) -> Figure | None:
    """Figure 2a: test risk of optimized over uniform weights, logarithmic scale."""
    full = forests[forests["bagging"] == "full"]
    uniform = _column(full[full["weighting"] == "uniform"], "test_risk")
    ratios = {
        f"{label}-optimized": (
            weighting,
            _ratio(_column(full[full["weighting"] == weighting], "test_risk"), uniform),
        )
        for weighting, label in (("first_order", "FO"), ("tandem", "TND"))
    }
    figure = _medians(ratios, titles(forests), label="test risk, optimized / uniform")
    if figure is None:
        return None
    axes = figure.axes[0]
    axes.set_yscale("log")
    axes.set_yticks([0.5, 1, 2, 4, 8, 16])
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())
    return figure


def reduced_risk_ratios(forests: pd.DataFrame) -> Figure | None:
    """Test risk of reduced over full bagging, uniform and tandem-optimized weights."""
    forests = forests[~forests["dataset"].isin(NEARLY_NO_ERRORS)]
    return _reduced_over_full(forests, "test_risk", label="test risk, reduced / full")


def reduced_tandem_ratios(forests: pd.DataFrame) -> Figure | None:
    """Tandem bound of reduced over full bagging, uniform and tandem-optimized weights."""
    return _reduced_over_full(forests, "tandem", label="TND, reduced / full")


def disagreement_scatter(forests: pd.DataFrame) -> Figure | None:
    """Disagreement over Gibbs loss against TND over FO, uniform weights and full bagging."""
    chosen = (forests["bagging"] == "full") & (forests["weighting"] == "uniform")
    summary = summarise(forests[chosen & ~forests["dataset"].isin(TINY_LOSS_SETS)], ["dataset"])
    summary = summary[summary["gibbs_loss", "mean"] > 0]
    if summary.empty:
        return None
    axes = panels(1, columns=1, width=4.6, height=3.2)[0]
    across = summary["disagreement", "mean"] / summary["gibbs_loss", "mean"]
    up = summary["tandem", "mean"] / summary["first_order", "mean"]
    axes.scatter(across, up, color=COLORS["tandem"], s=18, zorder=3)
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set_xlabel("disagreement / Gibbs loss")
    axes.set_ylabel("TND / FO")
    axes.margins(x=0.14, y=0.1)
    names = titles(forests)
    name_points(axes, across.to_numpy(), up.to_numpy(), [names[name] for name in up.index])
    return figure_of([axes])


def _reduced_over_full(forests: pd.DataFrame, column: str, *, label: str) -> Figure | None:
    ratios = {}
    for weighting, words in (("uniform", "uniform weights"), ("tandem", "TND-optimized weights")):
        chosen = forests[forests["weighting"] == weighting]
        parts = [
            _column(chosen[chosen["bagging"] == bagging], column) for bagging in ("reduced", "full")
        ]
        ratios[words] = (weighting, _ratio(*parts))
    return _medians(ratios, titles(forests), label=label)


def _column(frame: pd.DataFrame, column: str) -> pd.Series:
    return frame.set_index(KEYS)[column]


def _ratio(above: pd.Series, below: pd.Series) -> pd.Series:
    """Ratio repetition by repetition: 1 where both are 0, infinite where only the divisor is.

    Data sets on which both are always 0 are left out.
    """
    both = pd.concat({"above": above, "below": below}, axis=1).dropna()
    both = both[both.groupby("dataset").transform("max").max(axis=1) > 0]
    return (both["above"] / both["below"]).fillna(1.0)


def _quartiles(ratios: pd.Series) -> pd.DataFrame:
    """Quartiles of each data set where they are finite; order statistics, as ratios may not be."""
    if ratios.empty:
        return pd.DataFrame(columns=QUARTILES, dtype=float)
    quartiles = ratios.groupby("dataset").quantile(QUARTILES, interpolation="nearest").unstack()
    return quartiles[np.isfinite(quartiles).all(axis=1)]


def _medians(
    ratios: Mapping[str, tuple[str, pd.Series]],
    names: dict[str, str],
    *,
    label: str,
) -> Figure | None:
    found = {words: (color, _quartiles(series)) for words, (color, series) in ratios.items()}
    present = {name for _, quartiles in found.values() for name in quartiles.index}
    sets = [name for name in dataset_order(present) if name in present]
    if not sets:
        return None
    axes = panels(1, columns=1, width=6.4, height=2.8)[0]
    for step, (words, (color, finite)) in enumerate(found.items()):
        low, middle, high = finite.reindex(sets)[[0.25, 0.5, 0.75]].to_numpy().T
        places = np.arange(len(sets)) + (step - 0.5) * 0.28
        axes.errorbar(
            places,
            middle,
            yerr=[middle - low, high - middle],
            fmt="o" if step == 0 else "s",
            markersize=4,
            color=COLORS[color],
            elinewidth=1,
            capsize=2.5,
            label=words,
        )
    axes.axhline(1, color="black", linewidth=0.8, zorder=1)
    axes.set_xticks(range(len(sets)), [names[name] for name in sets], rotation=35, ha="right")
    axes.set_ylabel(label)
    axes.legend(loc="upper left", bbox_to_anchor=(0.0, 1.14), ncols=2)
    return figure_of([axes])
