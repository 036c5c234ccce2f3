"""The binomial limit against exact tails in 50 digits: never inside, hardly outside."""

import mpmath as mp
import numpy as np
import pytest
from scipy.stats import binom

from tandemvote.inequalities import clopper_pearson
from tandemvote.metrics.limits import rate_lower

DELTAS = [1e-300, 1e-255, 1e-200, 1e-100, 1e-15, 1e-6, 0.05, 0.5, 0.7, 1 - 1e-9, 1 - 2**-53]


@pytest.fixture(autouse=True)
def fifty_digits():
    with mp.workdps(50):
        yield


def log_fewer(k, n, p):
    """ln P(X <= k) for X ~ Bin(n, p), summed from the term of k down; for p above k / n."""
    log_term = mp.log(mp.binomial(n, k)) if n < 1000 else _log_binomial(n, k)
    log_term += k * mp.log(p) + (n - k) * mp.log(1 - p)
    term = total = mp.mpf(1)
    odds = (1 - p) / p
    for j in range(k, 0, -1):
        term *= odds * j / (n - j + 1)
        total += term
        if term < total * mp.mpf(10) ** -48:
            break
    return log_term + mp.log(total)


def _log_binomial(n, k):
    return mp.loggamma(n + 1) - mp.loggamma(k + 1) - mp.loggamma(n - k + 1)


def is_at_least_the_limit(p, k, n, delta):
    """Whether P(X <= k) <= delta at p, decided on the smaller tail."""
    p = mp.mpf(p)
    # A median is next to n p: there the answer is known, and the terms do not fall.
    if delta <= 0.5:
        return p * n > k and log_fewer(k, n, p) <= mp.log(mp.mpf(delta))
    return p * n >= k + 1 or log_fewer(n - k - 1, n, 1 - p) >= mp.log(1 - mp.mpf(delta))


def assert_just_outside(limit, k, n, delta):
    where = f"k={k}, n={n}, delta={delta!r}"
    assert 0 < limit <= 1, where
    if k == n:
        assert limit == 1
        return
    if limit < 1:
        assert is_at_least_the_limit(limit, k, n, delta), f"inside: {where}"
    nearly = mp.mpf(limit) * (1 - mp.mpf(10) ** -9)
    assert not is_at_least_the_limit(nearly, k, n, delta), f"too large: {where}"


def random_counts(rng, n_cases, largest_exponent, most_terms):
    """Counts of every shape whose smaller side has few enough terms to sum."""
    ks, ns = [], []
    while len(ks) < n_cases:
        n = int(10 ** rng.uniform(0, largest_exponent))
        few = min(int(n ** rng.random()), n)
        k = int(rng.choice([rng.integers(n + 1), few, n - few, min(few, 3)]))
        if min(k, n - k, 15 * n**0.5) <= most_terms:
            ks.append(k)
            ns.append(n)
    return ks, ns


def random_delta(rng):
    small = 10 ** -rng.uniform(0, 300)
    return float(rng.choice([small, small ** (1 / 30), rng.random(), 1 - small ** (1 / 20)]))


def assert_random_limits_hold(seed, n_deltas, largest_exponent, most_terms):
    rng = np.random.default_rng(seed)
    for _ in range(n_deltas):
        delta = random_delta(rng)
        ks, ns = random_counts(rng, 100, largest_exponent, most_terms)
        for k, n, limit in zip(ks, ns, clopper_pearson(ks, ns, delta=delta), strict=True):
            assert_just_outside(limit, k, n, delta)


def test_a_thousand_random_limits_are_never_inside_and_hardly_outside():
    assert_random_limits_hold(0, 10, 12, 60)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 9))
def test_thousands_of_limits_of_large_samples_are_never_inside(seed):
    assert_random_limits_hold(seed, 5, 12, 5000)


@pytest.mark.slow
def test_limits_in_the_middle_of_a_billion_samples_are_never_inside():
    for k, delta in [(5 * 10**8, 0.05), (10**8, 1e-300), (9 * 10**8, 0.999), (123_456_789, 0.5)]:
        assert_just_outside(clopper_pearson(k, 10**9, delta=delta), k, 10**9, delta)


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("n", [1, 2, 3, 10, 10**5, 10**9, 10**12])
def test_the_edges_are_never_inside(n, delta):
    ks = sorted({k for k in (0, 1, 2, 8, n - 3, n - 2, n - 1, n) if 0 <= k <= n})
    limits = clopper_pearson(ks, n, delta=delta)
    for k, limit in zip(ks, limits, strict=True):
        assert_just_outside(limit, k, n, delta)
    assert (np.diff(limits) >= 0).all()


def test_the_numbers_that_once_were_inside_or_not_a_number():
    for k, n, delta in [(1, 871_621, 0.05), (8, 10, 1e-300), (8, 10, 1e-200), (22, 68_276, 1e-270)]:
        assert_just_outside(clopper_pearson(k, n, delta=delta), k, n, delta)


@pytest.mark.parametrize(("accepted", "n"), [(1, 10), (97, 100), (5, 10**9), (10**9 - 3, 10**9)])
@pytest.mark.parametrize("delta", [1e-300, 0.05, 0.5, 0.9])
def test_the_lower_limit_of_coverage_is_never_inside(accepted, n, delta):
    low = rate_lower(accepted, n, delta)
    rejected = 1 - mp.mpf(low)
    assert low == 0 or is_at_least_the_limit(rejected, n - accepted, n, delta)
    nearly = rejected * (1 - mp.mpf(10) ** -9) - mp.mpf(2) ** -52
    assert not is_at_least_the_limit(nearly, n - accepted, n, delta)


@pytest.mark.parametrize("n", [1, 7, 40, 300])
@pytest.mark.parametrize("delta", [0.01, 0.05, 0.3])
def test_the_test_set_bound_misses_just_below_delta_of_the_time(n, delta):
    errors = np.arange(n + 1)
    upper = clopper_pearson(errors, n, delta=delta)
    for true_loss in np.append(np.linspace(0.001, 0.999, 97), upper - 1e-9):
        missed = binom.pmf(errors, n, true_loss)[upper < true_loss].sum()
        assert missed <= delta + 1e-12
    # Exact limits: just above the limit of k errors, the failure probability is delta itself.
    k = n // 2
    assert binom.cdf(k, n, upper[k]) == pytest.approx(delta, rel=1e-6)


def test_many_limits_at_once_are_those_of_one_at_a_time():
    k, n = np.array([[0, 3, 5000], [1, 9999, 10_000]]), np.full((2, 3), 10_000)
    single = [clopper_pearson(a, b) for a, b in zip(k.flat, n.flat, strict=True)]
    assert clopper_pearson(k, n) == pytest.approx(np.reshape(single, (2, 3)), rel=1e-12)


@pytest.mark.parametrize(("k", "n"), [(-1, 5), (6, 5), (0.5, 5), (1, np.inf), (np.nan, 5)])
def test_impossible_test_results_are_rejected(k, n):
    with pytest.raises(ValueError, match="n_errors <= n_samples"):
        clopper_pearson(k, n)


def test_without_samples_the_limit_is_one():
    assert clopper_pearson([0, 0], [0, 10]).tolist() == [1.0, clopper_pearson(0, 10)]


@pytest.mark.parametrize(("k", "n"), [(13, 34), (12, 33), (143, 165)])
def test_where_tails_underflow_the_limit_is_a_number(k, n):
    for delta in 10.0 ** np.arange(-300, -290):
        assert_just_outside(float(clopper_pearson(k, n, delta=delta)), k, n, delta)
