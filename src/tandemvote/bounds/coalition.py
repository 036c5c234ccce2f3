"""COA: every voter's own limit, and the cheapest way to pay for every coalition that could err."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linprog

from tandemvote.bounds.averages import Averages, distribution
from tandemvote.bounds.bound import Bound
from tandemvote.bounds.majorities import MOST_ENUMERATED, minimal_coalitions, voting_units
from tandemvote.bounds.requirements import Requirement
from tandemvote.hard_vote import exact_weights
from tandemvote.inequalities import clopper_pearson
from tandemvote.inequalities.outward import ARITHMETIC_MARGIN, FloatArray, outward
from tandemvote.inequalities.pac_bayes import check_delta

SMALLEST_SHARE = 1e-300
"""A voter with a smaller share of delta has no limit but 1."""

PRICE_BITS = 40
"""Prices become multiples of 2^-40, so that their sums are exact."""

SOLVER = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
"""The closest that HiGHS offers."""

COST_SCALE = 2.0**10
"""Largest cost the solver sees: its tolerances are absolute."""


def coalition_oracle(*, losses: ArrayLike, posterior: ArrayLike | None = None) -> float:
    r"""Bound from the true errors of the voters.

    .. math:: \min \{ \sum_k c_k L_k : c \ge 0,\ \sum_{k \in A} c_k \ge 1
        \text{ for all } A \text{ with } \rho(A) \ge \tfrac12 \}

    The vote errs only where some such A errs as a whole, and there the voters that err cost at
    least 1. Equal weights: Rüger's inequality, which no smaller number could replace.

    Examples
    --------
    >>> round(coalition_oracle(losses=[0.04, 0.04, 0.04]), 6)
    0.06
    >>> round(coalition_oracle(losses=[0.01, 0.02, 0.4]), 6)
    0.03
    """
    limits = np.array(losses, float)
    return _cheapest(limits, distribution(posterior, limits.size, "posterior"))


def coalition_bound(
    *,
    errors: ArrayLike,
    sizes: ArrayLike,
    posterior: ArrayLike | None = None,
    prior: ArrayLike | None = None,
    delta: float = 0.05,
) -> float:
    r"""Bound from the errors that each voter made on points of its own.

    Voter k errs at most at the rate :math:`u_k`, the Clopper-Pearson limit at its share
    :math:`\delta \pi_k` of the failure probability. These limits hold together, whatever the voters
    have to do with each other, so weights may be chosen after looking at them. They enter
    `coalition_oracle` in place of the true errors. Any number of classes, any rule for ties. One
    voter: its Clopper-Pearson limit.

    For up to 15 voters, for equal weights, and where one voter has more than half of the weight,
    the value is the best that follows from the limits; otherwise it is
    :math:`2 \sum_k \rho_k u_k`.

    Parameters
    ----------
    errors, sizes : array_like of int, shape (n_voters,)
        Errors of each voter on points it was not trained on, and the number of these points;
        without points the limit is 1.
    posterior : array_like of shape (n_voters,), optional
        The vote's weights rho, uniform by default.
    prior : array_like of shape (n_voters,), optional
        Shares pi of delta, fixed before seeing the points, uniform by default. Voters without
        weight keep theirs.
    delta : float in (0, 1)
        Failure probability.

    Examples
    --------
    Three models, each tested on a third of 1,800 points:

    >>> round(coalition_bound(errors=[12, 15, 13], sizes=[600, 600, 600]), 4)
    0.0583
    """
    limits = voter_limits(errors, sizes, prior, delta)
    return _cheapest(limits, distribution(posterior, limits.size, "posterior"))


def voter_limits(
    errors: ArrayLike, sizes: ArrayLike, prior: ArrayLike | None, delta: float
) -> FloatArray:
    """Upper limits for the errors of all voters, which hold together with probability 1 - delta.

    Examples
    --------
    >>> voter_limits([3, 0], [100, 0], None, 0.1).round(4).tolist()
    [0.0757, 1.0]
    """
    check_delta(delta)
    k, n = np.broadcast_arrays(np.atleast_1d(errors), np.atleast_1d(sizes))
    # A little less than its share, as shares that sum to 1 up to rounding may exceed it.
    shares = delta * distribution(prior, n.size, "prior") * (1.0 - ARITHMETIC_MARGIN)
    limits = np.ones(n.size)
    limited = (n > 0) & (shares >= SMALLEST_SHARE)
    for share in np.unique(shares[limited]):
        some = limited & (shares == share)
        limits[some] = clopper_pearson(k[some], n[some], delta=share)
    return limits


def ruger(limits: FloatArray, quorum: int) -> float:
    """Largest possible probability that at least `quorum` of the voters err, given their limits.

    Rüger's inequality (1978): any K - l voters include at least r - l of every r, so the sum of
    the K - l smallest limits, divided by r - l, is a bound for every l < r.

    Examples
    --------
    >>> round(ruger(np.array([0.1, 0.1, 0.1]), 2), 6)
    0.15
    """
    sums = np.cumsum(np.sort(limits))
    spared = np.arange(quorum)
    return outward(float((sums[limits.size - 1 - spared] / (quorum - spared)).min()), scale=0.0)


def _cheapest(limits: FloatArray, posterior: FloatArray) -> float:
    """Smallest sum of prices times limits that pays for every coalition."""
    limits, units = limits[exact_weights(posterior) > 0], voting_units(posterior)
    total, heaviest = int(units.sum()), int(units.argmax())
    if 2 * int(units[heaviest]) > total:
        return float(min(limits[heaviest], 1.0))
    if (units == units[0]).all():
        return ruger(limits, -(-units.size // 2))
    prices, least = units, total / 2  # twice the weights always pay
    if units.size <= MOST_ENUMERATED and limits.any():
        coalitions = minimal_coalitions(units)
        prices = _prices(limits, coalitions, units)
        least = float((coalitions @ prices).min())
    return outward(float(prices @ limits) / least, scale=0.0)


def _prices(
    limits: FloatArray, coalitions: NDArray[np.bool_], units: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Best prices up to a common factor, as whole numbers; the weights if the solver finds none.

    Whatever the solver returns, dividing by what the cheapest coalition costs makes it feasible.
    """
    found = linprog(
        limits * (COST_SCALE / limits.max()),
        A_ub=-coalitions.astype(float),
        b_ub=-np.ones(len(coalitions)),
        bounds=(0.0, 1.0),
        method="highs-ds",
        options=SOLVER,
    )
    if found.x is None:
        return units
    prices = np.rint(np.ldexp(np.clip(found.x, 0.0, 1.0), PRICE_BITS)).astype(np.int64)
    return prices if (coalitions @ prices).all() else units


def _observed(averages: Averages) -> dict[str, Any]:
    # Tuples, so that values of bounds can be compared.
    return {
        "errors": tuple(averages.counts.errors.tolist()),
        "sizes": tuple(averages.counts.sizes.tolist()),
        "posterior": tuple(averages.posterior.tolist()),
        "prior": tuple(averages.prior.tolist()),
    }


SOME_HELD_OUT_POINTS = Requirement(
    holds=lambda counts: bool(counts.sizes.any()),
    explanation=lambda _: (
        "no voter has a held-out point, so nothing is known about their errors. Train each voter on"
        " fewer points (max_samples=0.5)."
    ),
    without_it_vacuous=True,
)

COALITION = Bound(
    name="coalition",
    label="COA",
    summary="the voters' own limits, combined over the coalitions that could err",
    theorem="Rüger's inequality, with Clopper-Pearson",
    formula=coalition_bound,
    terms=_observed,
    needs=(SOME_HELD_OUT_POINTS,),
    most_voters=MOST_ENUMERATED,
)
