"""Fewer voters: drop the lightest and find the best weights for the rest."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tandemvote.counts import FloatArray, IntArray, VoteCounts
from tandemvote.weights.minimising import find_solver, report
from tandemvote.weights.objective import Objective
from tandemvote.weights.problems import PROBLEMS
from tandemvote.weights.solution import Status, WeightSolution


def prune(
    solution: WeightSolution,
    counts: VoteCounts,
    *,
    max_voters: int | None = None,
    max_bound: float | None = None,
) -> WeightSolution:
    """Keep the heaviest voters, minimise the bound over their weights, and report it anew.

    A voter that is dropped has weight 0. The bound holds for every weighting of all the voters at
    once, and which ones to drop was learnt from the votes, so prior, KL and sample sizes remain
    those of all voters: fewer voters make the vote cheaper, not the bound smaller.

    Parameters
    ----------
    solution : WeightSolution
        From `minimise`, on the same counts.
    counts : VoteCounts
        Of all voters.
    max_voters : int, optional
        Keep at most so many.
    max_bound : float in (0, 1], optional
        Keep as few as give a bound of at most this (by bisection over how many of the heaviest to
        keep). At least one of the two limits is needed; with both, both hold.

    Returns
    -------
    WeightSolution
        Of all voters, with zeros for the dropped ones.

    Examples
    --------
    >>> from tandemvote.votes import Votes
    >>> from tandemvote.weights import minimise
    >>> labels = np.zeros(600, int)
    >>> predictions = np.zeros((3, 600), int)
    >>> predictions[0, :60] = predictions[1, 40:100] = predictions[2, 300:480] = 1
    >>> counts = VoteCounts.from_votes(Votes.from_predictions(predictions, labels))
    >>> pruned = prune(minimise(counts, "tandem"), counts, max_voters=2)
    >>> pruned.weights.round(2).tolist(), round(pruned.bound, 3)
    ([0.5, 0.5, 0.0], 0.45)
    """
    limit = _checked_limit(solution, counts, max_voters, max_bound)
    if solution.status is Status.NO_COMMON_POINTS:
        return _without_bound(solution, 1 if max_bound is not None else limit)
    objective = PROBLEMS[solution.bound_name].objective(
        counts, solution.prior, solution.delta, solution.sharpening
    )
    best = _keep(solution, counts, objective, limit)
    if max_bound is None:
        return best
    if best.bound > max_bound:
        raise ValueError(
            f"The bound with {limit} voters is {best.bound:.6g}, above max_bound={max_bound:g}."
            " Raise max_bound or allow more voters."
        )
    too_few, enough = 0, limit
    while enough - too_few > 1:
        middle = (too_few + enough) // 2
        candidate = _keep(solution, counts, objective, middle)
        if candidate.bound <= max_bound:
            best, enough = candidate, middle
        else:
            too_few = middle
    return best


def _checked_limit(
    solution: WeightSolution,
    counts: VoteCounts,
    max_voters: int | None,
    max_bound: float | None,
) -> int:
    """Return how many voters may stay, after checking that the question makes sense."""
    if solution.weights.size != counts.n_voters:
        raise ValueError(
            f"The solution weighs {solution.weights.size} voters and the counts have"
            f" {counts.n_voters}; pass the counts the solution was found on."
        )
    if max_voters is None and max_bound is None:
        raise ValueError("Nothing says how far to prune; give max_voters, max_bound or both.")
    if max_voters is not None and max_voters < 1:
        raise ValueError(f"max_voters is {max_voters}; a vote needs at least 1 voter.")
    if max_bound is not None and not 0.0 < max_bound <= 1.0:
        raise ValueError(f"max_bound is {max_bound}; it must lie in (0, 1].")
    if max_bound is not None and solution.bound > max_bound:
        raise ValueError(
            f"The bound with all voters is {solution.bound:.6g}, above max_bound={max_bound:g}:"
            " fewer voters cannot do better. Raise max_bound."
        )
    return min(solution.n_voters, solution.n_voters if max_voters is None else max_voters)


def _heaviest(weights: FloatArray, n_voters: int) -> IntArray:
    """Positions of the heaviest voters in ascending order; of equal ones the first."""
    return np.sort(np.argsort(-weights, kind="stable")[:n_voters])


def _keep(
    solution: WeightSolution, counts: VoteCounts, objective: Objective, n_voters: int
) -> WeightSolution:
    if n_voters == solution.n_voters:
        return solution
    kept = _heaviest(solution.weights, n_voters)
    restricted = objective.restrict(kept)
    solve = find_solver(solution.solver, PROBLEMS[solution.bound_name])
    return report(
        counts,
        restricted,
        solve(restricted),
        fallbacks=((solution.weights, Status.KEPT_WEIGHTS),),
        kept=kept,
        bound_name=solution.bound_name,
        solver=solution.solver,
        prior=solution.prior,
        delta=solution.delta,
        sharpening=solution.sharpening,
    )


def _without_bound(solution: WeightSolution, n_voters: int) -> WeightSolution:
    """Where there is no bound to minimise: renormalise, and promise nothing."""
    weights = np.zeros_like(solution.weights)
    kept = _heaviest(solution.weights, n_voters)
    weights[kept] = solution.weights[kept] / solution.weights[kept].sum()
    return replace(solution, weights=weights)
