"""Counts of samples for every pair of voters, by exact float32 matrix products.

`tandemvote.votes.counts` and the recount of `verify`, which must not import each other, both count
here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

# float32 holds every integer up to 2^24, so a product over fewer samples is exact.
EXACT_CHUNK = 2**24
# Up to this many classes, one product per class is faster than comparing rows in pairs.
MOST_PRODUCTS = 8

Pairs = NDArray[np.int64]


@dataclass(frozen=True, eq=False, kw_only=True)
class PairCounts:
    """Symmetric matrices of shape (n_voters, n_voters); see `tandemvote.VoteCounts`."""

    tandem_errors: Pairs
    overlaps: Pairs
    lone_errors: Pairs
    disagreements: Pairs
    disagreement_overlaps: Pairs
    unlabeled_disagreements: Pairs


def true_pairs(plane: NDArray[np.bool_], other: NDArray[np.bool_] | None = None) -> Pairs:
    """Count the columns (fewer than 2^24) where two rows are True, the second of `other` if given.

    Examples
    --------
    >>> true_pairs(np.array([[True, True, False], [False, True, True]])).tolist()
    [[2, 1], [1, 2]]
    """
    first: NDArray[np.float32] = plane.astype(np.float32)
    second = first if other is None else other.astype(np.float32)
    return (first @ second.T).astype(np.int64)


def equal_pairs(
    codes: NDArray[np.integer[Any]], held_out: NDArray[np.bool_], overlaps: Pairs, n_classes: int
) -> Pairs:
    """Count, for every pair of rows, the held-out columns where both predict the same class."""
    if n_classes <= MOST_PRODUCTS:
        planes = ((codes == code) & held_out for code in range(n_classes))
        return sum(map(true_pairs, planes), np.zeros_like(overlaps))
    # Samples a voter was trained on get an extra code, so two voters also agree on samples
    # held out for neither, whose number follows from the sizes.
    marked = np.where(held_out, codes, n_classes).astype(np.min_scalar_type(n_classes))
    equal = np.zeros_like(overlaps)
    for first, row in enumerate(marked):
        for second in range(first + 1):
            equal[first, second] = np.count_nonzero(row == marked[second])
    sizes = np.diag(overlaps)
    neither = marked.shape[1] - sizes[:, None] - sizes + overlaps
    return np.maximum(equal, equal.T) - neither
