"""Test risk and bounds against the labelled fraction, the rest of the points unlabelled."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from tandemvote.experiments.figures.style import COLOURS, RISK_COLOUR, figure_of, panels, titles
from tandemvote.experiments.frames import BOUND_LABELS, dataset_order, unlabelled_summary

CURVES = ("first_order", "tandem", "disagreement_bound", "test_risk")


def unlabelled_curves(unlabelled: pd.DataFrame) -> Figure:
    """Means with standard deviations, one panel a data set."""
    summary, names = unlabelled_summary(unlabelled), titles(unlabelled)
    present = set(unlabelled["dataset"])
    sets = [name for name in dataset_order(present) if name in present]
    axes = panels(len(sets), columns=5, width=1.9, height=2.3)
    for place, name in zip(axes, sets, strict=True):
        means = summary.loc[name].sort_index()
        for column in CURVES:
            place.errorbar(
                means.index,
                means[column, "mean"],
                yerr=means[column, "std"].fillna(0.0),
                color=COLOURS.get(column, RISK_COLOUR),
                label=BOUND_LABELS.get(column, "test risk"),
                marker="o",
                markersize=2,
                elinewidth=0.7,
                linewidth=1,
            )
        place.set_title(names[name])
        place.set_xlabel("labelled fraction $r$")
        place.set_ylim(bottom=0)
        if place.get_ylim()[1] > 1:
            place.set_ylim(top=1.02)
    figure = figure_of(axes)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return figure
