"""The closed form for gamma, and the derivatives of what is left."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from tandemvote.inequalities import pac_bayes_lambda
from tandemvote.weights.relaxations import Estimate, Relaxation, WeightedAverages


def estimate(voters, n, delta):
    """Estimate from sets of n iterates each, as printed in the paper."""
    return Estimate(voters, n, float(np.log(2 * np.sqrt(n)) - np.log(delta)))


RELAXATIONS = [
    Relaxation(2.0, estimate(1, 700, 0.05)),
    Relaxation(4.0, estimate(2, 300, 0.1)),
    Relaxation(4.0, estimate(1, 700, 0.025), estimate(2, 300, 0.025)),
]
losses = st.floats(1e-6, 1.0)
sizes = st.floats(1.0, 1e9)
divergences = st.floats(0.0, 20.0)


def has_equal_sizes(gibbs, pairs, divergence):
    """Averages where all sets are equally large: pairs cost twice what voters do."""
    return WeightedAverages(gibbs, pairs, divergence, 2 * divergence)


@given(losses, sizes, divergences)
def test_the_best_gamma_equals_a_fine_numerical_minimization(disagreement, m, divergence):
    relaxation = Relaxation(4.0, estimate(1, 1000, 0.025), estimate(2, m, 0.025))
    averages = has_equal_sizes(0.1, disagreement, divergence)
    b = (2 * divergence + np.log(4 * np.sqrt(m) / 0.05)) / m
    solution = minimize_scalar(
        lambda t: np.exp(t) / 2 * disagreement + b / np.exp(t),
        bounds=(-30, 30),
        method="bounded",
        options={"xatol": 1e-10},
    )
    without_differing = relaxation.value(has_equal_sizes(0.1, 0.0, divergence))
    expected = without_differing - 2 * disagreement + 2 * solution.fun
    assert relaxation.value(averages) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(losses, losses, divergences)
def test_the_value_is_the_theorem_at_its_best_parameters(gibbs, pairs, divergence):
    averages = has_equal_sizes(gibbs, pairs, divergence)
    first, tandem, differ = (relaxation.value(averages) for relaxation in RELAXATIONS)
    upper = pac_bayes_lambda(gibbs, 700, kl_divergence=divergence, delta=0.05).upper
    assert first == pytest.approx(2 * upper, rel=1e-10)
    upper = pac_bayes_lambda(pairs, 300, kl_divergence=2 * divergence, delta=0.1).upper
    assert tandem == pytest.approx(4 * upper, rel=1e-10)
    upper = pac_bayes_lambda(gibbs, 700, kl_divergence=divergence, delta=0.025).upper
    lower = pac_bayes_lambda(pairs, 300, kl_divergence=2 * divergence, delta=0.025).lower
    if lower > 0:  # the relaxation is not clipped
        assert differ == pytest.approx(4 * upper - 2 * lower, rel=1e-9, abs=1e-9)
    else:
        assert differ >= 4 * upper * (1 - 1e-10)


@pytest.mark.parametrize("relaxation", RELAXATIONS, ids=["first_order", "tandem", "disagreement"])
def test_slopes_and_curvature_agree_with_finite_differences(relaxation):
    rng = np.random.default_rng(0)
    for _ in range(20):
        averages = rng.uniform([0.01, 0.01, 0.1, 0.1], [0.5, 0.5, 5.0, 5.0])
        steps = 1e-6 * np.eye(4)
        slopes = [
            (
                relaxation.value(WeightedAverages(*(averages + s)))
                - relaxation.value(WeightedAverages(*(averages - s)))
            )
            / 2e-6
            for s in steps
        ]
        np.testing.assert_allclose(
            relaxation.slopes(WeightedAverages(*averages)), slopes, atol=1e-7, rtol=1e-6
        )
        curvature = [
            (
                relaxation.slopes(WeightedAverages(*(averages + s)))
                - relaxation.slopes(WeightedAverages(*(averages - s)))
            )
            / 2e-6
            for s in steps
        ]
        actual = relaxation.curvature(WeightedAverages(*averages))
        np.testing.assert_allclose(actual, curvature, atol=1e-6, rtol=1e-5)
        assert np.linalg.eigvalsh(actual)[-1] <= 1e-9


@pytest.mark.parametrize("relaxation", RELAXATIONS, ids=["first_order", "tandem", "disagreement"])
def test_fixing_lambda_and_gamma_is_the_tangent_and_lies_above(relaxation):
    rng = np.random.default_rng(1)
    for _ in range(100):
        here, there = (
            WeightedAverages(*(rng.random(4) * [1.0, 1.0, 6.0, 6.0] + 1e-3)) for _ in range(2)
        )
        tangent = relaxation.value(here) + relaxation.slopes(here) @ (np.array(there) - here)
        assert relaxation.value(there) <= tangent + 1e-12


def test_where_nobody_disagrees_everything_stays_finite():
    relaxation = RELAXATIONS[2]
    averages = has_equal_sizes(0.1, 0.0, 1.0)
    assert np.isfinite(relaxation.value(averages))
    assert np.isfinite(relaxation.slopes(averages)).all()
    assert np.isfinite(relaxation.curvature(averages)).all()
