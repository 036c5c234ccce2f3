"""The order of rows: times, sorted columns, neighbors with one label, and reordered labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc, gammaln

from tandemvote.auditing.cells import Column
from tandemvote.auditing.columns import FALSE_ALARM, FEWEST_ROWS
from tandemvote.auditing.finding import Finding, about_columns, about_data
from tandemvote.auditing.labels import Codes, agreement_by_chance
from tandemvote.frames import is_reordered

N_FIRST = 50
"""Rows that are compared before all are."""

NOTEWORTHY = 0.1
"""Excess agreement of neighboring labels, as a share of the possible one."""


def order_findings(columns: Sequence[Column]) -> list[Finding]:
    """Report rows in the order of a column, and columns of times in any order."""
    in_time, times, ordered = {}, {}, {}
    for column in columns:
        if column.times is not None:
            if is_sorted(column.times):
                in_time[column.name] = "in order"
            elif not column.is_number and np.unique(column.times).size > 1:
                times[column.name] = "dates"
        elif column.is_number and is_sorted(column.values) and column.distinct.size > 2:
            ordered[column.name] = f"{column.distinct.size} distinct values"
    return [
        *about_columns("time_order", "warning", "Rows are in the order of time", in_time),
        *about_columns("time_order", "note", "Columns that hold times", times),
        *about_columns("sorted_rows", "warning", "Rows are sorted by column", ordered),
    ]


def is_sorted(values: NDArray[Any]) -> bool:
    """Return True if values, ties included, are in an order that shuffling hardly ever gives.

    Missing values are left out.

    Examples
    --------
    >>> is_sorted(np.repeat([2019, 2020, 2021], 20)), is_sorted(np.array([1, 2, 3]))
    (True, False)
    """
    for n_rows in (N_FIRST, values.size):
        first = values[:n_rows].astype(np.float64)
        steps = np.diff(first[~np.isnan(first)])
        if not ((steps >= 0).all() or (steps <= 0).all()):
            return False
    runs = np.flatnonzero(np.append(steps != 0, True))
    counts = np.diff(np.append(-1, runs))
    log_chance = np.log(2) + gammaln(counts + 1).sum() - gammaln(counts.sum() + 1)
    return bool(log_chance < np.log(FALSE_ALARM))


def neighbor_findings(label: Codes) -> list[Finding]:
    """Report labels that agree with those of the next row more often than by chance."""
    n_pairs, chance = label.size - 1, agreement_by_chance(label)
    n_same = int((label[1:] == label[:-1]).sum())
    sorted_by_label = n_pairs - n_same < 2 * np.unique(label).size  # also if joined of two parts
    if n_pairs < FEWEST_ROWS or sorted_by_label:
        return []
    if n_same / n_pairs - chance < NOTEWORTHY * (1 - chance):
        return []
    if bdtrc(n_same - 1, n_pairs, chance) >= FALSE_ALARM:
        return []
    message = (
        f"{n_same / n_pairs:.0%} of rows have the label of the next row, {chance:.0%} by chance."
    )
    return [about_data("row_order", "warning", message)]


def index_findings(X: Any, **columns: Any) -> list[Finding]:
    """Report labels or groups with the index of X in another order."""
    names = [name for name, values in columns.items() if is_reordered(X, values)]
    if not names:
        return []
    message = (
        f"{' and '.join(names)} and X have the same index in another order, but values are matched"
        " by position."
    )
    return [about_data("index_order", "error", message)]
