"""The error for data that cannot be used."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

LONGEST_MESSAGE = 1000

# Signs of Unicode's private area, which a message never shows.
_EITHER = re.compile("\ue000(.*?)\ue001(.*?)\ue002", re.DOTALL)


class DatasetError(ValueError):
    r"""A table or data set cannot be read, or is not what it should be.

    The message, always a single printable line whatever a file has put into it, names the file,
    what was found and what to do; `on_command_line` names options instead of parameters.

    Examples
    --------
    >>> error = DatasetError(f"no column 'a\x1b[2J'; {either('pass drop', 'give --drop')}.\n")
    >>> str(error), error.on_command_line
    ("no column 'a [2J'; pass drop.", "no column 'a [2J'; give --drop.")
    """

    def __init__(self, message: str) -> None:
        self.message = message
        self.on_command_line = _one_line(_EITHER.sub(r"\2", message))
        super().__init__(_one_line(_EITHER.sub(r"\1", message)))


def either(parameter: str, option: str) -> str:
    """Return words of which a `DatasetError` shows one in Python, the other on the command line."""
    return f"\ue000{parameter}\ue001{option}\ue002"


@contextmanager
def named(what: str) -> Iterator[None]:
    """Let errors start with what they are about, where they do not name it."""
    try:
        yield
    except ValueError as error:
        said = getattr(error, "message", str(error))
        raise DatasetError(said if what in said else f"{what}: {said}") from error


@contextmanager
def explained(problem: str, way_out: str, *kinds: type[Exception]) -> Iterator[None]:
    """Turn errors of these kinds into a `DatasetError` that gives them as the reason."""
    try:
        yield
    except DatasetError:
        raise
    except kinds as error:
        reason = str(error).strip() or type(error).__name__
        raise DatasetError(f"{problem} ({reason}). {way_out}") from error


def number_of(count: int, noun: str) -> str:
    """Return a count with its noun: 1 row, 2 rows."""
    return f"{count} {noun if count == 1 else noun + 's'}"


def _one_line(message: str) -> str:
    printable = "".join(sign if sign.isprintable() else " " for sign in message).strip()
    if len(printable) <= LONGEST_MESSAGE:
        return printable
    half = LONGEST_MESSAGE // 2 - 3
    return f"{printable[:half]} ... {printable[-half:]}"
