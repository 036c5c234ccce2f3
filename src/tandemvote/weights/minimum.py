"""The weights that minimize a bound, and the status of the search."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tandemvote.bounds.estimates import Estimates, check_distribution
from tandemvote.bounds.registry import get_bound
from tandemvote.counts import VoteCounts
from tandemvote.inequalities.outward import FloatArray
from tandemvote.inequalities.pac_bayes import check_delta
from tandemvote.weights.objective import MINIMIZABLE, Objective
from tandemvote.weights.solvers import solve

NEGLIGIBLE = 1e-12  # a smaller difference of two bounds is rounding


@dataclass(frozen=True, eq=False, kw_only=True)
class WeightSolution:
    """Weights that minimize a bound.

    Attributes
    ----------
    weights : ndarray of shape (n_voters,)
        The posterior rho; sums to 1.
    value : float
        The bound at the weights in PAC-Bayes-kl form, clipped to [0, 1]: the number to report.
    converged : bool
        Whether the search ended at a minimum, which may be a local one.

    Examples
    --------
    >>> WeightSolution(weights=np.array([0.75, 0.25]), value=0.2, converged=True)
    WeightSolution(weights=array([0.75, 0.25]), value=0.2, converged=True)
    """

    weights: FloatArray
    value: float
    converged: bool


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
        The weights and their bound. Without held-out samples that any two voters share, there is
        no bound to minimize over pairs, and the prior is returned.

    Examples
    --------
    >>> from tandemvote.votes import Votes
    >>> predictions = np.zeros((3, 600), int)
    >>> predictions[0, :60] = predictions[1, 40:100] = predictions[2, 300:480] = 1
    >>> counts = VoteCounts.from_votes(Votes.from_predictions(predictions, np.zeros(600, int)))
    >>> solution = minimize_bound(counts, "tandem", published=True)
    >>> solution.weights.round(2).tolist(), solution.converged
    ([0.41, 0.41, 0.19], True)
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
        return WeightSolution(weights=pi, value=1.0, converged=True)
    descent = solve(Objective.of(bound, counts, pi, delta, published))
    uniform = check_distribution(None, counts.n_voters, "uniform")
    weights, value = pi, np.inf
    for candidate in (descent.iterate.weights, pi, uniform):
        estimates = Estimates(counts, candidate, pi, published=published)
        reported = minimized.function(estimates, delta)
        if reported < value - NEGLIGIBLE:
            weights, value = candidate, reported
    return WeightSolution(weights=weights, value=value, converged=descent.converged)
