"""The result of a vote knows its weights and its rule for ties; evidence adds up accordingly."""

from collections import Counter
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from tandemvote import certify
from tandemvote.bounds import Estimates, RequirementError, all_bounds, get_bound
from tandemvote.bounds.registry import BOUNDS, best_bounds
from tandemvote.certificate import certify_votes
from tandemvote.votes.counting import count_votes
from tandemvote.votes.counts import VoteCounts
from tandemvote.votes.evidence import Evidence, VoteResult
from tandemvote.votes.profile import VoteProfile
from tandemvote.votes.votes import Votes
from tandemvote.votes.weighted_vote import observed_vote, votable


def drawn(held_out=2, n_voters=5, seed=0, n_classes=3):
    rng = np.random.default_rng(seed)
    labels = rng.choice(["a", "b", "c"][:n_classes], size=200)
    predictions = np.where(
        rng.random((n_voters, 200)) < 0.3, rng.choice(labels, (n_voters, 200)), labels
    )
    return Votes.from_predictions(predictions, labels, rng.random(predictions.shape) < held_out)


def coin_flips(n_voters=1500, n_samples=100):
    rng = np.random.default_rng(0)
    labels = rng.integers(2, size=n_samples)
    return Votes.from_predictions(rng.integers(2, size=(n_voters, n_samples)), labels)


NUMBERS = ("n_voted", "n_errors", "n_test_errors")


@pytest.mark.parametrize("held_out", [0.6, 2])
@pytest.mark.parametrize("size", [1, 7, 200])
@pytest.mark.parametrize("weights", [None, [0.4, 0.3, 0.1, 0.1, 0.1]])
def test_shards_add_up_to_the_whole(held_out, size, weights):
    votes = drawn(held_out)
    whole = VoteResult.of(votes, None if weights is None else votable(np.array(weights)))
    total = count_votes(votes.chunks(size), weights=weights)
    assert total.counts.class_counts == Counter(votes.classes[votes.labels].tolist())
    assert (total.counts.n_samples, total.counts.n_covered) == (200, votes.held_out.any(0).sum())
    for name in NUMBERS:
        assert getattr(total.vote, name) == getattr(whole, name)
    assert (whole.n_test_errors is None) == (held_out < 1)
    assert total.fitted == (None if weights is None else "given")


def test_numbers_are_those_of_the_vote():
    votes = drawn(0.3)
    result = VoteResult.of(votes)
    winners = observed_vote(votes, np.full(5, 0.2))
    voted = winners >= 0
    assert 0 < result.n_voted == voted.sum() < 200
    assert result.n_errors == (winners != votes.labels)[voted].sum()
    assert result.observed_error == result.n_errors / result.n_voted
    assert result.n_test_errors is None


def test_out_of_bag_votes_are_not_a_test_set_though_a_shard_may_look_like_one():
    labels = np.zeros(4, int)
    held_out = [[True, True, False, False], [True] * 4]
    votes = Votes.from_predictions(np.ones((2, 4), int), labels, held_out)
    parts = [VoteResult.of(part) for part in votes.chunks(2)]
    assert [part.n_test_errors for part in parts] == [2, None]
    assert VoteResult.of(votes).n_test_errors is None
    assert count_votes(votes.chunks(2)).vote.n_test_errors is None


def test_a_voter_without_weight_does_not_vote():
    votes = Votes.from_predictions([[0, 0], [1, 1]], [0, 0], [[True, False], [True, True]])
    result = VoteResult.of(votes, [1.0, 0.0])
    assert (result.n_voted, result.n_errors) == (1, 0)


def test_no_samples_have_no_error():
    votes = drawn()
    nothing = next(replace(votes, labels=votes.labels[:0]).chunks(1))
    nothing = replace(nothing, predictions=nothing.predictions[:, :0])
    nothing = replace(nothing, held_out=nothing.held_out[:, :0])
    evidence = Evidence.of(nothing)
    assert [getattr(evidence.vote, name) for name in NUMBERS] == [0, 0, 0]
    assert evidence.vote.observed_error is None
    assert (Evidence.of(votes) + evidence).vote.n_errors == VoteResult.of(votes).n_errors


def test_a_result_does_not_change_and_adds_to_its_own_kind_only():
    votes = drawn()
    result = VoteResult.of(votes)
    with pytest.raises(FrozenInstanceError):
        result.n_errors = 0
    others = (
        VoteResult.of(votes, [0.4, 0.3, 0.1, 0.1, 0.1]),
        VoteResult.of(replace(votes, ties="referee")),
    )
    for other in others:
        with pytest.raises(ValueError, match="different weights or rules for ties"):
            _ = result + other
    evidence = Evidence.of(votes)
    assert (evidence + Evidence(evidence.counts)).vote is None
    assert (Evidence(evidence.counts, others[0]) + Evidence(evidence.counts)).vote is None
    with pytest.raises(ValueError, match="fitted by None and by 'given'"):
        _ = evidence + replace(evidence, fitted="given")
    grouped = VoteCounts.from_votes(replace(votes, one_row_per_group=True))
    with pytest.raises(ValueError, match="single rows of groups and of all rows"):
        _ = evidence.counts + grouped
    latest = VoteCounts.from_votes(replace(votes, latest="2024"))
    assert (latest + latest).latest == "2024"
    with pytest.raises(ValueError, match="rows from None and from '2024' on"):
        _ = evidence.counts + latest


def test_counts_of_a_fitted_certificate_certify_nothing_about_other_weights():
    """B1: coin flips whose fitted vote is right on its own samples."""
    votes = coin_flips()
    fitted = certify(votes, weights="tandem", bound="tandem")
    assert fitted.value == 1.0 and fitted.observed < 0.1
    for source in (fitted.counts, fitted.evidence):
        again = certify(source)
        assert again.value >= 0.5 and again.observed is None
        assert "test_set" not in again.bounds and "test_set" not in again.candidates
        with pytest.raises(RequirementError, match="'test_set' does not apply"):
            certify(source, bound="test_set")
    with pytest.raises(RequirementError, match="'test_set' does not apply"):
        certify(fitted.evidence, weights=fitted.weights, bound="test_set")


def doors(certificate, name):
    """Every way to ask a certificate, or what it was computed from, for a bound."""
    estimates = Estimates(certificate.evidence, certificate.weights, certificate.prior)
    return [
        lambda: certificate.evaluate(name),
        lambda: certificate.bounds[name],
        lambda: all_bounds(estimates)[name],
        lambda: get_bound(name)(estimates),
    ]


def assert_closed(certificate, name):
    for door in doors(certificate, name):
        with pytest.raises((RequirementError, KeyError)):
            door()
    assert get_bound(name).applies(certificate.evidence)


def test_what_does_not_apply_is_rejected_at_every_door():
    """B2: the test set of fitted weights, and every bound of a vote with a referee."""
    fitted = certify(coin_flips(), weights="tandem", bound="tandem")
    assert_closed(fitted, "test_set")
    assert_closed(fitted, "vote_profile")
    committee = certify(replace(drawn(), ties="referee"))
    for name in set(BOUNDS) - {"test_set"}:
        assert_closed(committee, name)
        with pytest.raises(RequirementError, match="does not apply"):
            certify_votes(replace(drawn(), ties="referee"), bound=name)
    assert_closed(certify(drawn()), "disagreement")  # three classes


def test_a_certificate_about_another_classifier_has_no_bound_of_the_vote():
    """B2: a deployed classifier that is always wrong."""
    rng = np.random.default_rng(0)
    labels = rng.integers(2, size=2000)
    votes = Votes.from_predictions([labels[:600]] * 3, labels[:600], unlabeled=[labels[600:]] * 3)
    deployed = certify(votes.with_deployed(1 - labels[600:]))
    assert deployed.value == 1.0
    for name in set(BOUNDS) - {"vote_profile"}:
        assert_closed(deployed, name)


def test_a_certificate_of_another_metric_has_no_error_bound():
    votes = Votes.from_predictions([[0, 1, 1, 1] * 50], [0, 1, 1, 0] * 50)
    recall = certify(votes).for_metric("recall")
    with pytest.raises(RequirementError, match="the certificate is about recall"):
        recall.evaluate("test_set")


def test_results_and_profiles_of_other_weights_are_not_used():
    """B2: the vote of three voters is right, the only one with weight always wrong."""
    votes = Votes.from_predictions([[0] * 100, [0] * 100, [1] * 100], [0] * 100)
    evidence = Evidence.of(votes)
    assert get_bound("test_set")(Estimates(evidence)) < 0.05
    for source in (evidence, evidence.counts):
        estimates = Estimates(source, [0, 0, 1])
        with pytest.raises(RequirementError, match="'test_set' does not apply"):
            get_bound("test_set")(estimates)
        with pytest.raises(RequirementError, match="'test_set' does not apply"):
            BOUNDS["test_set"].function(estimates)
        assert get_bound("first_order")(estimates) == 1.0
    profile = VoteProfile.of(np.zeros((3, 900), int), np.full(3, 1 / 3))
    profiled = replace(evidence, profile=profile)
    assert get_bound("vote_profile")(Estimates(profiled)) < 1.0
    with pytest.raises(RequirementError, match="'vote_profile' does not apply"):
        get_bound("vote_profile")(Estimates(profiled, [0, 0, 1]))


class Shards:
    """Votes that can be read again, and how often they were."""

    def __init__(self, votes):
        self.votes, self.n_read = votes, 0

    def __iter__(self):
        self.n_read += 1
        return self.votes.chunks(37)


@pytest.mark.parametrize("weights", ["uniform", "tandem", [0.4, 0.3, 0.1, 0.1, 0.1]])
@pytest.mark.parametrize("held_out", [0.6, 2])
def test_shards_give_the_certificate_of_all_votes(weights, held_out):
    votes = drawn(held_out)
    expected = certify(votes, weights=weights, bound="best")
    shards = Shards(votes)
    for source in (shards, list(votes.chunks(37))):
        found = certify(source, weights=weights, bound="best")
        assert dict(found.bounds) == dict(expected.bounds)
        assert (found.observed, found.baseline) == (expected.observed, expected.baseline)
    assert shards.n_read == (2 if weights == "tandem" else 1)
    once = certify(votes.chunks(37), weights=weights, bound="best")
    assert once.observed == (None if weights == "tandem" else expected.observed)


def test_given_weights_are_a_test_set_only_if_the_user_says_so():
    votes, weights = drawn(), np.array([0.4, 0.3, 0.1, 0.1, 0.1])
    evidence = count_votes(votes.chunks(50), weights=weights)
    expected = certify(votes, weights=weights, bound="test_set")
    assert certify(evidence, weights=weights, bound="test_set").value == expected.value
    assert "test_set" not in certify(evidence, weights=weights).bounds
    assert certify(evidence).observed is None  # equal weights, whose vote was not counted


def test_the_classes_of_the_labels_do_not_decide_how_delta_is_shared():
    two, three = drawn(0.6, n_classes=2), drawn(0.6, n_classes=3)
    names = best_bounds(Evidence.of(two))
    assert names == best_bounds(Evidence.of(three)) and "c1" in names
    certificate = certify(three, bound="best")
    for name in ("disagreement", "c1", "c2"):
        assert certificate.candidates[name] == 1.0
    share = certificate.delta / len(names)
    assert certificate.candidates["tandem"] == certificate.evaluate("tandem", share)


def test_many_given_weights_have_the_result_of_their_vote():
    """Rounded to multiples of 2^-50, the sum of many weights is 1 to 1e-13 only."""
    rng = np.random.default_rng(0)
    labels = rng.integers(2, size=60)
    votes = Votes.from_predictions(labels ^ (rng.random((301, 60)) < 0.3), labels)
    certificate = certify(votes, weights=np.full(301, 1 / 301), bound="test_set")
    assert certificate.value == certify(votes, bound="test_set").value
    assert certificate.observed is not None
