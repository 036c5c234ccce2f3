"""From values to codes: the sorted set of what occurs, and everybody's position in it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

LARGEST_SPAN = 2**16
"""Up to so many possible values a table of all of them replaces sorting."""


def encode(values: NDArray[np.integer[Any]]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the different integers of a matrix, sorted, and the position of each entry there.

    The same as ``numpy.unique(values, return_inverse=True)``, without its sorting: votes are few
    different small numbers in very many cells.

    Parameters
    ----------
    values : ndarray of int, shape (n_rows, n_columns)
        Not empty.

    Returns
    -------
    classes : ndarray, shape (n_classes,)
    codes : ndarray of unsigned int, shape (n_rows, n_columns)

    Examples
    --------
    >>> classes, codes = encode(np.array([[-1, 1], [1, 7]], np.int8))
    >>> classes.tolist(), codes.tolist()
    ([-1, 1, 7], [[0, 1], [1, 2]])
    """
    lowest, highest = int(values.min()), int(values.max())
    span = highest - lowest
    if span >= LARGEST_SPAN:
        classes, inverse = np.unique(values, return_inverse=True)
        return classes, inverse.reshape(values.shape).astype(np.min_scalar_type(classes.size))
    # Unsigned numbers wrap around, so the difference is right even where the terms do not fit.
    kind = np.min_scalar_type(span)
    codes = values.astype(kind) - np.array(lowest).astype(kind)
    present = np.ones(span + 1, bool)
    if span > 1:
        present[:] = False
        for row in codes:  # row by row: an index array takes eight bytes an entry
            present[row] = True
    if not present.all():
        position = (np.cumsum(present) - 1).astype(kind)
        for row in codes:
            row[:] = position[row]
    # Numbers of the same kind wrap around likewise; the end of a range may not exist in it.
    classes = np.arange(span + 1).astype(values.dtype) + values.dtype.type(lowest)
    return classes[present], codes
