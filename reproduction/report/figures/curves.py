"""Figures of curves: few labeled samples, optimized weights, relaxations of the indicator."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from reproduction.report.figures.style import COLORS, RISK_COLOR, figure_of, panels, titles
from reproduction.report.frames import BOUND_LABELS, dataset_order, unlabeled_summary

CURVES = ("first_order", "tandem", "disagreement_bound", "test_risk")


def unlabeled_curves(unlabeled: pd.DataFrame) -> Figure:
    """Test risk and bounds against the labeled fraction, one panel per data set."""
    summary, names = unlabeled_summary(unlabeled), titles(unlabeled)
    present = set(unlabeled["dataset"])
    sets = [name for name in dataset_order(present) if name in present]
    axes = panels(len(sets), columns=5, width=1.9, height=2.3)
    for place, name in zip(axes, sets, strict=True):
        means = summary.loc[name].sort_index()
        for column in CURVES:
            place.errorbar(
                means.index,
                means[column, "mean"],
                yerr=means[column, "std"].fillna(0.0),
                color=COLORS.get(column, RISK_COLOR),
                label=BOUND_LABELS.get(column, "test risk"),
                marker="o",
                markersize=2,
                elinewidth=0.7,
                linewidth=1,
            )
        place.set_title(names[name])
        place.set_xlabel("labeled fraction $r$")
        place.set_ylim(bottom=0)
        if place.get_ylim()[1] > 1:
            place.set_ylim(top=1.02)
    figure = figure_of(axes)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return figure


FIGURE_2B_SETS = ("Letter", "Cod-RNA")
"""One multiclass and one binary set; the paper's text does not name its two."""

FLOOR = 1e-4
"""Smaller weights, most of the first-order ones, fall below the picture."""


def optimized_weights(weights: pd.DataFrame, names: dict[str, str]) -> Figure | None:
    """Figure 2b: weights by tree, best tree first, of forests of repetition 0 with full bagging."""
    full = weights[weights["bagging"] == "full"]
    present = list(dict.fromkeys(full["dataset"]))
    sets = [name for name in FIGURE_2B_SETS if name in present] or present[:2]
    if not sets:
        return None
    axes = panels(len(sets), columns=2, width=3.2, height=2.4)
    for place, name in zip(axes, sets, strict=True):
        trees = full[full["dataset"] == name].sort_values("gibbs_loss", kind="stable")
        ranks = range(1, len(trees) + 1)
        place.axhline(1 / len(trees), color=COLORS["uniform"], linewidth=0.8, label="uniform")
        for column, label, marker in (("first_order", "FO", "o"), ("tandem", "TND", "s")):
            place.plot(
                ranks,
                trees[column],
                marker=marker,
                markersize=2.5,
                linestyle="none",
                color=COLORS[column],
                label=f"{label}-optimized",
            )
        place.set_title(names.get(name, name))
        place.set_xlabel("tree, by out-of-bag error")
        place.set_ylabel("weight")
        place.set_yscale("log")
        place.set_ylim(FLOOR, 1.2)
    figure = figure_of(axes)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def indicator_relaxations() -> Figure:
    """The vote errs where z >= 1/2; 2z and 4z^2 lie above that step, for z the erring weight."""
    axes = panels(1, columns=1, width=4.2, height=2.8)[0]
    z = np.linspace(0, 1, 401)
    axes.plot(z, 2 * z, color=COLORS["first_order"], label=r"$2z$ (first order)")
    axes.plot(z, 4 * z**2, color=COLORS["tandem"], label=r"$4z^2$ (second order)")
    axes.plot([0, 0.5, 0.5, 1], [0, 0, 1, 1], color=RISK_COLOR, label=r"$\mathbf{1}[z \geq 1/2]$")
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 2.5)
    axes.set_xlabel("weight of the voters that err, $z$")
    axes.legend(loc="upper left")
    return figure_of([axes])
