"""The default solver for pairs: descend from the prior, and from other starts where it may help.

A pair matrix that is not positive semi-definite, and the square root in the disagreement bound, can
give the objective several minima. The others found in practice lie near one voter or near two, and
the objective at these corners is cheap to compute. So: descend from the prior; descend from the
lowest corner if it already lies lower; and if the first descent met negative curvature, from all
the best corners. On a forest's tandem losses that is rare, and one descent is enough.

This is a search, not a proof: for a matrix of pure noise the problem is as hard as finding the best
group of voters among all groups, and there may be a lower minimum elsewhere.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit

from tandemvote.counting.counts import IntArray
from tandemvote.inequalities.outward import FloatArray
from tandemvote.weights.exponentiated_gradient import exponentiated_gradient
from tandemvote.weights.objective import Descent, Objective
from tandemvote.weights.relaxations import WeightedAverages

SHORTLIST = 24
"""Pairs are searched among this many of the best voters."""

N_SINGLE, N_PAIRS = 6, 10
"""Corners to descend from where the objective is seen to have other minima."""

NEAR, AT = 8.0, 60.0
"""Log-ratios of a corner's voters: near the others, and at the corner up to rounding."""

WORTH_A_CHANGE = 1e-12
"""Difference below which two minima count as one."""


class Corner(NamedTuple):
    """One or two voters that share all the weight, and the objective there."""

    value: float
    voters: tuple[int, ...]


def several_starts(objective: Objective) -> Descent:
    """Keep the lowest of one or more descents.

    Examples
    --------
    Two good voters that err together: either one alone is better than both.

    >>> from tandemvote.weights.relaxations import PAIRS, Estimate, Relaxation
    >>> objective = Objective(
    ...     relaxation=Relaxation(4.0, Estimate.of(PAIRS, 1e6, 0.05)),
    ...     log_prior=np.log([0.5, 0.5]),
    ...     losses=np.zeros(2),
    ...     pairs=np.array([[0.1, 0.3], [0.3, 0.1]]),
    ... )
    >>> several_starts(objective).point.weights.round(3).tolist()
    [1.0, 0.0]
    """
    best = exponentiated_gradient(objective)
    corners = _corners(objective)
    lowest = min(corners, key=lambda corner: corner.value)
    starts = [_start(objective, lowest, AT)] if lowest.value < best.point.value else []
    if best.met_negative_curvature:
        starts += [_start(objective, corner, NEAR) for corner in corners]
    for start in starts:
        descent = exponentiated_gradient(objective, start)
        if descent.point.value < best.point.value - WORTH_A_CHANGE:
            best = descent
    return best


def _corners(objective: Objective) -> list[Corner]:
    """Return the best single voters and the best pairs, weighted as in the prior."""
    voters = np.arange(objective.n_voters)
    alone = _values(objective, voters, voters)
    shortlist = voters[np.argsort(alone, kind="stable")[:SHORTLIST]]
    corners = [Corner(float(alone[voter]), (int(voter),)) for voter in shortlist[:N_SINGLE]]
    rows, columns = np.triu_indices(shortlist.size, 1)
    first, second = shortlist[rows], shortlist[columns]
    together = _values(objective, first, second)
    for pair in np.argsort(together, kind="stable")[:N_PAIRS]:
        members = int(first[pair]), int(second[pair])
        corners.append(Corner(float(together[pair]), members))
    return corners


def _values(objective: Objective, first: IntArray, second: IntArray) -> FloatArray:
    """Objective with all weight on two voters (or on one, named twice) for many pairs at once."""
    log_prior, pairs, losses = objective.log_prior, objective.pairs, objective.losses
    if pairs is None:
        raise ValueError("Several starts are for objectives of pairs; this one has no pairs.")
    share = expit(log_prior[first] - log_prior[second])
    rest = 1.0 - share
    mass = np.where(
        first == second, log_prior[first], np.logaddexp(log_prior[first], log_prior[second])
    )
    averages = WeightedAverages(
        gibbs_loss=share * losses[first] + rest * losses[second],
        pair_average=share**2 * pairs[first, first]
        + rest**2 * pairs[second, second]
        + 2.0 * share * rest * pairs[first, second],
        divergence=-mass,
        pair_divergence=-2.0 * mass,  # as if all sets were equally large, for a shortlist
    )
    return np.asarray(objective.relaxation.value(averages))


def _start(objective: Objective, corner: Corner, height: float) -> FloatArray:
    log_ratio = np.zeros(objective.n_voters)
    log_ratio[list(corner.voters)] = height
    return log_ratio
