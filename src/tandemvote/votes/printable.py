"""Text of the user in messages: short, and without signs that a terminal obeys."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches
from itertools import islice

NAMES_SHOWN = 20


def shown(words: Collection[object], most: int = 3) -> str:
    """Show the first few of some words.

    Examples
    --------
    >>> shown("ab"), shown("wxyz")
    ("'a', 'b'", "'w', 'x', 'y', ...")
    """
    first = ", ".join(f"{word!r:.60}" for word in islice(words, most))
    return first + ", ..." * (len(words) > most)


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
