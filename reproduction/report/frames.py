"""Stored rows as data frames, and their means over repetitions."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from reproduction.datasets import CATALOG
from reproduction.experiments.rows import TABLES, TextRow
from reproduction.experiments.store import RowStore

TEXT_COLUMNS = frozenset(
    {"dataset", "bagging", "weighting", "learner", "scheme", "versions", "reconstructed"}
)

BOUND_LABELS = {
    "first_order": "FO",
    "c1": "C1",
    "c2": "C2",
    "c_tandem": "CTD",
    "tandem": "TND",
    "disagreement_bound": "DIS",
}
"""Labels of the bounds' columns in tables and figures."""


def row_frame(table: str, rows: Iterable[TextRow]) -> pd.DataFrame:
    """Return rows as a frame with numbers where there are numbers, NaN where a cell is empty.

    Examples
    --------
    >>> row_frame("weights", [{"dataset": "Letter", "tandem": "0.25"}])["tandem"].tolist()
    [0.25]
    """
    frame = pd.DataFrame(list(rows), columns=list(TABLES[table].columns), dtype=object)
    for column in frame.columns:
        if column not in TEXT_COLUMNS:
            frame[column] = pd.to_numeric(frame[column])
    return frame


def read_frame(store: RowStore, table: str) -> pd.DataFrame:
    """Return a stored table, cells not yet gathered included."""
    return row_frame(table, store.rows(table))


def summarise(frame: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Return mean, standard deviation and number of repetitions of every numeric column.

    Columns are pairs (name, "mean" | "std" | "count"); the index are the columns `by`.
    """
    numeric = [
        column for column in frame.columns if column not in TEXT_COLUMNS and column not in by
    ]
    groups = frame.groupby(by, sort=False)[numeric]
    parts = {"mean": groups.mean(), "std": groups.std(), "count": groups.count()}  # agg is slow
    order = [(statistic, column) for column in numeric for statistic in parts]
    return pd.concat(parts, axis=1)[order].swaplevel(axis=1)


def forest_summary(forests: pd.DataFrame) -> pd.DataFrame:
    """Summarise forests by data set, bagging and weighting."""
    return summarise(forests, ["dataset", "bagging", "weighting"])


def unlabeled_summary(unlabeled: pd.DataFrame) -> pd.DataFrame:
    """Summarise the unlabeled experiment by data set and labeled fraction."""
    return summarise(unlabeled, ["dataset", "labeled_fraction"])


def dataset_order(names: Iterable[str]) -> list[str]:
    """Order data sets as the paper does, then others by name.

    Once one of the paper's sets is there, all are listed, so that a missing one shows.

    Examples
    --------
    >>> dataset_order(["wine", "iris"])
    ['iris', 'wine']
    >>> dataset_order(["Letter"])[:2]
    ['Adult', 'Cod-RNA']
    """
    present = set(names)
    others = sorted(present - set(CATALOG), key=str.casefold)
    return [*(CATALOG if present & set(CATALOG) else ()), *others]


def binary_sets(forests: pd.DataFrame) -> list[str]:
    """Return the data sets with two classes, those where C1 is defined, in order."""
    present = set(forests.loc[forests["c1"].notna(), "dataset"])
    return [name for name in dataset_order(present) if name in present]


def multiclass_sets(forests: pd.DataFrame) -> list[str]:
    """Return the data sets with more than two classes, in order."""
    present = set(forests["dataset"]) - set(binary_sets(forests))
    return [name for name in dataset_order(present) if name in present]


def shown(frame: pd.DataFrame) -> dict[str, str]:
    """Return how to write each data set: those that stand in for the paper's own are marked.

    Examples
    --------
    >>> shown(pd.DataFrame({"dataset": ["USPS", "Letter"], "reconstructed": ["True", "False"]}))
    {'USPS': 'USPS (reconstructed)', 'Letter': 'Letter'}
    """
    marks = frame.groupby("dataset", sort=False)["reconstructed"].first()
    return {
        name: f"{name} (reconstructed)" if mark == "True" else name for name, mark in marks.items()
    }
