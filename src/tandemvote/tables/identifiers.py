"""Columns that only number or name the rows.

By such a column voters can tell rows apart: where a table is sorted by its labels, as many are, the
row number alone gives the label away, and no new row has such a number.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from shlex import quote
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tandemvote.tables.column_kinds import Categories
from tandemvote.tables.errors import DatasetError, either

if TYPE_CHECKING:
    import pandas

FEWEST_ROWS = 20
"""In fewer rows many an honest column has no value twice."""

NEARLY_ALL = 0.9
"""Share of different values from which on a column may name its rows."""

_WAYS = ("drop", "keep")
_NAMES = re.compile(
    r"(?i:unnamed: \d+|(row|record)[ _.]?(names?|no|nr)|(.*[ _.-])?(uu|gu|u)?id)|.*[a-z]I[Dd]"
)


def identifier_reason(
    column: pandas.Series, numbers: NDArray[Any], categories: Categories | None
) -> str | None:
    """Say why a column seems to number or name its rows; return None if it does not.

    Text does if it hardly repeats. Whole numbers do if they hardly repeat and are sorted, or are
    called like an identifier, or lie so close together that independent draws would have
    repeated: n draws from a range of R integers repeat about n²/2R times, or more often.

    Examples
    --------
    >>> import pandas
    >>> ids, ages = pandas.Series(range(100, 0, -1)), pandas.Series([20, 34, 35, 41] * 25)
    >>> identifier_reason(ids, ids.to_numpy(float), None)
    'whole numbers from 1 to 100 in order'
    >>> identifier_reason(ages, ages.to_numpy(float), None)
    """
    present = column.notna().to_numpy()
    n_rows, numbers = int(present.sum()), numbers[present]
    distinct = column.nunique() if categories is None else len(set(categories) - {None})
    if n_rows < FEWEST_ROWS or distinct < NEARLY_ALL * n_rows:
        return None
    if categories is not None:
        return f"{distinct} different texts in {n_rows} rows"
    if (numbers != np.rint(numbers)).any():
        return None
    low, high = numbers.min(), numbers.max()
    reason = f"whole numbers from {low:.15g} to {high:.15g}"
    steps = np.diff(numbers)
    if (steps >= 0).all() or (steps <= 0).all():
        return f"{reason} in order"
    repeats_by_chance = n_rows * (n_rows - 1) / 2 / (high - low + 1)
    named = _NAMES.fullmatch(str(column.name))
    if named or repeats_by_chance > 7 + 3 * (n_rows - distinct):
        return f"{reason}, hardly one of them twice"
    return None


def refuse_identifiers(reasons: Mapping[str, str], keep: Collection[str]) -> None:
    """Refuse columns that number or name the rows, unless they are to be kept."""
    found = [column for column in reasons if column not in keep]
    if found:
        listed = "; ".join(f"{column!r} ({reasons[column]})" for column in found)
        options = {way: " ".join(f"--{way} {quote(name)}" for name in found) for way in _WAYS}
        one = len(found) == 1
        raise DatasetError(
            f"{'This column seems' if one else 'These columns seem'} to number or name the rows:"
            f" {listed}. Voters that tell rows apart by it may do well here and fail on new rows."
            f" {either(f'Pass drop={found}', 'Give ' + options['drop'])} to leave"
            f" {'it' if one else 'them'} out, or {either(f'keep={found}', options['keep'])} to use"
            f" {'it' if one else 'them'}."
        )
