"""Bounds of the schemes over that of a hold-out, errors over those of the model on all labels."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from reproduction.experiments.committee import HOLD_OUT
from reproduction.experiments.protocol import LEARNERS
from reproduction.report.committee import DEFAULTS, EQUAL_COST, committee_means
from reproduction.report.figures.style import COLORS, figure_of, panels, titles
from reproduction.report.frames import dataset_order

FIRST_EDITION = {
    "forest": "4 x 100 with a voting referee",
    "boosting": "4 models with a voting referee",
}
COMMITTEE = "committee"
SERIES = {
    COMMITTEE: (DEFAULTS, "D", COLORS["tandem"]),
    "4 and a voting referee": (FIRST_EDITION, "s", COLORS["c1"]),
    "average of 5": (EQUAL_COST, "o", COLORS["first_order"]),
    HOLD_OUT: (dict.fromkeys(LEARNERS, HOLD_OUT), "|", "black"),
}
"""Schemes of each learner, with their markers."""

LABELS = {
    "bound_ratio": "bound / bound of the hold-out",
    "error_ratio": "test error / error of the model on all labels",
}


def scheme_ratios(rows: pd.DataFrame) -> Figure:
    """One line of panels per learner: ratios of bounds, ratios of errors, one row per data set."""
    means, names = committee_means(rows), titles(rows)
    learners = [name for name in LEARNERS if name in set(rows["learner"])]
    sets = [name for name in dataset_order(rows["dataset"]) if name in names]
    axes = panels(2 * len(learners), columns=2, width=3.5, height=0.19 * len(sets) + 0.8)
    for place, (panel, (learner, ratio)) in enumerate(
        zip(axes, [(learner, ratio) for learner in learners for ratio in LABELS], strict=True)
    ):
        ratios = means.xs(learner, level="learner")[ratio].unstack("scheme").reindex(sets)
        _draw(panel, ratios, learner)
        panel.set_title(learner)
        panel.set_xlabel(LABELS[ratio])
        left = place % 2 == 0
        panel.set_yticks(range(len(sets)), [names[name] if left else "" for name in sets])
    for column in (axes[0::2], axes[1::2]):  # learners are compared on one scale
        limits = [limit for panel in column for limit in panel.get_xlim()]
        for panel in column:
            panel.set_xlim(min(limits), max(limits))
    figure = figure_of(axes)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return figure


def _draw(axes: Axes, ratios: pd.DataFrame, learner: str) -> None:
    axes.axvline(1, color="black", linewidth=0.8, zorder=1)
    for label, (schemes, marker, color) in SERIES.items():
        values = ratios[schemes[learner]]
        axes.plot(
            values, range(len(values)), marker, color=color, markersize=4, label=label, zorder=2
        )
    axes.grid(visible=True, axis="x")
    axes.grid(visible=False, axis="y")
    axes.set_ylim(len(ratios) - 0.5, -0.5)


BOUNDS = {
    "trees": ("s", COLORS["uniform"], "trees: the tighter of the paper's FO and TND"),
    COMMITTEE: ("D", COLORS["tandem"], "committee: twelve small forests and a referee"),
    HOLD_OUT: ("o", COLORS["first_order"], "hold-out: one forest, trained on 80% of the labels"),
}


def scheme_bounds(rows: pd.DataFrame, beyond: pd.DataFrame) -> Figure:
    """Draw bounds of forests on each data set: the paper's trees, the committee, a hold-out."""
    means = committee_means(rows)["bound"].xs("forest", level="learner").unstack("scheme")
    trees = beyond.groupby("dataset")[["first_order", "tandem"]].mean().min(axis=1)
    means = means.sort_values(DEFAULTS["forest"], ascending=False)
    values = {COMMITTEE: means[DEFAULTS["forest"]], HOLD_OUT: means[HOLD_OUT]}
    values["trees"] = trees.reindex(means.index)
    panel = panels(1, columns=1, width=6.4, height=0.21 * len(means) + 1.3)[0]
    spread = pd.DataFrame(values)
    panel.hlines(range(len(means)), spread.min(axis=1), spread.max(axis=1), color="#cccccc")
    for name, (marker, color, words) in BOUNDS.items():
        panel.plot(values[name], range(len(means)), marker, color=color, label=words, zorder=2)
    panel.set_xscale("log")
    panel.xaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:g}%"))
    panel.set_xlabel("guaranteed error (logarithmic scale)")
    panel.set_yticks(range(len(means)), [titles(rows)[name] for name in means.index])
    panel.grid(visible=True, axis="x")
    panel.grid(visible=False, axis="y")
    panel.invert_yaxis()
    figure = figure_of([panel])
    figure.legend(*panel.get_legend_handles_labels(), loc="outside lower center", ncols=1)
    return figure
