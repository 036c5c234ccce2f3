"""Count points for every pair of voters.

float32 matrix products are exact, and fast with numpy alone. Many voters are counted by bits if
numba is installed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

# float32 holds every integer up to 2^24, so a product over fewer points is exact.
EXACT_CHUNK = 2**24
# From this many voters on, counting by bits is at least twice as fast (benchmarks/popcount.py).
MANY_VOTERS = 1000
# Up to so many classes, one product per class is faster than comparing rows in pairs.
FEW_CLASSES = 8

Pairs = NDArray[np.int64]
Counter = Callable[[NDArray[np.bool_]], Pairs]


def true_pairs(plane: NDArray[np.bool_]) -> Pairs:
    """Count, for every pair of rows, the columns (fewer than 2^24) where both are True.

    Examples
    --------
    >>> true_pairs(np.array([[True, True, False], [False, True, True]])).tolist()
    [[2, 1], [1, 2]]
    """
    by_bits = bit_counter() if len(plane) >= MANY_VOTERS else None
    return (by_bits or true_pairs_by_product)(plane)


def true_pairs_by_product(plane: NDArray[np.bool_]) -> Pairs:
    """Count the same by a symmetric matrix product."""
    points: NDArray[np.float32] = plane.astype(np.float32)
    return (points @ points.T).astype(np.int64)


@cache
def bit_counter() -> Counter | None:
    """Return the function that counts by bits, or None if numba cannot compile it."""
    try:
        from tandemvote.counting.bits import true_pairs_by_bits  # noqa: PLC0415  an extra
    except ImportError:
        return None
    return true_pairs_by_bits


def equal_pairs(
    codes: NDArray[np.integer[Any]], held_out: NDArray[np.bool_], overlaps: Pairs, n_classes: int
) -> Pairs:
    """Count, for every pair of rows, the held-out columns where both predict the same class."""
    if n_classes <= FEW_CLASSES:
        planes = ((codes == code) & held_out for code in range(n_classes))
        return sum(map(true_pairs, planes), np.zeros_like(overlaps))
    # Points a voter was trained on get a code of their own, so two voters also agree on the points
    # held out for neither, whose number follows from the sizes.
    said = np.where(held_out, codes, n_classes).astype(np.min_scalar_type(n_classes))
    equal = np.zeros_like(overlaps)
    for first, row in enumerate(said):
        for second in range(first + 1):
            equal[first, second] = np.count_nonzero(row == said[second])
    sizes = np.diag(overlaps)
    neither = said.shape[1] - sizes[:, None] - sizes + overlaps
    return np.maximum(equal, equal.T) - neither
