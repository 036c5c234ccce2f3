"""Classifiers that abstain: limits against scipy's exact interval and against brute force."""

import math

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from tandemvote.auditing import Finding
from tandemvote.certificate.selective import (
    MARGINS,
    SelectiveCertificate,
    certified_thresholds,
    is_confident,
    vote_margins,
)
from tandemvote.metrics.limits import rate_lower

pytestmark = pytest.mark.long


def drawn(n=2000, seed=0):
    """Probabilities of two classes, and labels drawn from them."""
    rng = np.random.default_rng(seed)
    p = rng.random(n)
    return np.column_stack([1 - p, p]), (rng.random(n) < p).astype(int)


@pytest.mark.parametrize(("confident", "n"), [(0, 1), (0, 50), (7, 50), (50, 50), (3, 1000)])
@pytest.mark.parametrize("delta", [0.5, 0.025, 1e-6])
def test_coverage_is_the_exact_binomial_limit_rounded_down(confident, n, delta):
    exact = binomtest(confident, n).proportion_ci(1 - 2 * delta, method="exact")
    lower = rate_lower(confident, n, delta)
    assert lower == pytest.approx(exact.low, rel=1e-8, abs=1e-11)
    # The defining inequality: such an extreme count has a probability of at most delta.
    assert lower == 0.0 or binom.sf(confident - 1, n, lower) <= delta


def test_a_threshold_without_confident_samples_does_not_pass():
    (row,) = certified_thresholds(
        np.full(20, 0.3), np.zeros(20, bool), [0.5], max_error=0.99, delta=0.05
    )
    assert (row.n_confident, row.passed, row.coverage) == (0, False, 0.0)


def test_a_margin_of_0_covers_all_samples():
    (row,) = certified_thresholds(
        np.zeros(20), np.zeros(20, bool), [0.0], max_error=0.5, delta=0.05
    )
    assert (row.n_confident, row.passed, row.coverage) == (20, True, 1.0)


def test_samples_on_the_threshold_are_confident_however_the_shares_are_rounded():
    votes = np.array([[6, 4, 0], [7, 3, 0], [5, 4, 1], [4, 3, 3], [1, 1, 8]])
    margins = vote_margins(votes / 10)
    assert margins.tolist() == [0.2, 0.4, 0.1, 0.1, 0.7]
    assert (0.6 - 0.4) < 0.2, "without rounding this sample would be lost"
    assert is_confident(margins, 0.2).tolist() == [True, True, False, False, True]
    thirds = vote_margins(np.array([[2, 1, 0], [1, 1, 1], [3, 0, 0]]) / 3)
    assert is_confident(thirds, 1 / 3).tolist() == [True, False, True]


def test_a_single_class_has_the_largest_margin():
    assert vote_margins([[1.0], [1.0]]).tolist() == [1.0, 1.0]


def passed_by_definition(margins, wrong, grid, max_error, delta):
    """Fallback as its proof states it: the shares since the last threshold that failed add up."""
    order, passed = sorted(grid, reverse=True), []
    for position, threshold in enumerate(order):
        inherited = 0
        while position - inherited > 0 and passed[position - inherited - 1]:
            inherited += 1
        confident = margins >= threshold
        level = (1 + inherited) * delta / (2 * len(grid))
        k, n = int((wrong & confident).sum()), int(confident.sum())
        # A limit of at most max_error means that so few errors are unlikely at max_error.
        passed.append(n > 0 and binom.cdf(k, n, max_error) <= level)
    return {threshold for threshold, yes in zip(order, passed, strict=True) if yes}


@pytest.mark.parametrize("seed", range(30))
def test_levels_are_passed_on_as_in_the_proof(seed):
    rng = np.random.default_rng(seed)
    margins = rng.random(150)
    wrong = rng.random(150) < rng.uniform(0.05, 0.4) * (1 - margins)
    grid = sorted(rng.random(6).round(3).tolist())
    rows = certified_thresholds(margins, wrong, grid, max_error=0.15, delta=0.2)
    assert [row.margin for row in rows] == grid
    actual = {row.margin for row in rows if row.passed}
    assert actual == passed_by_definition(margins, wrong, grid, 0.15, 0.2)
    for row in rows:
        assert row.n_confident == (margins >= row.margin).sum()
        assert row.n_errors == (wrong & (margins >= row.margin)).sum()
        assert row.coverage == rate_lower(row.n_confident, 150, 0.2 / 12)


def test_the_smallest_margin_that_passed_is_chosen():
    shares, labels = drawn()
    certificate = SelectiveCertificate.from_shares(shares, labels, max_error=0.1)
    passed = [each.margin for each in certificate.thresholds if each.passed]
    assert certificate.chosen.margin == min(passed)
    assert [each.margin for each in certificate.thresholds] == list(MARGINS)
    assert certificate.coverage == certificate.chosen.coverage
    margins, wrong = vote_margins(shares), shares.argmax(axis=1) != labels
    assert certificate.chosen.n_errors == (wrong & (margins >= min(passed))).sum()


@pytest.mark.long
def test_bounds_and_coverages_fail_together_no_more_often_than_stated():
    """The true error rate at a margin m is (1 - m) / 4, and the coverage is 1 - m."""
    failures, draws = 0, 100  # failures with probability 3 delta are missed once in 10^4
    for seed in range(draws):
        certificate = SelectiveCertificate.from_shares(*drawn(300, seed), max_error=0.15, delta=0.2)
        for each in certificate.thresholds:
            too_many = each.passed and (1 - each.margin) / 4 > 0.15
            if too_many or each.coverage > 1 - each.margin:
                failures += 1
                break
    assert binom.sf(failures - 1, draws, 0.2) > 1e-6


def test_no_threshold_that_passes_is_no_guarantee():
    rng = np.random.default_rng(0)
    certificate = SelectiveCertificate.from_shares(
        drawn()[0], rng.integers(2, size=2000), max_error=0.1
    )
    assert certificate.chosen.margin == math.inf and certificate.coverage == 0.0
    assert repr(certificate).startswith("No error rate of at most 10.0%")


def test_text_shows_the_limit_as_it_was_given():
    finding = Finding(code="example", severity="warning", message="<b>")
    certificate = SelectiveCertificate.from_shares(*drawn(), max_error=0.07, findings=[finding])
    assert "the error rate on confident samples is at most 7.0%" in repr(certificate)
    assert "warning: <b> [example]" in repr(certificate)


def test_a_certificate_predicts_where_it_is_confident():
    shares, labels = drawn()
    certificate = SelectiveCertificate.from_shares(
        shares, labels, max_error=0.1, shares_of=lambda X: (X, np.array(["no", "yes"]))
    )
    predicted, confident = certificate.predict(shares)
    assert confident.sum() == certificate.chosen.n_confident == predicted.size
    expected = np.array(["no", "yes"])[shares[confident].argmax(axis=1)]
    assert predicted.tolist() == expected.tolist()
    with pytest.raises(ValueError, match="not the classifiers"):
        SelectiveCertificate.from_shares(shares, labels, max_error=0.1).predict(shares)


def test_a_label_that_no_column_stands_for_is_an_error():
    certificate = SelectiveCertificate.from_shares(
        np.ones((50, 1)), np.repeat(["a", "b"], [48, 2]), max_error=0.2, classes=["a"]
    )
    assert certificate.chosen.n_errors == 2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"shares": [0.5, 0.5]}, r"shares has shape \(2,\)"),
        ({"shares": [[0.5, np.nan]] * 2}, r"expected numbers in \[0, 1\]"),
        ({"shares": [[2.0, -1.0]] * 2}, "not scores"),
        ({"max_error": 0}, "max_error=0 is not valid"),
        ({"max_error": 1.0}, "max_error=1.0 is not valid"),
        ({"max_error": float("nan")}, "max_error=nan is not valid"),
        ({"delta": 0.0}, "delta"),
    ],
)
def test_what_cannot_be_certified_is_rejected(changes, message):
    valid = {"shares": [[0.2, 0.8], [0.6, 0.4]], "labels": [1, 0], "max_error": 0.1}
    with pytest.raises(ValueError, match=message):
        SelectiveCertificate.from_shares(**valid | changes)
