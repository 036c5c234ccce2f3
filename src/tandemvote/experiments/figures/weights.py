"""Figure 2b: the optimised weights of two forests."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from tandemvote.experiments.figures.style import COLOURS, figure_of, panels

FIGURE_2B_SETS = ("Letter", "Cod-RNA")
"""One multiclass and one binary set; the paper's text does not name its two."""

FLOOR = 1e-4
"""Smaller weights, most of the first-order ones, fall below the picture."""


def optimised_weights(weights: pd.DataFrame, names: dict[str, str]) -> Figure | None:
    """Weights by tree, best tree first, for the forests of repetition 0 with full bagging."""
    full = weights[weights["bagging"] == "full"]
    present = list(dict.fromkeys(full["dataset"]))
    sets = [name for name in FIGURE_2B_SETS if name in present] or present[:2]
    if not sets:
        return None
    axes = panels(len(sets), columns=2, width=3.2, height=2.4)
    for place, name in zip(axes, sets, strict=True):
        trees = full[full["dataset"] == name].sort_values("gibbs_loss", kind="stable")
        ranks = range(1, len(trees) + 1)
        place.axhline(1 / len(trees), color=COLOURS["uniform"], linewidth=0.8, label="uniform")
        for column, label, marker in (("first_order", "FO", "o"), ("tandem", "TND", "s")):
            place.plot(
                ranks,
                trees[column],
                marker=marker,
                markersize=2.5,
                linestyle="none",
                color=COLOURS[column],
                label=f"{label}-optimised",
            )
        place.set_title(names.get(name, name))
        place.set_xlabel("tree, by out-of-bag error")
        place.set_ylabel("weight")
        place.set_yscale("log")
        place.set_ylim(FLOOR, 1.2)
    figure = figure_of(axes)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure
