"""Sizes of held-out sets: what is kept between calls must never answer for another prior."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from tandemvote import Certificate, VoteCounts, Votes
from tandemvote.counting.held_out_sets import HeldOutSets
from tandemvote.inequalities import harmonic_cap, harmonic_size


@pytest.fixture
def overlaps():
    sizes = np.random.default_rng(0).integers(50, 400, size=(6, 6))
    return np.maximum(sizes, sizes.T)


def test_every_prior_gets_its_own_answer(overlaps):
    sets, rng = HeldOutSets(overlaps), np.random.default_rng(1)
    posterior = rng.dirichlet(np.ones(6))
    for _ in range(3):
        prior = rng.dirichlet(np.ones(6))
        for _ in range(2):  # the second time it is known already
            found = sets.harmonic(prior).at(posterior)
            fresh = harmonic_size(posterior, overlaps, prior, cap=harmonic_cap(overlaps.min()))
            assert (found.n, found.kl_divergence) == (fresh.n, fresh.kl_divergence)
            assert found.log_moment() == fresh.log_moment()


def test_voters_without_prior_do_not_make_the_cap_smaller(overlaps):
    overlaps[0, :] = overlaps[:, 0] = 1
    prior = np.array([0.0, 0.2, 0.2, 0.2, 0.2, 0.2])
    sets = HeldOutSets(overlaps)
    assert sets.n_min(prior) == overlaps[1:, 1:].min() > 1
    without = harmonic_size(
        prior[1:], overlaps[1:, 1:], prior[1:], cap=harmonic_cap(overlaps[1:, 1:].min())
    )
    assert sets.harmonic(prior).at(prior).complexity(0.05) == pytest.approx(
        without.complexity(0.05), rel=1e-11
    )


def test_a_pair_without_common_points_matters_only_where_it_has_weight(overlaps):
    overlaps[0, 1] = overlaps[1, 0] = 0
    uniform, apart = np.full(6, 1 / 6), np.array([0.0, 0.2, 0.2, 0.2, 0.2, 0.2])
    assert harmonic_size(uniform, overlaps, uniform).n == 0.0
    whole = harmonic_size(apart, overlaps, uniform)
    part = harmonic_size(apart[1:], overlaps[1:, 1:], uniform[1:])
    assert whole.n == pytest.approx(part.n) and part.n > 50
    assert whole.kl_divergence == pytest.approx(part.kl_divergence)


def test_pickles_hold_the_integers_and_nothing_computed_from_them():
    votes = Votes.from_predictions([[0, 1, 1], [0, 0, 1]], [0, 1, 0])
    counts = VoteCounts.from_votes(votes)
    before = pickle.dumps(counts)
    uniform = np.array([0.5, 0.5])
    assert counts.tandem_losses.any() and counts.pair_sets.harmonic(uniform).shares.any()
    assert pickle.dumps(counts) == before
    again = pickle.loads(before)
    assert np.array_equal(again.overlaps, counts.overlaps)
    assert not again.overlaps.flags.writeable


def test_counts_that_coincide_are_kept_once_and_mean_what_they_meant():
    """Voters 0 and 1 share no point: they err together, and apart, at rate 1, and differ at 0."""
    held_out = [[True, False, False], [False, True, True], [True, True, True]]
    votes = Votes.from_predictions([[0, 1, 1], [0, 0, 1], [1, 1, 1]], [0, 1, 0], held_out)
    counts = VoteCounts.from_votes(votes)
    assert counts.lone_errors is counts.disagreements
    assert counts.disagreement_overlaps is counts.overlaps
    assert counts.lone_error_rates[0, 1] == counts.tandem_losses[0, 1] == 1.0
    assert counts.disagreement_rates[0, 1] == 0.0
    more = counts.add_unlabelled([[0], [1], [0]])
    assert more.disagreement_overlaps is not more.overlaps
    assert (more.n_unlabelled, counts.n_unlabelled) == (1, 0)
    assert more.lone_error_rates[0, 2] == counts.lone_error_rates[0, 2]


def test_a_prior_changed_in_place_gets_its_own_answer_and_changes_no_certificate():
    held_out = np.arange(600) % 3 != np.arange(3)[:, None]
    held_out[0, :150] = False
    wrong = np.random.default_rng(0).random((3, 600)) < [[0.1], [0.2], [0.3]]
    counts = VoteCounts.from_votes(Votes.from_predictions(wrong, np.zeros(600, bool), held_out))
    prior = np.array([0.8, 0.1, 0.1])
    before = Certificate.from_counts(counts, prior=prior)
    prior[:] = [0.1, 0.1, 0.8]
    after = Certificate.from_counts(counts, prior=prior)
    assert before.prior.tolist() == [0.8, 0.1, 0.1]
    fresh = Certificate.from_counts(replace(counts), prior=[0.1, 0.1, 0.8])
    assert {name: b.value for name, b in after.bounds.items()} == {
        name: b.value for name, b in fresh.bounds.items()
    }
    assert before.bounds["first_order"].value != after.bounds["first_order"].value
