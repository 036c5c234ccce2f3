"""Columns that are refused: without a name of their own, or to number or name the rows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from itertools import pairwise
from shlex import quote
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tandemvote.tables.errors import DatasetError, either

if TYPE_CHECKING:
    import pandas

NAMES_SHOWN = 20

FEWEST_ROWS = 20
"""In fewer rows many an honest column has no value twice."""

NEARLY_ALL = 0.9
"""Share of different values from which on a column may name its rows."""

_IDENTIFIERS = re.compile(
    r"(?i:unnamed: \d+|(row|record)[ _.]?(names?|no|nr)|(.*[ _.-])?(uu|gu|u)?id)|.*[a-z]I[Dd]"
)


def find_column(columns: Sequence[str], wanted: str, name: Any) -> None:
    """Refuse a name that is not among the columns, and suggest similar ones."""
    if wanted not in columns:
        near = get_close_matches(wanted, columns, n=3)
        suggestion = f"Did you mean {' or '.join(map(repr, near))}? " if near else ""
        raise DatasetError(
            f"{name} has no column {wanted!r}. {suggestion}Its columns are {shown(columns)}. If"
            " these are data, the file has no header line: add one, or"
            f" {either('pass header=False', 'give --no-header')} where that is an option."
        )


def refuse_duplicates(columns: Iterable[str], name: Any) -> None:
    """Refuse a table with two columns of the same name."""
    column, count = next(iter(Counter(columns).most_common(1)), ("", 0))
    if count > 1:
        times = "twice" if count == 2 else f"{count} times"
        raise DatasetError(
            f"{name} has the column name {column!r} {times}. Give every column its own name."
        )


def refuse_data(header: Sequence[str], name: Any) -> None:
    """Refuse a header line that holds numbers in no ascending order, as a line of data does.

    Ascending numbers, such as 0, 1, 2, years or wavelengths, can be names.
    """
    numbers = [float(cell) for cell in header if is_number(cell)]
    if any(first >= second for first, second in pairwise(numbers)):
        raise DatasetError(
            f"{name} starts with {shown(header)}, which looks like data, not like names of"
            f" columns. {either('Pass header=False', 'Give --no-header')} to call them column1,"
            f" column2 and so on; {either('header=True', '--header')} if these are the names."
        )


def is_number(cell: str) -> bool:
    """Tell whether a cell is written as a number."""
    try:
        float(cell)
    except ValueError:
        return False
    return True


def shown(names: Sequence[str]) -> str:
    """Return names in quotes, the first twenty of them."""
    return ", ".join(map(repr, names[:NAMES_SHOWN])) + ", ..." * (len(names) > NAMES_SHOWN)


def identifier_reason(
    column: pandas.Series, numbers: NDArray[Any], categories: Collection[str | None] | None
) -> str | None:
    """Say why a column seems to number or name its rows; return None if it does not.

    By such a column voters can tell rows apart: where a table is sorted by its labels, as many are,
    the row number alone gives the label away, and no new row has such a number.

    Text does if it hardly repeats. Whole numbers do if they hardly repeat and are sorted, or are
    called like an identifier, or lie so close together that independent draws would have
    repeated: n draws from a range of R integers repeat about n²/2R times, or more often.
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
    named = _IDENTIFIERS.fullmatch(str(column.name))
    if named or repeats_by_chance > 7 + 3 * (n_rows - distinct):
        return f"{reason}, hardly one of them twice"
    return None


def refuse_identifiers(reasons: Mapping[str, str], keep: Collection[str]) -> None:
    """Refuse columns that number or name the rows, unless they are to be kept."""
    found = [column for column in reasons if column not in keep]
    if found:
        listed = "; ".join(f"{column!r} ({reasons[column]})" for column in found)
        drop, keeping = (
            " ".join(f"{option} {quote(name)}" for name in found) for option in ("--drop", "--keep")
        )
        one = len(found) == 1
        raise DatasetError(
            f"{'This column seems' if one else 'These columns seem'} to number or name the rows:"
            f" {listed}. Voters that tell rows apart by it may do well here and fail on new rows."
            f" {either(f'Pass drop={found}', f'Give {drop}')} to leave"
            f" {'it' if one else 'them'} out, or {either(f'keep={found}', keeping)} to use"
            f" {'it' if one else 'them'}."
        )
