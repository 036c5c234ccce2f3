"""The rows of a cell, in six tables: as records and as text."""

from __future__ import annotations

import platform
from collections.abc import Callable
from dataclasses import dataclass, fields
from importlib.metadata import version
from types import MappingProxyType, SimpleNamespace
from typing import Any

from reproduction.experiments.cells import (
    BeyondCell,
    Cell,
    CommitteeCell,
    DeployedCell,
    ForestCell,
    UnlabeledCell,
)
from reproduction.experiments.protocol import WEIGHTINGS

TextRow = dict[str, str]

BOUND_COLUMNS = (
    *("test_risk", "first_order", "c1", "c2", "c_tandem", "tandem", "disagreement_bound"),
    *("gibbs_loss", "tandem_loss", "disagreement", "n_min", "n_min_pairs", "kl_divergence"),
)
"""Columns that every measured vote has; None where a bound does not apply.

Bounds are clipped to 1. `disagreement` is the averaged rate, `disagreement_bound` is DIS.
"""

PROVENANCE = ("seed", "versions", "split_seed", "n_train", "n_test", "reconstructed", "seconds")
"""Columns that say how a row was made."""


class Row(SimpleNamespace):
    """What stands in each column of a row, by name, and the name of its table."""

    table: str


@dataclass(frozen=True)
class Table:
    """A stored table: its columns, which cells its rows come from, and what tells these apart."""

    name: str
    cell_type: type[Cell]
    own_columns: tuple[str, ...]  # after those of the cell
    place: Callable[[TextRow], Any] = lambda _: 0  # of a row among those of its cell

    @property
    def cell_columns(self) -> tuple[str, ...]:
        """Names of the columns that say which cell a row is from."""
        return tuple(field.name for field in fields(self.cell_type) if field.compare)

    @property
    def columns(self) -> tuple[str, ...]:
        """Column names in the order of the file."""
        return *self.cell_columns, *self.own_columns

    def row(self, **values: Any) -> Row:
        """Return a row with a value in every column and no other."""
        if values.keys() != set(self.columns):
            odd = ", ".join(sorted(values.keys() ^ set(self.columns)))
            raise TypeError(f"Too many or missing columns of the table {self.name}: {odd}.")
        return Row(table=self.name, **values)

    def cell(self, row: TextRow) -> Cell:
        """Return the cell that a row comes from."""
        read = {"repetition": int, "labeled_fraction": float}
        return self.cell_type(
            **{name: read.get(name, str)(row[name]) for name in self.cell_columns}
        )

    def key(self, row: TextRow) -> tuple[Any, ...]:
        """Return what identifies a row, in the order of the file."""
        dataset, *others = self.cell(row).columns.values()
        return dataset.casefold(), *others, self.place(row)


FORESTS = Table(
    "forests",
    ForestCell,
    ("weighting", *BOUND_COLUMNS, *PROVENANCE),
    lambda row: WEIGHTINGS.index(row["weighting"]),
)
"""One weighting of one forest."""

UNLABELED = Table(
    "unlabeled",
    UnlabeledCell,
    (*BOUND_COLUMNS, *PROVENANCE, "n_unlabeled", "n_min_disagreement"),
)
"""The uniform vote of one forest whose training part is mostly unlabeled."""

WEIGHTS = Table(
    "weights",
    ForestCell,
    ("tree", "gibbs_loss", "first_order", "tandem"),
    lambda row: int(row["tree"]),
)
"""One tree of a forest of repetition 0, with its optimized weights."""

BEYOND = Table(
    "beyond",
    BeyondCell,
    (
        *("test_risk", "first_order", "tandem", "c_tandem", "sharp_first_order", "sharp_tandem"),
        *("c_box", "second_order", "vote_profile", "test_set"),
        *("weighted_vote_profile", "weighted_test_risk"),
        *PROVENANCE,
    ),
)
"""The uniform vote of one forest, by the paper's bounds and by those that came after.

`first_order`, `tandem` and `c_tandem` are as published. The sharp ones, `c_box` and `second_order`
are sharpened by harmonic sizes. `vote_profile` takes the test inputs as unlabeled samples.
`test_set` spends the labels of the test part. The weighted columns are those of the vote whose
weights minimize the sharp tandem bound.
"""

COMMITTEE = Table(
    "committee",
    CommitteeCell,
    ("scheme", "n_tested", "errors", "test_errors", "member_share", *PROVENANCE),
    lambda row: row["scheme"],
)
"""One scheme on one split; all schemes of a cell use the same labels.

`errors` counts the samples of the scheme's test set of `n_tested` samples that count as errors,
`test_errors` the errors on the part for testing, which no model uses. The scheme "all labels" has
no test set. `member_share` is the share of the rows outside the test set that each member is
trained on.
"""

DEPLOYED = Table(
    "deployed",
    DeployedCell,
    (
        *("n_unlabeled", "unlabeled_share", "hold_out_errors", "n_hold_out", "hold_out_differs"),
        *("deployed_test_errors", "reduced_test_errors", "n_labeled", *PROVENANCE),
    ),
    lambda row: int(row["n_unlabeled"]),
)
"""One learner trained on all labeled samples, next to one trained on 80% of them.

Half of the training part is labeled. The first `n_unlabeled` samples of the other half are the
unlabeled samples. `hold_out_errors` are those of the learner trained on 80% of the labeled samples
on the other 20%, and `hold_out_differs` counts the unlabeled samples where it differs from the
deployed one; `deployed_test_errors` and `reduced_test_errors` are those of both on the test part.
"""

TABLES = MappingProxyType(
    {table.name: table for table in (FORESTS, UNLABELED, WEIGHTS, BEYOND, COMMITTEE, DEPLOYED)}
)


def as_text(row: Row) -> TextRow:
    """Return the row as text: floats to full precision, empty for None.

    Examples
    --------
    >>> cell = ForestCell("Letter", "full", 0)
    >>> row = WEIGHTS.row(
    ...     **cell.columns, tree=3, gibbs_loss=0.1, first_order=1 / 3, tandem=0.25
    ... )
    >>> as_text(row)["first_order"]
    '0.3333333333333333'
    """
    return {name: _text(getattr(row, name)) for name in TABLES[row.table].columns}


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
