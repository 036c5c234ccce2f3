"""Numbers as text: little-endian, zlib, base64; of symmetric matrices the lower triangle."""

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

INTEGERS, FLOATS = np.dtype("<i8"), np.dtype("<f8")

LEVEL = 4
"""Small integers are mostly zero bytes, on which level 9 takes fifty times longer for an eighth."""


def pack(matrix: IntArray) -> str:
    """Return the text of a symmetric matrix.

    Parameters
    ----------
    matrix : ndarray of int64, shape (n, n)

    Examples
    --------
    >>> unpack(pack(np.array([[1, 2], [2, 3]])), 2, "overlaps").tolist()
    [1, 2, 3]
    """
    return _deflate(matrix[np.tril_indices(len(matrix))].astype(INTEGERS))


def pack_numbers(values: FloatArray) -> str:
    """Return the text of a list of floats, every bit kept.

    Examples
    --------
    >>> unpack_numbers(pack_numbers(np.array([0.1, 0.2])), 2, "profile.leads").tolist()
    [0.1, 0.2]
    """
    return _deflate(values.astype(FLOATS))


def unpack(text: str, n_voters: int, name: str) -> IntArray:
    """Return the lower triangle, row by row, of n_voters (n_voters + 1) / 2 integers.

    Never inflates more than the declared number of voters needs.

    Raises
    ------
    CertificateFileError
        If the text is not base64, not zlib, or of another length.
    """
    expected = triangle_size(n_voters) * INTEGERS.itemsize
    data = _inflate(text, expected, f"counts.{name}", f"{n_voters} voters")
    return np.frombuffer(data, INTEGERS).astype(np.int64)


def unpack_numbers(text: str, length: int, name: str) -> FloatArray:
    """Return that many floats.

    Raises
    ------
    CertificateFileError
        If the text is not base64, not zlib, or of another length.
    """
    data = _inflate(text, length * FLOATS.itemsize, name, f"{length} points")
    return np.frombuffer(data, FLOATS).astype(np.float64)


def _deflate(values: NDArray[Any]) -> str:
    return base64.b64encode(zlib.compress(values.tobytes(), LEVEL)).decode()


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


def full(triangle: IntArray) -> IntArray:
    """Return the symmetric matrix of a lower triangle.

    Examples
    --------
    >>> full(np.array([1, 2, 3])).tolist()
    [[1, 2], [2, 3]]
    """
    n_voters = (math.isqrt(8 * triangle.size + 1) - 1) // 2
    matrix = np.zeros((n_voters, n_voters), np.int64)
    rows, columns = np.tril_indices(n_voters)
    matrix[rows, columns] = triangle
    matrix[columns, rows] = triangle
    return matrix


def triangle_size(n_voters: int) -> int:
    """Return the number of pairs of voters, each with itself included.

    Examples
    --------
    >>> triangle_size(3)
    6
    """
    return n_voters * (n_voters + 1) // 2
