"""Readers of JSON values: each checks one kind of value, or says in one line what is wrong.

A reader takes a value and its place in the file; readers of objects and lists are made of readers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, NoReturn

from tandemvote.certificate.file_text import CertificateFileError, shortened

Reader = Callable[[Any, str], Any]

DECIMAL = re.compile(r"[0-9](\.[0-9]{1,20})?(E-[0-9]{1,3})?", re.ASCII)
LONGEST_HEXADECIMAL = 40


def refuse(value: object, place: str, expected: str) -> NoReturn:
    """Name the field, what it is and what it should be."""
    raise CertificateFileError(f"{place} is {shortened(value)}, not {expected}.")


def fields(**readers: Reader) -> Reader:
    """Read an object with exactly these fields.

    Examples
    --------
    >>> fields(n=integer(1, 10), share=number)({"n": 3, "share": "0x1.8p-1"}, "")
    Traceback (most recent call last):
        ...
    tandemvote.certificate.file_text.CertificateFileError: share is '0x1.8p-1', not a number in \
hexadecimal such as '0x1.8000000000000p-1'.
    """

    def read(value: Any, place: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            refuse(value, place, "an object")
        inside = f"{place}." if place else ""
        found = {}
        for name, reader in readers.items():
            if name not in value:
                raise CertificateFileError(f"{inside}{name} is missing.")
            found[name] = reader(value[name], inside + name)
        for name in value:
            if name not in readers:
                raise CertificateFileError(f"{inside}{shortened(name)} is an unknown field.")
        return found

    return read


def many(reader: Reader) -> Reader:
    """Read a list."""

    def read(value: Any, place: str) -> tuple[Any, ...]:
        if not isinstance(value, list):
            refuse(value, place, "a list")
        return tuple(reader(each, f"{place}[{i}]") for i, each in enumerate(value))

    return read


def optional(reader: Reader) -> Reader:
    """Read a value or null."""
    return lambda value, place: None if value is None else reader(value, place)


def one_of(*known: str) -> Reader:
    """Read one of these texts."""

    def read(value: Any, place: str) -> str:
        if not isinstance(value, str) or value not in known:
            raise CertificateFileError(
                f"{place} is {shortened(value)}; this version reads"
                f" {' and '.join(map(repr, known))} only."
            )
        return value

    return read


def integer(least: int, most: int) -> Reader:
    """Read an integer within limits."""

    def read(value: Any, place: str) -> int:
        # A boolean is an integer to isinstance, not to a reader.
        if type(value) is not int or not least <= value <= most:
            refuse(value, place, f"an integer from {least} to {most}")
        return value

    return read


def boolean(value: Any, place: str) -> bool:
    """Read true or false."""
    return value if isinstance(value, bool) else refuse(value, place, "true or false")


def text(value: Any, place: str) -> str:
    """Read a text."""
    return value if isinstance(value, str) else refuse(value, place, "a text")


def texts_by_name(value: Any, place: str) -> dict[str, str]:
    """Read an object of texts, whatever its fields are called."""
    if not isinstance(value, dict) or not all(isinstance(each, str) for each in value.values()):
        refuse(value, place, "an object of texts")
    return value


def decimal(value: Any, place: str) -> str:
    """Read a decimal text such as '0.149'."""
    if not isinstance(value, str) or not DECIMAL.fullmatch(value):
        refuse(value, place, "a decimal such as '0.149'")
    return value


def number(value: Any, place: str) -> float:
    """Read a finite number, written exactly as `float.hex` writes it."""
    if isinstance(value, str) and len(value) <= LONGEST_HEXADECIMAL:
        try:
            found = float.fromhex(value)
        except (ValueError, OverflowError):
            found = math.nan
        if math.isfinite(found) and found.hex() == value:
            return found
    refuse(value, place, "a number in hexadecimal such as '0x1.8000000000000p-1'")
