"""The cells of the experiments: what is drawn, grown and measured in one go, and in which order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from itertools import product, starmap
from math import log, sqrt
from typing import Any, ClassVar

from reproduction.experiments.protocol import (
    BAGGINGS,
    FOREST_REPETITIONS,
    FURTHER_REPETITIONS,
    LABELED_FRACTIONS,
    LEARNERS,
    ROOT,
    UNLABELED_REPETITIONS,
    seed_for,
)

PAPER_FAMILIES = ("A", "B", "C", "unlabeled")
"""Those of the paper's appendix, the default of a run. A to C read the same forests."""

PILOT_REPETITIONS = 2
"""Every data set gets these first, so that a mistake shows before the long runs."""


class _Drawn:
    """What cells of all families have; what identifies one are the fields that are compared.

    The root of the seeds is no part of what a cell is: a folder of rows holds those of one root.
    """

    family: ClassVar[str]
    dataset: str
    repetition: int
    root: int

    @property
    def columns(self) -> dict[str, Any]:
        """The columns that say in a row which cell it is from."""
        return {part.name: getattr(self, part.name) for part in fields(self) if part.compare}  # type: ignore[arg-type]

    @property
    def seed(self) -> int:
        """Seed of all that is drawn and grown."""
        return seed_for(self.family, *self.columns.values(), root=self.root)

    @property
    def split_seed(self) -> int:
        """Seed of the split, the same in every family, so that ratios are paired."""
        return seed_for("split", self.dataset, self.repetition, root=self.root)

    @property
    def name(self) -> str:
        """Readable name, unique among cells."""
        texts = {int: "02d", float: ".2f", str: ""}
        return "-".join(
            [self.family, *(format(part, texts[type(part)]) for part in self.columns.values())]
        )


@dataclass(frozen=True, order=True)
class ForestCell(_Drawn):
    """One forest on one split, which yields the rows of every weighting.

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

    family: ClassVar[str] = "forest"
    labeled_fraction: ClassVar[float] = 1.0


@dataclass(frozen=True, order=True)
class UnlabeledCell(_Drawn):
    """One forest grown on a labeled fraction of the training part, the rest unlabeled.

    Examples
    --------
    >>> UnlabeledCell("Adult", 0.05, 3).name
    'unlabeled-Adult-0.05-03'
    """

    dataset: str
    labeled_fraction: float
    repetition: int
    root: int = field(default=ROOT, compare=False)

    family: ClassVar[str] = "unlabeled"

    @property
    def seed(self) -> int:
        """Seed of all that is drawn and grown."""
        # The rows were drawn by this spelling.
        return seed_for("unlabelled", *self.columns.values(), root=self.root)


@dataclass(frozen=True, order=True)
class BeyondCell(_Drawn):
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

    family: ClassVar[str] = "beyond"
    labeled_fraction: ClassVar[float] = 1.0

    @property
    def seed(self) -> int:
        """Seed of the forest, that of full bagging in families A to C."""
        return ForestCell(self.dataset, "full", self.repetition, self.root).seed


@dataclass(frozen=True, order=True)
class LearnerCell(_Drawn):
    """One learner on one split."""

    dataset: str
    learner: str
    repetition: int
    root: int = field(default=ROOT, compare=False)

    labeled_fraction: ClassVar[float] = 1.0


class CommitteeCell(LearnerCell):
    """Tested members, a referee trained on the whole training part, and a hold-out.

    Examples
    --------
    >>> CommitteeCell("Adult", "forest", 3).name
    'committee-Adult-forest-03'
    """

    family: ClassVar[str] = "committee"

    @property
    def seed(self) -> int:
        """Seed of all that is drawn and trained."""
        # The word is that of an earlier family with the same learners. The rows were drawn by it.
        return seed_for("folds", *self.columns.values(), root=self.root)


class DeployedCell(LearnerCell):
    """One learner trained on half of the training part, certified through a hold-out of it.

    Examples
    --------
    >>> DeployedCell("Adult", "forest", 3).name
    'deployed-Adult-forest-03'
    """

    family: ClassVar[str] = "deployed"
    labeled_fraction: ClassVar[float] = 0.5


Cell = ForestCell | UnlabeledCell | BeyondCell | CommitteeCell | DeployedCell


@dataclass(frozen=True)
class Shape:
    """Size of a data set, as far as the choice and order of cells depend on it."""

    n_samples: int
    n_features: int
    n_classes: int


def cost(cell: Cell, shape: Shape) -> float:
    """Rough growing time of the cell's forest, in arbitrary units: sort and scan at every depth."""
    n_samples = cell.labeled_fraction * shape.n_samples
    return n_samples * log(1 + n_samples) ** 2 * sqrt(shape.n_features)


AXES: dict[type[Cell], tuple[Sequence[Any], int]] = {
    ForestCell: (tuple(BAGGINGS), FOREST_REPETITIONS),
    UnlabeledCell: (LABELED_FRACTIONS, UNLABELED_REPETITIONS),
    BeyondCell: ((), FURTHER_REPETITIONS),
    CommitteeCell: (LEARNERS, FURTHER_REPETITIONS),
    DeployedCell: (LEARNERS, FURTHER_REPETITIONS),
}
"""Baggings, fractions or learners of the cells of a data set, and their usual repetitions."""


def cells_of(
    kind: type[Cell],
    datasets: Iterable[str],
    *,
    repetitions: int | None = None,
    among: Sequence[Any] | None = None,
) -> list[Cell]:
    """List the cells of a kind, all or those with a bagging, fraction or learner `among` some.

    Examples
    --------
    >>> len(cells_of(ForestCell, ["Letter", "Adult"], repetitions=3))
    12
    >>> len(cells_of(BeyondCell, ["Letter", "Adult"]))
    20
    """
    every, usual = AXES[kind]
    axes = [datasets, every if among is None else among, range(repetitions or usual)]
    return list(starmap(kind, product(*axes if every else axes[::2])))


def schedule(cells: Iterable[Cell], shapes: dict[str, Shape]) -> list[Cell]:
    """Order cells: a first look at every data set, then the cheap ones, the images last.

    Examples
    --------
    >>> shapes = {"big": Shape(70000, 780, 10), "small": Shape(3000, 4, 2)}
    >>> cells = cells_of(ForestCell, shapes, among=["full"])
    >>> [cell.name for cell in schedule(cells, shapes)][:4]
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
