"""Fewer voters: drop the lightest and find the best weights for the rest."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tandemvote.counts import FloatArray, IntArray, VoteCounts
from tandemvote.weights.minimum import find_solver, report
from tandemvote.weights.problems import PROBLEMS
from tandemvote.weights.solution import Status, WeightSolution


def prune(solution: WeightSolution, counts: VoteCounts, *, max_voters: int) -> WeightSolution:
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
    max_voters : int
        Keep at most this many.

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
    if solution.weights.size != counts.n_voters:
        raise ValueError(
            f"The solution weighs {solution.weights.size} voters and the counts have"
            f" {counts.n_voters}; pass the counts the solution was found on."
        )
    if max_voters < 1:
        raise ValueError(f"max_voters is {max_voters}; a vote needs at least 1 voter.")
    if max_voters >= solution.n_voters:
        return solution
    kept = _heaviest(solution.weights, max_voters)
    if solution.status is Status.NO_COMMON_POINTS:
        return _without_bound(solution, kept)
    problem = PROBLEMS[solution.bound_name]
    objective = problem.objective(
        counts, solution.prior, solution.delta, solution.sharpening
    ).restrict(kept)
    return report(
        counts,
        objective,
        find_solver(solution.solver, problem)(objective),
        fallbacks=((solution.weights, Status.KEPT_WEIGHTS),),
        kept=kept,
        bound_name=solution.bound_name,
        solver=solution.solver,
        prior=solution.prior,
        delta=solution.delta,
        sharpening=solution.sharpening,
    )


def _heaviest(weights: FloatArray, n_voters: int) -> IntArray:
    """Positions of the heaviest voters in ascending order; of equal ones the first."""
    return np.sort(np.argsort(-weights, kind="stable")[:n_voters])


def _without_bound(solution: WeightSolution, kept: IntArray) -> WeightSolution:
    """Where there is no bound to minimise: renormalise, and promise nothing."""
    weights = np.zeros_like(solution.weights)
    weights[kept] = solution.weights[kept] / solution.weights[kept].sum()
    return replace(solution, weights=weights)
