"""A fingerprint of the values of a data set, blind to how they are stored."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

ROWS_AT_ONCE = 4096  # keeps the float32 copy of a large image set small


def content_digest(X: NDArray[Any], y: NDArray[Any], *, ordered: bool = True) -> str:
    """SHA-256 of the shape, the features as float32 and the labels as int64, little-endian.

    Float32 is what scikit-learn's trees see. Rounding to it makes the fingerprint the same for
    integers stored in a byte and for decimals parsed from text to any greater precision.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Features.
    y : ndarray of shape (n_samples,)
        Integer labels.
    ordered : bool
        If False, rows are sorted first, so that the fingerprint is that of the multiset of
        labelled rows. For sources that carry the same rows in another order.

    Returns
    -------
    str
        64 hexadecimal digits.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[1, 2], [3, 4]], dtype=np.uint8), np.array([0, 1])
    >>> content_digest(X, y) == content_digest(X.astype(float), y.astype(np.int8))
    True
    >>> content_digest(X, y) == content_digest(X[::-1], y[::-1])
    False
    >>> content_digest(X, y, ordered=False) == content_digest(X[::-1], y[::-1], ordered=False)
    True
    """
    if not ordered:
        order = np.argsort(row_keys(X, y), kind="stable")
        X, y = X[order], y[order]
    fingerprint = hashlib.sha256(f"{X.shape[0]},{X.shape[1]};".encode())
    for start in range(0, len(X), ROWS_AT_ONCE):
        fingerprint.update(_as_float32(X[start : start + ROWS_AT_ONCE]).tobytes())
    fingerprint.update(np.ascontiguousarray(y, dtype="<i8").tobytes())
    return fingerprint.hexdigest()


def row_keys(X: NDArray[Any], y: NDArray[Any]) -> NDArray[Any]:
    """One sortable key a labelled row; equal rows, and only they, have equal keys.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Features, compared as float32.
    y : ndarray of shape (n_samples,)
        Integer labels below 2^24 in size.

    Returns
    -------
    ndarray of shape (n_samples,)
        Raw bytes of each row and its label.

    Examples
    --------
    >>> import numpy as np
    >>> keys = row_keys(np.array([[0.5], [0.5], [2.0]]), np.array([1, 1, 1]))
    >>> bool(keys[0] == keys[1]), bool(keys[1] == keys[2])
    (True, False)
    """
    rows = np.ascontiguousarray(np.column_stack([_as_float32(X), _as_float32(y)]))
    return rows.view(np.dtype((np.void, rows.shape[1] * rows.itemsize))).ravel()


def _as_float32(values: NDArray[Any]) -> NDArray[Any]:
    # Adding zero turns -0.0 into 0.0: equal values must have equal bytes.
    return np.asarray(np.ascontiguousarray(values, dtype="<f4") + np.float32(0))
