"""Words as they are written: labels are compared letter by letter, and shown on one line."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection
from decimal import Decimal, InvalidOperation
from itertools import islice

FEWEST_POINTS = 20
"""On fewer points no prediction may be a label by chance."""


def refuse_other_spellings(predictions: Collection[str], labels: Collection[str]) -> None:
    """Refuse a prediction that is no label but looks like one: ``1.0`` where a label is ``1``.

    It would count as an error everywhere, and cannot be merged with the label either: ``1.1`` and
    ``1.10`` may be two versions. Where both occur as labels, they are two labels.

    Examples
    --------
    >>> refuse_other_spellings({" cat"}, {"cat", "dog"})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    ValueError: A prediction is written ' cat' and a label 'cat'. Labels are compared as text, ...
    """
    unknown = sorted(set(predictions).difference(labels))
    look = {_look(label): label for label in sorted(labels if unknown else ())}
    for word in unknown:
        if _look(word) in look:
            raise ValueError(
                f"A prediction is written {word!r} and a label {look[_look(word)]!r}. Labels are"
                " compared as text, so these two differ. Write them alike. (pandas writes whole"
                ' numbers as 1.0 in a column with missing cells: convert it by astype("Int64").)'
            )


def refuse_other_words(predictions: Collection[str], labels: Collection[str]) -> None:
    """Refuse predictions, on `FEWEST_POINTS` or more, none of which is a label: codes for names."""
    if len(predictions) > 1 and not set(predictions).intersection(labels):
        raise ValueError(
            f"No prediction is a label: the labels are {shown(sorted(labels))}, the predictions"
            f" {shown(sorted(predictions))}. Give both the same labels; {FROM_CODES}."
        )


FROM_CODES = "codes of classes become names again by classes[codes], classes being sorted names"


def shown(words: Collection[object], most: int = 3) -> str:
    """Show the first few of some words.

    Examples
    --------
    >>> shown("ab"), shown("wxyz")
    ("'a', 'b'", "'w', 'x', 'y', ...")
    """
    first = ", ".join(f"{word!r:.60}" for word in islice(words, most))
    return first + ", ..." * (len(words) > most)


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


def _look(word: str) -> str | Decimal:
    """Return what a word looks like to a reader: a number, or text without case and margins."""
    plain = unicodedata.normalize("NFKC", word).strip().casefold()
    try:
        number = Decimal(plain)
    except InvalidOperation:
        return plain
    return number if number.is_finite() else plain
