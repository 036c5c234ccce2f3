"""The IDX format of the MNIST family: a shape, then raw numbers."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tandemvote.datasets.raw_bytes import read_bytes

_DTYPES = {0x08: "u1", 0x09: "i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}


def read_idx(path: Path) -> NDArray[Any]:
    """Read one IDX file, compressed or not.

    Parameters
    ----------
    path : Path
        The file: two zero bytes, a type, a number of dimensions, the dimensions as big-endian
        32-bit integers, then the values.

    Returns
    -------
    ndarray
        Values in the shape the file states.

    Raises
    ------
    ValueError
        If the header is not that of an IDX file or values are missing or left over.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "labels-idx1-ubyte")
    ...     _ = path.write_bytes(bytes([0, 0, 8, 1, 0, 0, 0, 3, 7, 8, 9]))
    ...     read_idx(path).tolist()
    [7, 8, 9]
    """
    data = read_bytes(path)
    if len(data) < 4 or data[:2] != b"\x00\x00" or data[2] not in _DTYPES:
        raise ValueError("not an IDX file: the header must be 00 00, a type and a dimension count")
    dtype, n_dimensions = np.dtype(_DTYPES[data[2]]), data[3]
    start = 4 + 4 * n_dimensions
    shape = tuple(np.frombuffer(data[4:start], dtype=">i4").tolist())
    expected = start + math.prod(shape) * dtype.itemsize
    if len(shape) != n_dimensions or len(data) != expected:
        raise ValueError(f"IDX file of shape {shape} has {len(data)} bytes, expected {expected}")
    values = np.frombuffer(data, dtype=dtype, offset=start).reshape(shape)
    return values.astype(dtype.newbyteorder("="))
