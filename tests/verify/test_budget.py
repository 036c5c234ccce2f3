"""Files that would take minutes or hours to verify are rejected; honest files never are."""

import json
from dataclasses import fields, replace
from fractions import Fraction

import numpy as np
import pytest

from tandemvote import Votes, certify
from tandemvote.certificate import Certificate, certify_votes
from tandemvote.record.document import ErrorCount
from tandemvote.record.encodings import MAX_SAMPLES
from tandemvote.verify import CertificateFileError, verify_file
from tandemvote.verify.arithmetic import TERMS_PER_VOTER, Arithmetic, Balls
from tandemvote.votes.pair_counts import PairCounts

TOO_LONG = "too many different binomial limits"


def coalition(n_voters, n, *, equal=False):
    """A file about the coalition of voters that err on about a fifth of n common samples."""
    votes = Votes.from_predictions([[0, 1]] * n_voters, [0, 1])
    weights = np.random.default_rng(0).dirichlet(np.full(n_voters, 20.0))
    document = certify_votes(votes, weights=weights, bound="coalition").document
    errors = np.full(n_voters, n // 5) + (0 if equal else np.arange(n_voters))
    both = np.minimum.outer(errors, errors)
    sizes, lone = np.full_like(both, n), np.add.outer(errors, errors) - 2 * both
    counts = {"tandem_errors": both, "overlaps": sizes, "disagreement_overlaps": sizes}
    counts |= {"lone_errors": lone, "disagreements": lone, "unlabeled_disagreements": 0 * lone}
    record = replace(
        document.whole,
        counts=PairCounts(**counts),
        class_counts=(n, 0),
        voted=ErrorCount(n // 5, n),
    )
    return replace(document, certificates=(record,))


def test_a_few_limits_of_the_largest_samples_are_verified():
    assert "the coalition bound is" in verify_file(coalition(8, MAX_SAMPLES)).problem


def test_equal_limits_are_computed_once():
    assert "the coalition bound is" in verify_file(coalition(300, MAX_SAMPLES, equal=True)).problem


@pytest.mark.parametrize("arithmetic", [Arithmetic, Balls])
def test_many_different_limits_of_many_samples_are_rejected(arithmetic):
    calculate = arithmetic()
    calculate._falling_sum = lambda odds, k, n: calculate.exactly(1)  # which would take minutes
    with pytest.raises(CertificateFileError, match=TOO_LONG):
        for k in range(10**9, 10**9 + 1000):
            calculate.binomial_limit(k, MAX_SAMPLES, Fraction(1, 20))


@pytest.mark.parametrize("n", [100, 10_000, 10**6])
def test_a_limit_of_a_voter_is_within_its_allowance(n):
    """So that files of any number of voters are, each tested on up to a million samples."""
    for k in (0, n // 100, n // 5, n // 2):
        for delta in (0.05, 1e-5, 1e-100):
            calculate = Arithmetic()
            before = calculate._n_terms_left
            calculate.binomial_limit(k, n, Fraction(delta))
            assert before - calculate._n_terms_left <= TERMS_PER_VOTER


@pytest.mark.parametrize(("n_classes", "rejected"), [(200, False), (3000, True)])
def test_a_metric_of_too_many_different_classes_is_rejected(n_classes, rejected, tmp_path):
    votes = Votes.from_predictions([[0, 1, 1]], [0, 1, 0])
    document = certify(votes, metric="balanced_accuracy").document
    tests = tuple(ErrorCount(i % 60, 100 + i // 60) for i in range(n_classes))
    n_errors, n_samples = np.sum(tests, axis=0).tolist()
    whole = ErrorCount(n_errors, n_samples)
    counts = {field.name: np.array([[0]]) for field in fields(PairCounts)}
    counts |= dict.fromkeys(("overlaps", "disagreement_overlaps"), np.array([[n_samples]]))
    record = replace(
        document.whole,
        classes=tuple(range(n_classes)),
        class_counts=tuple(each.n_samples for each in tests),
        counts=PairCounts(**counts | {"tandem_errors": np.array([[n_errors]])}),
        voted=whole,
        test=whole,
        measure=replace(document.whole.measure, tests=tests, observed=tests),
    )
    document = replace(document, certificates=(record,))
    if not rejected:
        assert "limit of balanced_accuracy" in verify_file(document).problem
        return
    path = tmp_path / "certificate.json"
    path.write_text(json.dumps(document.to_json()))
    with pytest.raises(CertificateFileError, match=TOO_LONG):
        Certificate.load(path)
