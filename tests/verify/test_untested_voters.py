"""Files about votes with untested voters: recomputed, recounted, and not to be tampered with."""

from dataclasses import replace

import numpy as np
import pytest

from tandemvote.certificate import Certificate, certify_votes
from tandemvote.certificate.file import document_of
from tandemvote.decimals import rounded_up
from tandemvote.verify import verify_file
from tandemvote.verify.recount import recount
from tandemvote.votes import Votes


def committee(n=300, n_tested=4, n_classes=2, seed=0, n_untested=1):
    rng = np.random.default_rng(seed)
    labels = rng.integers(n_classes, size=n)
    hard = rng.random(n) < 0.3
    wrong = (rng.random((n_tested, n)) < 0.4) & hard
    shift = rng.integers(1, n_classes, size=wrong.shape)
    predictions = np.vstack([(labels + wrong * shift) % n_classes, *[labels] * n_untested])
    predictions = predictions.astype(object)
    predictions[n_tested:] = None
    held_out = np.ones(predictions.shape, bool)
    held_out[n_tested:] = False
    return Votes.from_predictions(predictions, labels, held_out)


def brute_force(votes, weights):
    """Try every class for the untested voter, and every other class as the winner of a tie."""
    lost = 0
    for sample, label in enumerate(votes.labels):
        shares = np.zeros(votes.classes.size + 1)
        for voter in range(votes.n_voters - 1):
            shares[votes.predictions[voter, sample]] += weights[voter]
        outcomes = []
        for predictions in range(shares.size):
            total = shares.copy()
            total[predictions] += weights[-1]
            others = np.delete(total, label)
            outcomes.append(total[label] <= others.max() + 1e-9)
        lost += any(outcomes)
    return lost


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize(
    "weights", [None, [0.3, 0.3, 0.2, 0.1, 0.1], [0.1, 0.2, 0.3, 0.3, 0.1], [0.4, 0.2, 0.1, 0, 0.3]]
)
def test_the_event_is_what_trying_all_referees_gives(n_classes, weights):
    votes = committee(n_classes=n_classes, seed=n_classes)
    certificate = certify_votes(votes, weights=weights or "uniform", bound="test_set")
    assert certificate.counts.n_test_errors == brute_force(votes, weights or [0.2] * 5)
    assert certificate.counts.tally.n_samples == 300
    assert list(certificate.bounds) == ["test_set"]
    assert verify_file(document_of(certificate), votes=votes).problem is None


def test_ties_up_to_rounding_count_as_lost():
    """0.3 + 0.3 against 0.2 + 0.1 + 0.1 + 0.2 is a tie only up to rounding."""
    predictions = [["a"], ["a"], ["b"], ["b"], [None]]
    votes = Votes.from_predictions(predictions, ["a"], [[True]] * 4 + [[False]])
    for weights, n_errors in (
        ([0.3, 0.3, 0.2, 0.1, 0.1], 0),  # 0.6 against 0.4
        ([0.3, 0.2, 0.2, 0.2, 0.1], 1),  # 0.5 against 0.5
        ([0.1 + 0.2, 0.2, 0.3 - 1e-16, 0.1, 0.1], 1),
    ):
        certificate = certify_votes(votes, weights=weights, bound="test_set")
        assert certificate.counts.n_test_errors == n_errors


@pytest.mark.parametrize("rigorous", [False, True])
@pytest.mark.parametrize("n_untested", [1, 3])
def test_a_committee_file_is_valid_and_read_back(tmp_path, rigorous, n_untested):
    votes = committee(n_untested=n_untested)
    certificate = certify_votes(votes)
    path = certificate.save(tmp_path / "c.json")
    verdict = verify_file(path, rigorous=rigorous, votes=votes)
    assert verdict.valid, verdict.problem
    loaded = Certificate.load(path)
    assert (loaded.value, loaded.n_untested) == (certificate.value, n_untested)
    assert loaded.observed == certificate.observed
    assert loaded.assumptions == certificate.assumptions


def test_the_errors_of_tested_voters_are_at_most_those_of_the_committee():
    document = document_of(certify_votes(committee()))
    whole = document.whole
    options = whole.observed._replace(n_errors=whole.test.n_errors + 1)
    forged = replace(document, certificates=(replace(whole, observed=options),))
    assert "on 300 samples, and the test errors" in verify_file(forged).problem


def test_recounting_finds_other_votes_and_other_tested_voters():
    votes = committee()
    document = document_of(certify_votes(votes))
    assert list(recount(document, votes, None, {})) == []
    other = replace(votes, labels=1 - votes.labels)
    assert any("the test errors differ" in text for text in recount(document, other, None, {}))
    swapped = replace(votes, held_out=votes.held_out[::-1])
    problem = next(recount(document, swapped, None, {}))
    assert "common held-out samples differ at 0, 0: 300 in the file and 0 in the votes" in problem


def test_the_assumptions_state_what_may_change():
    record = document_of(certify_votes(committee())).whole
    without = replace(record, assumptions=record.assumptions[:4])
    assert "untested models" in without.missing_assumptions[0]
    grouped = certify_votes(replace(committee(), one_row_per_group=True))
    record = document_of(grouped).whole
    assert record.one_row_per_group
    assert "random new group" in grouped.assumptions[0]
    assert not record.missing_assumptions
    assert rounded_up(grouped.value) == record.printed


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weights": "tandem"}, "Voter 4 has no held-out samples. That requires fixed weights"),
        (
            {"weights": [0.1, 0.1, 0.1, 0.1, 0.6], "bound": "test_set"},
            "Voters without held-out samples have 0.6 of",
        ),
        ({"bound": "tandem"}, "bound='tandem' requires every voter to be tested"),
        ({"bound": ["test_set", "coalition"]}, "'coalition' requires every voter to be tested"),
        ({"weights": [0.2] * 5, "bound": "coalition"}, "Voter 4 has no held-out samples"),
    ],
)
def test_what_untested_voters_do_not_allow(options, message):
    with pytest.raises(ValueError, match=message):
        certify_votes(committee(), **options)


def test_groups_of_a_committee_count_the_same_event(tmp_path):
    votes = committee(n_classes=3, seed=3)
    site = np.arange(300) % 2
    groups = certify_votes(votes).by_group({"class": "class", "site": site})
    for by in ("class", "site"):
        total = sum(each.counts.n_test_errors for each in groups if each.group.by == by)
        assert total == groups.certificate.counts.n_test_errors
    assert all(each.n_untested == 1 for each in groups)
    verdict = verify_file(groups.save(tmp_path / "c.json"), votes=votes, columns={"site": site})
    assert verdict.valid, verdict.problem
    with pytest.raises(ValueError, match="by='predicted' requires samples that test the whole"):
        groups.certificate.by_group("predicted")


def test_a_group_of_a_committee_without_samples_is_valid():
    labels = np.repeat([0, 1], [150, 150])
    held_out = np.array([[True] * 300] * 3 + [[False] * 300])
    votes = Votes.from_predictions([np.where(labels, 2, 0)] * 4, labels, held_out)
    groups = certify_votes(votes).by_group("class")
    assert [each.counts.tally.n_samples for each in groups] == [150, 150, 0]
    document = document_of(replace(groups.certificate, groups=groups))
    assert verify_file(document, votes=votes).problem is None
