"""Margins of a vote, and what a hold-out says about the points above one threshold or many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandemvote.counting.counts import FloatArray
from tandemvote.inequalities import clopper_pearson

DECIMALS = 12
"""Margins and thresholds are rounded to so many decimals: 6 votes against 4 lead by 0.2 exactly."""


@dataclass(frozen=True, kw_only=True)
class Threshold:
    """A margin from which points are accepted, and what the hold-out shows about them.

    Of the hold-out `n_accepted` points are accepted, and the vote gets `n_errors` of them wrong. So
    at least a share `coverage` of all points is accepted, 0 says nothing, and the error among them
    is at most `error`, 1 says nothing.
    """

    margin: float
    n_accepted: int
    n_errors: int
    error: float
    coverage: float


def all_at_once(
    margins: FloatArray, wrong: NDArray[np.bool_], grid: Sequence[float], *, delta: float
) -> list[Threshold]:
    r"""Certify every threshold of a grid fixed in advance, so that any of them may be chosen.

    Given that a of n points are accepted, their errors are binomial; a is binomial itself. With k
    thresholds these are 2 k exact limits at :math:`\delta / (2k)` each.
    """
    share = delta / (2 * len(grid))
    rows = [_count(margins, wrong, threshold, share) for threshold in grid]
    return [replace(row, error=upper_limit(row.n_errors, row.n_accepted, share)) for row in rows]


def within(
    margins: FloatArray,
    wrong: NDArray[np.bool_],
    grid: Sequence[float],
    *,
    max_error: float,
    delta: float,
) -> list[Threshold]:
    r"""Find the thresholds of a grid fixed in advance that keep the error at or below `max_error`.

    From the largest threshold down, each is tested at its own share :math:`\delta / (2k)` plus the
    level it inherits: all of the level at which the one before it passed, nothing if that failed.
    (This is the fallback procedure of multiple testing; :doc:`/finer` proves it.) All that pass
    keep the promise at once, with probability :math:`1 - \delta/2`; the other half pays for the
    accepted shares.

    Examples
    --------
    >>> margins = np.arange(100) / 100
    >>> found = within(margins, margins < 0.25, [0.0, 0.3, 0.5], max_error=0.1, delta=0.05)
    >>> [(threshold.margin, threshold.error) for threshold in found]
    [(0.0, 1.0), (0.3, 0.1), (0.5, 0.1)]
    """
    share = delta / (2 * len(grid))
    level = 0.0
    found = []
    for threshold in sorted(grid, reverse=True):
        row = _count(margins, wrong, threshold, share)
        level += share
        passed = upper_limit(row.n_errors, row.n_accepted, level) <= max_error
        # The limit itself would be false: which threshold is looked at depends on it.
        found.append(replace(row, error=max_error if passed else 1.0))
        level *= passed
    return found[::-1]


def upper_limit(k: int, n: int, delta: float) -> float:
    """Upper limit of a rate; 1 without points."""
    return float(clopper_pearson(k, n, delta=delta)) if n else 1.0


def lower_limit(k: int, n: int, delta: float) -> float:
    """Lower limit of a rate, rounded down: the rest has an upper limit."""
    return max(0.0, float(np.nextafter(1.0 - float(clopper_pearson(n - k, n, delta=delta)), 0.0)))


def check_grid(margins: float | Sequence[float] | FloatArray) -> list[float]:
    """Return thresholds as sorted numbers without repetition."""
    values = np.atleast_1d(np.asarray(margins, float))
    if values.ndim != 1 or values.size == 0 or not ((values >= 0) & (values <= 1)).all():
        raise ValueError(
            f"margin is {margins!r}; expected a threshold in [0, 1], or several. A margin of 0"
            " accepts every point, a margin of 1 only those on which all voters agree."
        )
    return [float(value) for value in np.unique(np.round(values, DECIMALS))]


def _count(
    margins: FloatArray, wrong: NDArray[np.bool_], threshold: float, delta: float
) -> Threshold:
    """Count what a threshold accepts, and limit its share; nothing is said of the error yet."""
    accepted = accepts(margins, threshold)
    n, n_errors = int(accepted.sum()), int((accepted & wrong).sum())
    # No margin is below 0, so a threshold of 0 accepts every point there is.
    coverage = lower_limit(n, margins.size, delta) if threshold > 0 else 1.0
    return Threshold(
        margin=threshold, n_accepted=n, n_errors=n_errors, error=1.0, coverage=coverage
    )


def vote_margins(shares: ArrayLike) -> FloatArray:
    """Return the difference of the two largest shares at each point, shape (n_samples,).

    `shares` are numbers in [0, 1], one row per point. Rounded to 12 decimals, so that equal margins
    are equal whichever shares they come from.

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
    """Tell where the margin reaches the threshold; on the threshold a point is accepted."""
    return np.asarray(margins >= np.round(threshold, DECIMALS))


def check_shares(shares: Any) -> FloatArray:
    """Return shares as an array, or say what they should be."""
    table = np.asarray(shares, float)
    if table.ndim != 2 or table.shape[1] == 0:
        raise ValueError(
            f"shares has shape {table.shape}; expected (n_samples, n_classes): one row per point,"
            " one column per class."
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
