"""The cells of the experiments: what is drawn, grown and measured in one go, and in which order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import log, sqrt
from types import MappingProxyType
from typing import ClassVar

from reproduction.experiments.protocol import (
    BAGGINGS,
    BEYOND_REPETITIONS,
    DEPLOYED_REPETITIONS,
    FOLDS_REPETITIONS,
    FOREST_REPETITIONS,
    LABELLED_FRACTIONS,
    LEARNERS,
    ROOT,
    UNLABELLED_REPETITIONS,
    seed_for,
)

FAMILIES = MappingProxyType(
    {
        "A": "uniform against optimised weights, full bagging",
        "B": "full against reduced bagging, uniform weights",
        "C": "full against reduced bagging, optimised weights",
        "unlabelled": "DIS against TND and FO with few labelled points",
        "beyond": "the paper's bounds against those that came after, on the forests of A",
        "folds": "whole models trained on folds, against one with a test set",
        "deployed": "one model trained on all labels, certified by folds and unlabelled points",
    }
)
"""The four families of the paper's appendix, and three more. A to C read the same forests."""

PAPER_FAMILIES = ("A", "B", "C", "unlabelled")
"""The default of a run."""

PILOT_REPETITIONS = 2
"""Every data set gets these first, so that a mistake shows before the long runs."""


@dataclass(frozen=True, order=True)
class ForestCell:
    """One forest on one split, which yields the rows of every weighting.

    The root of the seeds is no part of what a cell is: a folder of rows holds those of one root.

    Examples
    --------
    >>> cell = ForestCell("Letter", "full", 7)
    >>> cell.name
    'forest-Letter-full-07'
    """

    dataset: str
    bagging: str
    repetition: int
    root: int = field(default=ROOT, compare=False)

    @property
    def seed(self) -> int:
        """Seed of the forest."""
        return seed_for("forest", self.dataset, self.bagging, self.repetition, root=self.root)

    @property
    def split_seed(self) -> int:
        """Seed of the split, shared by full and reduced bagging so that their ratios are paired."""
        return seed_for("split", self.dataset, self.repetition, root=self.root)

    @property
    def name(self) -> str:
        """Readable name, unique among cells."""
        return f"forest-{self.dataset}-{self.bagging}-{self.repetition:02d}"

    @property
    def labelled_fraction(self) -> float:
        """Share of the training part that has labels: all of it."""
        return 1.0


@dataclass(frozen=True, order=True)
class UnlabelledCell:
    """One forest grown on a labelled fraction of the training part, the rest unlabelled.

    Examples
    --------
    >>> UnlabelledCell("Adult", 0.05, 3).name
    'unlabelled-Adult-0.05-03'
    """

    dataset: str
    labelled_fraction: float
    repetition: int
    root: int = field(default=ROOT, compare=False)

    @property
    def seed(self) -> int:
        """Seed of the choice of labelled points and of the forest."""
        return seed_for(
            "unlabelled", self.dataset, self.labelled_fraction, self.repetition, root=self.root
        )

    @property
    def split_seed(self) -> int:
        """Seed of the split, the same for every labelled fraction."""
        return seed_for("split", self.dataset, self.repetition, root=self.root)

    @property
    def name(self) -> str:
        """Readable name, unique among cells."""
        return f"unlabelled-{self.dataset}-{self.labelled_fraction:.2f}-{self.repetition:02d}"


@dataclass(frozen=True, order=True)
class BeyondCell:
    """One forest of family A, judged by every bound of the library.

    Examples
    --------
    >>> BeyondCell("Adult", 3).name
    'beyond-Adult-03'
    >>> BeyondCell("Adult", 3).seed == ForestCell("Adult", "full", 3).seed
    True
    """

    dataset: str
    repetition: int
    root: int = field(default=ROOT, compare=False)

    @property
    def seed(self) -> int:
        """Seed of the forest, that of full bagging in families A to C."""
        return ForestCell(self.dataset, "full", self.repetition, self.root).seed

    @property
    def split_seed(self) -> int:
        """Seed of the split, the same in every family."""
        return seed_for("split", self.dataset, self.repetition, root=self.root)

    @property
    def hold_out_seed(self) -> int:
        """Seed that draws the half of the test part on which weights are fitted."""
        return seed_for("hold-out", self.dataset, self.repetition, root=self.root)

    @property
    def name(self) -> str:
        """Readable name, unique among cells."""
        return f"beyond-{self.dataset}-{self.repetition:02d}"

    @property
    def labelled_fraction(self) -> float:
        """Share of the training part that has labels: all of it."""
        return 1.0


@dataclass(frozen=True, order=True)
class FoldsCell:
    """One learner on one split: trained on the whole training part, and on its folds.

    Examples
    --------
    >>> FoldsCell("Adult", "forest", 3).name
    'folds-Adult-forest-03'
    """

    dataset: str
    learner: str
    repetition: int
    root: int = field(default=ROOT, compare=False)

    family: ClassVar[str] = "folds"

    @property
    def seed(self) -> int:
        """Seed of the folds and of the learner."""
        return seed_for(self.family, self.dataset, self.learner, self.repetition, root=self.root)

    @property
    def split_seed(self) -> int:
        """Seed of the split, the same in every family."""
        return seed_for("split", self.dataset, self.repetition, root=self.root)

    @property
    def name(self) -> str:
        """Readable name, unique among cells."""
        return f"{self.family}-{self.dataset}-{self.learner}-{self.repetition:02d}"

    @property
    def labelled_fraction(self) -> float:
        """Share of the training part that has labels: all of it."""
        return 1.0


class DeployedCell(FoldsCell):
    """One learner trained on all labels, certified by models of folds and unlabelled points.

    Examples
    --------
    >>> DeployedCell("Adult", "forest", 3).name
    'deployed-Adult-forest-03'
    """

    family: ClassVar[str] = "deployed"

    @property
    def labelled_fraction(self) -> float:
        """Share of the training part that has labels; the other half is unlabelled."""
        return 0.5


Cell = ForestCell | UnlabelledCell | BeyondCell | FoldsCell | DeployedCell


@dataclass(frozen=True)
class Shape:
    """Size of a data set, as far as the choice and order of cells depend on it."""

    n_samples: int
    n_features: int
    n_classes: int


def cost(cell: Cell, shape: Shape) -> float:
    """Rough growing time of the cell's forest, in arbitrary units: sort and scan at every depth."""
    n_points = cell.labelled_fraction * shape.n_samples
    return n_points * log(1 + n_points) ** 2 * sqrt(shape.n_features)


def forest_cells(
    datasets: Iterable[str],
    *,
    baggings: Iterable[str] = tuple(BAGGINGS),
    repetitions: int = FOREST_REPETITIONS,
) -> list[ForestCell]:
    """List the cells of families A to C.

    Examples
    --------
    >>> len(forest_cells(["Letter", "Adult"], repetitions=3))
    12
    """
    baggings = tuple(baggings)
    return [
        ForestCell(dataset, bagging, repetition)
        for dataset in datasets
        for bagging in baggings
        for repetition in range(repetitions)
    ]


def unlabelled_cells(
    datasets: Iterable[str],
    *,
    labelled_fractions: Sequence[float] = LABELLED_FRACTIONS,
    repetitions: int = UNLABELLED_REPETITIONS,
) -> list[UnlabelledCell]:
    """List the cells of the unlabelled experiment.

    Examples
    --------
    >>> len(unlabelled_cells(["Adult"], repetitions=2))
    20
    """
    return [
        UnlabelledCell(dataset, fraction, repetition)
        for dataset in datasets
        for fraction in labelled_fractions
        for repetition in range(repetitions)
    ]


def beyond_cells(
    datasets: Iterable[str], *, repetitions: int = BEYOND_REPETITIONS
) -> list[BeyondCell]:
    """List the cells of the family beyond the paper.

    Examples
    --------
    >>> len(beyond_cells(["Letter", "Adult"]))
    20
    """
    return [
        BeyondCell(dataset, repetition) for dataset in datasets for repetition in range(repetitions)
    ]


def folds_cells(
    datasets: Iterable[str], *, repetitions: int = FOLDS_REPETITIONS
) -> list[FoldsCell]:
    """List the cells of whole models trained on folds.

    Examples
    --------
    >>> len(folds_cells(["Letter", "Adult"]))
    40
    """
    return [
        FoldsCell(dataset, learner, repetition)
        for dataset in datasets
        for learner in LEARNERS
        for repetition in range(repetitions)
    ]


def deployed_cells(
    datasets: Iterable[str], *, repetitions: int = DEPLOYED_REPETITIONS
) -> list[DeployedCell]:
    """List the cells of models trained on all labels.

    Examples
    --------
    >>> len(deployed_cells(["Letter", "Adult"]))
    40
    """
    return [
        DeployedCell(dataset, learner, repetition)
        for dataset in datasets
        for learner in LEARNERS
        for repetition in range(repetitions)
    ]


def schedule(cells: Iterable[Cell], shapes: dict[str, Shape]) -> list[Cell]:
    """Order cells: a first look at every data set, then the cheap ones, the images last.

    Examples
    --------
    >>> shapes = {"big": Shape(70000, 780, 10), "small": Shape(3000, 4, 2)}
    >>> [cell.name for cell in schedule(forest_cells(shapes, baggings=["full"]), shapes)][:4]
    ['forest-small-full-00', 'forest-small-full-01', 'forest-big-full-00', 'forest-big-full-01']
    """
    return sorted(
        cells,
        key=lambda cell: (
            cell.repetition >= PILOT_REPETITIONS,
            cost(cell, shapes[cell.dataset]),
            cell.dataset,
            cell.repetition,
        ),
    )
