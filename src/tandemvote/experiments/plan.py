"""From families and data sets to the cells of a run."""

from __future__ import annotations

from collections.abc import Iterable

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
    LARGE_BINARY,
    UNLABELLED_REPETITIONS,
)
from tandemvote.experiments.sources import DataSource

FAMILY_BAGGINGS = {"A": ("full",), "B": ("full", "reduced"), "C": ("full", "reduced")}


def plan_cells(
    datasets: Iterable[str],
    *,
    source: DataSource,
    families: Iterable[str] = PAPER_FAMILIES,
    repetitions: int | None = None,
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
        chosen = [name for name in datasets if takes_unlabelled(name, source)]
        cells += unlabelled_cells(chosen, repetitions=repetitions or UNLABELLED_REPETITIONS)
    if "beyond" in families:
        cells += beyond_cells(datasets, repetitions=repetitions or BEYOND_REPETITIONS)
    return cells


def takes_unlabelled(name: str, source: DataSource) -> bool:
    """Tell whether a data set enters the unlabelled experiment.

    The paper takes its large binary sets; a person's own set needs two classes only.

    Examples
    --------
    >>> [name for name in CATALOGUE if takes_unlabelled(name, DataSource())]
    ['Adult', 'Cod-RNA', 'Mushroom', 'Phishing', 'w1a']
    """
    shape = source.shape(name)
    return shape.n_classes == 2 and (name not in CATALOGUE or shape.n_samples > LARGE_BINARY)
