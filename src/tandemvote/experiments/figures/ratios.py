"""Ratios between two votes on the same split: medians with quartiles, and a scatter."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter, StrMethodFormatter

from tandemvote.experiments.figures.point_names import name_points
from tandemvote.experiments.figures.style import COLOURS, figure_of, panels
from tandemvote.experiments.frames import dataset_order, forest_summary, shown

ZERO_RISK_SETS = ("Mushroom", "Shuttle")
"""Left out where a test risk of 0 would be divided by, as in the paper."""

TINY_LOSS_SETS = ("Mushroom", "Shuttle", "Protein")
"""Left out of the scatter, as in the paper: losses near 0, or bounds above 1."""

KEYS = ["dataset", "repetition"]


def optimised_risk_ratios(forests: pd.DataFrame) -> Figure:
    """Figure 2a: test risk of optimised over uniform weights, logarithmic scale."""
    full = forests[forests["bagging"] == "full"]
    uniform = _column(full[full["weighting"] == "uniform"], "test_risk")
    ratios = {
        f"{label}-optimised": (
            weighting,
            _ratio(_column(full[full["weighting"] == weighting], "test_risk"), uniform),
        )
        for weighting, label in (("first_order", "FO"), ("tandem", "TND"))
    }
    figure = _medians(
        ratios, shown(forests), without=("Mushroom",), label="test risk, optimised / uniform"
    )
    axes = figure.axes[0]
    axes.set_yscale("log")
    axes.set_yticks([0.5, 1, 2, 4, 8, 16])
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())
    return figure


def reduced_risk_ratios(forests: pd.DataFrame) -> Figure:
    """Test risk of reduced over full bagging, uniform and tandem-optimised weights."""
    return _reduced_over_full(
        forests, "test_risk", without=ZERO_RISK_SETS, label="test risk, reduced / full"
    )


def reduced_tandem_ratios(forests: pd.DataFrame) -> Figure:
    """Tandem bound of reduced over full bagging, uniform and tandem-optimised weights."""
    return _reduced_over_full(forests, "tandem", without=(), label="TND, reduced / full")


def disagreement_scatter(forests: pd.DataFrame) -> Figure:
    """Disagreement over Gibbs loss against TND over FO, uniform weights and full bagging."""
    summary = forest_summary(forests).xs(("full", "uniform"), level=("bagging", "weighting"))
    summary = summary.drop(index=list(TINY_LOSS_SETS), errors="ignore")
    axes = panels(1, columns=1, width=4.6, height=3.2)[0]
    across = summary["disagreement", "mean"] / summary["gibbs_loss", "mean"]
    up = summary["tandem", "mean"] / summary["first_order", "mean"]
    axes.scatter(across, up, color=COLOURS["tandem"], s=18, zorder=3)
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set_xlabel("disagreement / Gibbs loss")
    axes.set_ylabel("TND / FO")
    axes.margins(x=0.14, y=0.1)
    name_points(axes, across.to_numpy(), up.to_numpy(), [shown(forests)[name] for name in up.index])
    return figure_of([axes])


def _reduced_over_full(
    forests: pd.DataFrame, column: str, *, without: tuple[str, ...], label: str
) -> Figure:
    ratios = {}
    for weighting, words in (("uniform", "uniform weights"), ("tandem", "TND-optimised weights")):
        chosen = forests[forests["weighting"] == weighting]
        parts = [
            _column(chosen[chosen["bagging"] == bagging], column) for bagging in ("reduced", "full")
        ]
        ratios[words] = (weighting, _ratio(*parts))
    return _medians(ratios, shown(forests), without=without, label=label)


def _column(frame: pd.DataFrame, column: str) -> pd.Series:
    return frame.set_index(KEYS)[column]


def _ratio(above: pd.Series, below: pd.Series) -> pd.Series:
    """Ratio repetition by repetition; repetitions without a positive divisor are left out."""
    both = pd.concat({"above": above, "below": below}, axis=1).dropna()
    both = both[both["below"] > 0]
    return both["above"] / both["below"]


def _medians(
    ratios: Mapping[str, tuple[str, pd.Series]],
    names: dict[str, str],
    *,
    without: tuple[str, ...],
    label: str,
) -> Figure:
    present = {name for _, series in ratios.values() for name in series.index.unique("dataset")}
    sets = [name for name in dataset_order(present) if name in present and name not in without]
    axes = panels(1, columns=1, width=6.4, height=2.8)[0]
    for step, (words, (colour, series)) in enumerate(ratios.items()):
        quartiles = series.groupby("dataset").quantile([0.25, 0.5, 0.75]).unstack()
        quartiles = quartiles.reindex(sets)
        places = np.arange(len(sets)) + (step - 0.5) * 0.28
        axes.errorbar(
            places,
            quartiles[0.5],
            yerr=[quartiles[0.5] - quartiles[0.25], quartiles[0.75] - quartiles[0.5]],
            fmt="o" if step == 0 else "s",
            markersize=4,
            color=COLOURS[colour],
            elinewidth=1,
            capsize=2.5,
            label=words,
        )
    axes.axhline(1, color="black", linewidth=0.8, zorder=1)
    axes.set_xticks(range(len(sets)), [names[name] for name in sets], rotation=35, ha="right")
    axes.set_ylabel(label)
    axes.legend(loc="upper left", bbox_to_anchor=(0.0, 1.14), ncols=2)
    return figure_of([axes])
