"""The betting bound: right at its root, as often wrong as promised, indifferent to units."""

from itertools import product

import mpmath as mp
import numpy as np
import pytest

from tandemvote.inequalities.betting import LARGEST_STAKE, betting_upper, log_capital, plug_in_bets
from tandemvote.inequalities.empirical_bernstein import empirical_bernstein_upper


def capital_in_fifty_digits(values, mean, delta, lower, upper):
    """The game from its definition: bets from the points before, cut to the allowed stake."""
    x, m = [mp.mpf(float(v)) for v in values], mp.mpf(mean)
    low, high, n = mp.mpf(lower), mp.mpf(upper), len(values)
    guess, capital = (low + high) / 2, mp.mpf(1)
    squares, seen = (high - low) ** 2 / 4, [guess]
    for i, value in enumerate(x, start=1):
        bet = mp.sqrt(2 * mp.log(1 / mp.mpf(delta)) / (n * squares / i))
        bet = min(bet, mp.mpf(LARGEST_STAKE) / (high - m))
        capital *= 1 + bet * (m - value)
        before = mp.fsum(seen) / len(seen)
        seen.append(value)
        squares += (value - before) * (value - mp.fsum(seen) / len(seen))
    return capital


@pytest.mark.parametrize("delta", [0.05, 0.4])
@pytest.mark.parametrize(("lower", "upper"), [(0.0, 1.0), (-3.0, 0.5)])
def test_bound_is_the_root_of_the_capital_in_fifty_digits(lower, upper, delta):
    rng = np.random.default_rng(0)
    for shape in ((0.5, 3.0), (2.0, 2.0)):
        values = lower + (upper - lower) * rng.beta(*shape, size=40)
        bound = betting_upper(values, lower=lower, upper=upper, delta=delta)
        above = capital_in_fifty_digits(values, bound, delta, lower, upper)
        below = capital_in_fifty_digits(values, bound - 1e-8, delta, lower, upper)
        assert below < 1 / mp.mpf(delta) <= above


@pytest.mark.parametrize("n", [1, 2, 5, 11])
@pytest.mark.parametrize("delta", [0.05, 0.3, 0.6])
@pytest.mark.parametrize("small", [0.0, 0.4])
def test_it_misses_at_most_delta_of_the_time_over_all_sequences(n, delta, small):
    """Two values: every one of the 2^n sequences in order, so the probability is exact."""
    sequences = np.array(list(product([0, 1], repeat=n))).T
    bounds = betting_upper(small + (1 - small) * sequences, delta=delta)
    ones = sequences.sum(axis=0)
    for rate in (0.02, 0.2, 0.5, 0.8, 0.97):
        probability = rate**ones * (1 - rate) ** (n - ones)
        mean = small + (1 - small) * rate
        assert probability[bounds < mean].sum() <= delta


def test_expected_capital_at_the_true_mean_is_at_most_one():
    n, rate = 10, 0.3
    sequences = np.array(list(product([0.0, 1.0], repeat=n))).T
    bets = plug_in_bets(sequences, lower=0.0, upper=1.0) * 2.0
    capital = np.exp(log_capital(sequences, rate, bets=bets, upper=1.0))
    ones = sequences.sum(axis=0)
    assert (rate**ones * (1 - rate) ** (n - ones)) @ capital == pytest.approx(1.0, abs=1e-9)


def test_capital_grows_with_the_supposed_mean_even_where_stakes_are_cut():
    rng = np.random.default_rng(1)
    values = rng.random((30, 1))
    bets = plug_in_bets(values, lower=0.0, upper=1.0) * rng.uniform(0.1, 50)
    means = np.linspace(0, 0.999, 400)
    capital = [float(log_capital(values, m, bets=bets, upper=1.0)[0]) for m in means]
    assert (np.diff(capital) > 0).all()


def test_bound_holds_for_skewed_variables():
    rng = np.random.default_rng(2)
    values = rng.beta(0.1, 1.9, size=(60, 4000))  # mean 0.05, mostly near 0
    missed = (betting_upper(values, delta=0.2) < 0.05).mean()
    assert missed <= 0.2 + 4 * np.sqrt(0.2 * 0.8 / 4000)


def test_bound_does_not_depend_on_units():
    values = np.random.default_rng(3).random(80)
    shifted = betting_upper(7 * values - 5, lower=-5, upper=2)
    assert shifted == pytest.approx(7 * betting_upper(values) - 5, abs=1e-9)


def test_columns_are_bounded_one_by_one():
    values = np.random.default_rng(4).random((50, 3))
    assert betting_upper(values).tolist() == [betting_upper(column) for column in values.T]


def test_betting_beats_empirical_bernstein_on_small_variances():
    values = np.random.default_rng(5).beta(1, 30, size=500)
    assert betting_upper(values) < empirical_bernstein_upper(values)


def test_no_points_say_nothing_and_certainty_is_cheap():
    assert betting_upper(np.zeros(0), upper=2.0) == 2.0
    # n points at the lower end: nobody can show less than the exact 1 - delta^(1/n).
    exact = 1 - 0.05 ** (1 / 300)
    assert exact < betting_upper(np.zeros(300)) < exact * 1.25


def test_values_above_their_range_are_refused():
    with pytest.raises(ValueError, match=r"1\.5 exceeds the upper end"):
        betting_upper([0.2, 1.5])
