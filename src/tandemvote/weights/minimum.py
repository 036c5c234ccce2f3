"""Find the weights that minimise a bound."""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from tandemvote.bounds.averages import distribution
from tandemvote.bounds.requirements import check, missing
from tandemvote.bounds.sharpening import HARMONIC
from tandemvote.counts import FloatArray, IntArray, VoteCounts
from tandemvote.inequalities.kl_intervals import check_delta
from tandemvote.weights.convexity import convexity_slack
from tandemvote.weights.descent import Descent, Solver
from tandemvote.weights.irprop import irprop
from tandemvote.weights.objective import Objective, Point
from tandemvote.weights.problems import PROBLEMS, Problem
from tandemvote.weights.solution import Status, WeightSolution

ROUNDING = 1e-12
"""Difference of two bounds, or of weights from the prior, below which there is none."""

NAMED_SOLVERS: MappingProxyType[str, Solver] = MappingProxyType({"irprop": irprop})
"""Solvers to be asked for by name; "auto" takes the one the problem calls its best."""


def minimise(
    counts: VoteCounts,
    bound: str = "tandem",
    prior: ArrayLike | None = None,
    delta: float = 0.05,
    solver: str = "auto",
    *,
    sharpening: str = HARMONIC,
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
    sharpening : {"harmonic", "paper"}
        Sample sizes that use every held-out set in full, or the bound as published.

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
    >>> round(solution.bound, 3), solution.status.name
    (0.379, 'CONVERGED')
    """
    if bound not in PROBLEMS:
        raise ValueError(
            f"Weights cannot minimise the bound {bound!r}; choose one of"
            f" {', '.join(map(repr, PROBLEMS))}."
        )
    check_delta(delta)
    problem, method = PROBLEMS[bound], find_solver(solver, PROBLEMS[bound])
    checked_prior = _full_support(distribution(prior, counts.n_voters, "prior"))
    if not problem.bound.applies_to(counts):
        check(bound, problem.bound.needs, counts)  # raises, naming what is missing
    if missing(problem.bound.needs, counts):
        return WeightSolution(
            weights=checked_prior,
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
            prior=checked_prior,
            delta=delta,
            sharpening=sharpening,
        )
    objective = problem.objective(counts, checked_prior, delta, sharpening)
    uniform = distribution(None, counts.n_voters, "uniform")
    fallbacks = [(checked_prior, Status.KEPT_PRIOR)]
    if not np.array_equal(uniform, checked_prior):
        fallbacks.append((uniform, Status.KEPT_UNIFORM))
    return report(
        counts,
        objective,
        method(objective),
        fallbacks=fallbacks,
        bound_name=bound,
        solver=solver,
        prior=checked_prior,
        delta=delta,
        sharpening=sharpening,
    )


def report(
    counts: VoteCounts,
    objective: Objective,
    descent: Descent,
    *,
    fallbacks: Iterable[tuple[FloatArray, Status]],
    kept: IntArray | None = None,
    bound_name: str,
    solver: str,
    prior: FloatArray,
    delta: float,
    sharpening: str,
) -> WeightSolution:
    """Turn a descent into a solution, or one of the fallbacks if its bound to report is smaller.

    `kept` are the positions of the objective's voters among all; all of them by default.
    """
    kept = np.arange(prior.size) if kept is None else kept
    point, gap, status = descent.point, None, Status.LOCAL_MINIMUM
    slack = _slack(objective, point)
    if slack is not None:
        gap = objective.gap(point) if objective.equal_sizes else objective.linear_gap(point)
        gap, status = gap + slack, Status.CONVERGED
    if not descent.converged:
        status = Status.ITERATION_LIMIT
    lowest = objective.relaxation.kl_form(point.terms)
    for weights, kept_status in fallbacks:
        other = objective.at(np.log(weights[kept]) - objective.log_prior)
        value = objective.relaxation.kl_form(other.terms)
        if value < lowest - ROUNDING:
            point, lowest, gap, status = other, value, None, kept_status
    posterior = np.zeros(prior.size)
    posterior[kept] = point.weights
    if (
        point.weights @ point.log_ratio < ROUNDING / 10
    ):  # as close to the prior as rounding can tell
        posterior = prior
    parameters = objective.relaxation.parameters(point.terms)
    return WeightSolution(
        weights=posterior,
        bound=PROBLEMS[bound_name].bound(counts, posterior, prior, delta, sharpening).value,
        bound_lambda=point.value,
        lam=parameters.lam,
        gamma=parameters.gamma,
        n_iterations=descent.n_iterations,
        gap=gap,
        status=status,
        history=descent.history,
        bound_name=bound_name,
        solver=solver,
        prior=prior,
        delta=delta,
        sharpening=sharpening,
    )


def find_solver(name: str, problem: Problem) -> Solver:
    """Return the solver of that name."""
    if name == "auto":
        return problem.default_solver
    if name not in NAMED_SOLVERS:
        raise ValueError(
            f"There is no solver {name!r}; choose 'auto' or {', '.join(map(repr, NAMED_SOLVERS))}."
        )
    return NAMED_SOLVERS[name]


def _slack(objective: Objective, point: Point) -> float | None:
    """What an eigenvalue lost in rounding can add to the gap; None if the problem is not convex."""
    in_pairs = float(objective.relaxation.slopes(point.terms)[1])
    if objective.pairs is None:
        return 0.0
    if not objective.equal_sizes:
        return None  # what pairs cost need not be convex
    if in_pairs == 0.0:
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
