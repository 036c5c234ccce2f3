"""The hard weighted vote, against exact arithmetic."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tandemvote.votes.profile import VoteProfile, vote_leads
from tandemvote.votes.weighted_vote import (
    exact_weights,
    votable,
    vote_shares,
    vote_totals,
    weighted_vote,
)


@st.composite
def votes(draw):
    n_voters, n_samples = draw(st.integers(1, 9)), draw(st.integers(1, 5))
    n_classes = draw(st.integers(1, 4))
    rows = st.lists(st.integers(0, n_classes - 1), min_size=n_samples, max_size=n_samples)
    predictions = draw(st.lists(rows, min_size=n_voters, max_size=n_voters))
    parts = draw(st.lists(st.integers(0, 6), min_size=n_voters, max_size=n_voters).filter(any))
    return np.array(predictions), parts, n_classes


def exact_winner(column, parts, n_classes):
    totals = [Fraction(0)] * n_classes
    for label, part in zip(column, parts, strict=True):
        totals[label] += Fraction(part, 64)
    return totals.index(max(totals))


@given(votes())
def test_the_winner_is_the_one_of_exact_arithmetic_and_ties_go_to_the_smallest_class(case):
    predictions, parts, n_classes = case
    expected = [exact_winner(column, parts, n_classes) for column in predictions.T]
    # Shares of 64 are binary fractions, so the float weights are exact; the sum need not be 1.
    assert weighted_vote(predictions, np.array(parts) / 64, n_classes).tolist() == expected


@given(votes(), st.randoms(use_true_random=False))
def test_the_order_of_the_voters_does_not_matter(case, random):
    predictions, parts, n_classes = case
    weights = np.array(parts) / sum(parts)
    order = list(range(len(parts)))
    random.shuffle(order)
    shuffled = vote_totals(predictions[order], weights[order], n_classes)
    assert np.array_equal(vote_totals(predictions, weights, n_classes), shuffled)


@pytest.mark.parametrize("n_voters", [6, 10, 14, 98, 1000])
def test_half_of_the_voters_against_the_other_half_is_a_tie(n_voters):
    rng = np.random.default_rng(n_voters)
    halves = np.repeat([1, 2], n_voters // 2)
    predictions = np.array([rng.permutation(halves) for _ in range(50)]).T
    assert (weighted_vote(predictions, np.full(n_voters, 1 / n_voters), 3) == 1).all()


@given(votes())
def test_shares_sum_to_one_and_their_largest_is_the_vote(case):
    predictions, parts, n_classes = case
    weights = np.array(parts) / sum(parts)
    shares = vote_shares(predictions, weights, n_classes)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert np.array_equal(shares.argmax(axis=1), weighted_vote(predictions, weights, n_classes))


@pytest.mark.parametrize("weights", [[1.0, -0.1], [0.0, 0.0], [np.nan, 1.0], [[0.5, 0.5]]])
def test_weights_that_cannot_be_weights_are_rejected(weights):
    with pytest.raises(ValueError, match="one number per voter"):
        weighted_vote(np.zeros((2, 3), int), weights, 2)


def test_one_weight_a_voter_is_needed():
    with pytest.raises(ValueError, match="3 weights for 2 voters"):
        weighted_vote(np.zeros((2, 3), int), [1, 1, 1], 2)


def test_votable_weights_are_voted_with_exactly_as_certified():
    rng = np.random.default_rng(0)
    for size in (2, 100, 5000):
        weights = votable(rng.dirichlet(np.full(size, 0.05)))
        units = exact_weights(weights)
        scale = units.max() / weights.max()
        assert np.array_equal(units, weights * scale)
        assert abs(weights.sum() - 1) < 1e-11


def test_the_order_of_a_profile_does_not_depend_on_the_order_of_the_samples():
    rng = np.random.default_rng(0)
    predictions = np.sort(rng.integers(3, size=(5, 200)), axis=1)  # as sorted as a file can be
    leads, gaps = vote_leads(predictions, np.full(5, 0.2))
    profile = VoteProfile.of(predictions, np.full(5, 0.2))
    assert not np.array_equal(profile.leads, leads)
    np.testing.assert_array_equal(np.sort(profile.leads), np.sort(leads))
    assert set(zip(profile.leads, profile.gaps, strict=True)) == set(zip(leads, gaps, strict=True))
    names = np.array(["a", "b", "c"])
    for other in (predictions[:, ::-1], predictions[:, rng.permutation(200)]):
        again = VoteProfile.of(other, np.full(5, 0.2))
        np.testing.assert_array_equal(profile.leads, again.leads)
        np.testing.assert_array_equal(profile.gaps, again.gaps)
    texts = [VoteProfile.of(names[each], [0.2] * 5) for each in (predictions, predictions[:, ::-1])]
    np.testing.assert_array_equal(texts[0].leads, texts[1].leads)
