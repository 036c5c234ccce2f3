"""Arrays as text: little-endian, zlib, base64; of symmetric matrices the lower triangle."""

from __future__ import annotations

import base64
import binascii
import math
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tandemvote.certificate.file_text import CertificateFileError

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]

LEVEL = 4
"""Small integers are mostly zero bytes, on which level 9 takes fifty times longer for an eighth."""


def pack(matrix: IntArray) -> str:
    """Return the text of a symmetric matrix.

    Examples
    --------
    >>> unpack(pack(np.array([[1, 2], [2, 3]])), 2, "overlaps").tolist()
    [1, 2, 3]
    """
    return pack_numbers(triangle_of(matrix))


def pack_numbers(values: NDArray[Any]) -> str:
    """Return the text of integers or floats, every bit kept.

    Examples
    --------
    >>> unpack_numbers(pack_numbers(np.array([0.1, 0.2])), 2, "profile.leads").tolist()
    [0.1, 0.2]
    """
    data = values.astype("<f8" if values.dtype.kind == "f" else "<i8").tobytes()
    return base64.b64encode(zlib.compress(data, LEVEL)).decode()


def unpack(text: str, n_voters: int, name: str) -> IntArray:
    """Return the lower triangle, row by row, of n_voters (n_voters + 1) / 2 integers.

    Never inflates more than the declared number of voters needs.

    Raises
    ------
    CertificateFileError
        If the text is not base64, not zlib, or of another length.
    """
    size = n_voters * (n_voters + 1) // 2
    data = _inflate(text, 8 * size, f"counts.{name}", f"{n_voters} voters")
    return np.frombuffer(data, "<i8").astype(np.int64)


def unpack_numbers(text: str, length: int, name: str) -> FloatArray:
    """Return that many floats; refuse what `unpack` refuses."""
    return np.frombuffer(_inflate(text, 8 * length, name, f"{length} points"), "<f8").astype(float)


def _inflate(text: str, expected: int, name: str, whose: str) -> bytes:
    try:
        packed = base64.b64decode(text.encode("ascii"), validate=True)
        inflater = zlib.decompressobj()
        data = inflater.decompress(packed, expected + 1)
    except (UnicodeError, binascii.Error, zlib.error) as error:
        raise CertificateFileError(f"{name} cannot be unpacked: {error}.") from error
    if len(data) != expected or not inflater.eof or inflater.unused_data:
        raise CertificateFileError(f"{name} does not hold the {expected} bytes that {whose} need.")
    return data


def triangle_of(matrix: IntArray) -> IntArray:
    """Return the lower triangle of a symmetric matrix, row by row."""
    return matrix[np.tril_indices(len(matrix))]


def full(triangle: IntArray) -> IntArray:
    """Return the symmetric matrix of a lower triangle.

    Examples
    --------
    >>> full(np.array([1, 2, 3])).tolist()
    [[1, 2], [2, 3]]
    """
    n_voters = n_voters_of(triangle)
    matrix = np.zeros((n_voters, n_voters), np.int64)
    rows, columns = np.tril_indices(n_voters)
    matrix[rows, columns] = triangle
    matrix[columns, rows] = triangle
    return matrix


def n_voters_of(triangle: IntArray) -> int:
    """Return the number of rows of the matrix that a triangle is of."""
    return (math.isqrt(8 * triangle.size + 1) - 1) // 2
