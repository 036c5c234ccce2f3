"""Counts are exact: equal to a triple loop, whatever the partition into shards."""

import pickle
import resource
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tandemvote import VoteCounts, Votes
from tandemvote.certificate import certify_votes
from tandemvote.inequalities import harmonic_cap, harmonic_size
from tandemvote.votes import counts
from tandemvote.votes.counting import count_votes
from tandemvote.votes.set_sizes import SetSizes

FIELDS = counts.INTEGER_FIELDS


def random_votes(rng, n_voters, n_samples, n_classes, n_unlabeled=0):
    held_out = rng.random((n_voters, n_samples)) < 0.6
    held_out[np.arange(n_voters), rng.integers(n_samples, size=n_voters)] = True
    return Votes.from_predictions(
        rng.integers(n_classes, size=(n_voters, n_samples)),
        rng.integers(n_classes, size=n_samples),
        held_out,
        unlabeled=rng.integers(n_classes, size=(n_voters, n_unlabeled)),
    )


def by_triple_loop(votes):
    """Count one pair and one sample at a time."""
    m = votes.n_voters
    total = {name: np.zeros((m, m), int) for name in FIELDS[2:]}
    for g in range(m):
        for h in range(m):
            for i in range(votes.n_samples):
                if votes.held_out[g, i] and votes.held_out[h, i]:
                    both = votes.predictions[[g, h], i]
                    total["overlaps"][g, h] += 1
                    total["disagreement_overlaps"][g, h] += 1
                    total["tandem_errors"][g, h] += (both != votes.labels[i]).all()
                    total["disagreements"][g, h] += both[0] != both[1]
                    total["lone_errors"][g, h] += (both != votes.labels[i]).sum() == 1
            for a, b in votes.unlabeled[[g, h]].T:
                total["disagreement_overlaps"][g, h] += 1
                total["disagreements"][g, h] += a != b
                total["unlabeled_disagreements"][g, h] += a != b
    total["errors"] = np.diag(total["tandem_errors"])
    total["sizes"] = np.diag(total["overlaps"])
    return total


def assert_same(ours, theirs):
    for name in FIELDS:
        expected = theirs[name] if isinstance(theirs, dict) else getattr(theirs, name)
        assert np.array_equal(getattr(ours, name), expected), name


@pytest.mark.parametrize("n_classes", [1, 2, 3, 5, 30])
@pytest.mark.parametrize("n_unlabeled", [0, 7])
def test_counts_equal_a_triple_loop(n_classes, n_unlabeled):
    votes = random_votes(np.random.default_rng(n_classes), 6, 40, n_classes, n_unlabeled)
    assert_same(VoteCounts.from_votes(votes), by_triple_loop(votes))


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n_classes=st.integers(2, 5), data=st.data())
def test_shards_in_any_partition_sum_to_the_same_integers(seed, n_classes, data):
    votes = random_votes(np.random.default_rng(seed), 5, 24, n_classes)
    whole = VoteCounts.from_votes(votes)
    size = data.draw(st.integers(1, 24))
    assert_same(count_votes(list(votes.chunks(size))[::-1]).counts, whole)


def test_chunked_counting_changes_nothing(monkeypatch):
    votes = random_votes(np.random.default_rng(0), 8, 1000, 4, n_unlabeled=50)
    whole = VoteCounts.from_votes(votes)
    monkeypatch.setattr(counts, "CHUNK_BYTES", 4 * 8 * 7)
    assert_same(VoteCounts.from_votes(votes), whole)


def test_a_chunk_stays_where_float32_is_exact():
    assert np.float32(counts.EXACT_CHUNK - 1) + np.float32(1) == counts.EXACT_CHUNK
    assert np.float32(counts.EXACT_CHUNK) + np.float32(1) == np.float32(counts.EXACT_CHUNK)


def test_shards_with_different_classes_know_all_of_them():
    shards = [Votes.from_predictions([[0, 1]], [0, 1]), Votes.from_predictions([[2]], [1])]
    assert count_votes(shards).counts.classes.tolist() == [0, 1, 2]


def test_unlabeled_samples_enter_disagreements_only():
    votes = random_votes(np.random.default_rng(1), 4, 30, 2)
    extra = np.random.default_rng(2).integers(2, size=(4, 11))
    before = VoteCounts.from_votes(votes)
    after = VoteCounts.from_votes(votes.with_unlabeled(extra))
    assert after.n_unlabeled == 11
    assert after.n_min_disagreement == before.n_min_pairs + 11
    assert np.array_equal(after.tandem_losses, before.tandem_losses)
    assert np.array_equal(after.labeled_disagreement_rates, before.disagreement_rates)
    differ = (extra[:, None] != extra[None]).sum(axis=2)
    assert np.array_equal(after.disagreements, before.disagreements + differ)


def test_a_pair_without_common_samples_gets_the_pessimistic_rates():
    votes = Votes.from_predictions([[0, 0], [0, 0]], [0, 0], [[True, False], [False, True]])
    result = VoteCounts.from_votes(votes)
    assert result.n_min_pairs == 0
    assert result.tandem_losses[0, 1] == 1
    assert result.disagreement_rates[0, 1] == 0


def test_counts_of_different_voters_do_not_add():
    one = VoteCounts.from_votes(Votes.from_predictions([[0]], [0]))
    two = VoteCounts.from_votes(Votes.from_predictions([[0], [0]], [0]))
    with pytest.raises(ValueError, match="counts of 1 and 2 voters"):
        one + two


LARGE = """
import numpy as np
from tandemvote import Votes
from tandemvote.votes.counting import count_votes
rng = np.random.default_rng(0)

def shard(size):
    labels = rng.integers(2, size=size, dtype=np.int8)
    flips = rng.integers(8, size=(1000, size), dtype=np.int8) == 0
    held_out = rng.integers(3, size=(1000, size), dtype=np.int8) > 0
    return Votes.from_predictions(labels ^ flips, labels, held_out)

counts = count_votes(shard(20_000) for _ in range(50)).counts
assert counts.n_min > 660_000 and abs(counts.gibbs_losses.mean() - 1 / 8) < 1e-3
"""


@pytest.mark.slow
def test_a_thousand_voters_and_a_million_samples_fit_in_two_gigabytes():
    subprocess.run([sys.executable, "-c", LARGE], check=True)
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 2 * 2**20


@pytest.fixture
def overlaps():
    sizes = np.random.default_rng(0).integers(50, 400, size=(6, 6))
    return np.maximum(sizes, sizes.T)


def test_every_prior_gets_its_own_answer(overlaps):
    sets, rng = SetSizes(overlaps), np.random.default_rng(1)
    posterior = rng.dirichlet(np.ones(6))
    for _ in range(3):
        prior = rng.dirichlet(np.ones(6))
        for _ in range(2):  # the second time it is known already
            value = sets.harmonic(prior).at(posterior)
            fresh = harmonic_size(posterior, overlaps, prior, cap=harmonic_cap(overlaps.min()))
            assert (value.n, value.kl_divergence) == (fresh.n, fresh.kl_divergence)
            assert value.log_moment() == fresh.log_moment()


def test_voters_without_prior_do_not_make_the_cap_smaller(overlaps):
    overlaps[0, :] = overlaps[:, 0] = 1
    prior = np.array([0.0, 0.2, 0.2, 0.2, 0.2, 0.2])
    sets = SetSizes(overlaps)
    assert sets.n_min(prior) == overlaps[1:, 1:].min() > 1
    without = harmonic_size(
        prior[1:], overlaps[1:, 1:], prior[1:], cap=harmonic_cap(overlaps[1:, 1:].min())
    )
    assert sets.harmonic(prior).at(prior).complexity(0.05) == pytest.approx(
        without.complexity(0.05), rel=1e-11
    )


def test_a_pair_without_common_samples_matters_only_where_it_has_weight(overlaps):
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


def test_rates_of_pairs_without_common_samples_are_the_worst_possible():
    """Voters 0 and 1 share no sample: they err together, and apart, at rate 1, and differ at 0."""
    held_out = [[True, False, False], [False, True, True], [True, True, True]]
    votes = Votes.from_predictions([[0, 1, 1], [0, 0, 1], [1, 1, 1]], [0, 1, 0], held_out)
    counts = VoteCounts.from_votes(votes)
    assert counts.lone_error_rates[0, 1] == counts.tandem_losses[0, 1] == 1.0
    assert counts.disagreement_rates[0, 1] == 0.0
    options = VoteCounts.from_votes(votes.with_unlabeled([[0], [1], [0]]))
    assert (options.n_unlabeled, counts.n_unlabeled) == (1, 0)
    assert options.lone_error_rates[0, 2] == counts.lone_error_rates[0, 2]


def test_a_prior_changed_in_place_gets_its_own_answer_and_changes_no_certificate():
    held_out = np.arange(600) % 3 != np.arange(3)[:, None]
    held_out[0, :150] = False
    wrong = np.random.default_rng(0).random((3, 600)) < [[0.1], [0.2], [0.3]]
    counts = VoteCounts.from_votes(Votes.from_predictions(wrong, np.zeros(600, bool), held_out))
    prior = np.array([0.8, 0.1, 0.1])
    before = certify_votes(counts, prior=prior)
    prior[:] = [0.1, 0.1, 0.8]
    after = certify_votes(counts, prior=prior)
    assert before.prior.tolist() == [0.8, 0.1, 0.1]
    fresh = certify_votes(replace(counts), prior=[0.1, 0.1, 0.8])
    assert after.bounds == fresh.bounds
    assert before.bounds["first_order"] != after.bounds["first_order"]


def test_counts_of_numbers_and_of_text_are_not_added():
    numbers = VoteCounts.from_votes(Votes.from_predictions([[0, 1]], [0, 1]))
    text = VoteCounts.from_votes(Votes.from_predictions([["0", "1"]], ["0", "1"]))
    for one, other in ((numbers, text), (text, numbers)):
        with pytest.raises(ValueError, match=r"mix text .* with numbers"):
            _ = one + other
    assert (numbers + numbers).classes.tolist() == [0, 1]
    longer = VoteCounts.from_votes(Votes.from_predictions([["long"]], ["0"]))
    assert (text + longer).classes.tolist() == ["0", "1", "long"]
