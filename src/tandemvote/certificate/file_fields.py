"""Kinds of JSON values: how each is read, with one clear line if it is wrong, and written.

Kinds of objects and lists are made of the kinds of their parts.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, NoReturn

from tandemvote.certificate.file_text import CertificateFileError, shortened

DECIMAL_TEXT = re.compile(r"[0-9](\.[0-9]{1,20})?(E-[0-9]{1,3})?", re.ASCII)
LONGEST_HEXADECIMAL = 40


class Kind(NamedTuple):
    """How a value is read, given its place in the file, and written."""

    read: Callable[[Any, str], Any]
    write: Callable[[Any], Any] = lambda value: value


def refuse(value: object, place: str, expected: str) -> NoReturn:
    """Name the field, what it is and what it should be."""
    raise CertificateFileError(f"{place} is {shortened(value)}, not {expected}.")


def plain(expected: str, accepts: Callable[[Any], bool]) -> Kind:
    """Read what passes a test, as it is."""
    return Kind(lambda value, place: value if accepts(value) else refuse(value, place, expected))


def one_of(*known: str) -> Kind:
    """Read one of these texts."""

    def read(value: Any, place: str) -> str:
        if not isinstance(value, str) or value not in known:
            raise CertificateFileError(
                f"{place} is {shortened(value)}; this version reads"
                f" {' and '.join(map(repr, known))} only."
            )
        return value

    return Kind(read)


def integer(least: int, most: int) -> Kind:
    """Read an integer within limits, which a boolean is not."""
    return plain(
        f"an integer from {least} to {most}", lambda n: type(n) is int and least <= n <= most
    )


def fields(**kinds: Kind) -> Kind:
    """Read an object with exactly these fields.

    Examples
    --------
    >>> fields(n=integer(1, 10), share=NUMBER).read({"n": 3, "share": "0x1.8p-1"}, "")
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
        for name, kind in kinds.items():
            if name not in value:
                raise CertificateFileError(f"{inside}{name} is missing.")
            found[name] = kind.read(value[name], inside + name)
        for name in value:
            if name not in kinds:
                raise CertificateFileError(f"{inside}{shortened(name)} is an unknown field.")
        return found

    return Kind(read, lambda value: {name: kind.write(value[name]) for name, kind in kinds.items()})


def many(kind: Kind) -> Kind:
    """Read a list."""

    def read(value: Any, place: str) -> tuple[Any, ...]:
        if not isinstance(value, list):
            refuse(value, place, "a list")
        return tuple(kind.read(each, f"{place}[{i}]") for i, each in enumerate(value))

    return Kind(read, lambda value: [kind.write(each) for each in value])


def optional(kind: Kind) -> Kind:
    """Read a value or null."""
    return Kind(
        lambda value, place: None if value is None else kind.read(value, place),
        lambda value: None if value is None else kind.write(value),
    )


def converted(kind: Kind, read: Callable[[Any], Any], write: Callable[[Any], Any]) -> Kind:
    """Read another kind of value and make something of it."""
    return Kind(
        lambda value, place: read(kind.read(value, place)), lambda value: kind.write(write(value))
    )


def _number(value: Any, place: str) -> float:
    """Read a finite number, written exactly as `float.hex` writes it."""
    if isinstance(value, str) and len(value) <= LONGEST_HEXADECIMAL:
        try:
            found = float.fromhex(value)
        except (ValueError, OverflowError):
            found = math.nan
        if math.isfinite(found) and found.hex() == value:
            return found
    refuse(value, place, "a number in hexadecimal such as '0x1.8000000000000p-1'")


ANYTHING = Kind(lambda value, place: value)
TEXT = plain("a text", lambda value: isinstance(value, str))
BOOLEAN = plain("true or false", lambda value: isinstance(value, bool))
NUMBER = Kind(_number, float.hex)
DECIMAL = plain(
    "a decimal such as '0.149'", lambda v: isinstance(v, str) and bool(DECIMAL_TEXT.fullmatch(v))
)
TEXTS_BY_NAME = plain(
    "an object of texts",
    lambda value: isinstance(value, dict) and all(isinstance(each, str) for each in value.values()),
)

LARGEST_LABEL = 2**63 - 1

MAX_POINTS = 10**10
"""No count may exceed it: the exact moments of larger samples would take minutes to recompute."""

LABELS = {
    "text": TEXT,
    "integer": integer(-LARGEST_LABEL, LARGEST_LABEL),
    "float": NUMBER,
    "boolean": BOOLEAN,
}
"""Kinds of labels: the labels of a file are all of one kind."""


def _read_classes(said: dict[str, Any]) -> tuple[Any, ...]:
    return many(LABELS[said["kind"]]).read(said["labels"], "classes.labels")


def _written_classes(labels: tuple[Any, ...]) -> dict[str, Any]:
    kind = label_kind(labels)
    return {"kind": kind, "labels": many(LABELS[kind]).write(labels)}


def label_kind(labels: tuple[Any, ...]) -> str:
    """Return the kind of labels, one of `LABELS`.

    Examples
    --------
    >>> label_kind(("no", "yes")), label_kind((0, 1))
    ('text', 'integer')
    """
    kinds = {type(label) for label in labels}
    known = {str: "text", bool: "boolean", float: "float", int: "integer"}
    too_large = kinds == {int} and max(map(abs, labels)) > LARGEST_LABEL
    if len(kinds) != 1 or not kinds <= set(known) or too_large:
        raise ValueError(
            f"Labels such as {labels[0]!r} cannot be written to a certificate file. Convert them"
            " to text or integers before certifying."
        )
    return known[kinds.pop()]


CLASSES = converted(fields(kind=one_of(*LABELS), labels=ANYTHING), _read_classes, _written_classes)

TEST = converted(
    fields(n_errors=integer(0, MAX_POINTS), n_samples=integer(0, MAX_POINTS)),
    lambda said: (said["n_errors"], said["n_samples"]),
    lambda test: {"n_errors": test[0], "n_samples": test[1]},
)


@dataclass(frozen=True, kw_only=True)
class StatedBound:
    """One bound as a file states it: its value, how that is printed, and the delta it was given."""

    value: float
    printed: str
    delta: float


def _bounds_by_name(stated: tuple[dict[str, Any], ...]) -> dict[str, StatedBound]:
    bounds: dict[str, StatedBound] = {}
    for part in stated:
        name = part.pop("name")
        if name in bounds:
            raise CertificateFileError(f"The bound {shortened(name)} is stated twice.")
        bounds[name] = StatedBound(**part)
    return bounds


BOUNDS = converted(
    many(fields(name=TEXT, value=NUMBER, printed=DECIMAL, delta=NUMBER)),
    _bounds_by_name,
    lambda bounds: [{"name": name, **asdict(stated)} for name, stated in bounds.items()],
)
