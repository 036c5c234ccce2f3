"""Catoni's inequality with planned tilts: expectation at most 1, one root, exact coverage."""

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from tandemvote.inequalities import kl_upper_inverse, pac_bayes_kl
from tandemvote.inequalities.catoni import (
    LEAST_EVIDENCE,
    LOG_SHARES,
    catoni_evidence,
    catoni_rates,
    catoni_upper,
    evidence_inverse,
)


def evidence_in_fifty_digits(loss, mean, n, rates):
    total = mp.mpf(0)
    for log_share, rate in zip(LOG_SHARES, rates, strict=True):
        tilt = mp.mpf(float(rate)) / mp.sqrt(mp.mpf(mean))
        psi = -tilt * mp.mpf(loss) - mp.log(1 - mp.mpf(mean) * (1 - mp.exp(-tilt)))
        total += mp.exp(mp.mpf(float(log_share)) + n * psi)
    return mp.log(total)


@pytest.mark.parametrize("loss", [0.0, 0.003, 0.2, 0.9])
@pytest.mark.parametrize(("n", "delta"), [(7, 0.05), (800, 0.3), (10**6, 1e-6)])
def test_evidence_and_its_inverse_agree_with_fifty_digits(loss, n, delta):
    rates = catoni_rates(n, delta=delta)
    for mean in (1e-6, 0.01, 0.3, 1.0):
        exact = evidence_in_fifty_digits(loss, mean, n, rates)
        found = catoni_evidence(loss, mean, n, rates=rates)
        assert exact - 1e-7 * (1 + abs(exact)) <= found <= exact + mp.mpf(10) ** -12
    for divergence in (0.0, 3.0, 80.0):
        bound = catoni_upper(loss, n, rates=rates, kl_divergence=divergence, delta=delta)
        needed = divergence + mp.log(1 / mp.mpf(delta))
        if bound < 1:
            assert evidence_in_fifty_digits(loss, float(bound), n, rates) >= needed
        below = max(float(bound) * (1 - 1e-8) - 1e-15, 1e-12)
        assert evidence_in_fifty_digits(loss, below, n, rates) < needed


@given(
    loss=st.floats(0, 1),
    n=st.integers(1, 10**6),
    planned=st.integers(1, 10**6),
    low=st.floats(1e-9, 1),
    high=st.floats(1e-9, 1),
)
def test_evidence_grows_with_the_mean(loss, n, planned, low, high):
    rates = catoni_rates(planned)
    low, high = sorted((low, high))
    smaller, larger = catoni_evidence(loss, [low, high], n, rates=rates)
    assert smaller <= larger + 1e-9 * (1 + abs(larger))


@pytest.mark.parametrize("n", [1, 9, 60, 400])
@pytest.mark.parametrize("mean", [0.01, 0.2, 0.5, 0.95])
def test_expected_exponential_of_the_evidence_is_one_for_coins(n, mean):
    errors = np.arange(n + 1)
    evidence = catoni_evidence(errors / n, mean, n, rates=catoni_rates(n))
    assert binom.pmf(errors, n, mean) @ np.exp(evidence) == pytest.approx(1.0, abs=1e-8)


@pytest.mark.parametrize("n", [1, 9, 60, 400])
@pytest.mark.parametrize("delta", [0.05, 0.3])
def test_the_bound_misses_at_most_delta_of_the_time(n, delta):
    errors = np.arange(n + 1)
    upper = catoni_upper(errors / n, n, rates=catoni_rates(n, delta=delta), delta=delta)
    for mean in (0.01, 0.1, 0.37, 0.5, 0.9):
        assert binom.pmf(errors, n, mean)[upper < mean].sum() <= delta


def test_it_lies_between_chernoff_and_pac_bayes_kl_for_weights_fixed_in_advance():
    """Nothing beats kl+ at ln(1/delta); PAC-Bayes-kl adds ln(2 sqrt(n))."""
    for n in (100, 1000, 10**4, 10**6):
        for loss in (0.02, 0.2, 0.4):
            bound = catoni_upper(loss, n, rates=catoni_rates(n))
            assert kl_upper_inverse(loss, np.log(20) / n) < bound < pac_bayes_kl(loss, n).upper


def test_evidence_never_falls_below_its_floor():
    evidence = catoni_evidence(1.0, np.geomspace(1e-300, 1, 50), 1000, rates=catoni_rates(1000))
    assert (evidence >= LEAST_EVIDENCE - 1e-12).all()


def test_shares_sum_to_one():
    assert mp.fsum(mp.exp(mp.mpf(float(s))) for s in LOG_SHARES) == pytest.approx(1, abs=1e-15)


def test_out_of_reach_evidence_gives_one():
    assert evidence_inverse(0.5, 10, rates=catoni_rates(10.0), evidence=100.0) == 1.0
