"""Labels needed, against an enumeration of every number of samples and errors."""

import numpy as np
import pytest
from scipy.stats import binom

from tandemvote import Votes, certify, labels_needed
from tandemvote.inequalities import clopper_pearson
from tandemvote.metrics.planning import labels_in_all
from tandemvote.models.splitting import draw_test_rows


def suffices(n, error, goal, delta, power):
    """Return True if the numbers of errors that show the goal have at least this probability.

    The exact limit of a number is at most the goal if so few errors are improbable at it;
    the limit is rounded up, so where they have exactly the probability delta it is larger.
    """
    n_errors = np.arange(int(goal * n) + 1)  # more errors have a limit above the goal
    allowed = int((binom.cdf(n_errors, n, goal) < delta).sum()) - 1
    return binom.cdf(allowed, n, error) >= power


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
    assert needed == 1 or not suffices(needed - 1, error, goal, delta, power)
    assert all(suffices(n, error, goal, delta, power) for n in range(needed, needed + 300))


def test_the_first_number_that_reaches_the_power_is_not_enough():
    allowed = [int((clopper_pearson(np.arange(60), n) <= 0.05).sum()) - 1 for n in (601, 602)]
    powers = [binom.cdf(k, n, 0.03) for k, n in zip(allowed, (601, 602), strict=True)]
    assert powers[0] >= 0.8 > powers[1]
    assert labels_needed(0.03, 0.05) == 694


def test_large_numbers_follow_the_normal_approximation():
    expected = 0.05 * 0.95 * (1.6449 + 0.8416) ** 2 / 0.0001**2
    assert labels_needed(0.0499, 0.05) == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize(
    "arguments",
    [
        (0.05, 0.05),
        (0.1, 0.05),
        (-0.1, 0.5),
        (0.1, 1),
        (0, 0),
        ("0.1", 0.2),
        (0.1, "0.2"),
        (0, None),
    ],
)
def test_goals_that_cannot_be_shown_are_rejected(arguments):
    with pytest.raises(ValueError, match="expected numbers with 0 <= error < goal < 1"):
        labels_needed(*arguments)


def test_other_invalid_values_are_rejected():
    with pytest.raises(ValueError, match="power=1 is not valid"):
        labels_needed(0.1, 0.2, power=1)
    with pytest.raises(ValueError, match=r"power='0\.8' is not valid; expected a number"):
        labels_needed(0.1, 0.2, power="0.8")
    with pytest.raises(ValueError, match="confidence=95 is not valid"):
        labels_needed(0.1, 0.2, confidence=95)
    with pytest.raises(ValueError, match=r"confidence='0\.95' is not valid; .* as a number"):
        labels_needed(0.1, 0.2, confidence="0.95")
    with pytest.raises(ValueError, match="More than 1,000,000,000 labels"):
        labels_needed(0.1, 0.1000001)


def test_labels_in_all_have_a_test_set_of_the_size_of_auto():
    for n_test in (20, 500, 1600, 5000):
        rows = [np.arange(labels_in_all(n_test))]
        test, _ = draw_test_rows(rows, None, "auto", np.random.RandomState(0))
        assert test.size == pytest.approx(n_test, abs=1)


@pytest.mark.parametrize(("n_errors", "words"), [(0, "a test set of"), (8, "No number of test")])
def test_a_certificate_that_misses_a_goal_ends_with_the_number_of_labels(n_errors, words):
    y = np.zeros(40, int)
    certificate = certify(Votes.from_predictions([np.arange(40) < n_errors], y == 1))
    assert words in certificate.labels_for(0.05)
    assert certificate.labels_for(0.9) == ""
    if n_errors == 0:
        assert f"a test set of {labels_needed(0, 0.05)} samples" in certificate.labels_for(0.05)


def test_more_test_samples_are_not_advised_where_no_number_of_them_suffices():
    """Ties of the two tested models are right here, and the worst referee breaks them wrongly."""
    y = np.repeat([0, 1], [6, 4])
    predictions = np.tile(y, (2, 1))
    predictions[0, [0, 1]] = predictions[1, [2, 3]] = 1
    certificate = certify(Votes.from_predictions(predictions, y, ties="referee"))
    assert certificate.observed < certificate.baseline <= certificate.value
    printed = str(certificate)
    assert "No number of test samples will show at most 40%" in printed
    assert "Improve the model." in printed and "What would help" not in printed
