"""Unlabelled points must be new ones: what can be seen of that is their rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

SURPRISE = 5.0
"""Standard deviations beyond which copies of training rows are no coincidence."""


def refuse_training_rows(X: Any, X_unlabelled: Any) -> None:
    """Refuse unlabelled points that were taken from the training points.

    Rows may coincide by chance. How often, the training points tell: as often as one of them has a
    copy among the others. Clearly more copies than that were not drawn independently.

    Parameters
    ----------
    X, X_unlabelled : array_like or sparse matrix, shape (n_points, n_features)

    Examples
    --------
    >>> X = np.arange(40.0).reshape(20, 2)
    >>> refuse_training_rows(X, X + 0.5)
    >>> refuse_training_rows(X, X[:10])
    Traceback (most recent call last):
        ...
    ValueError: 10 of the 10 unlabelled points are rows of the training data, where chance would \
give about 0. Voters know these points, so they show nothing. Pass points that were not trained on.
    """
    known, new = _rows(X), _rows(X_unlabelled)
    different, place, copies = np.unique(known, return_inverse=True, return_counts=True)
    by_chance = float((copies[place] > 1).mean())
    found = int(np.isin(new, different).sum())
    expected = by_chance * new.size
    if found > expected + SURPRISE * math.sqrt(expected * (1.0 - by_chance) + 1.0):
        raise ValueError(
            f"{found} of the {new.size} unlabelled points are rows of the training data, where"
            f" chance would give about {expected:.0f}. Voters know these points, so they show"
            " nothing. Pass points that were not trained on."
        )


def _rows(X: Any) -> NDArray[np.object_]:
    """Return each row as bytes, the same for the same values."""
    if issparse(X):
        matrix = csr_array(X, copy=True)  # what follows works in place
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        parts = (matrix.indices, matrix.data.astype(np.float64))
        return np.array(
            [
                b"".join(part[start:end].tobytes() for part in parts)
                for start, end in zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True)
            ],
            dtype=object,
        )
    table = np.asarray(X)
    if table.dtype == object:
        return np.array(["\x1f".join(map(str, row)).encode() for row in table], dtype=object)
    if table.dtype.kind in "biuf":
        table = table.astype(float)  # 1 and 1.0 are the same value
    table = np.ascontiguousarray(table)
    return np.array([row.tobytes() for row in table], dtype=object)
