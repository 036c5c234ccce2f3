"""Coalitions: sets of voters with at least half of the weight, without which no vote is wrong.

If voters with less than half of the weight err, the others make the right label win, however ties
are broken. Weights are the whole numbers that `weighted_vote` adds up. A set that has half of the
weight up to rounding is a coalition, since another implementation of the same vote may break the
tie the other way.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandemvote.votes.weighted_vote import SHARE_ROUNDING, exact_weights

MOST_ENUMERATED = 15  # voters whose subsets are looked at one by one
HALF = Fraction(1, 2)


def voting_units(weights: ArrayLike) -> NDArray[np.int64]:
    """Whole numbers that the voters with weight vote with."""
    units = exact_weights(weights).astype(np.int64)
    return units[units > 0]


def is_coalition(weight: Any, total: int) -> Any:
    """Return True if voters with this weight, or with each of these, can make the vote wrong."""
    return 2 * weight >= total - int(SHARE_ROUNDING * total)


def smallest_coalition(weights: ArrayLike) -> Fraction:
    """Smallest share of the weight with which voters can make the vote wrong; at least one half.

    Exact for equal weights, for a voter with more than half of the weight, and for up to 15 voters.
    Otherwise one half, which is never too large.

    Parameters
    ----------
    weights : array_like of shape (n_voters,)
        Weights of the voters, each at least 0.

    Returns
    -------
    Fraction
        The share, at least 1/2.

    Examples
    --------
    >>> smallest_coalition([1 / 3, 1 / 3, 1 / 3]), smallest_coalition([0.5, 0.25, 0.25])
    (Fraction(2, 3), Fraction(1, 2))
    """
    units = voting_units(weights)
    total, heaviest = int(units.sum()), int(units.max())
    if (units == heaviest).all():
        return Fraction(-(-units.size // 2), units.size)
    if not is_coalition(total - heaviest, total):
        return Fraction(heaviest, total)
    if units.size > MOST_ENUMERATED:
        return HALF
    sums = _subset_sums(units)
    return max(HALF, Fraction(int(sums[is_coalition(sums, total)].min()), total))


def minimal_coalitions(units: NDArray[np.int64]) -> NDArray[np.bool_]:
    """List the coalitions that need each of their members: one row each, True at members."""
    sums, total = _subset_sums(units), int(units.sum())
    coalitions = np.flatnonzero(is_coalition(sums, total))
    members = (coalitions[:, None] >> np.arange(units.size)) & 1 == 1
    lightest = np.where(members, units, total).min(axis=1)
    return np.asarray(members[~is_coalition(sums[coalitions] - lightest, total)])


def _subset_sums(units: NDArray[np.int64]) -> NDArray[np.int64]:
    """Weights of all sets of voters; voter k is a member if bit k of the index is 1."""
    sums = np.zeros(1, np.int64)
    for unit in units:
        sums = np.concatenate([sums, sums + unit])
    return sums
