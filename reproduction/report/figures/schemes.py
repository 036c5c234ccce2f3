"""Bounds of the schemes over that of a hold-out, errors over those of the model on all labels."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduction.experiments.protocol import LEARNERS
from reproduction.report.committee import SCHEMES, committee_means
from reproduction.report.figures.style import COLOURS, figure_of, panels, titles
from reproduction.report.frames import dataset_order

MARKERS = {
    "committee 4+1": ("D", COLOURS["tandem"]),
    "committee 2+1": ("s", COLOURS["c1"]),
    "average of 3": ("o", COLOURS["first_order"]),
    "hold-out": ("|", "black"),
}
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
        _draw(panel, means.xs(learner, level="learner").reindex(sets), ratio)
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


def _draw(axes: Axes, means: pd.DataFrame, ratio: str) -> None:
    axes.axvline(1, color="black", linewidth=0.8, zorder=1)
    for scheme in SCHEMES:
        marker, color = MARKERS[scheme]
        values = means[scheme, ratio]
        axes.plot(
            values, range(len(values)), marker, color=color, markersize=4, label=scheme, zorder=2
        )
    axes.grid(visible=True, axis="x")
    axes.grid(visible=False, axis="y")
    axes.set_ylim(len(means) - 0.5, -0.5)
