"""Theorems 8 to 10 against the formulas of the paper, written out once more."""

from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from tandemvote import VoteCounts, Votes
from tandemvote.bounds import (
    Estimates,
    RequirementError,
    disagreement_bound,
    disagreement_lambda,
    first_order_bound,
    first_order_lambda,
    tandem_bound,
    tandem_lambda,
)
from tandemvote.inequalities import best_gamma, best_lambda, pac_bayes_lambda

rates = st.floats(0.001, 0.5)
sizes = st.integers(2, 10**6)
divergences = st.floats(0.0, 20.0)
lambdas = st.floats(0.001, 1.999)
gammas = st.floats(0.001, 100.0)
deltas = st.floats(1e-6, 0.5)


@given(st.tuples(rates, rates, sizes, sizes, divergences), deltas, lambdas, gammas)
def test_the_values_are_those_of_the_theorems(known, delta, lam, gamma):
    g, d, n, m, kl = known
    numbers = Estimates.from_numbers(
        gibbs_loss=g, tandem_loss=g / 2, disagreement=d, kl_divergence=kl,
        n_min=n, n_min_pairs=m, n_min_disagreement=m,
    )  # fmt: skip
    theorem_8 = 2 * (
        g / (1 - lam / 2) + (kl + log(2 * sqrt(n) / delta)) / (lam * (1 - lam / 2) * n)
    )
    theorem_9 = 4 * (
        g / 2 / (1 - lam / 2) + (2 * kl + log(2 * sqrt(m) / delta)) / (lam * (1 - lam / 2) * m)
    )
    theorem_10 = 4 * (
        g / (1 - lam / 2) + (kl + log(4 * sqrt(n) / delta)) / (lam * (1 - lam / 2) * n)
    ) - 2 * ((1 - gamma / 2) * d - (2 * kl + log(4 * sqrt(m) / delta)) / (gamma * m))
    assert first_order_lambda(numbers, delta, lam=lam) == pytest.approx(theorem_8, rel=1e-9)
    assert tandem_lambda(numbers, delta, lam=lam) == pytest.approx(theorem_9, rel=1e-9)
    value = disagreement_lambda(numbers, delta, lam=lam, gamma=gamma)
    assert value == pytest.approx(theorem_10, rel=1e-9, abs=1e-8)
    # The best parameters are those of the paper, and no others are better.
    star = 2 / (sqrt(2 * n * g / (kl + log(4 * sqrt(n) / delta)) + 1) + 1)
    gamma_star = sqrt((4 * kl + log(16 * m / delta**2)) / (m * d))
    assert best_lambda(g, n, kl_divergence=kl, delta=delta / 2) == pytest.approx(star, rel=1e-12)
    assert best_gamma(d, m, kl_divergence=2 * kl, delta=delta / 2) == pytest.approx(gamma_star)
    best = disagreement_lambda(numbers, delta)
    assert disagreement_lambda(numbers, delta, lam=star, gamma=gamma_star) == pytest.approx(
        best, rel=1e-9, abs=1e-8
    )
    assert best <= value + 1e-8
    assert tandem_lambda(numbers, delta) <= theorem_9 * (1 + 1e-9)
    assert first_order_lambda(numbers, delta) <= theorem_8 * (1 + 1e-9)


@given(rates, sizes, divergences, lambdas)
def test_values_are_rounded_up_and_above_the_kl_form(rate, n, kl, lam):
    numbers = Estimates.from_numbers(
        gibbs_loss=rate, tandem_loss=rate, disagreement=rate, kl_divergence=kl,
        n_min=n, n_min_pairs=n,
    )  # fmt: skip
    assert first_order_bound(numbers) <= min(first_order_lambda(numbers, lam=lam), 1.0)
    assert tandem_bound(numbers) <= min(tandem_lambda(numbers, lam=lam), 1.0)
    if disagreement_bound(numbers) < 1.0:  # it is 1 where the rates contradict each other
        assert disagreement_bound(numbers) <= disagreement_lambda(numbers)
    upper = pac_bayes_lambda(rate, n, kl_divergence=kl, lam=lam).upper
    nats = kl + log(2 * sqrt(n) / 0.05)
    assert upper > (rate + nats / (lam * n)) / (1 - lam / 2)


@pytest.mark.parametrize("lam", [0.0, 2.0, -0.5, np.nan, [0.5, 3.0]])
def test_a_lambda_outside_0_and_2_is_rejected(lam):
    numbers = Estimates.from_numbers(gibbs_loss=0.1, tandem_loss=0.1, n_min=9, n_min_pairs=9)
    for function in (first_order_lambda, tandem_lambda):
        with pytest.raises(ValueError, match=r"lam=.* is not valid; expected .* between 0 and 2"):
            function(numbers, lam=lam)
    with pytest.raises(ValueError, match="between 0 and 2"):
        pac_bayes_lambda(0.1, 100, lam=lam)


@pytest.mark.parametrize("gamma", [0.0, -1.0, np.inf, np.nan])
def test_a_gamma_that_is_not_positive_is_rejected(gamma):
    numbers = Estimates.from_numbers(gibbs_loss=0.1, disagreement=0.1, n_min=9, n_min_pairs=9)
    with pytest.raises(ValueError, match=r"gamma=.* is not valid; expected a positive number"):
        disagreement_lambda(numbers, gamma=gamma)
    with pytest.raises(ValueError, match="expected a positive number"):
        pac_bayes_lambda(0.1, 100, gamma=gamma)


def test_without_samples_there_is_no_limit_below_1():
    assert pac_bayes_lambda([0.0, 0.3], 0).lower.tolist() == [0.0, 0.0]
    assert np.isinf(pac_bayes_lambda([0.0, 0.3], 0, lam=0.5).upper).all()
    assert best_gamma(0.0, 100) == np.inf


def test_theorem_10_is_for_two_classes():
    counts = VoteCounts.from_votes(Votes.from_predictions([[0, 1, 2]], [0, 1, 2]))
    with pytest.raises(RequirementError, match="two classes"):
        disagreement_lambda(Estimates(counts))


@pytest.mark.parametrize("theorem", [first_order_lambda, tandem_lambda])
def test_the_lambda_forms_hold_as_often_as_promised(theorem):
    """One voter: the number of errors is binomial, so the failure probability is exact."""
    n, delta, factor = 30, 0.05, {first_order_lambda: 2, tandem_lambda: 4}[theorem]
    errors = np.arange(n + 1)
    values = np.array([
        theorem(Estimates.from_numbers(gibbs_loss=k / n, tandem_loss=k / n, n_min=n, n_min_pairs=n))
        for k in errors
    ])  # fmt: skip
    for rate in (0.02, 0.2, 0.5):
        missed = binom.pmf(errors, n, rate)[values < factor * rate].sum()
        assert missed <= delta
