"""How sure a vote is: the lead of its winner."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandemvote.counts import FloatArray

DECIMALS = 12
"""Margins and thresholds are rounded to so many decimals: 6 votes against 4 lead by 0.2 exactly."""


def vote_margins(shares: ArrayLike) -> FloatArray:
    """Return the difference of the two largest shares at each point.

    Parameters
    ----------
    shares : array_like, shape (n_samples, n_classes)
        Shares of the vote, or probabilities: numbers in [0, 1], one row a point.

    Returns
    -------
    ndarray, shape (n_samples,)
        Rounded to 12 decimals, so that equal margins are equal whichever shares they come from.

    Examples
    --------
    >>> vote_margins([[0.6, 0.4], [0.5, 0.5], [0.7, 0.1]]).tolist()
    [0.2, 0.0, 0.6]
    """
    table = check_shares(shares)
    if table.shape[1] == 1:
        return np.ones(len(table))
    two_largest = np.partition(table, -2, axis=1)[:, -2:]
    return np.round(two_largest[:, 1] - two_largest[:, 0], DECIMALS)


def accepts(margins: FloatArray, threshold: float) -> NDArray[np.bool_]:
    """Tell where the margin reaches the threshold; on the threshold a point is accepted.

    Examples
    --------
    >>> accepts(vote_margins([[0.6, 0.4], [2 / 3, 1 / 3]]), 1 / 3).tolist()
    [False, True]
    """
    return np.asarray(margins >= np.round(threshold, DECIMALS))


def check_shares(shares: Any) -> FloatArray:
    """Return shares as an array, or say what they should be."""
    table = np.asarray(shares, float)
    if table.ndim != 2 or table.shape[1] == 0:
        raise ValueError(
            f"shares has shape {table.shape}; expected (n_samples, n_classes): one row a point, one"
            " column a class."
        )
    # Written so that a missing share is refused as well.
    strange = np.argwhere(~((table >= 0.0) & (table <= 1.0)))
    if strange.size:
        point, column = (int(i) for i in strange[0])
        raise ValueError(
            f"The share of class {column} at point {point} is {table[point, column]}; expected a"
            " number in [0, 1]. Pass shares of the vote or probabilities, not scores."
        )
    return table
