"""Names of columns, and what pandas infers about them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from difflib import get_close_matches
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tandemvote.extras import import_extra
from tandemvote.spelling import shown
from tandemvote.tables.errors import DatasetError

if TYPE_CHECKING:
    import pandas

NAMES_SHOWN = 20


def find_column(columns: Sequence[str], wanted: str, name: Any) -> None:
    """Reject a name that is not among the columns, and suggest similar ones."""
    if wanted not in columns:
        near = get_close_matches(wanted, columns, n=3)
        suggestion = f"Did you mean {' or '.join(map(repr, near))}? " if near else ""
        raise DatasetError(
            f"{name} has no column {wanted!r}. {suggestion}Its columns are"
            f" {shown(columns, NAMES_SHOWN)}. If these are data, the file has no header line: add"
            " one, or pass header=False."
        )


def check_duplicates(columns: Sequence[str], name: Any) -> None:
    """Reject a table with two columns of the same name."""
    for column, count in Counter(columns).items():
        if count > 1:
            raise DatasetError(f"{name} has {count} columns {column!r}. Give each its own name.")


def reject_data(header: Sequence[str], name: Any) -> None:
    """Reject a header line that holds numbers in no ascending order, as a line of data does.

    Ascending numbers, such as 0, 1, 2, years or wavelengths, can be names.
    """
    if any(first >= second for first, second in pairwise(map(float, filter(is_number, header)))):
        raise DatasetError(
            f"{name} starts with {shown(header, NAMES_SHOWN)}, which looks like data, not names."
            " Pass header=False to call the columns column1, column2 and so on; header=True if"
            " these are their names."
        )


def is_number(cell: str) -> bool:
    """Tell whether a cell is written as a number."""
    try:
        float(cell)
    except ValueError:
        return False
    return True


def inferred(column: pandas.Series) -> str:
    """Return what pandas finds in a column, gaps aside, whatever its type is."""
    return str(import_extra("pandas", "data").api.types.infer_dtype(column, skipna=True))
