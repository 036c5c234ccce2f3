from fractions import Fraction

import numpy as np
import pytest

from tandemvote import VoteCounts, Votes
from tandemvote.bounds import Estimates
from tandemvote.displays import ProfileDisplay


def erring_weight_by_hand(votes, weights, sample):
    seen_by_none = [voter for voter in range(votes.n_voters) if votes.held_out[voter, sample]]
    total = sum(Fraction(weights[voter]) for voter in seen_by_none)
    if not total:
        return None
    wrong = sum(
        Fraction(weights[voter])
        for voter in seen_by_none
        if votes.predictions[voter, sample] != votes.labels[sample]
    )
    return float(wrong / total)


def test_erring_weight_is_a_share_of_the_voters_not_trained_on_the_sample(votes, weights):
    display = ProfileDisplay(votes, weights)
    expected = [erring_weight_by_hand(votes, weights, sample) for sample in range(votes.n_samples)]
    known = [value for value in expected if value is not None]
    np.testing.assert_allclose(display.erring_weights, known, rtol=0, atol=1e-14)


def test_samples_that_trained_every_voter_are_skipped():
    held_out = [[True, False, True], [True, False, False]]
    display = ProfileDisplay(Votes.from_predictions([[0, 0, 1], [1, 0, 0]], [0, 0, 0], held_out))
    assert display.erring_weights.tolist() == [0.5, 1.0]


def test_moments_on_a_common_hold_out_are_the_losses_of_the_bounds(votes, weights):
    common = Votes.from_predictions(votes.predictions, votes.labels)
    display = ProfileDisplay(common, weights)
    averages = Estimates(VoteCounts.from_votes(common), weights)
    assert display.gibbs_loss == pytest.approx(averages.gibbs_loss, abs=1e-12)
    assert display.tandem_loss == pytest.approx(averages.tandem_loss, abs=1e-12)


def test_a_tie_counts_as_one_half_exactly():
    # Ten tenths do not sum to 1 in floating point; the tie must be seen all the same.
    predictions = np.repeat([[0], [1]], 5, axis=0)
    display = ProfileDisplay(Votes.from_predictions(predictions, [0]))
    assert display.half_rate == 1.0


def test_prices_are_never_below_the_rate_at_which_half_of_the_weight_errs(votes, weights):
    display = ProfileDisplay(votes, weights)
    assert 0 < display.half_rate <= 2 * display.gibbs_loss
    assert display.half_rate <= 4 * display.tandem_loss


def test_shares_count_the_samples_of_each_bin(votes, weights):
    display = ProfileDisplay(votes, weights)
    z, edges = display.erring_weights, np.arange(41) / 40
    for share, start, end in zip(display.shares, edges[:-1], edges[1:], strict=True):
        inside = (z >= start) & ((z < end) | (end == 1.0))
        assert share == pytest.approx(inside.mean())
