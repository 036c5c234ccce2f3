"""The error for data that cannot be used."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

LONGEST_MESSAGE = 1000


class DatasetError(ValueError):
    r"""A table cannot be read, or cannot be used.

    The message is a single printable line, whatever the file holds.

    Examples
    --------
    >>> str(DatasetError("There is no column 'a\x1b[2J'.\n"))
    "There is no column 'a [2J'."
    """

    def __init__(self, message: str) -> None:
        line = "".join(sign if sign.isprintable() else " " for sign in message).strip()
        if len(line) > LONGEST_MESSAGE:
            half = LONGEST_MESSAGE // 2 - 3
            line = f"{line[:half]} ... {line[-half:]}"
        super().__init__(line)


@contextmanager
def explained(problem: str, fix: str, *kinds: type[Exception]) -> Iterator[None]:
    """Turn errors of these kinds into a `DatasetError` that gives them as the reason."""
    try:
        yield
    except kinds as error:
        # The text of an OSError has the name of the file, as the problem does.
        text = getattr(error, "strerror", None) or str(error).strip()
        reason = text or type(error).__name__
        raise DatasetError(f"{problem} ({reason}). {fix}") from error


def number_of(count: int, noun: str) -> str:
    """Return a count with its noun: 1 row, 2 rows."""
    return f"{count} {noun if count == 1 else noun + 's'}"
