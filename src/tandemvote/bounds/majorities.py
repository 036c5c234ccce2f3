"""Coalitions: sets of voters with at least half of the weight, without which no vote is wrong.

If voters with less than half of the weight err, the others make the right label win, however ties
are broken. Which sets are coalitions is decided in the whole numbers that
`tandemvote.voting.weighted_vote` adds up.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandemvote.voting import exact_weights

MOST_ENUMERATED = 15  # voters whose subsets are looked at one by one
HALF = Fraction(1, 2)


def voting_units(weights: ArrayLike) -> NDArray[np.int64]:
    """Whole numbers that the voters with weight vote with; the others are left out."""
    units = exact_weights(weights).astype(np.int64)
    return units[units > 0]


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
    if 2 * heaviest > total:
        return Fraction(heaviest, total)
    if units.size > MOST_ENUMERATED:
        return HALF
    sums = _subset_sums(units)
    return Fraction(int(sums[2 * sums >= total].min()), total)


def minimal_coalitions(units: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Coalitions that are none without any one of their members: a row each, True at members."""
    sums, total = _subset_sums(units), int(units.sum())
    coalitions = np.flatnonzero(2 * sums >= total)
    members = (coalitions[:, None] >> np.arange(units.size)) & 1 == 1
    lightest = np.where(members, units, total).min(axis=1)
    return np.asarray(members[2 * (sums[coalitions] - lightest) < total])


def _subset_sums(units: NDArray[np.int64]) -> NDArray[np.int64]:
    """Weights of all sets of voters; voter k is a member if bit k of the index is 1."""
    sums = np.zeros(1, np.int64)
    for unit in units:
        sums = np.concatenate([sums, sums + unit])
    return sums
