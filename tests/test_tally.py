"""The results of a vote on labeled samples, which shards add up to."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from tandemvote.counts import VoteCounts, VoteTally
from tandemvote.votes import Votes
from tandemvote.votes_io import count_votes
from tandemvote.voting import held_out_vote


def drawn(held_out, n_voters=5, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.choice(["a", "b", "c"], size=200, p=[0.6, 0.3, 0.1])
    predictions = np.where(
        rng.random((n_voters, 200)) < 0.3, rng.choice(labels, (n_voters, 200)), labels
    )
    return Votes.from_predictions(predictions, labels, rng.random(predictions.shape) < held_out)


@pytest.mark.parametrize("held_out", [0.1, 0.6, 2])
@pytest.mark.parametrize("size", [1, 7, 200])
@pytest.mark.parametrize("weights", [None, [0.4, 0.3, 0.1, 0.1, 0.1]])
def test_shards_add_up_to_the_whole(held_out, size, weights):
    votes = drawn(held_out)
    whole = VoteTally.of(votes, weights)
    parts = [VoteTally.of(part, weights) for part in votes.chunks(size)]
    total = sum(parts[1:], parts[0])
    for name in ("class_counts", "n_voted", "n_errors"):
        assert getattr(total, name) == getattr(whole, name)
    if weights is None:
        counts = count_votes(votes.chunks(size))
        assert counts.n_test_errors == VoteCounts.from_votes(votes).n_test_errors
        assert (counts.n_test_errors is None) == (held_out < 1)


def test_numbers_are_those_of_the_vote():
    votes = drawn(0.3)
    tally = VoteTally.of(votes)
    winners = held_out_vote(votes, np.full(5, 0.2))
    voted = winners >= 0
    assert 0 < tally.n_voted == voted.sum() < 200
    assert tally.n_errors == (winners != votes.labels)[voted].sum()
    assert tally.observed_error == tally.n_errors / tally.n_voted
    assert tally.class_counts == Counter(votes.classes[votes.labels].tolist())
    assert tally.baseline_error == 1 - max(tally.class_counts.values()) / 200
    assert (tally.n_samples, tally.n_test_errors) == (200, None)


def test_out_of_bag_votes_are_not_a_test_set_though_a_shard_may_look_like_one():
    labels = np.zeros(4, int)
    held_out = [[True, True, False, False], [True] * 4]
    votes = Votes.from_predictions(np.ones((2, 4), int), labels, held_out)
    parts = [VoteTally.of(part) for part in votes.chunks(2)]
    assert [part.n_test_errors for part in parts] == [2, 2]
    assert VoteTally.of(votes).n_test_errors is None
    assert count_votes(votes.chunks(2)).n_test_errors is None


def test_untested_voters_count_as_if_they_helped_every_other_class():
    labels = np.zeros(3, int)
    predictions = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 1], [0, 0, 0]])
    held_out = np.array([[True] * 3] * 3 + [[False] * 3])
    tally = VoteTally.of(Votes.from_predictions(predictions, labels, held_out))
    # Of the last sample the tested voters are wrong; of the second they win by one vote only.
    assert (tally.n_voted, tally.n_errors, tally.n_test_errors) == (3, 1, 2)


def test_a_voter_without_weight_does_not_vote():
    votes = Votes.from_predictions([[0, 0], [1, 1]], [0, 0], [[True, False], [True, True]])
    tally = VoteTally.of(votes, [1.0, 0.0])
    assert (tally.n_voted, tally.n_errors) == (1, 0)


def test_what_one_part_does_not_know_the_sum_does_not_know():
    known, unknown = VoteTally(Counter("ab"), 2, 1, 1), VoteTally(Counter("b"))
    assert known + unknown == VoteTally(Counter("abb"))
    assert (known + unknown).observed_error is None
    counts = VoteCounts.from_votes(drawn(2))
    assert (counts + replace(counts, tally=None)).tally is None


def test_no_samples_have_no_error():
    votes = drawn(2)
    nothing = replace(
        votes,
        predictions=votes.predictions[:, :0],
        labels=votes.labels[:0],
        held_out=votes.held_out[:, :0],
    )
    tally = VoteTally.of(nothing)
    assert (tally.n_samples, tally.n_voted, tally.n_test_errors) == (0, 0, 0)
    assert tally.observed_error is None and tally.baseline_error == 0.0
    assert VoteTally.of(votes) + tally == VoteTally.of(votes)
