"""The inverses of kl are never on the unsafe side, anywhere."""

import mpmath as mp
import numpy as np
import pytest
import truth

from tandemvote.inequalities import binary_kl, kl_lower_inverse, kl_upper_inverse

EDGES = [0.0, 1.0, 5e-324, 1e-300, 1e-16, 1e-9, 0.5, 1 - 1e-9, 1 - 2.0**-53]


def sample(size, seed):
    """Random and edge biases, with divergences from 1e-18 to 1e3."""
    rng = np.random.default_rng(seed)
    quarter = size // 4
    p = np.concatenate(
        [
            rng.choice(EDGES, quarter),
            rng.random(quarter),
            10 ** rng.uniform(-300, 0, quarter),
            1 - 10 ** rng.uniform(-16, 0, quarter),
        ]
    )
    return p, 10 ** rng.uniform(-18, 3, p.size)


def realistic_sample(size, seed):
    """Rates of errors on 1 to ten million samples, with divergences as in PAC-Bayesian bounds.

    In one half the samples are so few for the divergence that the upper inverse is nearly 1, where
    it was below the truth in 185 of 40,000 cases when it was rounded up by a single ulp.
    """
    rng = np.random.default_rng(seed)
    half = size // 2
    n = np.floor(10 ** rng.uniform(0, 7, half))
    many = np.floor(n * rng.random(half) ** 3) / n
    few = 10 ** rng.uniform(-6, 0, half)
    allowed = (rng.exponential(3.0, half) + np.log(2 * np.sqrt(n) / 0.05)) / n
    return np.concatenate([many, few]), np.concatenate([allowed, rng.uniform(5, 36, half)])


def check_safe_and_tight(p, divergence):
    upper, lower = kl_upper_inverse(p, divergence), kl_lower_inverse(p, divergence)
    billionth = mp.mpf(10) ** -9
    for bias, allowed, q in zip(p, divergence, upper, strict=True):
        assert q >= bias
        assert q == 1 or truth.binary_kl(bias, q) >= allowed, ("unsafe", bias, allowed, q)
        inner = q * (1 - billionth)
        assert inner <= bias or truth.binary_kl(bias, inner) <= allowed, ("loose", bias, allowed, q)
    for bias, allowed, q in zip(p, divergence, lower, strict=True):
        assert q <= bias
        assert q == 0 or truth.binary_kl(bias, q) >= allowed, ("unsafe", bias, allowed, q)
        inner = q * (1 + billionth) + np.finfo(float).tiny
        assert inner >= bias or truth.binary_kl(bias, inner) <= allowed, ("loose", bias, allowed, q)


def test_inverses_are_safe_and_tight_on_random_and_edge_inputs():
    check_safe_and_tight(*sample(2_000, seed=1))


@pytest.mark.slow
def test_inverses_are_safe_and_tight_on_two_hundred_thousand_inputs():
    check_safe_and_tight(*sample(200_000, seed=2))


def test_inverses_are_safe_and_tight_on_realistic_inputs():
    check_safe_and_tight(*realistic_sample(1_000, seed=5))


@pytest.mark.slow
def test_inverses_are_safe_and_tight_on_forty_thousand_realistic_inputs():
    check_safe_and_tight(*realistic_sample(40_000, seed=6))


def test_inverses_of_tiny_rates_and_divergences_are_safe_without_underflow():
    """Below 3e-33 the lower inverse was NaN where the product of both underflowed."""
    p, divergence = np.meshgrid(10.0 ** -np.arange(20, 320, 13), 10.0 ** -np.arange(0, 320, 13))
    p, divergence = p.ravel(), divergence.ravel()
    resolved = divergence >= 1e-290
    with mp.workdps(700):  # 1 - p differs from 1 in the 300th digit
        check_safe_and_tight(p[resolved], divergence[resolved])
    upper, lower = kl_upper_inverse(p, divergence), kl_lower_inverse(p, divergence)
    assert ((lower >= 0) & (lower <= p) & (p <= upper) & (upper <= 1)).all()


def test_closed_forms_at_the_ends():
    divergence = np.array([1e-18, 1e-6, 0.3, 5.0, 1e3])
    np.testing.assert_allclose(kl_upper_inverse(0, divergence), -np.expm1(-divergence), rtol=1e-12)
    np.testing.assert_allclose(kl_lower_inverse(1, divergence), np.exp(-divergence), rtol=1e-9)
    assert (kl_upper_inverse(1, divergence) == 1).all()
    assert (kl_lower_inverse(0, divergence) == 0).all()


def test_no_divergence_leaves_the_bias_as_it_is():
    p = np.array([0.0, 1e-300, 0.3, 1.0])
    assert (kl_upper_inverse(p, 0) == p).all()
    assert (kl_lower_inverse(p, 0) == p).all()


def test_infinite_divergence_allows_everything():
    p = np.array([0.0, 0.3, 1.0])
    assert kl_upper_inverse(p, np.inf).tolist() == [1, 1, 1]
    assert kl_lower_inverse(p, np.inf).tolist() == [0, 0, 0]


def test_inverses_broadcast_like_ufuncs():
    grid = kl_upper_inverse(np.array([[0.1], [0.2]]), np.array([0.01, 0.1, 1.0]))
    assert grid.shape == (2, 3)
    assert grid[1, 2] == kl_upper_inverse(0.2, 1.0)
    assert isinstance(kl_upper_inverse(0.2, 1.0), float)


@pytest.mark.parametrize("p", [-0.1, 1.1, np.nan])
def test_what_is_not_a_rate_is_rejected(p):
    with pytest.raises(ValueError, match=r"rate must lie in \[0, 1\]"):
        kl_upper_inverse(p, 0.1)


def test_a_negative_divergence_is_rejected():
    with pytest.raises(ValueError, match=r"at least 0, got -0\.1"):
        kl_lower_inverse(0.5, [-0.1, 0.1])


def test_binary_kl_has_full_relative_precision_also_where_p_and_q_nearly_agree():
    rng = np.random.default_rng(3)
    p = np.concatenate([rng.random(500), 10 ** rng.uniform(-12, 0, 500)])
    q = np.clip(
        p * (1 + 10 ** rng.uniform(-12, 1, 1000) * rng.choice([-1, 1], 1000)), 1e-15, 1 - 1e-15
    )
    ours = binary_kl(p, q)
    for bias, other, value in zip(p, q, ours, strict=True):
        assert abs(value - truth.binary_kl(bias, other)) <= 1e-12 * truth.binary_kl(bias, other)


def test_binary_kl_at_the_ends():
    assert binary_kl(0.0, 0.0) == 0
    assert binary_kl(1.0, 1.0) == 0
    assert binary_kl(0.5, 1.0) == np.inf
    assert binary_kl(0.5, 0.0) == np.inf
    assert binary_kl(1.0, 0.5) == pytest.approx(np.log(2))
