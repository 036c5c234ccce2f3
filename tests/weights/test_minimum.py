"""From counts to weights and the number to report."""

import pickle
from collections import Counter

import numpy as np
import pytest

from tandemvote.bounds import (
    BOUNDS,
    Estimates,
    RequirementError,
    disagreement_lambda,
    first_order_lambda,
    tandem_bound,
    tandem_lambda,
)
from tandemvote.votes.counts import VoteCounts
from tandemvote.votes.votes import Votes
from tandemvote.weights import WeightSolution, lambda_gradient, minimize_bound
from tandemvote.weights.minimum import METHODS
from tandemvote.weights.objective import Descent, Objective

ALL_BOUNDS = ["first_order", "tandem", "disagreement"]


def equal_counts(n_voters, n, error_rate):
    """Voters that are all the same: wrong on the same iterates."""
    sizes = np.full((n_voters, n_voters), n)
    errors = np.full((n_voters, n_voters), round(error_rate * n))
    return VoteCounts(
        errors=errors.diagonal(),
        sizes=sizes.diagonal(),
        tandem_errors=errors,
        overlaps=sizes,
        disagreements=0 * sizes,
        disagreement_overlaps=sizes,
        lone_errors=0 * sizes,
        unlabeled_disagreements=0 * sizes,
        classes=np.array([0, 1]),
        class_counts=Counter({0: int(sizes.max())}),
    )


@pytest.mark.parametrize("bound", ALL_BOUNDS)
def test_the_reported_bound_is_the_kl_bound_at_the_weights(forest_counts, bound):
    counts = forest_counts(30, 1000, seed=0, held_out=0.5)
    prior = np.random.default_rng(0).dirichlet(np.full(30, 3.0))
    solution = minimize_bound(counts, bound, prior=prior, delta=0.1)
    assert solution.value == BOUNDS[bound](Estimates(counts, solution.weights, prior), 0.1)
    objective = Objective.of(bound, counts, prior, 0.1, published=False)
    relaxed = objective.at(np.log(np.maximum(solution.weights, 1e-300) / prior)).value
    assert solution.value <= relaxed < objective.at(np.zeros(30)).value
    assert abs(solution.weights.sum() - 1.0) <= 1e-12


@pytest.mark.parametrize("held_out", [None, 0.37])
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("m", [5, 20])
def test_tandem_weights_never_report_more_than_uniform_or_prior(forest_counts, seed, held_out, m):
    counts = forest_counts(m, 150 * (seed + 1), seed=seed, held_out=held_out)
    skewed = np.random.default_rng(seed).dirichlet(np.ones(m))
    for prior in (None, skewed):
        solution = minimize_bound(counts, "tandem", prior=prior)
        uniform = np.full(m, 1 / m)
        for weights in (uniform, uniform if prior is None else prior):
            assert solution.value <= tandem_bound(Estimates(counts, weights, prior)) + 1e-11


def test_a_worse_end_is_given_up_for_the_prior(forest_counts, monkeypatch):
    counts = forest_counts(10, 500, seed=1)
    prior = np.full(10, 0.1)

    def solver(objective):
        worst = objective.at(30.0 * np.eye(10)[counts.errors.argmax()])
        return Descent(worst, (objective.step(worst),), True)

    monkeypatch.setitem(METHODS, "newton", solver)
    solution = minimize_bound(counts, "tandem", published=True)
    np.testing.assert_array_equal(solution.weights, prior)
    assert solution.value == tandem_bound(Estimates(counts, published=True))


@pytest.mark.parametrize("bound", ALL_BOUNDS)
@pytest.mark.parametrize("error_rate", [0.0, 0.25, 1.0])
@pytest.mark.parametrize(("n_voters", "n"), [(1, 1), (1, 10**9), (2, 40), (300, 10**9), (300, 8)])
def test_voters_that_are_all_alike_keep_the_prior(bound, error_rate, n_voters, n):
    skewed = np.random.default_rng(n_voters).dirichlet(np.full(n_voters, 0.5)) + 1e-9
    skewed /= skewed.sum()
    for prior in (None, skewed):
        solution = minimize_bound(equal_counts(n_voters, n, error_rate), bound, prior=prior)
        expected = np.full(n_voters, 1 / n_voters) if prior is None else prior
        np.testing.assert_allclose(solution.weights, expected, rtol=1e-6)
        assert abs(solution.weights.sum() - 1.0) <= 1e-12
        assert 0.0 <= solution.value <= 1.0


@pytest.mark.parametrize("bound", ALL_BOUNDS)
def test_a_billion_samples_single_out_the_best_voters(bound):
    n = 10**9
    rates = np.array([0.1, 0.1, 0.3, 0.5])
    errors = (rates * n).astype(np.int64)
    tandem_errors = np.outer(rates, rates) * n
    tandem_errors = tandem_errors.astype(np.int64)
    np.fill_diagonal(tandem_errors, errors)
    sizes = np.full((4, 4), n)
    lone_errors = errors[:, None] + errors - 2 * tandem_errors
    counts = VoteCounts(
        errors=errors,
        sizes=sizes.diagonal(),
        tandem_errors=tandem_errors,
        overlaps=sizes,
        disagreements=lone_errors,
        disagreement_overlaps=sizes,
        lone_errors=lone_errors,
        unlabeled_disagreements=0 * lone_errors,
        classes=np.array([0, 1]),
        class_counts=Counter({0: int(sizes.max())}),
    )
    weights = minimize_bound(counts, bound).weights
    assert np.isfinite(weights).all() and abs(weights.sum() - 1.0) <= 1e-12
    assert weights[0] == pytest.approx(weights[1], rel=1e-6)
    if bound == "first_order":
        assert weights[2:].sum() < 1e-12


def test_a_prior_is_honoured(forest_counts):
    counts = forest_counts(12, 2000, seed=4)
    prior = np.full(12, 0.4 / 11)
    prior[3] = 0.6
    for bound in ALL_BOUNDS:
        solution = minimize_bound(counts, bound, prior=prior)
        objective = Objective.of(bound, counts, prior, 0.05, published=False)
        relaxed = objective.at(np.log(np.maximum(solution.weights, 1e-300) / prior)).value
        assert relaxed < objective.at(np.zeros(12)).value - 1e-3
        # With this prior the weights beat those that trust all voters alike.
        uniform = minimize_bound(counts, bound).weights
        there = objective.at(np.log(np.maximum(uniform, 1e-300) / prior))
        assert relaxed < there.value - 1e-6


@pytest.mark.parametrize("bound", ALL_BOUNDS)
def test_a_prior_of_nearly_nothing_is_still_a_prior(forest_counts, bound):
    prior = np.array([5e-324, 0.5, 0.5])
    weights = minimize_bound(forest_counts(3, 500, seed=8), bound, prior=prior).weights
    assert np.isfinite(weights).all() and weights[0] < 1e-3


def test_first_order_weights_concentrate_and_tandem_weights_spread(forest_counts):
    counts = forest_counts(100, 4000, seed=5)

    def effective_voters(bound):
        return 1.0 / np.sum(minimize_bound(counts, bound).weights ** 2)

    assert effective_voters("first_order") < 10
    assert effective_voters("tandem") > 2 * effective_voters("first_order")


def test_voters_without_a_common_sample_keep_the_prior_and_guarantee_nothing():
    held_out = np.array([[True, True, False, False], [False, False, True, True]])
    counts = VoteCounts.from_votes(
        Votes.from_predictions(np.zeros((2, 4), int), np.zeros(4, int), held_out)
    )
    solution = minimize_bound(counts, "tandem", prior=[0.25, 0.75])
    assert solution.weights.tolist() == [0.25, 0.75]
    assert solution.value == 1.0 and solution.relaxed.bound == np.inf
    with pytest.raises(RequirementError, match="cannot minimize the bound 'tandem'"):
        lambda_gradient(Estimates(counts), "tandem")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"bound": "c_tandem"}, "'first_order', 'tandem', 'disagreement'"),
        ({"method": "rprop"}, "Invalid method='rprop'. Use 'newton' or 'irprop'."),
        ({"delta": 0.0}, "expected a failure probability between 0 and 1"),
        ({"prior": [0.5, 0.5, 0.0]}, "prior is 0 at voter 2.*without the voter"),
        ({"prior": [0.5, 0.6, 0.1]}, "sums to 1.2"),
        ({"prior": [1.0]}, "one weight per voter"),
    ],
)
def test_errors_name_the_value_and_the_way_out(forest_counts, arguments, words):
    with pytest.raises(ValueError, match=words):
        minimize_bound(forest_counts(3, 50, seed=0), **arguments)


def test_disagreement_weights_are_rejected_for_three_classes():
    counts = VoteCounts.from_votes(Votes.from_predictions([[0, 1, 2]], [0, 1, 2]))
    with pytest.raises(RequirementError, match="two classes"):
        minimize_bound(counts, "disagreement")


def test_a_solution_survives_pickling(forest_counts):
    solution = minimize_bound(forest_counts(5, 100, seed=6), published=True)
    copy = pickle.loads(pickle.dumps(solution))
    assert isinstance(copy, WeightSolution) and copy.converged
    np.testing.assert_array_equal(copy.weights, solution.weights)


@pytest.mark.parametrize("method", ["newton", "irprop"])
@pytest.mark.parametrize("published", [True, False])
@pytest.mark.parametrize(
    ("bound", "function"),
    [
        ("first_order", first_order_lambda),
        ("tandem", tandem_lambda),
        ("disagreement", disagreement_lambda),
    ],
)
def test_a_solution_carries_what_was_minimized(forest_counts, bound, function, published, method):
    counts = forest_counts(20, 600, seed=3, held_out=0.5)
    prior = np.random.default_rng(1).dirichlet(np.full(20, 5.0))
    solution = minimize_bound(counts, bound, prior, published=published, method=method)
    estimates = Estimates(counts, solution.weights, prior, published=published)
    relaxed = solution.relaxed
    assert relaxed.bound == pytest.approx(function(estimates), rel=1e-9)
    assert relaxed.kl_divergence == pytest.approx(estimates.kl_divergence, rel=1e-9)
    parameters = {"lam": relaxed.lam} | ({"gamma": relaxed.gamma} if relaxed.gamma else {})
    assert (relaxed.gamma is not None) == (bound == "disagreement")
    assert function(estimates, **parameters) == pytest.approx(relaxed.bound, rel=1e-9)
    losses = {"tandem": estimates.tandem_loss}.get(bound, estimates.gibbs_loss)
    assert relaxed.loss == pytest.approx(losses)
    assert solution.value <= relaxed.bound
    assert solution.path[-1] == relaxed and len(solution.path) > 1
    assert (np.diff([step.bound for step in solution.path]) <= 1e-12).all()


def test_the_papers_procedure_starts_from_equal_weights_and_ends_where_the_default_does(
    forest_counts,
):
    counts = forest_counts(20, 2000, seed=5)
    prior = np.random.default_rng(2).dirichlet(np.full(20, 5.0))
    default = minimize_bound(counts, "tandem", prior, published=True)
    papers = minimize_bound(counts, "tandem", prior, published=True, method="irprop")
    uniform = Estimates(counts, None, prior, published=True)
    assert papers.path[0].bound == pytest.approx(tandem_lambda(uniform), rel=1e-9)
    assert papers.relaxed.bound == pytest.approx(default.relaxed.bound, abs=1e-6)
    assert papers.relaxed.bound >= default.relaxed.bound - 1e-9
