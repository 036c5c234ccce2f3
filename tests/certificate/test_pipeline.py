"""From votes to a certificate: what is chosen, what is rejected, and that all ways agree."""

from dataclasses import replace

import numpy as np
import pytest

from tandemvote.bounds import RequirementError
from tandemvote.certificate import certify_votes
from tandemvote.certificate.pipeline import _counted
from tandemvote.votes.counting import count_votes
from tandemvote.votes.counts import VoteCounts
from tandemvote.votes.evidence import Evidence
from tandemvote.votes.votes import Votes


def drawn(n_voters=20, n_samples=400, n_classes=3, held_out=0.6, n_unlabeled=0):
    rng = np.random.default_rng(0)
    labels = rng.integers(n_classes, size=n_samples + n_unlabeled)
    wrong = rng.random((n_voters, labels.size)) < 0.15
    predictions = (labels + wrong * rng.integers(1, n_classes, size=wrong.shape)) % n_classes
    return Votes.from_predictions(
        predictions[:, :n_samples],
        labels[:n_samples],
        rng.random((n_voters, n_samples)) < held_out,
        unlabeled=predictions[:, n_samples:],
    )


def numbers(certificate):
    document = certificate.document.to_json()
    return {**document["certificates"][0]}


@pytest.mark.parametrize("bound", ["auto", "best", "first_order"])
@pytest.mark.parametrize(
    "votes",
    [drawn(), drawn(held_out=2), drawn(6), drawn(1, n_classes=2, held_out=2), drawn(6, held_out=2)],
)
def test_evidence_and_votes_give_the_same_certificate(votes, bound):
    expected = certify_votes(votes, bound=bound)
    whole = certify_votes(Evidence.of(votes), bound=bound)
    shards = certify_votes(count_votes(votes.chunks(37)), bound=bound)
    assert numbers(whole) == numbers(shards) == numbers(expected)
    assert (whole.observed, whole.baseline) == (expected.observed, expected.baseline)
    assert whole.bounds == expected.bounds


def test_counts_do_not_show_the_vote_of_other_weights():
    votes = drawn()
    certificate = certify_votes(VoteCounts.from_votes(votes), weights="tandem")
    expected = certify_votes(votes, weights="tandem")
    assert certificate.value == expected.value
    assert certificate.baseline == expected.baseline
    assert certificate.observed is None and expected.observed is not None


def test_weights_and_profile_share_no_unlabeled_sample_where_weights_depend_on_them():
    votes = drawn(n_classes=2, n_unlabeled=101)
    evidence, _, profiled = _counted(votes, "tandem", None)
    assert (evidence.counts.n_unlabeled, profiled) == (101, slice(None))
    evidence, _, profiled = _counted(votes, "disagreement", None)
    counts = evidence.counts
    others = replace(votes, unlabeled=np.delete(votes.unlabeled, profiled, axis=1))
    assert abs(counts.n_unlabeled - profiled.size) == 1
    expected = VoteCounts.from_votes(others).disagreements
    assert np.array_equal(counts.disagreements, expected)


@pytest.mark.parametrize(
    ("options", "halved"),
    [
        ({"weights": "tandem", "bound": "best"}, False),
        ({"weights": "disagreement", "bound": "vote_profile"}, True),
        ({"bound": ["tandem", "disagreement"]}, False),
    ],
)
def test_weights_that_minimize_the_disagreement_take_half_of_the_unlabeled_samples(options, halved):
    certificate = certify_votes(drawn(n_classes=2, n_unlabeled=100), **options)
    n_samples = 50 if halved else 100
    assert certificate.counts.n_unlabeled == certificate.profile.n_samples == n_samples
    assert any(
        "unlabeled samples are drawn independently" in text for text in certificate.assumptions
    )


@pytest.mark.parametrize(
    ("votes", "candidates"),
    [
        (drawn(held_out=2), ["test_set"]),
        (drawn(held_out=2, n_unlabeled=50), ["test_set"]),
        (drawn(n_unlabeled=50), ["vote_profile"]),
        (drawn(15), ["coalition"]),
        (drawn(16), ["first_order", "tandem"]),
    ],
)
def test_auto_chooses_by_the_kind_of_evidence(votes, candidates):
    assert list(certify_votes(votes).candidates) == candidates


def test_auto_does_not_test_weights_that_were_fitted_or_given():
    votes = drawn(held_out=2)
    for weights in ("tandem", np.full(20, 0.05)):
        certificate = certify_votes(votes, weights=weights)
        assert "test_set" not in certificate.candidates
        assert certificate.fitted == ("tandem" if isinstance(weights, str) else "given")
        assert "test_set" not in certificate.bounds
    assert certify_votes(votes, weights=np.full(20, 0.05), bound="test_set").fitted is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bound": []}, "bound is empty"),
        ({"bound": "TND"}, "TND"),
        ({"bound": ["best", "tandem"]}, "combines 'best' with other bounds"),
        ({"bound": "test_set"}, "samples that no voter was trained on"),
        ({"bound": "vote_profile"}, "requires unlabeled samples"),
        ({"weights": "best"}, "Invalid weights='best'. Valid names are 'uniform'"),
        ({"weights": [1.0]}, "1 weights for 20 voters"),
        ({"prior": [1.0]}, "prior has shape"),
        ({"delta": 0.0}, "delta"),
        ({"delta": 1.5}, "delta"),
    ],
)
def test_what_cannot_be_certified_is_rejected(options, message):
    with pytest.raises(ValueError, match=message):
        certify_votes(drawn(), **options)


def test_fitted_weights_are_not_tested():
    with pytest.raises(ValueError, match="weights that do not depend on them"):
        certify_votes(drawn(held_out=2), weights="tandem", bound="test_set")


def test_a_bound_that_does_not_apply_is_rejected():
    with pytest.raises(RequirementError):
        certify_votes(drawn(), bound="disagreement")


@pytest.mark.parametrize("bound", ["auto", "best"])
@pytest.mark.filterwarnings("ignore::tandemvote.bounds.VacuousBoundWarning")
def test_the_smallest_evidence_is_certified(bound):
    for votes in (
        Votes.from_predictions([["a"]], ["a"]),
        Votes.from_predictions([["a"], ["b"]], ["b"]),
        Votes.from_predictions([[0, 1]], [1, 1], [[True, False]]),
    ):
        certificate = certify_votes(votes, bound=bound)
        assert 0 < certificate.value <= 1
        assert certificate.baseline == 0
