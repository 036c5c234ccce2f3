"""Typed access to the fields of a JSON object, with one clear line for each that is wrong."""

from __future__ import annotations

import math
import re
from typing import Any

from tandemvote.certificate.file_text import CertificateFileError, shortened

DECIMAL = re.compile(r"[0-9](\.[0-9]{1,20})?(E-[0-9]{1,3})?", re.ASCII)
LONGEST_HEXADECIMAL = 40
LARGEST_INTEGER = 2**63 - 1
NAMES = {str: "a text", int: "a 64-bit integer", bool: "true or false"}


class Fields:
    """One object of a file. What is asked for is checked; what was not asked for is refused.

    Examples
    --------
    >>> fields = Fields({"n": 3, "share": "0x1.8p-1"})
    >>> fields.integer("n", least=1, most=10)
    3
    >>> fields.number("share")
    Traceback (most recent call last):
        ...
    tandemvote.certificate.file_text.CertificateFileError: share is '0x1.8p-1', not a \
number in hexadecimal such as '0x1.8000000000000p-1'.
    """

    def __init__(self, values: dict[str, Any], place: str = "") -> None:
        self._values = values
        self._place = place
        self._read: set[str] = set()

    def _get(self, name: str) -> Any:
        self._read.add(name)
        if name not in self._values:
            raise CertificateFileError(f"{self._place}{name} is missing.")
        return self._values[name]

    def _refuse(self, name: str, value: object, expected: str) -> CertificateFileError:
        return CertificateFileError(f"{self._place}{name} is {shortened(value)}, not {expected}.")

    def one_of(self, name: str, known: tuple[str, ...]) -> str:
        """Return a text, refusing any but these."""
        value = self._get(name)
        if not isinstance(value, str) or value not in known:
            raise CertificateFileError(
                f"{self._place}{name} is {shortened(value)}; this version reads"
                f" {' and '.join(map(repr, known))} only."
            )
        return value

    def must_be_all_read(self) -> None:
        """Refuse fields that nobody asked for: their writer meant something by them."""
        for name in self._values:
            if name not in self._read:
                raise CertificateFileError(f"{self._place}{shortened(name)} is an unknown field.")

    def text(self, name: str) -> str:
        """Return a text."""
        value = self._get(name)
        if not isinstance(value, str):
            raise self._refuse(name, value, "a text")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts."""
        return self.plain(name, str)

    def texts_by_name(self, name: str) -> dict[str, str]:
        """Return an object of texts."""
        value = self._get(name)
        if not isinstance(value, dict) or not all(isinstance(v, str) for v in value.values()):
            raise self._refuse(name, value, "an object of texts")
        return dict(value)

    def plain(self, name: str, kind: type) -> tuple[Any, ...]:
        """Return a list of texts, of 64-bit integers or of booleans."""
        values = self._get(name)
        if not isinstance(values, list):
            raise self._refuse(name, values, "a list")
        for i, value in enumerate(values):
            # A boolean is an integer to isinstance, not to a reader.
            is_that = type(value) is kind
            if not is_that or (isinstance(value, int) and abs(value) > LARGEST_INTEGER):
                raise self._refuse(f"{name}[{i}]", value, NAMES[kind])
        return tuple(values)

    def integer(self, name: str, *, least: int, most: int) -> int:
        """Return an integer within limits."""
        value = self._get(name)
        if type(value) is not int or not least <= value <= most:
            raise self._refuse(name, value, f"an integer from {least} to {most}")
        return value

    def number(self, name: str) -> float:
        """Return a finite number written in hexadecimal, as `float.hex` does."""
        value = self._get(name)
        number = _from_hexadecimal(value)
        if number is None:
            raise self._refuse(
                name, value, "a number in hexadecimal such as '0x1.8000000000000p-1'"
            )
        return number

    def numbers(self, name: str, length: int | None) -> tuple[float, ...]:
        """Return a list of such numbers, of that length if one is given."""
        values = self._get(name)
        if not isinstance(values, list) or (length is not None and len(values) != length):
            raise self._refuse(name, values, f"a list of {length or ''} numbers".replace("  ", " "))
        found = [_from_hexadecimal(value) for value in values]
        if None in found:
            raise self._refuse(
                f"{name}[{found.index(None)}]", values[found.index(None)], "hexadecimal"
            )
        return tuple(number for number in found if number is not None)

    def decimal(self, name: str) -> str:
        """Return a decimal text such as '0.149'."""
        value = self.text(name)
        if not DECIMAL.fullmatch(value):
            raise self._refuse(name, value, "a decimal such as '0.149'")
        return value

    def object(self, name: str) -> Fields:
        """Return the fields of an object in this one."""
        value = self._get(name)
        if not isinstance(value, dict):
            raise self._refuse(name, value, "an object")
        return Fields(value, f"{self._place}{name}.")

    def optional_object(self, name: str) -> Fields | None:
        """Return the fields of an object, or None where the file says null."""
        return None if self._get(name) is None else self.object(name)

    def objects(self, name: str) -> list[Fields]:
        """Return the fields of every object in a list."""
        values = self._get(name)
        if not isinstance(values, list) or not all(isinstance(value, dict) for value in values):
            raise self._refuse(name, values, "a list of objects")
        return [Fields(value, f"{self._place}{name}[{i}].") for i, value in enumerate(values)]


def _from_hexadecimal(value: object) -> float | None:
    """Return the number, or None for anything but the one text that `float.hex` gives it."""
    if not isinstance(value, str) or len(value) > LONGEST_HEXADECIMAL:
        return None
    try:
        number = float.fromhex(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) and number.hex() == value else None
