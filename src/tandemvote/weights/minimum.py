"""The weights that minimize a bound, and the status of the search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from tandemvote.bounds.estimates import Estimates, check_distribution
from tandemvote.bounds.registry import get_bound
from tandemvote.inequalities.outward import FloatArray
from tandemvote.inequalities.pac_bayes import check_delta
from tandemvote.votes.counts import VoteCounts
from tandemvote.votes.evidence import Evidence
from tandemvote.votes.names import MINIMIZABLE
from tandemvote.weights.irprop import irprop
from tandemvote.weights.objective import Objective, Step
from tandemvote.weights.solvers import solve

METHODS = {"newton": solve, "irprop": irprop}
NEGLIGIBLE = 1e-12  # a smaller difference of two bounds is rounding


@dataclass(frozen=True, eq=False, kw_only=True)
class WeightSolution:
    """Weights that minimize a bound, and what the search did.

    Attributes
    ----------
    weights : ndarray of shape (n_voters,)
        The posterior rho; sums to 1.
    value : float
        The bound at the weights in PAC-Bayes-kl form, clipped to [0, 1]: the number to report.
    converged : bool
        Whether the search ended at a minimum, which may be a local one.
    relaxed : Step
        The bound at the weights in PAC-Bayes-lambda form, which was minimized, as `relaxed.bound`,
        with its `lam`, `gamma` and `kl_divergence`.
    path : tuple of Step
        The way of the search, from the start to its end: one step for each iteration, or for each
        renewal of lambda and gamma with ``method="irprop"``.

    Examples
    --------
    >>> from tandemvote import VoteCounts, Votes
    >>> votes = Votes.from_predictions([[0, 1] * 300, [0, 0] * 300], [0, 1] * 300)
    >>> solution = minimize_bound(VoteCounts.from_votes(votes), "tandem", published=True)
    >>> solution.weights.round(3).tolist(), round(solution.value, 4)
    ([0.986, 0.014], 0.0562)
    >>> round(solution.relaxed.bound, 4), round(solution.relaxed.lam, 3)
    (0.1091, 0.996)
    >>> [round(step.bound, 3) for step in solution.path[:3]]
    [0.765, 0.134, 0.11]
    """

    weights: FloatArray
    value: float
    converged: bool
    relaxed: Step
    path: tuple[Step, ...]


def minimize_bound(
    counts: VoteCounts,
    bound: str = "tandem",
    prior: ArrayLike | None = None,
    delta: float = 0.05,
    *,
    published: bool = False,
    method: Literal["newton", "irprop"] = "newton",
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
    method : {"newton", "irprop"}, default="newton"
        "irprop" is the procedure of the paper: from equal weights, iRProp+ on softmax parameters
        until 10 iterations bring no gain, then the best lambda and gamma, until the bound changes
        by less than 1e-9. "newton" needs a fraction of the time and tries several starts.

    Returns
    -------
    WeightSolution
        The weights, their bound, and what the search did. The prior, if the bound is trivial at all
        weights because pairs of voters share no samples.

    Examples
    --------
    >>> from tandemvote.votes.votes import Votes
    >>> predictions = np.zeros((3, 600), int)
    >>> predictions[0, :60] = predictions[1, 40:100] = predictions[2, 300:480] = 1
    >>> counts = VoteCounts.from_votes(Votes.from_predictions(predictions, np.zeros(600, int)))
    >>> solution = minimize_bound(counts, "tandem", published=True)
    >>> solution.weights.round(2).tolist(), solution.converged
    ([0.41, 0.41, 0.19], True)
    """
    if method not in METHODS:
        raise ValueError(f"Invalid method={method!r}. Use {' or '.join(map(repr, METHODS))}.")
    check_delta(delta)
    pi = check_distribution(prior, counts.n_voters, "prior")
    if not (pi > 0).all():
        raise ValueError(
            f"prior is 0 at voter {int(pi.argmin())}, so the voter can never get weight. Give every"
            " voter a positive prior, or count the votes without the voter."
        )
    minimized, evidence = get_bound(bound), Evidence(counts)
    # Without what only makes a bound trivial, it is 1 at all weights.
    trivial = minimized.applies(evidence) is None and minimized.missing(evidence)
    if bound in MINIMIZABLE and trivial:
        step = Step(np.inf, 1.0, None, 0.0, 1.0, None)
        return WeightSolution(weights=pi, value=1.0, converged=True, relaxed=step, path=(step,))
    objective = Objective.of(bound, counts, pi, delta, published)
    descent = METHODS[method](objective)
    uniform = check_distribution(None, counts.n_voters, "uniform")
    others = [pi] if np.array_equal(pi, uniform) else [pi, uniform]
    weights, value = pi, np.inf
    for candidate in (descent.iterate.weights, *others):
        estimates = Estimates(counts, candidate, pi, published=published)
        reported = minimized.function(estimates, delta)
        if reported < value - NEGLIGIBLE:
            weights, value = candidate, reported
    is_end = weights is descent.iterate.weights
    relaxed = objective.step(descent.iterate if is_end else objective.at(np.log(weights / pi)))
    return WeightSolution(
        weights=weights,
        value=value,
        converged=descent.converged,
        relaxed=relaxed,
        path=descent.path,
    )
