"""The LIBSVM text format: a label, then ``index:value`` for the entries that are not zero."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_svmlight_file

from tandemvote.datasets.errors import DatasetError
from tandemvote.datasets.raw_bytes import read_bytes

LARGEST_TABLE = 2**32  # bytes of a dense table: beyond this a typing error is likelier than intent


def read_libsvm(
    path: Path,
    *,
    n_features: int | None = None,
    zero_based: bool | Literal["auto"] = "auto",
) -> tuple[NDArray[Any], NDArray[Any]]:
    r"""Read a LIBSVM file, compressed or not, into a dense table.

    Parameters
    ----------
    path : Path
        The file.
    n_features : int, optional
        Number of columns; the largest index in the file if not given.
    zero_based : bool or "auto"
        Whether indices start at 0; ``"auto"`` says yes if index 0 occurs.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        Features as float64; entries not in the file are 0.
    y : ndarray of shape (n_samples,)
        Labels as float64.

    Raises
    ------
    ValueError
        If the text does not follow the format.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "tiny.libsvm")
    ...     _ = path.write_text("+1 1:0.5 3:2\n-1\n")
    ...     X, y = read_libsvm(path)
    >>> X.tolist(), y.tolist()
    ([[0.5, 0.0, 2.0], [0.0, 0.0, 0.0]], [1.0, -1.0])
    """
    return parse_libsvm(read_bytes(path), n_features=n_features, zero_based=zero_based)


def parse_libsvm(
    text: bytes, *, n_features: int | None, zero_based: bool | Literal["auto"]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Do the work of :func:`read_libsvm` on text already in memory."""
    try:
        table, y = load_svmlight_file(
            io.BytesIO(text), n_features=n_features, zero_based=zero_based
        )
    except OverflowError as error:
        raise ValueError(f"an index or label is beyond all bounds: {error}") from error
    size = 8 * table.shape[0] * table.shape[1]
    if size > LARGEST_TABLE:
        raise DatasetError(
            f"As a dense table this LIBSVM file has {table.shape[0]} x {table.shape[1]} entries, "
            f"{size / 2**30:.0f} GiB; the limit is {LARGEST_TABLE // 2**30} GiB. Read it with "
            "sklearn.datasets.load_svmlight_file and keep fewer columns."
        )
    return table.toarray(), np.asarray(y)
