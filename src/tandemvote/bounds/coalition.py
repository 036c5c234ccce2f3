"""COA: confidence limits of the voters, combined by a linear program over coalitions."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linprog

from tandemvote.bounds.estimates import Estimates, check_distribution
from tandemvote.bounds.majorities import (
    MOST_ENUMERATED,
    is_coalition,
    minimal_coalitions,
    voting_units,
)
from tandemvote.inequalities import clopper_pearson
from tandemvote.inequalities.outward import ARITHMETIC_MARGIN, FloatArray, outward
from tandemvote.inequalities.pac_bayes import check_delta
from tandemvote.votes.weighted_vote import exact_weights

SMALLEST_SHARE = 1e-300  # a voter with a smaller share of delta has no limit but 1
PRICE_BITS = 40  # prices become multiples of 2^-40, so that their sums are exact
COST_SCALE = 2.0**10  # largest cost the solver sees: its tolerances are absolute
# The closest that HiGHS offers.
SOLVER = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


def coalition_oracle(*, losses: ArrayLike, posterior: ArrayLike | None = None) -> float:
    r"""Bound from the true errors of the voters.

    .. math:: \min \{ \sum_k c_k L_k : c \ge 0,\ \sum_{k \in A} c_k \ge 1
        \text{ for all } A \text{ with } \rho(A) \ge \tfrac12 \}

    The vote errs only where some such A errs as a whole, and there the voters that err cost at
    least 1. For equal weights this is Rüger's inequality, which is sharp.

    Parameters
    ----------
    losses : array_like of shape (n_voters,)
        True error rates of the voters.
    posterior : array_like of shape (n_voters,), optional
        Weights of the voters, uniform by default.

    Returns
    -------
    float
        Bound on the error rate of the vote, in [0, 1].

    Examples
    --------
    >>> round(coalition_oracle(losses=[0.01, 0.02, 0.4]), 6)
    0.03
    """
    limits = np.array(losses, float)
    return _cheapest(limits, check_distribution(posterior, limits.size, "posterior"))


def coalition_bound(estimates: Estimates, delta: float = 0.05) -> float:
    r"""Bound from the errors of each voter on its held-out samples; any number of classes.

    Voter k errs at most at the rate :math:`u_k`, the Clopper-Pearson limit at its share
    :math:`\delta \pi_k` of the failure probability. These limits hold together, however the voters
    depend on each other, so weights may be chosen after looking at them. They replace the true
    errors in `coalition_oracle`. The bound holds for any rule for ties.

    For up to 15 voters, for equal weights, and where one voter has more than half of the weight,
    the value is the best that follows from the limits; otherwise it is
    :math:`2 \sum_k \rho_k u_k`.

    Parameters
    ----------
    estimates : Estimates
        The empirical quantities, from counts or from plain numbers.
    delta : float in (0, 1), default=0.05
        Failure probability.

    Returns
    -------
    float
        Bound on the error rate of the vote, in [0, 1].

    Examples
    --------
    >>> numbers = Estimates.from_numbers(errors=[12, 15, 13], sizes=[600, 600, 600])
    >>> round(coalition_bound(numbers), 4)
    0.0583
    """
    check_delta(delta)
    k, n = estimates.errors, estimates.sizes
    # A little less than its share, as shares that sum to 1 up to rounding may exceed it.
    shares = delta * estimates.prior * (1.0 - ARITHMETIC_MARGIN)
    limits = np.ones(n.size)
    limited = shares >= SMALLEST_SHARE
    for share in np.unique(shares[limited]):
        some = limited & (shares == share)
        limits[some] = clopper_pearson(k[some], n[some], delta=share)
    return _cheapest(limits, estimates.posterior)


def _ruger(limits: FloatArray) -> float:
    r"""Largest possible probability that at least half of K voters err, given their limits.

    .. math:: \min_{l < r} \frac{1}{r - l} \sum_{k \le K - l} L_{(k)}, \quad r = \lceil K/2 \rceil

    with the limits in ascending order (Rüger, 1978): any K - l voters include at least r - l of r
    that err.
    """
    half = -(-limits.size // 2)
    sums, spared = np.cumsum(np.sort(limits)), np.arange(half)
    return outward(float((sums[limits.size - 1 - spared] / (half - spared)).min()), scale=0.0)


def _cheapest(limits: FloatArray, posterior: FloatArray) -> float:
    """Smallest sum of prices times limits such that every coalition costs at least 1."""
    limits, units = limits[exact_weights(posterior) > 0], voting_units(posterior)
    total, heaviest = int(units.sum()), int(units.argmax())
    if not is_coalition(total - int(units[heaviest]), total):
        return float(min(limits[heaviest], 1.0))
    if (units == units[0]).all():
        return _ruger(limits)
    prices, least = units, total / 2  # twice the weights are always feasible
    if units.size <= MOST_ENUMERATED and limits.any():
        coalitions = minimal_coalitions(units)
        prices = _prices(limits, coalitions, units)
        least = float((coalitions @ prices).min())
    return outward(float(prices @ limits) / least, scale=0.0)


def _prices(
    limits: FloatArray, coalitions: NDArray[np.bool_], units: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Best prices up to a common factor, as whole numbers; the weights if the solver fails.

    Whatever the solver returns, dividing by what the cheapest coalition costs makes it feasible.
    """
    solution = linprog(
        limits * (COST_SCALE / limits.max()),
        A_ub=-coalitions.astype(float),
        b_ub=-np.ones(len(coalitions)),
        bounds=(0.0, 1.0),
        method="highs-ds",
        options=SOLVER,
    )
    if solution.x is None:
        return units
    prices = np.rint(np.ldexp(np.clip(solution.x, 0.0, 1.0), PRICE_BITS)).astype(np.int64)
    return prices if (coalitions @ prices).all() else units
