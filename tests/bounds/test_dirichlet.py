"""The Dirichlet bound: each step of its proof, its numbers, and its solver."""

import mpmath as mp
import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.stats import beta
from scipy.stats import dirichlet as dirichlet_distribution
from truth import kl_upper, xi

from tandemvote import VoteCounts, Votes, bounds
from tandemvote.bounds.dirichlet import (
    LEVELS,
    PRIOR_CONCENTRATIONS,
    bad_draws,
    beta_survival,
    dirichlet_bound,
    dirichlet_divergence,
    dirichlet_on_votes,
    label_totals,
)
from tandemvote.weights.dirichlet_weights import _value_and_slopes, minimise_dirichlet


@pytest.fixture
def votes():
    rng = np.random.default_rng(0)
    labels = rng.integers(3, size=200)
    wrong = rng.random((6, 200)) < np.array([0.1, 0.2, 0.2, 0.4, 0.4, 0.5])[:, None]
    predictions = (labels + wrong * rng.integers(1, 3, size=wrong.shape)) % 3
    return Votes.from_predictions(predictions, labels)


def test_survival_function_agrees_with_fifty_digits():
    for level in LEVELS:
        for a, b in ((0.5, 3.0), (40.0, 60.0), (700.0, 300.0), (1e-3, 900.0)):
            exact = mp.betainc(b, a, 0, 1 - mp.mpf(level), regularized=True)
            assert float(beta_survival(level, a, b)) == pytest.approx(float(exact), rel=1e-9)


def test_divergence_agrees_with_fifty_digits_and_is_not_below():
    rng = np.random.default_rng(1)
    for scale in (0.3, 20.0, 3000.0):
        a, b = scale * rng.dirichlet(np.ones(30)), 50.0 * rng.dirichlet(np.ones(30))
        p, q = ([mp.mpf(float(v)) for v in array] for array in (a, b))
        exact = mp.loggamma(mp.fsum(p)) - mp.loggamma(mp.fsum(q))
        for x, y in zip(p, q, strict=True):
            exact += mp.loggamma(y) - mp.loggamma(x)
            exact += (x - y) * (mp.digamma(x) - mp.digamma(mp.fsum(p)))
        assert exact <= dirichlet_divergence(a, b) <= exact + 1e-6


def test_bad_draws_bound_the_chance_that_a_drawn_weighting_is_bad(votes):
    alpha = np.array([8.0, 5.0, 4.0, 2.0, 1.0, 0.5])
    level = 0.4
    claimed = bad_draws(label_totals(votes, alpha), votes, level)
    drawn = dirichlet_distribution.rvs(alpha, size=20_000, random_state=0)
    for point in range(0, 200, 9):
        said = votes.predictions[:, point]
        weight = np.stack([drawn[:, said == label].sum(axis=1) for label in range(3)], axis=1)
        right = weight[:, [votes.labels[point]]]
        with np.errstate(invalid="ignore"):
            ratio = np.nan_to_num(np.delete(weight / (weight + right), votes.labels[point], axis=1))
        assert (ratio >= level).any(axis=1).mean() <= claimed[point] + 0.02


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("concentration", [4.0, 60.0])
def test_where_the_vote_errs_draws_are_bad_at_least_as_often_as_claimed(n_classes, concentration):
    """The claim SF(kappa; K/c, K/c), by brute force over shares of a wrong winner and the label."""
    for level in LEVELS:
        winner = np.linspace(1 / n_classes, 1, 60)[:, None]
        label = np.linspace(0, 1, 200)[None, :]
        possible = (label <= winner) & (label + winner <= 1 + 1e-12)
        tail = beta_survival(level, concentration * winner, concentration * label)
        half = concentration / n_classes
        claim = beta_survival(level, half, half)
        smallest = np.where(possible, tail, np.inf).min()
        assert claim <= smallest + 1e-12
        assert smallest <= claim * 1.1  # and no better constant holds


def test_bound_agrees_with_fifty_digits():
    for loss, n, kl, k, level, c in ((0.1, 400, 3.0, 90.0, 0.4, 2), (0.0, 50, 0.0, 8.0, 0.3, 4)):
        radius = (mp.mpf(kl) + mp.log(xi(n) / mp.mpf(0.05))) / n
        tail = mp.betainc(mp.mpf(k) / c, mp.mpf(k) / c, 0, 1 - mp.mpf(level), regularized=True)
        exact = kl_upper(loss, radius) / tail
        found = dirichlet_bound(
            loss=loss, n=n, kl_divergence=kl, concentration=k, level=level, n_classes=c
        )
        assert exact <= found <= exact * (1 + mp.mpf(10) ** -9)


def test_the_reported_value_is_the_least_of_the_grid_each_at_its_share_of_delta(votes):
    alpha = np.full(6, 30.0)
    totals = label_totals(votes, alpha)
    values = [
        dirichlet_bound(
            loss=float(bad_draws(totals, votes, level).mean()), n=200, concentration=180.0,
            level=level, n_classes=3, kl_divergence=dirichlet_divergence(alpha, np.full(6, k0 / 6)),
            delta=0.05 / (len(LEVELS) * len(PRIOR_CONCENTRATIONS)),
        )
        for level in LEVELS
        for k0 in PRIOR_CONCENTRATIONS
    ]  # fmt: skip
    assert dirichlet_on_votes(votes, alpha).value == pytest.approx(min(values), rel=1e-12)


def test_gradient_of_the_objective_is_right(votes):
    given = votes, np.full(6, 100 / 6), 0.4, 0.05
    start = np.log([30.0, 20.0, 20.0, 10.0, 5.0, 8.0])
    numerical = approx_fprime(start, lambda x: _value_and_slopes(x, *given)[0], 1e-5)
    found = _value_and_slopes(start, *given)[1]
    np.testing.assert_allclose(found, numerical, atol=1e-4 * np.abs(numerical).max())


def test_fitted_weights_beat_equal_ones_and_every_bound_of_the_paper():
    rng = np.random.default_rng(2)
    labels = rng.integers(2, size=800)
    wrong = rng.random((6, 800)) < np.array([0.1, 0.1, 0.1, 0.4, 0.4, 0.4])[:, None]
    votes = Votes.from_predictions(labels ^ wrong, labels)
    solution = minimise_dirichlet(votes)
    assert solution.weights.sum() == pytest.approx(1)
    assert solution.weights[:3].min() > solution.weights[3:].max()
    equal = min(dirichlet_on_votes(votes, np.full(6, k0 / 6)).value for k0 in PRIOR_CONCENTRATIONS)
    published = bounds.all_bounds(VoteCounts.from_votes(votes), solution.weights)
    assert solution.bound_value.value < min(equal, *map(float, published.values()))
    assert solution.bound_value.value == dirichlet_on_votes(votes, solution.parameters).value


def test_voters_with_their_own_held_out_sets_are_refused():
    votes = Votes.from_predictions([[0, 1], [1, 1]], [0, 1], [[True, False], [True, True]])
    with pytest.raises(bounds.RequirementError, match="different held-out sets"):
        dirichlet_on_votes(votes, [1.0, 1.0])


def test_voters_without_weight_are_refused_with_the_way_out(votes):
    with pytest.raises(ValueError, match="mix the weights"):
        dirichlet_on_votes(votes, [1.0, 1.0, 1.0, 1.0, 1.0, 0.0])


def test_symmetric_beta_distributions_concentrate():
    for level in LEVELS:
        tails = beta.sf(level, np.geomspace(0.1, 500, 60), np.geomspace(0.1, 500, 60))
        assert (np.diff(tails) >= -1e-12).all()


def test_a_step_of_the_search_that_goes_astray_is_taken_back():
    rng = np.random.default_rng(7)
    labels = rng.integers(2, size=50)
    votes = Votes.from_predictions(labels ^ (rng.random((3, 50)) < 0.2), labels)
    given = votes, np.full(3, 100 / 3), LEVELS[0], 0.05
    value, slopes = _value_and_slopes(np.array([2754.0, 1.0, 1.0]), *given)  # exp overflows
    assert value > _value_and_slopes(np.zeros(3), *given)[0] and not slopes.any()
