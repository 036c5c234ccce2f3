"""Kinds of values in a certificate file: how each is read, rejected in one line, and written.

The kind of an object or list follows from the types of its parts. Arrays are text: little-endian,
zlib, base64; of symmetric matrices the lower triangle, of repeated rows each row once.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from dataclasses import fields as dataclass_fields
from types import NoneType
from typing import Any, NoReturn, get_args, get_type_hints

import numpy as np
from numpy.typing import NDArray

from tandemvote.record.json_text import CertificateFileError, shortened

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]

LARGEST_LABEL = 2**63 - 1

MAX_SAMPLES = 10**10
"""No count may exceed it: the exact moments of larger samples would take minutes to recompute."""

LEVEL = 4
"""Level of zlib. Small integers are mostly zero bytes, for which level 9 takes fifty times as long
and saves an eighth of the size."""


@dataclass(frozen=True, eq=False)
class Kind:
    """Functions that read a value at a place in the file and write it, and its JSON Schema."""

    read: Callable[[Any, str], Any]
    schema: Mapping[str, Any]
    write: Callable[[Any], Any] = lambda value: value


def reject(value: object, place: str, expected: str) -> NoReturn:
    """Name the field, what it is and what it should be."""
    raise CertificateFileError(f"{place} is {shortened(value)}, not {expected}.")


def plain(expected: str, accepts: Callable[[Any], bool], **schema: Any) -> Kind:
    """Read what passes a test, as it is."""

    def read(value: Any, place: str) -> Any:
        return value if accepts(value) else reject(value, place, expected)

    return Kind(read, schema)


def one_of(*known: str) -> Kind:
    """Read one of these texts."""
    listed = f"known: this version reads {' and '.join(map(repr, known))} only"
    return plain(listed, lambda value: isinstance(value, str) and value in known, enum=[*known])


def integer(least: int, most: int) -> Kind:
    """Read an integer within limits, which a boolean is not."""
    return plain(
        f"an integer from {least} to {most}",
        lambda value: type(value) is int and least <= value <= most,
        **{"type": "integer", "minimum": least, "maximum": most},
    )


def fields(**kinds: Kind) -> Kind:
    """Read an object with exactly these fields.

    Examples
    --------
    >>> fields(n=integer(1, 10), share=FLOAT).read({"n": 3, "share": "0x1.8p-1"}, "")
    Traceback (most recent call last):
        ...
    tandemvote.record.json_text.CertificateFileError: share is '0x1.8p-1', not a number in \
hexadecimal such as '0x1.8000000000000p-1'.
    """

    def read(value: Any, place: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            reject(value, place, "an object")
        inside = f"{place}." if place else ""
        values = {}
        for name, kind in kinds.items():
            if name not in value:
                raise CertificateFileError(f"{inside}{name} is missing.")
            values[name] = kind.read(value[name], inside + name)
        for name in value.keys() - kinds.keys():
            raise CertificateFileError(f"{inside}{shortened(name)} is an unknown field.")
        return values

    schema = {
        "type": "object",
        "properties": {name: kind.schema for name, kind in kinds.items()},
        "required": [*kinds],
        "additionalProperties": False,
    }
    return Kind(
        read, schema, lambda value: {name: kind.write(value[name]) for name, kind in kinds.items()}
    )


def by_name(kind: Kind) -> Kind:
    """Read an object whose fields have any names."""

    def read(value: Any, place: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            reject(value, place, "an object")
        return {name: kind.read(value[name], f"{place}.{shortened(name)}") for name in value}

    schema = {"type": "object", "additionalProperties": kind.schema}
    return Kind(
        read, schema, lambda value: {str(name): kind.write(each) for name, each in value.items()}
    )


def many(kind: Kind) -> Kind:
    """Read a list."""

    def read(value: Any, place: str) -> tuple[Any, ...]:
        if not isinstance(value, list):
            reject(value, place, "a list")
        return tuple(kind.read(each, f"{place}[{i}]") for i, each in enumerate(value))

    schema = {"type": "array", "items": kind.schema}
    return Kind(read, schema, lambda value: [kind.write(each) for each in value])


def optional(kind: Kind) -> Kind:
    """Read a value or null."""
    return Kind(
        lambda value, place: None if value is None else kind.read(value, place),
        {"anyOf": [kind.schema, {"type": "null"}]},
        lambda value: None if value is None else kind.write(value),
    )


def _float(value: Any, place: str) -> float:
    """Read a finite number, written exactly as `float.hex` writes it."""
    try:
        number = float.fromhex(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if math.isfinite(number) and number.hex() == value:
        return number
    reject(value, place, "a number in hexadecimal such as '0x1.8000000000000p-1'")


TEXT = replace(plain("a text", lambda value: isinstance(value, str), type="string"), write=str)
BOOLEAN = plain("true or false", lambda value: isinstance(value, bool), type="boolean")
HEXADECIMAL = {"type": "string", "pattern": r"^-?0x[01](\.[0-9a-f]+)?p[+-][0-9]+$"}
FLOAT = Kind(_float, HEXADECIMAL, lambda value: float(value).hex())
FLOATS = Kind(
    lambda value, place: np.array(many(FLOAT).read(value, place), float),
    many(FLOAT).schema,
    many(FLOAT).write,
)
DIGEST = plain(
    "32 hexadecimal digits",
    lambda value: isinstance(value, str) and re.fullmatch("[0-9a-f]{32}", value) is not None,
    **{"type": "string", "pattern": "^[0-9a-f]{32}$"},
)
PLAIN = {str: TEXT, float: FLOAT, bool: BOOLEAN}


def kind_of(hint: Any) -> Kind:
    """Return the kind that a type is annotated with, or that follows from the type itself."""
    if hasattr(hint, "__metadata__"):
        return hint.__metadata__[0]
    if hint in PLAIN:
        return PLAIN[hint]
    if not get_args(hint):
        return record(hint)
    part, other = get_args(hint)
    if other is Ellipsis:  # tuple[part, ...]
        return many(kind_of(part))
    return optional(kind_of(part)) if other is NoneType else by_name(kind_of(other))


def kinds_of(hint: type) -> dict[str, Kind]:
    """Return the kinds of the fields of a class."""
    hints = get_type_hints(hint, include_extras=True).items()
    return {name: kind_of(each) for name, each in hints}


def record(hint: Any, **others: Kind) -> Kind:
    """Read an object with the fields of a class, some of them of other kinds."""
    form = fields(**kinds_of(hint) | others)
    return Kind(
        lambda value, place: hint(**form.read(value, place)),
        form.schema,
        lambda value: form.write(attributes(value, form.schema["required"])),
    )


def attributes(value: Any, names: Iterable[str]) -> dict[str, Any]:
    """Return attributes of an object by name."""
    return {name: getattr(value, name) for name in names}


def _read_label(value: Any, place: str) -> Any:
    if isinstance(value, dict):
        return fields(float=FLOAT).read(value, place)["float"]
    return LABELS.get(type(value), TEXT).read(value, place)


def _written_label(label: Any) -> Any:
    if type(label) is float:
        return {"float": label.hex()}
    if type(label) not in LABELS or (type(label) is int and abs(label) > LARGEST_LABEL):
        raise ValueError(
            f"Labels such as {label!r} cannot be written to a certificate file. Convert them to"
            " text or integers before certifying."
        )
    return label


LABELS = {str: TEXT, int: integer(-LARGEST_LABEL, LARGEST_LABEL), bool: BOOLEAN}
LABEL = Kind(
    _read_label,
    {"anyOf": [fields(float=FLOAT).schema, *(kind.schema for kind in LABELS.values())]},
    _written_label,
)


def pack(values: NDArray[Any]) -> str:
    """Return the text of an array, of a symmetric matrix by its lower triangle; keep every bit."""
    values = values[np.tril_indices(len(values))] if values.ndim == 2 else values
    data = values.astype("<f8" if values.dtype.kind == "f" else "<i8").tobytes()
    return base64.b64encode(zlib.compress(data, LEVEL)).decode()


def unpack(text: str, length: int, place: str, whose: str, dtype: str = "f8") -> NDArray[Any]:
    """Return `length` floats, or integers ("i8"), and never inflate more bytes than they need."""
    expected = 8 * length
    try:
        packed = base64.b64decode(text.encode("ascii"), validate=True)
        inflater = zlib.decompressobj()
        data = inflater.decompress(packed, expected + 1)
    except (UnicodeError, binascii.Error, zlib.error) as error:
        raise CertificateFileError(f"{place} cannot be unpacked: {error}.") from error
    if len(data) != expected or not inflater.eof or inflater.unused_data:
        raise CertificateFileError(f"{place} does not hold the {expected} bytes that {whose} need.")
    return np.frombuffer(data, f"<{dtype}").astype(dtype)


def unpack_matrix(text: str, n_voters: int, place: str) -> IntArray:
    """Return the symmetric matrix of counts of pairs of voters."""
    triangle = unpack(text, n_voters * (n_voters + 1) // 2, place, f"{n_voters} voters", "i8")
    matrix = np.zeros((n_voters, n_voters), np.int64)
    rows, columns = np.tril_indices(n_voters)
    matrix[rows, columns] = matrix[columns, rows] = triangle
    return matrix


MATRIX = "base64(zlib(little-endian int64, lower triangle by rows))"
BY_ROWS = "base64(zlib(little-endian float64 of each distinct row, int64 place of each sample))"


def matrices(hint: Any, n_voters: Kind) -> Kind:
    """Read a class of symmetric matrices from an object with their size and the text of each."""
    names = [field.name for field in dataclass_fields(hint)]
    packed = fields(n_voters=n_voters, encoding=one_of(MATRIX), **dict.fromkeys(names, TEXT))

    def read(value: Any, place: str) -> Any:
        texts = packed.read(value, place)
        n = texts["n_voters"]
        return hint(**{name: unpack_matrix(texts[name], n, f"{place}.{name}") for name in names})

    def write(values: Any) -> dict[str, Any]:
        matrices = attributes(values, names)
        texts = {name: pack(matrix) for name, matrix in matrices.items()}
        return {"n_voters": len(matrices[names[0]]), "encoding": MATRIX, **texts}

    return Kind(read, packed.schema, write)


def by_rows(hint: Any, n_samples: Kind) -> Kind:
    """Read a class of columns, written as their distinct rows and the place of each sample's row.

    The order of the samples matters: bets on a sample depend on the samples before it.
    """
    names = [field.name for field in dataclass_fields(hint)]
    texts = dict.fromkeys((*names, "rows"), TEXT)
    packed = fields(n_samples=n_samples, n_rows=n_samples, encoding=one_of(BY_ROWS), **texts)

    def read(value: Any, place: str) -> Any:
        stated = packed.read(value, place)
        n, n_rows = stated["n_samples"], stated["n_rows"]
        rows = unpack(stated["rows"], n, f"{place}.rows", f"{n} samples", "i8")
        if rows.min() < 0 or rows.max() >= n_rows:
            raise CertificateFileError(f"{place}.rows has places that are not below {n_rows}.")
        whose = f"{n_rows} distinct rows"
        return hint(
            **{name: unpack(stated[name], n_rows, f"{place}.{name}", whose)[rows] for name in names}
        )

    def write(values: Any) -> dict[str, Any]:
        columns = np.column_stack([*attributes(values, names).values()])
        distinct, rows = np.unique(columns, axis=0, return_inverse=True)
        sizes = {"n_samples": len(columns), "n_rows": len(distinct), "encoding": BY_ROWS}
        texts = {name: pack(distinct[:, i]) for i, name in enumerate(names)}
        return {**sizes, **texts, "rows": pack(rows.reshape(-1))}

    return Kind(read, packed.schema, write)
