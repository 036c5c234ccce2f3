"""Labels as text: compared letter by letter, and shown on one line."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches
from itertools import islice
from typing import Any

NAMES_SHOWN = 20

FEWEST_SAMPLES = 20
"""On fewer samples, predictions and labels may have no class in common by chance."""


def check_same_words(predictions: Collection[str], labels: Collection[str], n_samples: int) -> None:
    """Raise ValueError if no prediction is a label, as when codes take the place of names."""
    common = set(predictions).intersection(labels)
    if n_samples >= FEWEST_SAMPLES and len(predictions) > 1 and not common:
        raise ValueError(
            f"No prediction is a label: the labels are {shown(sorted(labels))}, the predictions"
            f" {shown(sorted(predictions))}. Give both the same labels; {FROM_CODES}."
        )


FROM_CODES = "classes[codes] turns codes into names, if classes are the sorted names"


def shown(words: Collection[object], most: int = 3) -> str:
    """Show the first few of some words.

    Examples
    --------
    >>> shown("ab"), shown("wxyz")
    ("'a', 'b'", "'w', 'x', 'y', ...")
    """
    first = ", ".join(f"{word!r:.60}" for word in islice(words, most))
    return first + ", ..." * (len(words) > most)


def written(label: Any) -> str:
    """Return a label as text, as it is in a table: 1 for 1.0, nothing for a missing one.

    Without the apostrophe of `cell_of`.
    """
    if isinstance(label, float) and label.is_integer():
        label = int(label)
    return "" if label is None else value_of(str(label))


def no_column(table: object, name: str, columns: Collection[str]) -> str:
    """Return the message about a column that a table does not have, with similar names.

    Examples
    --------
    >>> no_column("wine.csv", "colour", ["color", "size"])
    "wine.csv has no column 'colour'. Did you mean 'color'? Its columns are 'color', 'size'."
    """
    near = get_close_matches(name, columns, n=3)
    suggestion = f"Did you mean {' or '.join(map(repr, near))}? " if near else ""
    listed = shown(columns, NAMES_SHOWN)
    return f"{table} has no column {name!r:.60}. {suggestion}Its columns are {listed}."


def printable(text: str) -> str:
    r"""Escape everything that moves the cursor, reverses the direction or cannot be seen.

    Examples
    --------
    >>> print(printable("two\nlines, \x1b[31mred\x1b[0m and \u202edrawkcab"))
    two\nlines, \x1b[31mred\x1b[0m and \u202edrawkcab
    """
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in text
    )


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
