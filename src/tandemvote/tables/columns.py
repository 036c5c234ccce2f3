"""Names of columns: the label column is found, and names that cannot be right are refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from itertools import pairwise
from typing import Any

from tandemvote.tables.errors import DatasetError, either

NAMES_SHOWN = 20
NAMES_SUMMARISED = 6
_PLURALS = {"category": "categories", "dropped": "dropped", "constant": "constant"}


def find_target(columns: Iterable[str], target: str | None, name: str) -> str:
    """Return the label column of a table, or refuse a table that has none or nothing else."""
    columns = list(columns)
    if target is None:
        way = either("name the label column by target", "name the label column by --target")
        raise DatasetError(f"{name}: {way}, one of {shown(columns)}.")
    find_column(columns, target, name)
    refuse_duplicates(columns, name)
    if len(columns) < 2:
        raise DatasetError(f"{name} has no column besides the label {target!r}. Add features.")
    return target


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


def summary(columns: Iterable[tuple[str, str, str]]) -> str:
    """Return rows of (column, kind, detail) as one line.

    Examples
    --------
    >>> summary([("id", "dropped", ""), ("sex", "category", "2 values"), ("age", "number", "")])
    '1 dropped (id), 1 category (sex: 2 values), 1 number (age)'
    """
    groups: dict[str, list[str]] = {}
    for column, kind, detail in columns:
        told = kind in ("category", "constant", "date")
        groups.setdefault(kind, []).append(f"{column}: {detail}" if told else column)
    parts = []
    for kind, group in groups.items():
        noun = kind if len(group) == 1 else _PLURALS.get(kind, f"{kind}s")
        more = "; ..." * (len(group) > NAMES_SUMMARISED)
        parts.append(f"{len(group)} {noun} ({'; '.join(group[:NAMES_SUMMARISED])}{more})")
    return ", ".join(parts)


def shown(names: Sequence[str]) -> str:
    """Return names in quotes, the first twenty of them."""
    return ", ".join(map(repr, names[:NAMES_SHOWN])) + ", ..." * (len(names) > NAMES_SHOWN)
