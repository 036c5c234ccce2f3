"""Solvers against each other, against scipy, and against brute force."""

import numpy as np
import pytest
from scipy.optimize import minimize

from tandemvote.weights.irprop import irprop
from tandemvote.weights.objective import Objective
from tandemvote.weights.relaxations import Estimate, Relaxation
from tandemvote.weights.solvers import exponentiated_gradient, solve


def estimate(voters, n, delta):
    """Estimate from sets of n iterates each, as printed in the paper."""
    return Estimate(voters, n, float(np.log(2 * np.sqrt(n)) - np.log(delta)))


def by_lbfgs(objective, start):
    def softmax(log_ratio):
        iterate = objective.at(log_ratio)
        gradient = objective.gradient(iterate)
        return iterate.value, iterate.weights * (gradient - iterate.weights @ gradient)

    options = {"maxiter": 2000, "maxfun": 5000, "ftol": 1e-15, "gtol": 1e-10}
    return minimize(softmax, start, jac=True, method="L-BFGS-B", options=options).fun


def by_slsqp(objective):
    prior = np.exp(objective.log_prior)

    def simplex(weights):
        weights = np.clip(weights, 1e-300, None)
        iterate = objective.at(np.log(weights) - objective.log_prior)
        return iterate.value, objective.gradient(iterate)

    sums_to_one = {"type": "eq", "fun": lambda w: w.sum() - 1.0, "jac": np.ones_like}
    solution = minimize(
        simplex,
        prior,
        jac=True,
        method="SLSQP",
        bounds=[(1e-12, 1.0)] * prior.size,
        constraints=[sums_to_one],
        options={"maxiter": 100, "ftol": 1e-14},
    )
    return objective.at(np.log(solution.x) - objective.log_prior).value


def best_of_all_methods(objective, seed, n_starts):
    rng = np.random.default_rng(seed)
    values = [irprop(objective).iterate.value]
    if objective.n_voters <= 10:
        values.append(by_slsqp(objective))
    for scale in (1.0, 4.0, 16.0):
        for _ in range(n_starts):
            start = scale * rng.normal(size=objective.n_voters)
            values.append(by_lbfgs(objective, start))
            values.append(exponentiated_gradient(objective, start).iterate.value)
    return min(values)


@pytest.mark.parametrize(
    ("n_voters", "n"),
    [(10, 60), (10, 3000), (30, 60), pytest.param(30, 3000, marks=pytest.mark.slow)],
)
@pytest.mark.parametrize("bound", ["tandem", "disagreement"])
@pytest.mark.parametrize("family", ["common samples", "overlaps", "gram", "noise"])
@pytest.mark.filterwarnings("ignore:Values in x were outside bounds")  # SLSQP of older scipy
def test_no_method_gets_below_the_default(make_objective, family, bound, n_voters, n):
    objective = make_objective(family, bound, n_voters, n, seed=10)
    actual = solve(objective).iterate.value
    assert actual <= best_of_all_methods(objective, 10, n_starts=1) + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("n_voters", [300, 2000])
@pytest.mark.parametrize("bound", ["tandem", "disagreement"])
@pytest.mark.parametrize("family", ["common samples", "overlaps", "gram", "noise"])
def test_no_method_gets_below_the_default_with_many_voters(make_objective, family, bound, n_voters):
    objective = make_objective(family, bound, n_voters, 1000, seed=12)
    actual = solve(objective).iterate.value
    assert actual <= best_of_all_methods(objective, 12, n_starts=1) + 1e-9


@pytest.mark.parametrize("bound", ["tandem", "disagreement"])
@pytest.mark.parametrize("family", ["common samples", "gram"])
def test_both_solvers_agree_where_the_problem_is_convex(make_objective, family, bound):
    objective = make_objective(family, bound, 25, 50_000, seed=13)
    papers, default = irprop(objective), exponentiated_gradient(objective)
    assert papers.converged and default.converged
    assert papers.iterate.value == pytest.approx(default.iterate.value, abs=1e-6)
    np.testing.assert_allclose(papers.iterate.weights, default.iterate.weights, atol=0.01)


@pytest.mark.parametrize("seed", range(3))
def test_three_voters_agree_with_a_grid_over_the_simplex(seed):
    rng = np.random.default_rng(seed)
    pairs = rng.random((3, 3)) / 2
    pairs = (pairs + pairs.T) / 2
    objective = Objective(
        Relaxation(4.0, estimate(2, 200, 0.05)), np.log([0.5, 0.3, 0.2]), np.zeros(3), pairs
    )
    corners = np.array([(a, b, 120 - a - b) for a in range(121) for b in range(121 - a)]) / 120
    log_ratios = np.log(np.maximum(corners, 1e-30)) - objective.log_prior
    grid = min(objective.at(log_ratio).value for log_ratio in log_ratios)
    actual = solve(objective).iterate.value
    assert actual <= grid + 1e-9
    assert actual >= grid - 5e-3  # the grid's resolution


def test_an_exact_tie_between_two_voters_does_not_hide_the_better_corner():
    pairs = np.array([[0.5, 0.0, 0.0], [0.0, 0.5, 1.0], [0.0, 1.0, 0.5]])  # the paper's example
    objective = Objective(
        Relaxation(4.0, estimate(2, 10_000, 0.05)),
        np.full(3, -np.log(3)),
        np.zeros(3),
        pairs,
    )
    weights = solve(objective).iterate.weights
    assert sorted(weights.round(2)) == [0.0, 0.5, 0.5]
    assert weights[0] == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize("solver", [exponentiated_gradient, solve, irprop])
@pytest.mark.parametrize("bound", ["tandem", "disagreement"])
def test_the_solution_is_below_the_prior(make_objective, solver, bound):
    objective = make_objective("common samples", bound, 15, 400, seed=15)
    assert solver(objective).iterate.value < objective.at(np.zeros(15)).value


def first_order(losses, n, prior=None):
    losses = np.asarray(losses, float)
    log_prior = np.log(np.full(losses.size, 1 / losses.size) if prior is None else prior)
    return Objective(Relaxation(2.0, estimate(1, n, 0.05)), log_prior, losses)


@pytest.mark.parametrize("n", [10, 1000, 10**9])
@pytest.mark.parametrize("seed", range(3))
def test_first_order_weights_are_the_best_gibbs_distribution(n, seed):
    rng = np.random.default_rng(seed)
    losses = rng.uniform(0.0, 0.6, 40) if seed else rng.uniform(0.4999, 0.5001, 40)
    objective = first_order(losses, n, rng.dirichlet(np.ones(40)))
    along_the_line = min(
        objective.at(-lam * n * losses).value for lam in np.geomspace(1e-6, 2.0, 1000)
    )
    descent = solve(objective)
    assert descent.converged
    assert descent.iterate.value <= along_the_line + 1e-12
    gibbs_loss, k = objective.relaxation.upper.at(descent.iterate.averages)
    lam = 2 / (np.sqrt(2 * gibbs_loss / k + 1) + 1)
    expected = objective.at(-lam * n * losses).weights
    np.testing.assert_allclose(descent.iterate.weights, expected, atol=1e-5)


def test_first_order_weights_agree_with_the_solvers_for_pairs():
    rng = np.random.default_rng(0)
    objective = first_order(rng.uniform(0.1, 0.3, 30), 500)
    value = solve(objective).iterate.value
    assert value == pytest.approx(exponentiated_gradient(objective).iterate.value, abs=1e-12)
    assert value == pytest.approx(irprop(objective).iterate.value, abs=1e-7)


def test_first_order_weights_survive_where_the_plain_exponential_underflows():
    losses = np.linspace(0.45, 0.55, 100)
    assert np.exp(-60_000 * losses).sum() == 0.0
    weights = solve(first_order(losses, 60_000)).iterate.weights
    assert np.isfinite(weights).all() and weights.sum() == pytest.approx(1.0, abs=1e-12)
    assert weights.argmax() == 0
