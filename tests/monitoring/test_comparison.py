"""The lower limit of a difference against all outcomes, and the verdict of a comparison."""

from functools import cache

import numpy as np
import pytest
from scipy.stats import multinomial
from sklearn.dummy import DummyClassifier

from tandemvote import compare
from tandemvote.metrics.difference import difference_lower
from tandemvote.metrics.limits import rate_lower
from tandemvote.record.assumptions import DRAW

DELTA = 0.1


@cache
def lower(b, c, n):
    return difference_lower(b, c, n, DELTA)


def failure_probability(gain, loss, limit, n=30):
    """Return the exact probability that the limit exceeds the true difference."""
    outcomes = [(b, c) for b in range(n + 1) for c in range(n + 1 - b)]
    counts = [(b, c, n - b - c) for b, c in outcomes]
    chances = multinomial.pmf(counts, n, [gain, loss, 1 - gain - loss])
    wrong = [limit(b, c, n) > gain - loss for b, c in outcomes]
    return chances[wrong].sum()


@pytest.mark.parametrize(
    "world", [(0.1, 0.1), (0.3, 0.3), (0.4, 0.1), (0.05, 0.3), (0.5, 0.5), (0.9, 0.05), (0.2, 0.0)]
)
def test_the_limit_fails_with_at_most_delta_over_all_outcomes(world):
    assert failure_probability(*world, lower) <= DELTA


def test_the_enumeration_finds_a_limit_of_three_times_delta():
    def broken(b, c, n):
        return difference_lower(b, c, n, min(1, 4 * DELTA))

    assert failure_probability(0.5, 0.5, broken) > DELTA


def test_the_limit_without_discordant_samples_is_negative():
    assert difference_lower(0, 0, 100) == pytest.approx(0.005 ** (1 / 100) - 1, rel=1e-6)
    assert rate_lower(0, 0, 0.05) == 0.0


def is_shown(b, c):
    return difference_lower(int(b), int(c), 500) > 0


def test_the_quoted_world_is_shown_in_92_percent_of_draws():
    draws = np.random.default_rng(0).multinomial(500, [0.06, 0.02, 0.92], size=1000)
    pairs, n_draws = np.unique(draws[:, :2], axis=0, return_counts=True)
    shown = sum(n for (b, c), n in zip(pairs, n_draws, strict=True) if is_shown(b, c)) / 1000
    assert 0.88 < shown < 0.95


def test_verdicts_name_the_better_one_and_swap_with_the_arguments():
    y = np.zeros(400, int)
    a, b = np.where(np.arange(400) < 60, 1, 0), np.where(np.arange(400) < 20, 1, 0)
    result, swapped = compare(a, b, y=y), compare(b, a, y=y)
    assert result.verdict.startswith("B is better than A by at least")
    assert swapped.verdict.startswith("A is better than B by at least")
    assert (result.lower, result.upper) == (-swapped.upper, -swapped.lower)
    assert (result.n_gains, result.n_losses, result.difference) == (40, 0, 0.1)


def test_a_difference_that_is_not_shown_comes_with_a_number_of_samples():
    y = np.zeros(200, int)
    a, b = (np.arange(200) < 20).astype(int), (np.arange(200) >= 186).astype(int)
    result = compare(a, b, y=y)
    assert "test samples would show" in result.verdict
    assert result.samples_needed > 200
    assert "No difference" in compare(a, a, y=y).verdict


def test_candidates_share_delta_and_models_predict():
    X, y = np.arange(80.0)[:, None], np.arange(80) % 2
    models = [DummyClassifier(strategy="constant", constant=c).fit(X, y) for c in (0, 1)]
    shared = compare(models[0].predict(X), [models[1].predict(X), y], y=y)
    assert [each.delta for each in shared] == [0.025, 0.025]
    assert shared[1].verdict.startswith("B2 is better")


def test_groups_give_one_row_each():
    y = np.arange(60) % 2
    result = compare(y, 1 - y, y=y, groups=np.arange(60) // 3)
    assert result.n_samples == 20
    assert "one random row each" in repr(result)
    assert "random new group" in result.assumptions[0] and DRAW in result.assumptions


def test_the_assumptions_are_listed():
    result = compare([0, 1] * 30, [1, 1] * 30, y=[0, 1] * 30)
    independent, unused = result.to_dict()["assumptions"]
    assert independent.startswith("The test samples are independent draws")
    assert unused.startswith("Neither model was trained")


def test_invalid_input_is_rejected():
    with pytest.raises(ValueError, match=r"shape \(3,\) and y has \(2,\)"):
        compare([0, 1, 1], [0, 1, 1], y=[0, 1])
    with pytest.raises(ValueError, match="probabilities are not supported"):
        compare([0, 1], [0.25, 0.75], y=[0, 1])
    with pytest.raises(ValueError, match="fitted models with X and y"):
        compare(DummyClassifier(), [0, 1], y=[0, 1])
    with pytest.raises(ValueError, match="compare requires labels, and two models"):
        compare([0, 1], [0, 1])


def test_names_of_classes_cannot_move_the_cursor():
    y = np.arange(60) % 2
    loud = type("\x1b[31mLoud\n", (DummyClassifier,), {})
    models = [each(strategy="prior").fit(y[:, None], y) for each in (loud, DummyClassifier)]
    assert "\x1b" not in repr(compare(*models, np.zeros((60, 1)), y))
