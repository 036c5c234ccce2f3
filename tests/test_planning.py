"""Labels needed, against an enumeration of every number of samples and errors."""

import numpy as np
import pytest
from scipy.stats import binom

from tandemvote import labels_needed
from tandemvote.inequalities import clopper_pearson


def by_enumeration(error, goal, delta, power, most):
    """Return the smallest size from which every size up to `most` suffices."""
    suffices = []
    for n in range(1, most):
        allowed = int((clopper_pearson(np.arange(n + 1), n, delta=delta) <= goal).sum()) - 1
        suffices.append(binom.cdf(allowed, n, error) >= power)
    return int(np.flatnonzero(~np.array(suffices))[-1]) + 2


@pytest.mark.parametrize(
    ("error", "goal", "delta", "power"),
    [
        (0.03, 0.05, 0.05, 0.8),
        (0.0, 0.01, 0.05, 0.8),
        (0.0, 0.5, 0.25, 0.8),
        (0.2, 0.3, 0.01, 0.9),
        (0.5, 0.6, 0.2, 0.95),
        (0.05, 0.9, 0.05, 0.1),
        (0.1, 0.2, 0.05, 0.5),
    ],
)
def test_every_larger_number_suffices_and_the_one_before_does_not(error, goal, delta, power):
    needed = labels_needed(error, goal, confidence=1 - delta, power=power)
    assert needed == by_enumeration(error, goal, delta, power, most=max(60, needed + 300))


def test_the_first_number_that_reaches_the_power_is_not_enough():
    allowed = [int((clopper_pearson(np.arange(60), n) <= 0.05).sum()) - 1 for n in (601, 602)]
    powers = [binom.cdf(k, n, 0.03) for k, n in zip(allowed, (601, 602), strict=True)]
    assert powers[0] >= 0.8 > powers[1]
    assert labels_needed(0.03, 0.05) == 694


def test_large_numbers_follow_the_normal_approximation():
    expected = 0.05 * 0.95 * (1.6449 + 0.8416) ** 2 / 0.0001**2
    assert labels_needed(0.0499, 0.05) == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize("arguments", [(0.05, 0.05), (0.1, 0.05), (-0.1, 0.5), (0.1, 1), (0, 0)])
def test_goals_that_cannot_be_shown_are_rejected(arguments):
    with pytest.raises(ValueError, match="expected 0 <= error < max_error < 1"):
        labels_needed(*arguments)


def test_other_invalid_values_are_rejected():
    with pytest.raises(ValueError, match="power=1 is not valid"):
        labels_needed(0.1, 0.2, power=1)
    with pytest.raises(ValueError, match="confidence=95 is not valid"):
        labels_needed(0.1, 0.2, confidence=95)
    with pytest.raises(ValueError, match="More than 1,000,000,000 labels"):
        labels_needed(0.1, 0.1000001)
