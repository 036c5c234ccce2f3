"""Files about votes with untested voters: recomputed, recounted, and not to be tampered with."""

from dataclasses import replace

import numpy as np
import pytest

from tandemvote import Certificate, Votes, certify
from tandemvote.certificate.file import record_of
from tandemvote.verify import verify_file
from tandemvote.verify.recount import recount


def committee(n=300, n_tested=4, n_classes=2, seed=0, weights=None):
    rng = np.random.default_rng(seed)
    labels = rng.integers(n_classes, size=n)
    hard = rng.random(n) < 0.3
    wrong = (rng.random((n_tested, n)) < 0.4) & hard
    shift = rng.integers(1, n_classes, size=wrong.shape)
    predictions = np.vstack([(labels + wrong * shift) % n_classes, labels]).astype(object)
    predictions[-1] = None
    held_out = np.ones(predictions.shape, bool)
    held_out[-1] = False
    return Votes.from_predictions(predictions, labels, held_out)


def brute_force(votes, weights):
    """Try every class for the untested voter, and every other class as the winner of a tie."""
    lost = 0
    for sample, label in enumerate(votes.labels):
        shares = np.zeros(votes.classes.size + 1)
        for voter in range(votes.n_voters - 1):
            shares[votes.predictions[voter, sample]] += weights[voter]
        outcomes = []
        for said in range(shares.size):
            total = shares.copy()
            total[said] += weights[-1]
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
    found = certify(votes, weights="uniform" if weights is None else weights, bound="test_set")
    terms = found.bounds["test_set"].terms
    used = np.full(5, 0.2) if weights is None else np.array(weights)
    assert terms["n_errors"] == brute_force(votes, used)
    assert terms["n_samples"] == 300
    assert list(found.bounds) == ["test_set"]


def test_ties_up_to_rounding_count_as_lost():
    """0.3 + 0.3 against 0.2 + 0.1 + 0.1 + 0.2 is a tie only up to rounding."""
    predictions = [["a"], ["a"], ["b"], ["b"], [None]]
    held_out = [[True]] * 4 + [[False]]
    votes = Votes.from_predictions([*predictions], ["a"], held_out)
    found = certify(votes, weights=[0.3, 0.3, 0.2, 0.1, 0.1], bound="test_set")
    assert found.bounds["test_set"].terms["n_errors"] == 0  # 0.6 against 0.4
    tied = certify(votes, weights=[0.3, 0.2, 0.2, 0.2, 0.1], bound="test_set")
    assert tied.bounds["test_set"].terms["n_errors"] == 1  # 0.5 against 0.5
    nearly = certify(votes, weights=[0.1 + 0.2, 0.2, 0.3 - 1e-16, 0.1, 0.1], bound="test_set")
    assert nearly.bounds["test_set"].terms["n_errors"] == 1


@pytest.mark.parametrize("rigorous", [False, True])
def test_a_committee_file_is_valid_and_read_back(tmp_path, rigorous):
    if rigorous:
        pytest.importorskip("flint")
    votes = committee()
    certificate = certify(votes)
    path = certificate.save(tmp_path / "c.json")
    verdict = verify_file(path, rigorous=rigorous, votes=votes, test=votes)
    assert verdict.valid, verdict.problem
    loaded = Certificate.load(path)
    assert (loaded.value, loaded.n_untested) == (certificate.value, 1)
    assert loaded.assumptions == certificate.assumptions


@pytest.mark.parametrize("n_classes", [2, 4])
def test_impossible_numbers_of_errors_are_named(n_classes):
    certificate = certify(committee(n_classes=n_classes))
    record = record_of(certificate)
    n_errors, n = record.test
    few = record_of(_with_errors(certificate, 0))
    problem = verify_file(replace(few, digest=few.expected_digest)).problem
    assert "two voters that lose the vote err together on" in problem
    many = record_of(_with_errors(certificate, n))
    problem = verify_file(replace(many, digest=many.expected_digest)).problem
    assert f"err too rarely for {n} errors of the committee" in problem
    assert 0 < n_errors < n


def _with_errors(certificate, n_errors):
    bound = certificate.bounds["test_set"]
    n = bound.terms["n_samples"]
    from tandemvote.bounds import test_set_bound

    value = test_set_bound(n_errors=n_errors, n_samples=n, delta=certificate.delta)
    bound = replace(bound, value=value, terms={"n_errors": n_errors, "n_samples": n})
    return replace(certificate, value=value, bounds={"test_set": bound})


def test_recounting_finds_other_votes_and_other_tested_voters():
    votes = committee()
    record = record_of(certify(votes))
    assert list(recount(record, votes, None, votes)) == []
    other = replace(votes, labels=1 - votes.labels)
    assert any("test points in the file" in text for text in recount(record, None, None, other))
    swapped = replace(votes, held_out=votes.held_out[::-1])
    (problem,) = recount(record, None, None, swapped)
    assert "not the tested voters of the file" in problem


def test_the_assumptions_say_what_may_change():
    record = record_of(certify(committee()))
    without = replace(record, attestations=record.attestations[:4])
    assert "untested models" in without.missing_attestations[0]
    grouped = certify(replace(committee(), one_row_per_group=True))
    assert record_of(grouped).one_row_per_group
    assert "random new group" in grouped.assumptions[0]
    assert not record_of(grouped).missing_attestations


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weights": "tandem"}, "Voter 4 has no held-out samples. That requires fixed weights"),
        (
            {"weights": [0.1, 0.1, 0.1, 0.1, 0.6], "bound": "test_set"},
            "Voters without held-out samples have 0.6 of",
        ),
        ({"bound": "tandem"}, "bound='tandem' requires every voter to be tested, and voter 4"),
        ({"bound": ["test_set", "coalition"]}, "bound='coalition' requires every voter"),
    ],
)
def test_what_untested_voters_do_not_allow(options, message):
    with pytest.raises(ValueError, match=message):
        certify(committee(), **options)


def test_groups_of_a_committee_count_the_same_event(tmp_path):
    from tandemvote import certify_by_group

    votes = committee(n_classes=3, seed=3)
    found = certify_by_group(votes, groups="class")
    total = sum(each.test[0] for each in found)
    assert total == found.certificate.bounds["test_set"].terms["n_errors"]
    verdict = verify_file(found.save(tmp_path / "c.json"), votes=votes, test=votes)
    assert verdict.valid, verdict.problem
    with pytest.raises(ValueError, match="require every voter to be tested"):
        certify_by_group(votes, groups="predicted")
