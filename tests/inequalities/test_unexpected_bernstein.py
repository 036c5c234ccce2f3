"""Unexpected Bernstein: the formula to 50 digits, and exact coverage."""

import mpmath as mp
import numpy as np
import pytest
from scipy.stats import multinomial

from tandemvote.inequalities.unexpected_bernstein import (
    bernstein_rates,
    unexpected_bernstein_upper,
)

CLOSE = mp.mpf(10) ** -9


@pytest.mark.parametrize(
    ("mean", "square", "n", "largest"), [(0.1, 0.05, 500, 1.0), (-0.2, 0.3, 40, 0.7)]
)
def test_it_is_the_least_of_its_rates(mean, square, n, largest):
    for divergence, delta in ((0.0, 0.05), (4.0, 1e-3)):
        rates = bernstein_rates(n, delta=delta)
        b, m, m2 = (mp.mpf(v) for v in (largest, mean, square))
        nats = divergence + mp.log(len(rates) / mp.mpf(delta))
        exact = min(
            m + (-r - mp.log(1 - r)) / (r * b) * m2 + b * nats / (r * n)
            for r in map(mp.mpf, map(float, rates))
        )
        actual = unexpected_bernstein_upper(
            mean=mean,
            mean_square=square,
            n=n,
            largest=largest,
            rates=rates,
            kl_divergence=divergence,
            delta=delta,
        )
        assert exact <= actual <= exact + CLOSE


@pytest.mark.parametrize("n", [6, 20])
@pytest.mark.parametrize("offset", [0.0, 0.2, -0.3])
def test_it_misses_at_most_delta_of_the_time_on_three_values(n, offset):
    """Two voters' pair variable: 1 - 2 mu where both err, -mu where one does, 0 elsewhere."""
    delta = 0.3
    both, one = np.array([(b, o) for b in range(n + 1) for o in range(n + 1 - b)]).T
    values = np.array([1 - 2 * offset, -offset, 0.0])
    counts = np.stack([both, one, n - both - one])
    mean, square = (values**k @ counts / n for k in (1, 2))
    upper = unexpected_bernstein_upper(
        mean=mean,
        mean_square=square,
        n=n,
        largest=values[0],
        rates=bernstein_rates(n, delta=delta),
        delta=delta,
    )
    for chances in ([0.05, 0.1, 0.85], [0.3, 0.3, 0.4], [0.02, 0.6, 0.38], [0.8, 0.1, 0.1]):
        probability = multinomial.pmf(counts.T, n, chances)
        assert probability[upper < values @ chances - 1e-12].sum() <= delta


def test_no_samples_leave_the_largest_value():
    upper = unexpected_bernstein_upper(
        mean=0.0, mean_square=0.0, n=0, largest=[1.0, 0.4], rates=bernstein_rates(0)
    )
    assert upper.tolist() == [1.0, 0.4]
