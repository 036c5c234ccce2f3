"""The error for data that cannot be used."""

from __future__ import annotations

LONGEST_MESSAGE = 1000


class DatasetError(ValueError):
    r"""A table or data set cannot be read, or is not what it should be.

    The message names the file, what was expected, what was found, and what to do. It is always a
    single printable line, whatever text a file has put into it.

    Examples
    --------
    >>> str(DatasetError("no column 'a\x1b[2J'\n"))
    "no column 'a [2J'"
    """

    def __init__(self, message: str) -> None:
        printable = "".join(sign if sign.isprintable() else " " for sign in message).strip()
        if len(printable) > LONGEST_MESSAGE:
            half = LONGEST_MESSAGE // 2 - 3
            printable = f"{printable[:half]} ... {printable[-half:]}"
        super().__init__(printable)


def number_of(count: int, noun: str) -> str:
    """Return a count with its noun in the singular or plural.

    Examples
    --------
    >>> number_of(1, "row"), number_of(2, "row")
    ('1 row', '2 rows')
    """
    return f"{count} {noun if count == 1 else noun + 's'}"
