"""Every figure of the paper, one function each, from rows alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from reproduction.report.figures import bars, curves, ratios
from reproduction.report.figures.style import house_style, titles

FOREST_FIGURES: dict[str, Callable[[pd.DataFrame], Figure | None]] = {
    "figure-1-bounds": bars.chosen_bounds,
    "figure-2a-test-risk-ratios": ratios.optimized_risk_ratios,
    "bounds-uniform-binary": partial(bars.uniform_bounds, binary=True),
    "bounds-uniform-multiclass": partial(bars.uniform_bounds, binary=False),
    "disagreement-against-tandem": ratios.disagreement_scatter,
    "bounds-optimized-binary": partial(bars.optimized_bounds, binary=True),
    "bounds-optimized-multiclass": partial(bars.optimized_bounds, binary=False),
    "bagging-uniform-binary": partial(bars.uniform_baggings, binary=True),
    "bagging-uniform-multiclass": partial(bars.uniform_baggings, binary=False),
    "bagging-optimized-binary": partial(bars.optimized_baggings, binary=True),
    "bagging-optimized-multiclass": partial(bars.optimized_baggings, binary=False),
    "bagging-test-risk-ratios": ratios.reduced_risk_ratios,
    "bagging-tandem-ratios": ratios.reduced_tandem_ratios,
}
"""Figures made from the rows of the forests, by file name."""


def all_figures(
    forests: pd.DataFrame, unlabeled: pd.DataFrame, tree_weights: pd.DataFrame
) -> Iterator[tuple[str, Figure]]:
    """Yield file names and figures; a figure with nothing to show is left out."""
    with house_style():
        yield "indicator-relaxations", curves.indicator_relaxations()
        for name, draw in FOREST_FIGURES.items():
            if (figure := draw(forests)) is not None:
                yield name, figure
        if (figure := curves.optimized_weights(tree_weights, titles(forests))) is not None:
            yield "figure-2b-weights", figure
        if len(unlabeled):
            yield "unlabeled-curves", curves.unlabeled_curves(unlabeled)


def save(figure: Figure, stem: Path) -> list[Path]:
    """Write a figure as SVG and PNG, without dates or versions in the files."""
    stem.parent.mkdir(parents=True, exist_ok=True)
    paths = [stem.with_suffix(".svg"), stem.with_suffix(".png")]
    with house_style():
        figure.savefig(paths[0], metadata={"Date": None, "Creator": None})
        figure.set_layout_engine("none")  # it is laid out now, and doing it again takes long
        figure.savefig(paths[1], metadata={"Software": None})
    return paths
