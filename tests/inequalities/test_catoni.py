"""Catoni's inequality over a grid of tilts: expectation at most 1, one root, exact coverage."""

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from tandemvote.inequalities import kl_upper_inverse, pac_bayes_kl
from tandemvote.inequalities.catoni import (
    LEAST_EVIDENCE,
    catoni_evidence,
    catoni_tilts,
    evidence_inverse,
)
from tandemvote.inequalities.harmonic import harmonic_size


@pytest.fixture(autouse=True)
def fifty_digits():
    with mp.workdps(50):
        yield


def catoni_upper(loss, n, *, tilts, kl_divergence=0.0, delta=0.05):
    """Smallest mean refuted by weights that cost a divergence."""
    nats = (kl_divergence - np.log(delta)) * (1 + 2.0**-42)
    return evidence_inverse(loss, n, tilts=tilts, evidence=nats)


def evidence_in_fifty_digits(loss, mean, n, tilts):
    total = mp.mpf(0)
    for value, log_share in zip(*tilts, strict=True):
        tilt = mp.mpf(float(value))
        psi = -tilt * mp.mpf(loss) - mp.log(1 - mp.mpf(mean) * (1 - mp.exp(-tilt)))
        total += mp.exp(mp.mpf(float(log_share)) + n * psi)
    return mp.log(total)


@pytest.mark.parametrize("loss", [0.0, 0.003, 0.2, 0.9])
@pytest.mark.parametrize(("n", "delta"), [(7, 0.05), (800, 0.3), (10**6, 1e-6)])
def test_evidence_and_its_inverse_agree_with_fifty_digits(loss, n, delta):
    tilts = catoni_tilts(n, delta=delta)
    for mean in (1e-6, 0.01, 0.3, 1.0):
        exact = evidence_in_fifty_digits(loss, mean, n, tilts)
        actual = catoni_evidence(loss, mean, n, tilts=tilts)
        assert exact - 1e-7 * (1 + abs(exact)) <= actual <= exact + mp.mpf(10) ** -12
    for divergence in (0.0, 3.0, 80.0):
        bound = catoni_upper(loss, n, tilts=tilts, kl_divergence=divergence, delta=delta)
        needed = divergence + mp.log(1 / mp.mpf(delta))
        if bound < 1:
            assert evidence_in_fifty_digits(loss, float(bound), n, tilts) >= needed
        below = max(float(bound) * (1 - 1e-8) - 1e-15, 1e-12)
        assert evidence_in_fifty_digits(loss, below, n, tilts) < needed


@given(
    loss=st.floats(0, 1),
    n=st.integers(1, 10**6),
    planned=st.integers(1, 10**6),
    low=st.floats(1e-9, 1),
    high=st.floats(1e-9, 1),
)
def test_evidence_grows_with_the_mean(loss, n, planned, low, high):
    tilts = catoni_tilts(planned)
    low, high = sorted((low, high))
    smaller, larger = catoni_evidence(loss, [low, high], n, tilts=tilts)
    assert smaller <= larger + 1e-9 * (1 + abs(larger))


@pytest.mark.parametrize("n", [1, 9, 60, 400])
@pytest.mark.parametrize("mean", [0.01, 0.2, 0.5, 0.95])
def test_expected_exponential_of_the_evidence_is_one_for_coins(n, mean):
    errors = np.arange(n + 1)
    evidence = catoni_evidence(errors / n, mean, n, tilts=catoni_tilts(n))
    total = np.logaddexp.reduce(binom.logpmf(errors, n, mean) + evidence)
    assert total == pytest.approx(0.0, abs=1e-8)


@pytest.mark.parametrize("n", [1, 9, 60, 400])
@pytest.mark.parametrize("delta", [0.05, 0.3])
def test_the_bound_misses_at_most_delta_of_the_time(n, delta):
    errors = np.arange(n + 1)
    upper = catoni_upper(errors / n, n, tilts=catoni_tilts(n, delta=delta), delta=delta)
    for mean in (0.01, 0.1, 0.37, 0.5, 0.9):
        assert binom.pmf(errors, n, mean)[upper < mean].sum() <= delta


def test_it_lies_between_chernoff_and_pac_bayes_kl_for_weights_fixed_in_advance():
    """Nothing beats kl+ at ln(1/delta); PAC-Bayes-kl adds ln(2 sqrt(n))."""
    for n in (100, 1000, 10**4, 10**6):
        for loss in (0.02, 0.2, 0.4):
            bound = catoni_upper(loss, n, tilts=catoni_tilts(n))
            assert kl_upper_inverse(loss, np.log(20) / n) < bound < pac_bayes_kl(loss, n).upper


def test_evidence_never_falls_below_its_floor():
    evidence = catoni_evidence(1.0, np.geomspace(1e-300, 1, 50), 1000, tilts=catoni_tilts(1000))
    assert (evidence >= LEAST_EVIDENCE - 1e-12).all()


@pytest.mark.parametrize("n", [0, 1, 50, 1000, 10**9])
@pytest.mark.parametrize("delta", [1e-9, 0.05, 0.9])
def test_shares_sum_to_one(n, delta):
    shares = [mp.exp(mp.mpf(float(s))) for s in catoni_tilts(n, delta=delta).log_shares]
    assert mp.fsum(shares) == pytest.approx(1, abs=1e-15)


def test_the_bound_holds_for_weights_chosen_on_the_data():
    """All weight on the voter that looks best of fifty, true errors 0.3. A failure rate of 0.1 in
    place of 0.05 would go unnoticed less than once in 10^6 times."""
    rng, n, n_voters, delta, draws = np.random.default_rng(0), 60, 50, 0.05, 2000
    best = rng.binomial(n, 0.3, size=(draws, n_voters)).min(axis=1) / n
    tilts = catoni_tilts(n, delta=delta)
    paid = catoni_upper(best, n, tilts=tilts, kl_divergence=np.log(n_voters), delta=delta)
    free = catoni_upper(best, n, tilts=tilts, delta=delta)
    assert (paid < 0.3).sum() <= binom.isf(1e-4, draws, delta)
    assert (free < 0.3).sum() > binom.isf(1e-4, draws, delta)  # the divergence is needed


def test_evidence_of_chosen_weights_is_at_most_that_of_the_prior_mixture():
    """The proof itself, on random voters, sizes and weights: one sum of expectation at most 1 lies
    above the evidence of all weights, each at its own mean error and harmonic size."""
    rng = np.random.default_rng(1)
    for _ in range(300):
        n_voters = int(rng.integers(1, 8))
        sizes = rng.integers(1, 200, n_voters)
        losses, means = rng.random((2, n_voters)) ** 3
        prior, weights = rng.dirichlet(np.full(n_voters, rng.choice([0.1, 1.0])), 2) + 1e-12
        prior, weights = prior / prior.sum(), weights / weights.sum()
        tilts = catoni_tilts(float(rng.integers(1, 300)))
        each = catoni_evidence(losses, means, sizes, tilts=tilts)
        size = harmonic_size(weights, sizes, prior)
        chosen = catoni_evidence(weights @ losses, weights @ means, size.n, tilts=tilts)
        assert chosen - size.kl_divergence <= np.logaddexp.reduce(np.log(prior) + each) + 1e-9


def test_out_of_reach_evidence_gives_one():
    assert evidence_inverse(0.5, 10, tilts=catoni_tilts(10.0), evidence=100.0) == 1.0
