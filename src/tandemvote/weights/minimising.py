"""Find the weights that minimise a bound."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from tandemvote.bounds.averages import distribution
from tandemvote.bounds.requirements import missing
from tandemvote.counts import FloatArray, VoteCounts
from tandemvote.inequalities.pac_bayes_kl import check_delta
from tandemvote.weights.convexity import convexity_slack
from tandemvote.weights.descent import Descent, Solver
from tandemvote.weights.irprop import irprop
from tandemvote.weights.objective import Objective, Point
from tandemvote.weights.problems import PROBLEMS, Problem
from tandemvote.weights.solution import Status, WeightSolution

ROUNDING = 1e-12
"""Difference of reported bounds below which neither counts as larger."""

NAMED_SOLVERS: MappingProxyType[str, Solver] = MappingProxyType({"irprop": irprop})
"""Solvers to be asked for by name; "auto" takes the one the problem calls its best."""


def minimise(
    counts: VoteCounts,
    bound: str = "tandem",
    prior: ArrayLike | None = None,
    delta: float = 0.05,
    solver: str = "auto",
) -> WeightSolution:
    r"""Find the weights that minimise a bound in its PAC-Bayes-lambda form.

    The bound holds for all weights at once, so they may be chosen on the same votes; the bound to
    minimise, the prior and delta must be chosen before.

    Parameters
    ----------
    counts : VoteCounts
    bound : {"first_order", "tandem", "disagreement"}
        First-order weights concentrate on the best voters; the other two spread over voters that
        err on different points. "disagreement" is for two classes.
    prior : array_like of shape (n_voters,), optional
        Positive weights that sum to 1, fixed before seeing the data; uniform by default.
    delta : float in (0, 1)
        Failure probability.
    solver : {"auto", "irprop"}
        "irprop" is the procedure of the paper, slower and less exact, kept for comparison.

    Returns
    -------
    WeightSolution

    Examples
    --------
    >>> from tandemvote.votes import Votes
    >>> labels = np.zeros(600, int)
    >>> predictions = np.zeros((3, 600), int)
    >>> predictions[0, :60] = predictions[1, 40:100] = predictions[2, 300:480] = 1
    >>> counts = VoteCounts.from_votes(Votes.from_predictions(predictions, labels))
    >>> solution = minimise(counts, "tandem")
    >>> solution.weights.round(2).tolist()
    [0.41, 0.41, 0.19]
    >>> round(solution.bound, 3), round(minimise(counts, "first_order").bound, 3)
    (0.339, 0.313)
    """
    if bound not in PROBLEMS:
        raise ValueError(
            f"Weights cannot minimise the bound {bound!r}; choose one of"
            f" {', '.join(map(repr, PROBLEMS))}."
        )
    if solver != "auto" and solver not in NAMED_SOLVERS:
        raise ValueError(
            f"There is no solver {solver!r}; choose 'auto' or"
            f" {', '.join(map(repr, NAMED_SOLVERS))}."
        )
    check_delta(delta)
    problem = PROBLEMS[bound]
    chosen_prior = _full_support(distribution(prior, counts.n_voters, "prior"))
    lacking = missing(problem.bound.needs, counts)
    if lacking and all(need.without_it_vacuous for need in lacking):
        return WeightSolution(
            weights=chosen_prior,
            bound=1.0,
            bound_lambda=float("inf"),
            lam=1.0,
            gamma=None,
            n_iterations=0,
            gap=None,
            status=Status.NO_COMMON_POINTS,
            history=(),
            bound_name=bound,
            solver=solver,
            prior=chosen_prior,
            delta=delta,
        )
    objective = problem.objective(counts, chosen_prior, delta)
    method = problem.default_solver if solver == "auto" else NAMED_SOLVERS[solver]
    return solve(
        counts,
        problem,
        objective,
        method(objective),
        solver=solver,
        prior=chosen_prior,
        delta=delta,
    )


def solve(
    counts: VoteCounts,
    problem: Problem,
    objective: Objective,
    descent: Descent,
    *,
    solver: str,
    prior: FloatArray,
    delta: float,
) -> WeightSolution:
    """Report a descent, unless the prior or uniform weights have the smaller bound to report."""
    point, gap, status = descent.point, None, Status.LOCAL_MINIMUM
    slack = _slack(objective, point)
    if slack is not None:
        gap, status = objective.gap(point) + slack, Status.CONVERGED
    if not descent.converged:
        status = Status.ITERATION_LIMIT
    value = problem.bound(counts, point.weights, prior, delta).value
    uniform = np.full(prior.size, 1.0 / prior.size)
    for weights, kept in ((prior, Status.KEPT_PRIOR), (uniform, Status.KEPT_UNIFORM)):
        other = problem.bound(counts, weights, prior, delta).value
        if other < value - ROUNDING:
            point = objective.at(np.log(weights / prior))
            value, gap, status = other, None, kept
    parameters = objective.relaxation.parameters(point.terms)
    return WeightSolution(
        weights=point.weights,
        bound=value,
        bound_lambda=point.value,
        lam=parameters.lam,
        gamma=parameters.gamma,
        n_iterations=descent.n_iterations,
        gap=gap,
        status=status,
        history=descent.history,
        bound_name=problem.bound.name,
        solver=solver,
        prior=prior,
        delta=delta,
    )


def _slack(objective: Objective, point: Point) -> float | None:
    """What an eigenvalue lost in rounding can add to the gap; None if the problem is not convex."""
    in_pairs = float(objective.relaxation.slopes(point.terms)[1])
    if objective.pairs is None or in_pairs == 0.0:
        return 0.0
    slack = convexity_slack(np.sign(in_pairs) * objective.pairs)
    # |rho - rho'|^2 is at most 2 on the simplex.
    return None if slack is None else 2.0 * slack * abs(in_pairs)


def _full_support(prior: FloatArray) -> FloatArray:
    if (prior > 0).all():
        return prior
    voter = int(np.flatnonzero(prior == 0)[0])
    raise ValueError(
        f"prior is 0 at voter {voter}, so the voter can never get weight. Give every voter a"
        " positive prior, or leave the voter out with counts.subset."
    )
