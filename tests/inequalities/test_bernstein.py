"""Empirical Bernstein, unexpected Bernstein, Bennett and split-kl: formulas and exact coverage."""

import mpmath as mp
import numpy as np
import pytest
import truth
from scipy.stats import binom, multinomial

from tandemvote.inequalities.bennett import bennett_rates, bennett_upper, variance_upper
from tandemvote.inequalities.empirical_bernstein import empirical_bernstein_upper
from tandemvote.inequalities.split_kl import split_kl_upper
from tandemvote.inequalities.unexpected_bernstein import (
    bernstein_rates,
    unexpected_bernstein_upper,
)

CLOSE = mp.mpf(10) ** -9


@pytest.mark.parametrize("delta", [0.05, 1e-6])
def test_empirical_bernstein_agrees_with_fifty_digits(delta):
    values = np.random.default_rng(0).uniform(-1, 3, size=200)
    x = [mp.mpf(float(v)) for v in values]
    mean = mp.fsum(x) / 200
    variance = mp.fsum((v - mean) ** 2 for v in x) / 199
    nats = mp.log(2 / mp.mpf(delta))
    exact = mean + mp.sqrt(2 * variance * nats / 200) + 7 * 4 * nats / (3 * 199)
    assert (
        exact <= empirical_bernstein_upper(values, lower=-1, upper=3, delta=delta) <= exact + CLOSE
    )


@pytest.mark.parametrize("delta", [0.05, 0.3])
@pytest.mark.parametrize("n", [2, 15, 100])
def test_empirical_bernstein_misses_at_most_delta_of_the_time(n, delta):
    ones = np.arange(n + 1)
    samples = (np.arange(n)[:, None] < ones).astype(float)
    upper = empirical_bernstein_upper(samples, delta=delta)
    for rate in (0.01, 0.2, 0.7):
        assert binom.pmf(ones, n, rate)[upper < rate].sum() <= delta


def test_empirical_bernstein_refuses_values_outside_their_range():
    with pytest.raises(ValueError, match="leave their range"):
        empirical_bernstein_upper([0.5, -0.1])
    assert empirical_bernstein_upper([0.5]) == 1.0


@pytest.mark.parametrize(
    ("mean", "square", "n", "largest"), [(0.1, 0.05, 500, 1.0), (-0.2, 0.3, 40, 0.7)]
)
def test_unexpected_bernstein_is_the_least_of_its_rates(mean, square, n, largest):
    for divergence, delta in ((0.0, 0.05), (4.0, 1e-3)):
        rates = bernstein_rates(n, delta=delta)
        b, m, m2 = (mp.mpf(v) for v in (largest, mean, square))
        nats = divergence + mp.log(len(rates) / mp.mpf(delta))
        exact = min(
            m + (-r - mp.log(1 - r)) / (r * b) * m2 + b * nats / (r * n)
            for r in map(mp.mpf, map(float, rates))
        )
        found = unexpected_bernstein_upper(
            mean=mean,
            mean_square=square,
            n=n,
            largest=largest,
            kl_divergence=divergence,
            delta=delta,
        )
        assert exact <= found <= exact + CLOSE


@pytest.mark.parametrize(
    ("mean", "variance", "n", "width"), [(0.1, 0.05, 500, 1.0), (0.3, 0.02, 40, 1.4)]
)
def test_bennett_is_the_least_of_its_rates(mean, variance, n, width):
    for divergence, delta in ((0.0, 0.05), (4.0, 1e-3)):
        b, m, v = (mp.mpf(x) for x in (width, mean, variance))
        half = mp.mpf(delta) / 2
        small = [mp.mpf(float(r)) for r in bennett_rates(n, delta=delta / 2) if r <= 1]
        nats = divergence + mp.log(len(small) / half)
        spread = [1 - t * n / (2 * (n - 1)) for t in small]
        upper = min(
            (v + b**2 * nats / (t * n)) / s for t, s in zip(small, spread, strict=True) if s > 0
        )
        upper = min(upper, b**2 / 4)
        found = variance_upper(variance, n, width=width, kl_divergence=divergence, delta=delta / 2)
        assert upper <= found <= upper + CLOSE
        rates = [mp.mpf(float(r)) for r in bennett_rates(n, delta=delta)]
        nats = divergence + mp.log(len(rates) / half)
        exact = min(m + (mp.exp(r) - r - 1) / (r * b) * upper + b * nats / (r * n) for r in rates)
        found = bennett_upper(
            mean=mean, variance=variance, n=n, width=width, kl_divergence=divergence, delta=delta
        )
        assert exact <= found <= exact + CLOSE


def test_split_kl_agrees_with_fifty_digits():
    for above, below, n, delta in ((0.1, 0.2, 300, 0.05), (0.0, 0.4, 12, 0.3)):
        radius = mp.log(2 * truth.xi(n) / mp.mpf(delta)) / n
        exact = (
            mp.mpf(0.25)
            + mp.mpf(0.75) * truth.kl_upper(mp.mpf(above) / mp.mpf(0.75), radius)
            - mp.mpf(0.5) * truth.kl_lower(mp.mpf(below) / mp.mpf(0.5), radius)
        )
        found = split_kl_upper(
            above=above, below=below, n=n, middle=0.25, lower=-0.25, upper=1.0, delta=delta
        )
        assert exact <= found <= exact + CLOSE


@pytest.mark.parametrize("n", [6, 20])
@pytest.mark.parametrize("offset", [0.0, 0.2, -0.3])
def test_all_three_miss_at_most_delta_of_the_time_on_three_values(n, offset):
    """Two voters' pair variable: 1 - 2 mu where both err, -mu where one does, 0 elsewhere."""
    delta = 0.3
    both, one = np.array([(b, o) for b in range(n + 1) for o in range(n + 1 - b)]).T
    values = np.array([1 - 2 * offset, -offset, 0.0])
    counts = np.stack([both, one, n - both - one])
    mean, square = (values**k @ counts / n for k in (1, 2))
    width = values.max() - values.min()
    upper = {
        "bernstein": unexpected_bernstein_upper(
            mean=mean, mean_square=square, n=n, largest=values[0], delta=delta
        ),
        "bennett": bennett_upper(
            mean=mean, variance=(square - mean**2) * n / (n - 1), n=n, width=width, delta=delta
        ),
        "split_kl": split_kl_upper(
            above=np.maximum(values, 0) @ counts / n,
            below=np.maximum(-values, 0) @ counts / n,
            n=n,
            lower=values.min(),
            upper=values.max(),
            delta=delta,
        ),
    }
    for rates in ([0.05, 0.1, 0.85], [0.3, 0.3, 0.4], [0.02, 0.6, 0.38], [0.8, 0.1, 0.1]):
        chance = multinomial.pmf(counts.T, n, rates)
        for name, bound in upper.items():
            assert chance[bound < values @ rates - 1e-12].sum() <= delta, name
