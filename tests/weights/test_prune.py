"""Fewer voters, at an honest price."""

import numpy as np
import pytest

from tandemvote.bounds import BOUNDS
from tandemvote.counting.counts import VoteCounts
from tandemvote.votes import Votes
from tandemvote.weights import Status, minimise, prune

ALL_BOUNDS = ["first_order", "tandem", "disagreement"]


@pytest.mark.parametrize("bound", ALL_BOUNDS)
def test_pruning_pays_for_the_voters_it_drops(forest_counts, bound):
    counts = forest_counts(40, 1500, seed=0, held_out=0.5)
    prior = np.random.default_rng(0).dirichlet(np.full(40, 4.0))
    solution = minimise(counts, bound, prior=prior, delta=0.1)
    pruned = prune(solution, counts, max_voters=8)
    assert pruned.n_active == 8
    # The prior, and with it KL and the sample sizes, are still those of all 40 voters.
    assert pruned.value == BOUNDS[bound](counts, pruned.weights, prior, 0.1).value
    assert pruned.relaxed_value >= solution.relaxed_value - 1e-12
    assert abs(pruned.weights.sum() - 1.0) <= 1e-12


@pytest.mark.parametrize("bound", ALL_BOUNDS)
def test_the_heaviest_stay_and_their_weights_are_minimised_anew(forest_counts, bound):
    counts = forest_counts(30, 1500, seed=1)
    solution = minimise(counts, bound, sharpening="paper")
    pruned = prune(solution, counts, max_voters=6)
    kept = np.flatnonzero(pruned.weights)
    assert solution.weights[kept].min() >= np.delete(solution.weights, kept).max()
    renormalised = np.where(pruned.weights > 0, solution.weights, 0.0)
    renormalised /= renormalised.sum()
    assert pruned.value <= BOUNDS[bound](counts, renormalised, sharpening="paper").value + 1e-12
    nudged = pruned.weights.copy()
    nudged[kept[0]] *= 0.5
    objective_at = _relaxed(counts, bound)
    assert pruned.relaxed_value == pytest.approx(objective_at(pruned.weights), abs=1e-9)
    assert pruned.relaxed_value <= objective_at(nudged / nudged.sum())
    assert pruned.relaxed_value <= objective_at(renormalised) + 1e-12


def _relaxed(counts, bound):
    """The relaxed bound from its formula alone, over all voters."""
    n, m, n_voters = counts.n_min, counts.n_min_pairs, counts.n_voters

    def upper(loss, k):
        return loss + k + np.sqrt(k**2 + 2 * loss * k)

    def at(weights):
        positive = weights[weights > 0]
        divergence = np.sum(positive * np.log(positive * n_voters))
        gibbs = weights @ counts.gibbs_losses
        if bound == "first_order":
            return 2 * upper(gibbs, (divergence + np.log(2 * np.sqrt(n) / 0.05)) / n)
        if bound == "tandem":
            k = (2 * divergence + np.log(2 * np.sqrt(m) / 0.05)) / m
            return 4 * upper(weights @ counts.tandem_losses @ weights, k)
        differ = weights @ counts.disagreement_rates @ weights
        b = (2 * divergence + np.log(4 * np.sqrt(m) / 0.05)) / m
        first = upper(gibbs, (divergence + np.log(4 * np.sqrt(n) / 0.05)) / n)
        return 4 * first - 2 * (differ - np.sqrt(2 * b * differ))

    return at


def test_pruning_nothing_changes_nothing(forest_counts):
    counts = forest_counts(5, 300, seed=4)
    solution = minimise(counts)
    assert prune(solution, counts, max_voters=9) is solution


def test_one_voter_can_stay(forest_counts):
    counts = forest_counts(5, 300, seed=5)
    pruned = prune(minimise(counts), counts, max_voters=1)
    assert sorted(pruned.weights) == [0.0, 0.0, 0.0, 0.0, 1.0]


def test_pruning_where_there_is_no_bound_promises_nothing():
    held_out = np.array([[True, False], [False, True]])
    votes = Votes.from_predictions(np.zeros((2, 2), int), np.zeros(2, int), held_out)
    counts = VoteCounts.from_votes(votes)
    pruned = prune(minimise(counts, prior=[0.25, 0.75]), counts, max_voters=1)
    assert pruned.weights.tolist() == [0.0, 1.0]
    assert pruned.status is Status.NO_COMMON_POINTS and pruned.value == 1.0


def test_a_vote_of_no_voters_is_refused(forest_counts):
    counts = forest_counts(4, 100, seed=6)
    with pytest.raises(ValueError, match="max_voters is 0; a vote needs at least 1 voter"):
        prune(minimise(counts), counts, max_voters=0)


def test_counts_of_other_voters_are_refused(forest_counts):
    counts = forest_counts(4, 100, seed=7)
    with pytest.raises(ValueError, match="4 voters and the counts have 3"):
        prune(minimise(counts), counts.subset([0, 1, 2]), max_voters=2)
