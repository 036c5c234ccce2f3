"""Files about votes whose ties a referee breaks: recomputed, recounted, and not tampered with."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from tandemvote.certificate import Certificate, certify_votes
from tandemvote.record.assumptions import standard_assumptions
from tandemvote.verify import verify_file
from tandemvote.verify.recount import recount
from tandemvote.votes.decimals import rounded_up
from tandemvote.votes.votes import Votes


def committee(n=300, n_tested=4, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.integers(n_classes, size=n)
    hard = rng.random(n) < 0.3
    wrong = (rng.random((n_tested, n)) < 0.4) & hard
    shift = rng.integers(1, n_classes, size=wrong.shape)
    return Votes.from_predictions((labels + wrong * shift) % n_classes, labels, ties="referee")


def brute_force(votes, weights):
    """Let every referee break the ties of fractions, and count the samples on which one errs."""
    shares = [Fraction(str(weight)) for weight in weights]
    lost = 0
    for label, column in zip(votes.labels, votes.predictions.T, strict=True):
        totals = [
            sum(share for share, voted in zip(shares, column, strict=True) if voted == code)
            for code in range(votes.classes.size)
        ]
        named = {code for code, total in enumerate(totals) if total == max(totals)}
        lost += bool(named - {label})
    return lost


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize(
    "weights", [None, [0.3, 0.3, 0.2, 0.1, 0.1], [0.1, 0.2, 0.3, 0.3, 0.1], [0.4, 0.2, 0.1, 0, 0.3]]
)
def test_the_event_is_what_trying_all_referees_gives(n_classes, weights):
    votes = committee(n_tested=5, n_classes=n_classes, seed=n_classes)
    certificate = certify_votes(votes, weights=weights or "uniform", bound="test_set")
    assert certificate.evidence.vote.n_test_errors == brute_force(votes, weights or [0.2] * 5)
    assert certificate.counts.n_samples == 300
    assert list(certificate.bounds) == ["test_set"]
    assert verify_file(certificate.document, votes=votes).problem is None


def test_ties_up_to_rounding_count_as_lost():
    """0.1 + 0.2 + 0.2 against 0.3 + 0.2 is a tie only up to rounding."""
    votes = Votes.from_predictions([["a"], ["a"], ["b"], ["b"]], ["a"], ties="referee")
    for weights, n_errors in (
        ([0.3, 0.3, 0.2, 0.2], 0),  # 0.6 against 0.4
        ([0.3, 0.2, 0.3, 0.2], 1),
        ([0.1 + 0.2, 0.2, 0.3 - 1e-16, 0.2], 1),
        ([0.25 + 4e-10, 0.25, 0.25 - 4e-10, 0.25], 1),
        ([0.25 + 1e-8, 0.25, 0.25 - 1e-8, 0.25], 0),
    ):
        certificate = certify_votes(votes, weights=weights, bound="test_set")
        assert certificate.evidence.vote.n_test_errors == n_errors


@pytest.mark.parametrize("rigorous", [False, True])
@pytest.mark.parametrize("n_tested", [3, 4])
def test_a_committee_file_is_valid_and_read_back(tmp_path, rigorous, n_tested):
    votes = committee(n_tested=n_tested, n_classes=3)
    certificate = certify_votes(votes)
    path = certificate.save(tmp_path / "c.json")
    verdict = verify_file(path, rigorous=rigorous, votes=votes)
    assert verdict.valid, verdict.problem
    loaded = Certificate.load(path)
    assert (loaded.value, loaded.ties) == (certificate.value, "referee")
    assert loaded.observed == certificate.observed
    assert loaded.assumptions == certificate.assumptions


def test_the_errors_of_tested_voters_are_at_most_those_of_the_committee():
    document = certify_votes(committee()).document
    whole = document.whole
    options = whole.voted._replace(n_errors=whole.test.n_errors + 1)
    forged = replace(document, certificates=(replace(whole, voted=options),))
    assert "on 300 samples, and the test errors" in verify_file(forged).problem


def test_recounting_finds_other_votes():
    votes = committee()
    document = certify_votes(votes).document
    assert list(recount(document, votes, None, {})) == []
    other = replace(votes, labels=1 - votes.labels)
    assert any("the test errors differ" in text for text in recount(document, other, None, {}))


def test_the_assumptions_state_what_may_change():
    record = certify_votes(committee()).document.whole
    without = replace(record, assumptions=record.assumptions[:4])
    (missing,) = {*without.standard_assumptions()} - {*without.assumptions}
    assert "The referee only breaks" in missing
    grouped = certify_votes(replace(committee(), one_row_per_group=True))
    record = grouped.document.whole
    assert record.one_row_per_group
    assert "random new group" in grouped.assumptions[0]
    assert {*record.standard_assumptions()} <= {*record.assumptions}
    assert rounded_up(grouped.value) == record.printed


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weights": "tandem"}, "'coalition' does not apply: .* a referee breaks ties"),
        ({"weights": "tandem", "bound": "best"}, "'coalition' does not apply"),
        ({"bound": "tandem"}, "'tandem' does not apply: .* a referee breaks ties"),
        ({"bound": ["test_set", "coalition"]}, "'coalition' does not apply"),
        ({"weights": [0.25] * 4}, "'coalition' does not apply"),
    ],
)
def test_what_a_referee_does_not_allow(options, message):
    with pytest.raises(ValueError, match=message):
        certify_votes(committee(), **options)


def test_groups_of_a_committee_count_the_same_event(tmp_path):
    votes = committee(n_classes=3, seed=3)
    site = np.arange(300) % 2
    groups = certify_votes(votes).by_group({"class": "class", "site": site})
    for by in ("class", "site"):
        total = sum(each.evidence.vote.n_test_errors for each in groups if each.group.by == by)
        assert total == groups.certificate.evidence.vote.n_test_errors
    assert all(each.ties == "referee" for each in groups)
    verdict = verify_file(groups.save(tmp_path / "c.json"), votes=votes, columns={"site": site})
    assert verdict.valid, verdict.problem
    with pytest.raises(ValueError, match="by='predicted' requires samples that test the whole"):
        groups.certificate.by_group("predicted")


def test_a_group_of_a_committee_without_samples_is_valid():
    labels = np.repeat([0, 1], [150, 150])
    votes = Votes.from_predictions([np.where(labels, 2, 0)] * 4, labels, ties="referee")
    groups = certify_votes(votes).by_group("class")
    assert [each.counts.n_samples for each in groups] == [150, 150, 0]
    assert [each.baseline for each in groups] == [0.0, 0.0, 0.0]
    document = replace(groups.certificate, groups=groups).document
    assert verify_file(document, votes=votes).problem is None


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"ties": "smallest"}, "the assumptions lack one"),
        (
            {"ties": "smallest", "assumptions": standard_assumptions(test_set=True)},
            "the observed errors are",
        ),
        ({"candidates": {"test_set": 0.5, "coalition": 0.5}}, "whose ties a referee breaks"),
    ],
)
def test_the_rule_for_ties_cannot_be_changed_in_a_file(changes, problem):
    document = certify_votes(committee(n_classes=3)).document
    assert document.whole.test.n_errors > document.whole.voted.n_errors
    forged = replace(document, certificates=(replace(document.whole, **changes),))
    assert problem in verify_file(forged).problem


def test_a_voter_without_held_out_samples_is_rejected_with_a_way_out():
    held_out = np.array([[True] * 4, [False] * 4])
    votes = Votes.from_predictions(np.zeros((2, 4), int), np.zeros(4, int), held_out)
    with pytest.raises(ValueError, match=r"Voter 1 .* also pass ties='referee'"):
        certify_votes(votes)
