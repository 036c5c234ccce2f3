"""PAC-Bayes: right, safe, and as often wrong as promised; xi(n) equals its definition."""

import mpmath as mp
import numpy as np
import pytest
import truth
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.stats import binom

from tandemvote.inequalities import kl_divergence, pac_bayes_kl, pac_bayes_lambda, two_sqrt, xi
from tandemvote.inequalities.pac_bayes import lambda_upper


@pytest.mark.parametrize("moment", [None, xi])
@pytest.mark.parametrize("loss", [0.0, 1e-6, 0.2, 0.7, 1.0])
@pytest.mark.parametrize(
    ("n", "divergence", "delta"), [(1, 0, 0.05), (300, 4.6, 1e-9), (1e9, 100, 0.5)]
)
def test_both_ends_agree_with_fifty_digits_and_are_safe(loss, n, divergence, delta, moment):
    extra = {} if moment is None else {"moment": moment}
    interval = pac_bayes_kl(loss, n, kl_divergence=divergence, delta=delta, **extra)
    inside = 2 * mp.sqrt(n) if moment is None else truth.xi(n) if n < 1e9 else mp.mpf(xi(n))
    allowed = (divergence + mp.log(inside / mp.mpf(delta))) / mp.mpf(n)
    upper, lower = truth.kl_upper(loss, allowed), truth.kl_lower(loss, allowed)
    assert upper <= interval.upper <= upper + 1e-9
    assert lower - 1e-9 <= interval.lower <= lower


@pytest.mark.parametrize("n", [1, 2, 5, 30, 200])
@pytest.mark.parametrize("true_loss", [0.01, 0.1, 0.37, 0.5, 0.9])
@pytest.mark.parametrize("delta", [0.01, 0.05, 0.3])
def test_the_interval_misses_at_most_delta_of_the_time(n, true_loss, delta):
    """One voter: the number of errors is binomial, so the failure probability is exact."""
    errors = np.arange(n + 1)
    interval = pac_bayes_kl(errors / n, n, delta=delta)
    probability = binom.pmf(errors, n, true_loss)
    missed = (interval.upper < true_loss) | (interval.lower > true_loss)
    assert probability[missed].sum() <= delta


@given(loss=st.floats(0, 1), k=st.floats(1e-9, 10))
def test_best_lambda_is_the_numerical_minimum_and_eliminates_to_the_closed_form(loss, k):
    def objective(lam):
        return loss / (1 - lam / 2) + k / (lam * (1 - lam / 2))

    lam = 2 / (np.sqrt(2 * loss / k + 1) + 1)
    assert 0 < lam < 2
    assert objective(lam) == pytest.approx(lambda_upper(loss, k), rel=1e-9)
    fine = minimize_scalar(
        objective, bounds=(1e-12, 2 - 1e-12), method="bounded", options={"xatol": 1e-12}
    )
    assert objective(lam) <= fine.fun * (1 + 1e-9)


@given(loss=st.floats(1e-6, 1), n=st.integers(1, 10**6), divergence=st.floats(0, 50))
def test_best_gamma_is_the_numerical_maximum(loss, n, divergence):
    k = (divergence + np.log(2 * np.sqrt(n) / 0.05)) / n
    best = np.sqrt(2 * k / loss)

    def lower(gamma):
        return (1 - gamma / 2) * loss - k / gamma

    bound = pac_bayes_lambda(loss, n, kl_divergence=divergence)
    assert bound.lower == pytest.approx(max(lower(best), 0), abs=1e-9)
    others = lower(best * np.linspace(0.5, 2, 201))
    assert (others <= lower(best) + 1e-12 * max(1, k)).all()


@given(loss=st.floats(0, 1), n=st.integers(1, 10**9), divergence=st.floats(0, 100))
def test_lambda_form_relaxes_kl_form(loss, n, divergence):
    tight = pac_bayes_kl(loss, n, kl_divergence=divergence)
    loose = pac_bayes_lambda(loss, n, kl_divergence=divergence)
    assert loose.upper >= tight.upper - 1e-11
    assert loose.lower <= tight.lower + 1e-11


def test_kl_divergence_equals_fifty_digits():
    rng = np.random.default_rng(0)
    prior, posterior = rng.dirichlet(np.ones(200)), rng.dirichlet(np.full(200, 0.1))
    exact = mp.fsum(
        mp.mpf(r) * mp.log(mp.mpf(r) / mp.mpf(p))
        for r, p in zip(posterior, prior, strict=True)
        if r > 0
    )
    assert abs(kl_divergence(posterior, prior) - exact) < 1e-13


def test_kl_divergence_of_nearly_equal_weights_is_not_negative():
    rng = np.random.default_rng(1)
    for _ in range(300):
        prior = rng.dirichlet(np.ones(50))
        posterior = prior * (1 + 1e-15 * rng.standard_normal(50))
        assert kl_divergence(posterior, prior) >= 0


def test_weight_without_prior_is_rejected():
    with pytest.raises(ValueError, match=r"Voter 1 has weight 0\.5 but prior 0"):
        kl_divergence([0.5, 0.5], [1.0, 0.0])


@pytest.mark.parametrize("n", [-1, 0.5, np.nan])
def test_sizes_that_are_no_counts_are_rejected(n):
    with pytest.raises(ValueError, match="0 or at least 1"):
        pac_bayes_kl(0.1, n)


@pytest.mark.parametrize("delta", [0, 1, -0.1, np.nan])
def test_delta_outside_the_open_interval_is_rejected(delta):
    with pytest.raises(ValueError, match="expected a failure probability between 0 and 1"):
        pac_bayes_kl(0.1, 10, delta=delta)


def test_no_samples_say_nothing():
    assert pac_bayes_kl(0.1, 0) == (0.0, 1.0)


@pytest.mark.parametrize("n", [1, 2, 3, 7, 15, 16, 17, 50, 211, 400])
def test_xi_equals_its_defining_sum(n):
    assert abs(xi(n) - truth.xi(n)) <= 1e-13 * truth.xi(n)


@pytest.mark.parametrize("n", [1.5, 284.54, 9459.96, 1e6])
def test_xi_extends_to_real_sizes(n):
    assert abs(xi(n) - truth.xi(n)) <= 1e-12 * truth.xi(n)


def test_xi_at_a_billion_follows_its_expansion():
    # Ramanujan: xi(n) = sqrt(pi n / 2) + 2/3 + sqrt(pi / (2 n)) / 12 + O(1/n).
    n = mp.mpf(10) ** 9
    expansion = mp.sqrt(mp.pi * n / 2) + mp.mpf(2) / 3 + mp.sqrt(mp.pi / (2 * n)) / 12
    assert abs(xi(10**9) - expansion) <= 1e-12 * expansion


def test_xi_is_at_most_two_sqrt_n():
    n = np.unique(np.geomspace(1, 1e9, 500).astype(int))
    assert (xi(n) <= two_sqrt(n) * (1 + 1e-14)).all()


def test_log_xi_per_sample_decreases_so_that_the_smallest_size_is_safe():
    n = np.unique(np.geomspace(1, 1e9, 500).astype(int))
    assert (np.diff(np.log(xi(n)) / n) < 0).all()
