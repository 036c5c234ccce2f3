"""Labels and values as the text of cells: of a table of votes, and of a spreadsheet."""

from __future__ import annotations

from typing import Any

FORMULA_MARKS = ("=", "+", "-", "@", "\t", "\r")
"""First characters of a cell that make spreadsheets run it as a formula, unless it is a number."""


def cell_of(value: Any) -> Any:
    """Return a value for a spreadsheet: an apostrophe before text that it would run as a formula.

    Examples
    --------
    >>> cell_of("=A1+B1"), cell_of("-2"), value_of(cell_of("=A1+B1"))
    ("'=A1+B1", '-2', '=A1+B1')
    """
    if not isinstance(value, str) or not value.startswith(FORMULA_MARKS):
        return value
    try:
        float(value)
    except ValueError:
        return f"'{value}"
    return value


def value_of(cell: str) -> str:
    """Return the text of a cell that `cell_of` wrote."""
    return cell[1:] if cell.startswith("'") and cell_of(cell[1:]) == cell else cell


def written(label: Any) -> str:
    """Return a label as text, as it is in a table: 1 for 1.0, nothing for a missing one.

    Without the apostrophe of `cell_of`.
    """
    if isinstance(label, float) and label.is_integer():
        label = int(label)
    return "" if label is None else value_of(str(label))
