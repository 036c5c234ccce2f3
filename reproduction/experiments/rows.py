"""The rows of a cell, in six tables: as records and as text."""

from __future__ import annotations

import platform
from collections.abc import Callable
from dataclasses import dataclass, fields
from importlib.metadata import version
from types import MappingProxyType
from typing import Any, ClassVar

from reproduction.experiments.cells import (
    BeyondCell,
    Cell,
    DeployedCell,
    FoldsCell,
    ForestCell,
    UnlabelledCell,
)
from reproduction.experiments.protocol import WEIGHTINGS

TextRow = dict[str, str]


# Columns stand in the order of a file: those of the last base class first.


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """Columns that say how a row was made."""

    seed: int
    versions: str
    split_seed: int
    n_train: int
    n_test: int
    reconstructed: bool
    seconds: float


@dataclass(frozen=True, kw_only=True)
class _ForestKey:
    dataset: str
    bagging: str
    repetition: int


@dataclass(frozen=True, kw_only=True)
class _LearnerKey:
    dataset: str
    learner: str
    repetition: int


@dataclass(frozen=True, kw_only=True)
class BoundColumns:
    """Columns that every measured vote has; None where a bound does not apply.

    Bounds are clipped to 1. `disagreement` is the averaged rate, `disagreement_bound` is DIS.
    """

    test_risk: float
    first_order: float
    c1: float | None
    c2: float | None
    c_tandem: float
    tandem: float
    disagreement_bound: float | None
    gibbs_loss: float
    tandem_loss: float
    disagreement: float
    n_min: int
    n_min_pairs: int
    kl_divergence: float


@dataclass(frozen=True, kw_only=True)
class _WeightingKey(_ForestKey):
    weighting: str


@dataclass(frozen=True, kw_only=True)
class ForestRow(Provenance, BoundColumns, _WeightingKey):
    """One weighting of one forest."""

    table: ClassVar[str] = "forests"


@dataclass(frozen=True, kw_only=True)
class _UnlabelledKey:
    dataset: str
    labelled_fraction: float
    repetition: int


@dataclass(frozen=True, kw_only=True)
class UnlabelledRow(Provenance, BoundColumns, _UnlabelledKey):
    """The uniform vote of one forest whose training part is mostly unlabelled."""

    n_unlabelled: int
    n_min_disagreement: int

    table: ClassVar[str] = "unlabelled"


@dataclass(frozen=True, kw_only=True)
class WeightRow(_ForestKey):
    """One tree of a forest of repetition 0, with its optimised weights."""

    tree: int
    gibbs_loss: float
    first_order: float
    tandem: float

    table: ClassVar[str] = "weights"


@dataclass(frozen=True, kw_only=True)
class _BeyondColumns:
    dataset: str
    repetition: int
    test_risk: float
    first_order: float
    tandem: float
    c_tandem: float
    sharp_first_order: float
    sharp_tandem: float
    c_box: float
    second_order: float
    vote_profile: float
    dirichlet: float
    test_set: float
    dirichlet_test_risk: float
    weighted_vote_profile: float
    weighted_test_risk: float
    n_hold_out: int


@dataclass(frozen=True, kw_only=True)
class BeyondRow(Provenance, _BeyondColumns):
    """The uniform vote of one forest, by the paper's bounds and by those that came after.

    `first_order`, `tandem` and `c_tandem` are as published. The sharp ones, `c_box` and
    `second_order` are sharpened by harmonic sizes. `vote_profile` takes the test inputs as
    unlabelled points. `dirichlet` fits weights on half of the test part and certifies them there;
    it is about another vote, whose error on the other half is `dirichlet_test_risk`. `test_set`
    spends the labels of the whole test part. The weighted columns are those of the vote whose
    weights minimise the sharp tandem bound.
    """

    table: ClassVar[str] = "beyond"


@dataclass(frozen=True, kw_only=True)
class _FoldsColumns(_LearnerKey):
    n_folds: int
    fold_errors: str
    fold_sizes: str
    vote_test_errors: int
    whole_test_errors: int


@dataclass(frozen=True, kw_only=True)
class FoldsRow(Provenance, _FoldsColumns):
    """One learner, trained on all folds but one each, beside the same learner on the whole part.

    `fold_errors` and `fold_sizes` are numbers per fold, divided by spaces. The other errors are
    those on the test part: of the vote of the models, and of the learner trained on the whole
    training part, which the test set would certify.
    """

    table: ClassVar[str] = "folds"


@dataclass(frozen=True, kw_only=True)
class _DeployedColumns(_LearnerKey):
    n_unlabelled: int
    unlabelled_share: float
    vote_profile: float
    profile: str
    fold_errors: str
    fold_sizes: str
    hold_out_errors: int
    n_hold_out: int
    deployed_test_errors: int
    reduced_test_errors: int
    n_labelled: int


@dataclass(frozen=True, kw_only=True)
class DeployedRow(Provenance, _DeployedColumns):
    """One learner trained on all labelled points, and what is known of it without a test set.

    Half of the training part is labelled, the other half gives the unlabelled points: the first
    `n_unlabelled` of them. `vote_profile` is the guarantee. `profile` counts the unlabelled points,
    in words such as ``2/1:40``: at 40 points two models of folds agree with the deployed one, and
    one names the most frequent other label.
    `hold_out_errors` are those of the learner trained on 80 % of the labelled points on the other
    20 %; `deployed_test_errors` and `reduced_test_errors` those of both on the test part.
    """

    table: ClassVar[str] = "deployed"


Row = ForestRow | UnlabelledRow | WeightRow | BeyondRow | FoldsRow | DeployedRow


@dataclass(frozen=True)
class Table:
    """A stored table: its columns, which cells its rows come from, and what tells these apart."""

    row_type: type[Row]
    cell_type: type[Cell]
    place: Callable[[TextRow], int] = lambda _: 0  # of a row among those of its cell

    @property
    def columns(self) -> tuple[str, ...]:
        """Column names in the order of the file."""
        return tuple(field.name for field in fields(self.row_type))

    def cell(self, row: TextRow) -> Cell:
        """Return the cell that a row comes from."""
        read = {"repetition": int, "labelled_fraction": float}
        names = [field.name for field in fields(self.cell_type) if field.compare]
        return self.cell_type(**{name: read.get(name, str)(row[name]) for name in names})

    def key(self, row: TextRow) -> tuple[Any, ...]:
        """Return what identifies a row, in the order of the file."""
        dataset, *others = self.cell(row).columns.values()
        return dataset.casefold(), *others, self.place(row)


TABLES = MappingProxyType(
    {
        table.row_type.table: table
        for table in (
            Table(ForestRow, ForestCell, lambda row: WEIGHTINGS.index(row["weighting"])),
            Table(UnlabelledRow, UnlabelledCell),
            Table(WeightRow, ForestCell, lambda row: int(row["tree"])),
            Table(BeyondRow, BeyondCell),
            Table(FoldsRow, FoldsCell, lambda row: int(row["n_folds"])),
            Table(DeployedRow, DeployedCell, lambda row: int(row["n_unlabelled"])),
        )
    }
)


def as_text(row: Row) -> TextRow:
    """Return the row as text: floats to full precision, empty for None.

    Examples
    --------
    >>> row = WeightRow(
    ...     dataset="Letter", bagging="full", repetition=0, tree=3,
    ...     gibbs_loss=0.1, first_order=1 / 3, tandem=0.25,
    ... )
    >>> as_text(row)["first_order"]
    '0.3333333333333333'
    """
    return {field.name: _text(getattr(row, field.name)) for field in fields(row)}


def _text(value: Any) -> str:
    if value is None:
        return ""
    # The repr of a NumPy scalar is not just the number.
    return repr(float(value)) if isinstance(value, float) else str(value)


def versions() -> str:
    """List the versions of the libraries that made a row.

    Examples
    --------
    >>> "scikit-learn=" in versions()
    True
    """
    packages = ("tandemvote", "numpy", "scipy", "scikit-learn")
    named = [f"{package}={version(package)}" for package in packages]
    return " ".join([*named, f"python={platform.python_version()}"])
