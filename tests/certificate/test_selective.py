"""Limits for accepted points, against scipy's exact interval and against brute force."""

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from tandemvote.certificate.selective import (
    accepts,
    certified_thresholds,
    check_grid,
    lower_limit,
    upper_limit,
    vote_margins,
)


@pytest.mark.parametrize(("errors", "accepted"), [(0, 1), (0, 50), (7, 50), (50, 50), (3, 1000)])
@pytest.mark.parametrize("delta", [0.5, 0.025, 1e-6])
def test_limits_are_the_exact_binomial_ones_rounded_outward(errors, accepted, delta):
    exact = binomtest(errors, accepted).proportion_ci(1 - 2 * delta, method="exact")
    upper, lower = upper_limit(errors, accepted, delta), lower_limit(errors, accepted, delta)
    assert upper == pytest.approx(exact.high, rel=1e-8)
    assert lower == pytest.approx(exact.low, rel=1e-8, abs=1e-11)
    # The defining inequalities: such extreme counts have a probability of at most delta.
    assert upper == 1.0 or binom.cdf(errors, accepted, upper) <= delta
    assert lower == 0.0 or binom.sf(errors - 1, accepted, lower) <= delta


def test_a_threshold_that_accepts_nothing_promises_nothing():
    (row,) = certified_thresholds(np.full(20, 0.3), np.zeros(20, bool), [0.5], delta=0.05)
    assert (row.n_accepted, row.error, row.coverage) == (0, 1.0, 0.0)


def test_a_margin_of_0_accepts_every_point_there_is():
    (row,) = certified_thresholds(np.zeros(20), np.zeros(20, bool), [0.0], delta=0.05)
    assert (row.n_accepted, row.coverage) == (20, 1.0)


def test_points_on_the_threshold_are_accepted_however_the_shares_are_rounded():
    votes = np.array([[6, 4, 0], [7, 3, 0], [5, 4, 1], [4, 3, 3], [1, 1, 8]])
    margins = vote_margins(votes / 10)
    assert margins.tolist() == [0.2, 0.4, 0.1, 0.1, 0.7]
    assert (0.6 - 0.4) < 0.2, "without rounding this point would be lost"
    assert accepts(margins, 0.2).tolist() == [True, True, False, False, True]
    thirds = vote_margins(np.array([[2, 1, 0], [1, 1, 1], [3, 0, 0]]) / 3)
    assert accepts(thirds, 1 / 3).tolist() == [True, False, True]


def test_a_vote_among_one_class_is_sure():
    assert vote_margins([[1.0], [1.0]]).tolist() == [1.0, 1.0]


def test_every_threshold_of_a_grid_pays_its_share():
    rng = np.random.default_rng(0)
    margins, wrong = rng.random(200), rng.random(200) < 0.2
    grid = [0.1, 0.4, 0.6, 0.8]
    for row in certified_thresholds(margins, wrong, grid, delta=0.1):
        (alone,) = certified_thresholds(margins, wrong, [row.margin], delta=0.1 / 4)
        assert row == alone
        assert row.n_accepted == (margins >= row.margin).sum()
        assert row.n_errors == (wrong & (margins >= row.margin)).sum()


def passed_by_definition(margins, wrong, grid, max_error, delta):
    """Fallback as its proof states it: the shares since the last threshold that failed add up."""
    order, passed = sorted(grid, reverse=True), []
    for position, threshold in enumerate(order):
        inherited = 0
        while position - inherited > 0 and passed[position - inherited - 1]:
            inherited += 1
        accepted = margins >= threshold
        level = (1 + inherited) * delta / (2 * len(grid))
        k, n = int((wrong & accepted).sum()), int(accepted.sum())
        # A limit at or below max_error says: so few errors are unlikely at max_error.
        passed.append(n > 0 and binom.cdf(k, n, max_error) <= level)
    return {threshold for threshold, yes in zip(order, passed, strict=True) if yes}


@pytest.mark.parametrize("seed", range(30))
def test_levels_are_passed_on_as_in_the_proof(seed):
    rng = np.random.default_rng(seed)
    margins = rng.random(150)
    wrong = rng.random(150) < rng.uniform(0.05, 0.4) * (1 - margins)
    grid = sorted(rng.random(6).round(3).tolist())
    rows = certified_thresholds(margins, wrong, grid, max_error=0.15, delta=0.2)
    assert [row.margin for row in rows] == grid
    found = {row.margin for row in rows if row.error == 0.15}
    assert found == passed_by_definition(margins, wrong, grid, 0.15, 0.2)
    assert {row.error for row in rows} <= {0.15, 1.0}


def test_inherited_levels_find_at_least_what_a_union_bound_finds():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        margins = rng.random(150)
        wrong = rng.random(150) < 0.3 * (1 - margins)
        grid = [0.1, 0.3, 0.5, 0.7, 0.9]
        union = certified_thresholds(margins, wrong, grid, delta=0.2)
        searched = certified_thresholds(margins, wrong, grid, max_error=0.15, delta=0.2)
        for each, inherited in zip(union, searched, strict=True):
            assert each.error > 0.15 or inherited.error == 0.15
            assert each.coverage == inherited.coverage


@pytest.mark.parametrize("grid", [[], -0.1, [0.2, 1.1], float("nan"), [[0.1]]])
def test_thresholds_outside_of_0_to_1_are_refused(grid):
    with pytest.raises(ValueError, match=r"expected a threshold in \[0, 1\]"):
        check_grid(grid)
