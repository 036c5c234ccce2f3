"""The capital of the betting game: right to 50 digits, fair at the true mean, blind to units."""

from itertools import product

import mpmath as mp
import numpy as np
import pytest

from tandemvote.inequalities.betting import LARGEST_STAKE, log_capital, plug_in_bets


def log_capital_for(values, mean, *, nats, lower=0.0, upper=1.0):
    """Final capital of the bets that aim at so many nats, one column per game."""
    values = np.asarray(values, float)
    values = values[:, None] if values.ndim == 1 else values
    low, high = (np.full(values.shape[1], end) for end in (lower, upper))
    bets = plug_in_bets(values, lower=low, upper=high) * np.sqrt(nats)
    return log_capital(values, np.full(values.shape[1], mean), bets=bets, upper=high)


def capital_in_fifty_digits(values, mean, nats, lower, upper):
    """The game from its definition: bets from the samples before, cut to the allowed stake."""
    x, m = [mp.mpf(float(v)) for v in values], mp.mpf(mean)
    low, high, n = mp.mpf(lower), mp.mpf(upper), len(values)
    guess, capital = (low + high) / 2, mp.mpf(1)
    squares, seen = (high - low) ** 2 / 4, [guess]
    for i, value in enumerate(x, start=1):
        bet = mp.sqrt(2 * nats / (n * squares / i))
        bet = min(bet, mp.mpf(LARGEST_STAKE) / (high - m))
        capital *= 1 + bet * (m - value)
        before = mp.fsum(seen) / len(seen)
        seen.append(value)
        squares += (value - before) * (value - mp.fsum(seen) / len(seen))
    return capital


@pytest.mark.parametrize("nats", [0.9, 3.0])
@pytest.mark.parametrize(("lower", "upper"), [(0.0, 1.0), (-3.0, 0.5)])
def test_capital_agrees_with_fifty_digits_and_is_rounded_down(lower, upper, nats):
    rng = np.random.default_rng(0)
    for shape in ((0.5, 3.0), (2.0, 2.0)):
        values = lower + (upper - lower) * rng.beta(*shape, size=40)
        for mean in lower + (upper - lower) * np.array([0.05, 0.3, 0.6, 0.95]):
            exact = mp.log(capital_in_fifty_digits(values, float(mean), nats, lower, upper))
            actual = log_capital_for(values, mean, nats=nats, lower=lower, upper=upper)[0]
            assert exact - 1e-9 <= actual <= exact


@pytest.mark.parametrize("n", [1, 2, 5, 11])
@pytest.mark.parametrize("delta", [0.05, 0.3, 0.6])
@pytest.mark.parametrize("small", [0.0, 0.4])
def test_the_true_mean_is_refuted_at_most_delta_of_the_time_over_all_sequences(n, delta, small):
    """Two values: every one of the 2^n sequences in order, so the probability is exact."""
    sequences = np.array(list(product([0, 1], repeat=n))).T
    ones = sequences.sum(axis=0)
    nats = np.log(1 / delta)
    for rate in (0.02, 0.2, 0.5, 0.8, 0.97):
        mean = small + (1 - small) * rate
        refuted = log_capital_for(small + (1 - small) * sequences, mean, nats=nats) >= nats
        assert (rate**ones * (1 - rate) ** (n - ones))[refuted].sum() <= delta


def test_expected_capital_at_the_true_mean_is_one():
    n, rate = 10, 0.3
    sequences = np.array(list(product([0.0, 1.0], repeat=n))).T
    capital = np.exp(log_capital_for(sequences, rate, nats=4.0))
    ones = sequences.sum(axis=0)
    assert (rate**ones * (1 - rate) ** (n - ones)) @ capital == pytest.approx(1.0, abs=1e-9)


def test_capital_grows_with_the_supposed_mean_even_where_stakes_are_cut():
    rng = np.random.default_rng(1)
    values = rng.random(30)
    nats = rng.uniform(0.1, 50) ** 2
    capital = [log_capital_for(values, m, nats=nats)[0] for m in np.linspace(0, 0.999, 400)]
    assert (np.diff(capital) > 0).all()


def test_the_true_mean_of_skewed_variables_is_seldom_refuted():
    rng = np.random.default_rng(2)
    values = rng.beta(0.1, 1.9, size=(60, 4000))  # mean 0.05, mostly near 0
    nats = np.log(1 / 0.2)
    refuted = (log_capital_for(values, 0.05, nats=nats) >= nats).mean()
    assert refuted <= 0.2 + 4 * np.sqrt(0.2 * 0.8 / 4000)


def test_capital_does_not_depend_on_units():
    values = np.random.default_rng(3).random(80)
    shifted = log_capital_for(7 * values - 5, 7 * 0.55 - 5, nats=3.0, lower=-5, upper=2)
    assert shifted == pytest.approx(log_capital_for(values, 0.55, nats=3.0), abs=1e-9)


def test_columns_are_played_one_by_one():
    values = np.random.default_rng(4).random((50, 3))
    alone = [log_capital_for(column, 0.6, nats=3.0)[0] for column in values.T]
    assert log_capital_for(values, 0.6, nats=3.0) == pytest.approx(alone, abs=1e-12)


def test_certainty_is_cheap():
    """No test can refute a mean below 1 - delta^(1/n) from n samples at the lower end."""
    nats = np.log(1 / 0.05)
    exact = 1 - 0.05 ** (1 / 300)
    assert log_capital_for(np.zeros(300), exact, nats=nats)[0] < nats
    assert log_capital_for(np.zeros(300), 1.25 * exact, nats=nats)[0] >= nats


def test_no_samples_are_no_evidence():
    assert log_capital_for(np.zeros(0), 0.5, nats=3.0).tolist() == [0.0]
