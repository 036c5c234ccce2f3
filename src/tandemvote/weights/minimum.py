"""The weights that minimize a bound, and the status of the search."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import ArrayLike

from tandemvote.bounds.estimates import Estimates, check_distribution
from tandemvote.bounds.registry import get_bound
from tandemvote.counts import VoteCounts
from tandemvote.inequalities.outward import FloatArray
from tandemvote.inequalities.pac_bayes import check_delta
from tandemvote.weights.objective import MINIMIZABLE, Iterate, Objective
from tandemvote.weights.solvers import solve

NEGLIGIBLE = 1e-12  # a smaller difference of two bounds is rounding


class Status(Enum):
    """How the search for weights ended, in words.

    Examples
    --------
    >>> Status.CONVERGED.name
    'CONVERGED'
    """

    CONVERGED = (
        "minimum: for the final lambda the problem is convex, and no weights can do better by more"
        " than the gap"
    )
    LOCAL_MINIMUM = (
        "local minimum: the problem is not known to be convex, so weights far from these may do"
        " better"
    )
    ITERATION_LIMIT = "stopped at the limit of iterations, before the minimum was reached"
    KEPT_PRIOR = (
        "kept the prior as weights: the minimizer of the relaxed bound has a larger bound to report"
    )
    KEPT_UNIFORM = (
        "kept uniform weights: the minimizer of the relaxed bound has a larger bound to report"
    )
    NO_COMMON_SAMPLES = (
        "kept the prior as weights: two voters share no held-out sample, so there is no bound to"
        " minimize"
    )

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, eq=False, kw_only=True)
class WeightSolution:
    """Weights that minimize a bound; the defaults stand for no bound to minimize.

    Attributes
    ----------
    weights : ndarray of shape (n_voters,)
        The posterior rho; sums to 1.
    bound : str
        Which bound was minimized: "first_order", "tandem" or "disagreement".
    value, relaxed_value : float
        The bound at the weights in PAC-Bayes-kl form, clipped to [0, 1]: the number to report; and
        the minimized PAC-Bayes-lambda form, factor 2 or 4 included, not clipped.
    gap : float or None
        For the final lambda and gamma, no weights lower the relaxed bound by more than this. None
        where the problem is not known to be convex.
    status : Status
    history : tuple of float
        The relaxed bound at the start and after each iteration of the descent that was kept.


    Examples
    --------
    >>> WeightSolution(weights=np.array([1.0, 0.0]), bound="tandem")
    WeightSolution(tandem 1.000000, 1 of 2 voters, 0 iterations, NO_COMMON_SAMPLES)
    """

    weights: FloatArray
    bound: str
    value: float = 1.0
    relaxed_value: float = float("inf")
    gap: float | None = None
    status: Status = Status.NO_COMMON_SAMPLES
    history: tuple[float, ...] = ()

    @property
    def n_active(self) -> int:
        """Number of voters with positive weight."""
        return int((self.weights > 0).sum())

    def __repr__(self) -> str:
        steps = max(len(self.history) - 1, 0)
        return (
            f"WeightSolution({self.bound} {self.value:.6f}, {self.n_active} of"
            f" {self.weights.size} voters, {steps} iterations, {self.status.name})"
        )


def minimize_bound(
    counts: VoteCounts,
    bound: str = "tandem",
    prior: ArrayLike | None = None,
    delta: float = 0.05,
    *,
    published: bool = False,
) -> WeightSolution:
    """Find the weights that minimize a bound in its PAC-Bayes-lambda form.

    The bound holds for all weights at once, so they may be chosen on the same votes. The bound to
    minimize, the prior and delta must be chosen before. If the bound is smaller at uniform weights
    or at the prior, as the exact factors of few voters can make it, these are returned.

    Parameters
    ----------
    counts : VoteCounts
        Counts of the votes.
    bound : {"first_order", "tandem", "disagreement"}
        First-order weights concentrate on the best voters; the other two spread over voters that
        err on different samples. "disagreement" is for two classes.
    prior : array_like of shape (n_voters,), optional
        Positive weights that sum to 1, fixed before seeing the data; uniform by default.
    delta : float in (0, 1), default=0.05
        Failure probability.
    published : bool, default=False
        As for `Estimates`.

    Returns
    -------
    WeightSolution
        The weights, their bound and the status of the search.

    Examples
    --------
    >>> from tandemvote.votes import Votes
    >>> predictions = np.zeros((3, 600), int)
    >>> predictions[0, :60] = predictions[1, 40:100] = predictions[2, 300:480] = 1
    >>> counts = VoteCounts.from_votes(Votes.from_predictions(predictions, np.zeros(600, int)))
    >>> solution = minimize_bound(counts, "tandem", published=True)
    >>> solution.weights.round(2).tolist(), solution.status.name
    ([0.41, 0.41, 0.19], 'CONVERGED')
    """
    if bound not in MINIMIZABLE:
        raise ValueError(
            f"Weights cannot minimize the bound {bound!r}; choose one of"
            f" {', '.join(map(repr, MINIMIZABLE))}."
        )
    check_delta(delta)
    pi = check_distribution(prior, counts.n_voters, "prior")
    if not (pi > 0).all():
        raise ValueError(
            f"prior is 0 at voter {int(pi.argmin())}, so the voter can never get weight. Give every"
            " voter a positive prior, or count the votes without the voter."
        )
    minimized = get_bound(bound)
    if not minimized.is_defined_for(counts):
        minimized.check(counts)  # raises, naming what is missing
    if minimized.missing(counts):
        return WeightSolution(weights=pi, bound=bound)
    objective = Objective.of(bound, counts, pi, delta, published)
    descent = solve(objective)
    iterate, gap = descent.iterate, objective.convex_gap(descent.iterate)
    status = Status.LOCAL_MINIMUM if gap is None else Status.CONVERGED
    if not descent.converged:
        status = Status.ITERATION_LIMIT

    def reported(iterate: Iterate) -> tuple[FloatArray, float]:
        # Weights that differ from the prior by rounding only are the prior.
        near = iterate.weights @ iterate.log_ratio < NEGLIGIBLE / 10
        posterior = pi if near else iterate.weights
        estimates = Estimates(counts, posterior, pi, published=published)
        return posterior, minimized.function(estimates, delta)

    uniform = check_distribution(None, counts.n_voters, "uniform")
    fallbacks = {Status.KEPT_PRIOR: pi}
    if not np.array_equal(uniform, pi):
        fallbacks[Status.KEPT_UNIFORM] = uniform
    weights, lowest = reported(iterate)
    for kept_status, fallback in fallbacks.items():
        other = objective.at(np.log(fallback) - objective.log_prior)
        instead, value = reported(other)
        if value < lowest - NEGLIGIBLE:
            iterate, weights, lowest, gap, status = other, instead, value, None, kept_status
    return WeightSolution(
        weights=weights,
        bound=bound,
        value=lowest,
        relaxed_value=iterate.value,
        gap=gap,
        status=status,
        history=descent.history,
    )
