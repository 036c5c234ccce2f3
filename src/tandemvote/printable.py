"""Words that someone else wrote, shown on one line and as what they are."""

from __future__ import annotations


def printable(text: str) -> str:
    r"""Escape everything that moves the cursor, reverses the direction or cannot be seen.

    Line breaks, terminal escapes, marks of direction and unknown characters become escapes, as in
    Python's own strings.

    Examples
    --------
    >>> print(printable("two\nlines, \x1b[31mred\x1b[0m and \u202edrawkcab"))
    two\nlines, \x1b[31mred\x1b[0m and \u202edrawkcab
    """
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in text
    )
