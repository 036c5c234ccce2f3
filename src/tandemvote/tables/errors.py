"""The error for data that cannot be used."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tandemvote.votes.parameter_error import ParameterError
from tandemvote.votes.printable import printable


class DatasetError(ParameterError):
    """A table cannot be read, or cannot be used."""


@contextmanager
def explained(problem: str, fix: str, *kinds: type[Exception]) -> Iterator[None]:
    """Turn errors of these kinds into a `DatasetError` that gives them as the reason."""
    try:
        yield
    except kinds as error:
        # The text of an OSError has the name of the file, as the problem does.
        text = getattr(error, "strerror", None) or str(error).strip() or type(error).__name__
        raise DatasetError(f"{problem} ({printable(text):.300}). {fix}") from error


def number_of(count: int, noun: str) -> str:
    """Return a count with its noun: 1 row, 2 rows."""
    return f"{count} {noun if count == 1 else noun + 's'}"
