"""Gradients, gaps and restrictions of the objectives."""

import numpy as np
import pytest
from scipy.optimize import minimize

from tandemvote.bounds import (
    Estimates,
    disagreement_lambda,
    first_order_lambda,
    tandem_lambda,
)
from tandemvote.inequalities.pac_bayes import lambda_upper
from tandemvote.votes.counts import VoteCounts
from tandemvote.votes.votes import Votes
from tandemvote.weights import lambda_gradient, minimize_bound
from tandemvote.weights.objective import Objective
from tandemvote.weights.relaxations import Estimate, Relaxation
from tandemvote.weights.solvers import GAP_TOLERANCE, exponentiated_gradient, solve


def estimate(voters, n, delta):
    """Estimate from sets of n iterates each, as printed in the paper."""
    return Estimate(voters, n, float(np.log(2 * np.sqrt(n)) - np.log(delta)))


def softmax_gradient(objective, iterate):
    gradient = objective.gradient(iterate)
    return iterate.weights * (gradient - iterate.weights @ gradient)


@pytest.mark.parametrize("bound", ["tandem", "disagreement"])
@pytest.mark.parametrize("family", ["common samples", "overlaps", "noise"])
def test_gradients_agree_with_finite_differences(make_objective, family, bound):
    objective = make_objective(family, bound, 8, 200, seed=3)
    rng = np.random.default_rng(0)
    for _ in range(5):
        log_ratio = rng.normal(size=8)
        differences = [
            (objective.at(log_ratio + s).value - objective.at(log_ratio - s).value) / 2e-6
            for s in 1e-6 * np.eye(8)
        ]
        value = softmax_gradient(objective, objective.at(log_ratio))
        np.testing.assert_allclose(value, differences, atol=1e-8, rtol=1e-5)


def test_the_first_order_gradient_agrees_with_finite_differences():
    rng = np.random.default_rng(1)
    objective = Objective(
        Relaxation(2.0, estimate(1, 300, 0.05)),
        np.log(rng.dirichlet(np.ones(6))),
        rng.random(6),
    )
    log_ratio = rng.normal(size=6)
    differences = [
        (objective.at(log_ratio + s).value - objective.at(log_ratio - s).value) / 2e-6
        for s in 1e-6 * np.eye(6)
    ]
    value = softmax_gradient(objective, objective.at(log_ratio))
    np.testing.assert_allclose(value, differences, atol=1e-8, rtol=1e-5)


def minimum_with_fixed_parameters(objective, iterate):
    """Lowest value of the tangent (lambda and gamma fixed at `iterate`), by another method."""
    slopes = objective.relaxation.slopes(iterate.averages)

    def tangent(log_ratio):
        other = objective.at(log_ratio)
        gradient = slopes[0] * objective.losses + slopes[1] * other.jacobian[1]
        gradient = gradient + (slopes[2] + 2 * slopes[3]) * other.log_ratio
        return slopes @ other.averages, other.weights * (gradient - other.weights @ gradient)

    options = {"maxiter": 5000, "maxfun": 20000, "ftol": 1e-15, "gtol": 1e-12}
    starts = (np.zeros(objective.n_voters), iterate.log_ratio)
    return min(
        minimize(tangent, s, jac=True, method="L-BFGS-B", options=options).fun for s in starts
    )


@pytest.mark.parametrize("bound", ["tandem", "disagreement"])
def test_the_gap_bounds_the_distance_to_the_minimum_where_the_problem_is_convex(
    make_objective, bound
):
    objective = make_objective("common samples", bound, 12, 2000, seed=4)
    rng = np.random.default_rng(2)
    for scale in (0.0, 0.1, 1.0):
        iterate = objective.at(scale * rng.normal(size=12))
        slopes = objective.relaxation.slopes(iterate.averages)
        assert (slopes[1] > 0) == (bound == "tandem")  # -D is what makes disagreement convex
        distance = slopes @ iterate.averages - minimum_with_fixed_parameters(objective, iterate)
        assert distance > 1e-6
        assert distance <= objective.gap(iterate) + 1e-12


def test_the_gap_closes_at_the_minimum_alone(make_objective):
    objective = make_objective("overlaps", "tandem", 20, 200, seed=5)
    end = exponentiated_gradient(objective).iterate
    assert objective.gap(end) <= GAP_TOLERANCE
    assert objective.gap(objective.at(end.log_ratio + 0.1 * np.arange(20))) > 1e-6


def test_weights_that_underflow_keep_their_logarithms(make_objective):
    objective = make_objective("gram", "tandem", 5, 200, seed=8)
    iterate = objective.at(np.array([0.0, -2000.0, 0.0, 5.0, -1e9]))
    assert iterate.weights[1] == iterate.weights[4] == 0.0
    assert np.isfinite(iterate.log_ratio).all() and np.isfinite(iterate.value)


@pytest.fixture
def unequal_counts():
    """Voters whose held-out sets, and so their overlaps, differ much in size."""
    rng = np.random.default_rng(9)
    labels = rng.integers(2, size=500)
    wrong = rng.random((9, 500)) < rng.uniform(0.1, 0.8, size=500) * rng.uniform(0.3, 1, (9, 1))
    held_out = rng.random((9, 500)) < rng.uniform(0.35, 0.8, (9, 1))
    return VoteCounts.from_votes(Votes.from_predictions(labels ^ wrong, labels, held_out))


@pytest.mark.parametrize("bound", ["first_order", "tandem", "disagreement"])
def test_sets_of_different_sizes_cost_what_the_harmonic_form_says(unequal_counts, bound):
    rng = np.random.default_rng(10)
    prior = rng.dirichlet(np.full(9, 5.0))
    objective = Objective.of(bound, unequal_counts, prior, 0.05, published=False)
    assert all(estimate.unequal is not None for estimate in objective.relaxation.estimates)
    iterate = objective.at(rng.normal(size=9))
    averages = Estimates(unequal_counts, iterate.weights, prior)
    assert iterate.value == pytest.approx(lambda_form(bound, averages), rel=1e-9)
    differences = [
        (objective.at(iterate.log_ratio + s).value - objective.at(iterate.log_ratio - s).value)
        / 2e-6
        for s in 1e-6 * np.eye(9)
    ]
    actual = softmax_gradient(objective, iterate)
    np.testing.assert_allclose(actual, differences, atol=1e-8, rtol=1e-5)


def lambda_form(bound, averages):
    share = 0.025 if bound == "disagreement" else 0.05
    k, b = averages.voter_size.complexity(share), averages.disagreement_size.complexity(share)
    if bound == "tandem":
        return 4 * lambda_upper(averages.tandem_loss, b)
    if bound == "first_order":
        return 2 * lambda_upper(averages.gibbs_loss, k)
    differ = averages.disagreement - np.sqrt(2 * b * averages.disagreement)
    return 4 * lambda_upper(averages.gibbs_loss, k) - 2 * differ


@pytest.mark.parametrize("bound", ["first_order", "tandem", "disagreement"])
def test_no_weights_beat_those_found_for_sets_of_different_sizes(unequal_counts, bound):
    objective = Objective.of(bound, unequal_counts, np.full(9, 1 / 9), 0.05, published=False)

    def value(log_ratio):
        iterate = objective.at(log_ratio)
        return iterate.value, softmax_gradient(objective, iterate)

    rng = np.random.default_rng(11)
    best = min(
        minimize(value, 3 * rng.normal(size=9), jac=True, method="L-BFGS-B").fun for _ in range(20)
    )
    actual = solve(objective).iterate.value
    assert actual <= best + 1e-7
    solution = minimize_bound(unequal_counts, bound)
    published = minimize_bound(unequal_counts, bound, published=True)
    assert solution.value <= published.value
    assert actual <= value(np.log(np.maximum(published.weights, 1e-300) * 9))[0]


@pytest.mark.parametrize("published", [True, False])
@pytest.mark.parametrize(
    ("bound", "function", "parameters"),
    [
        ("first_order", first_order_lambda, {"lam": 0.3}),
        ("tandem", tandem_lambda, {"lam": 0.3}),
        ("disagreement", disagreement_lambda, {"lam": 0.3, "gamma": 0.8}),
    ],
)
def test_the_public_gradient_agrees_with_finite_differences(
    unequal_counts, bound, function, parameters, published
):
    rng = np.random.default_rng(12)
    prior, rho = rng.dirichlet(np.full(9, 5.0), size=2)

    def value(weights):
        return function(Estimates(unequal_counts, weights, prior, published=published), **chosen)

    for chosen in (parameters, {}):
        estimates = Estimates(unequal_counts, rho, prior, published=published)
        gradient = lambda_gradient(estimates, bound, **chosen)
        for k in range(1, 9):  # along the simplex
            step = 1e-5 * (np.eye(9)[k] - np.eye(9)[0])
            difference = (value(rho + step) - value(rho - step)) / 2e-5
            # The sample sizes of unequal sets change with the weights, to the effect of the
            # moment inside the logarithm too.
            assert gradient[k] - gradient[0] == pytest.approx(difference, abs=1e-4, rel=1e-4)


def test_the_gradient_of_equal_sets_is_the_one_in_the_paper(forest_counts):
    counts = forest_counts(6, 400, seed=3)
    rho, prior = np.random.default_rng(4).dirichlet(np.full(6, 3.0), size=2)
    lam, n = 0.4, 400
    papers = 2 * (counts.tandem_losses @ rho + (1 + np.log(rho / prior)) / (lam * n))
    gradient = lambda_gradient(Estimates(counts, rho, prior), "tandem", lam=lam)
    np.testing.assert_allclose(gradient, 4 / (1 - lam / 2) * papers, rtol=1e-12)
    a, b, gamma = 1 / (1 - lam / 2), 1 - 0.7 / 2, 0.7
    c = 1 / (lam * (1 - lam / 2) * n) + 1 / (gamma * n)
    differ, losses = counts.disagreement_rates, counts.gibbs_losses
    papers = 2 * (a * losses - b * differ @ rho + c * (1 + np.log(rho / prior)))
    gradient = lambda_gradient(Estimates(counts, rho, prior), "disagreement", lam=lam, gamma=gamma)
    np.testing.assert_allclose(gradient, 2 * papers, rtol=1e-12)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"lam": 2.0}, "between 0 and 2"),
        ({"bound": "disagreement", "gamma": 0.0}, "expected a positive number"),
        ({"bound": "c1"}, "cannot minimize the bound 'c1'"),
    ],
)
def test_gradients_reject_what_the_theorems_do_not_cover(forest_counts, arguments, words):
    with pytest.raises(ValueError, match=words):
        lambda_gradient(Estimates(forest_counts(3, 50, seed=0)), **arguments)


def test_a_voter_without_weight_has_no_gradient(forest_counts):
    estimates = Estimates(forest_counts(2, 50, seed=0), [1.0, 0.0])
    with pytest.raises(ValueError, match="voter 1 has weight 0"):
        lambda_gradient(estimates)
