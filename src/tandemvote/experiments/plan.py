"""From families and data sets to the cells of a run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from tandemvote.datasets import CATALOGUE
from tandemvote.experiments.cells import (
    PAPER_FAMILIES,
    Cell,
    beyond_cells,
    forest_cells,
    unlabelled_cells,
)
from tandemvote.experiments.protocol import (
    BEYOND_REPETITIONS,
    FOREST_REPETITIONS,
    LABELLED_FRACTIONS,
    LARGE_BINARY,
    LEAST_LABELLED,
    TEST_FRACTION,
    UNLABELLED_REPETITIONS,
)
from tandemvote.experiments.seeds import ROOT
from tandemvote.experiments.sources import DataSource

FAMILY_BAGGINGS = {"A": ("full",), "B": ("full", "reduced"), "C": ("full", "reduced")}


def plan_cells(
    datasets: Iterable[str],
    *,
    source: DataSource,
    families: Iterable[str] = PAPER_FAMILIES,
    repetitions: int | None = None,
    root: int = ROOT,
) -> list[Cell]:
    """List the cells that the families need, each once.

    Parameters
    ----------
    datasets : iterable of str
    source : DataSource
        Knows how many points and classes each data set has.
    families : iterable of str
        Of "A", "B", "C", "unlabelled" and "beyond"; the last one only if named.
    repetitions : int, optional
        If not given, the paper's 50, its 20 for the unlabelled experiment, and 10 beyond it.
    root : int
        Where all seeds come from; another root gives an independent reproduction.

    Examples
    --------
    >>> cells = plan_cells(["Letter", "Splice", "Adult"], source=DataSource(), repetitions=2)
    >>> len(cells), {cell.dataset for cell in cells if cell.name.startswith("unlabelled")}
    (32, {'Adult'})
    """
    datasets, families = list(datasets), set(families)
    baggings = {bagging for family in families for bagging in FAMILY_BAGGINGS.get(family, ())}
    cells: list[Cell] = [
        *forest_cells(
            datasets, baggings=sorted(baggings), repetitions=repetitions or FOREST_REPETITIONS
        )
    ]
    if "unlabelled" in families:
        chosen = [name for name in datasets if unlabelled_obstacle(name, source) is None]
        cells += unlabelled_cells(chosen, repetitions=repetitions or UNLABELLED_REPETITIONS)
    if "beyond" in families:
        cells += beyond_cells(datasets, repetitions=repetitions or BEYOND_REPETITIONS)
    return [replace(cell, root=root) for cell in cells]


def unlabelled_obstacle(name: str, source: DataSource) -> str | None:
    """Say why a data set does not enter the unlabelled experiment, or None if it does.

    The paper takes its large binary sets; a person's own set needs two classes, and enough points
    for its smallest labelled fraction.

    Examples
    --------
    >>> [name for name in CATALOGUE if unlabelled_obstacle(name, DataSource()) is None]
    ['Adult', 'Cod-RNA', 'Mushroom', 'Phishing', 'w1a']
    >>> unlabelled_obstacle("Letter", DataSource())
    'it has 26 classes, and the disagreement bound is for two'
    """
    shape = source.shape(name)
    if shape.n_classes != 2:
        return f"it has {shape.n_classes} classes, and the disagreement bound is for two"
    if name in CATALOGUE:
        large = shape.n_samples > LARGE_BINARY
        return None if large else f"the paper takes sets of more than {LARGE_BINARY} points only"
    n_labelled = int(min(LABELLED_FRACTIONS) * (1 - TEST_FRACTION) * shape.n_samples)
    if n_labelled < LEAST_LABELLED:
        return (
            f"of its {shape.n_samples} points the smallest labelled fraction, "
            f"{min(LABELLED_FRACTIONS):g} of the training part, leaves {n_labelled}, and at least "
            f"{LEAST_LABELLED} are needed"
        )
    return None
