"""Number of labeled test samples that show that an error rate is at most a given number."""

from __future__ import annotations

import math
from numbers import Real

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

from tandemvote.inequalities.outward import FloatArray
from tandemvote.votes.confidence import failure_probability
from tandemvote.votes.parameter_error import ParameterError
from tandemvote.votes.set_sizes import IntArray

MOST_LABELS = 10**9

MARGIN = 2.0**-33
"""Relative margin of the goal: at least as wide as the margin by which limits are rounded up."""


def labels_needed(
    error: float, max_error: float, *, confidence: float = 0.95, power: float = 0.8
) -> int:
    """Return how many test samples are needed to show that an error rate is at most `max_error`.

    The power is not monotone in the number of samples. The result is the smallest number from
    which on every number of samples suffices.

    Parameters
    ----------
    error : float
        Expected error rate, for example the observed one. For a committee with a referee, it is the
        rate of test samples that count as errors.
    max_error : float
        Goal: the upper limit of the error rate that the samples are to show.
    confidence : float, default=0.95
        Confidence of the upper limit, at least 0.5 and below 1.
    power : float, default=0.8
        Probability that the upper limit is at most `max_error` if `error` is the true error rate.

    Returns
    -------
    n_samples : int
        Number of labeled test samples, drawn independently and used for nothing else.

    See Also
    --------
    Monitor : Label until a goal is shown, without fixing the number of samples.

    Examples
    --------
    >>> labels_needed(0.03, 0.05)
    694
    >>> labels_needed(0, 0.01)
    299
    """
    delta = failure_probability(confidence)
    rates = (error, max_error)
    if not all(isinstance(rate, Real) for rate in rates) or not 0 <= error < max_error < 1:
        raise ParameterError(
            f"error={error!r} and max_error={max_error!r} are not valid; expected numbers with"
            " 0 <= error < goal < 1. No number of samples shows that an error rate is below"
            " itself: raise the goal, or improve the model.",
            error=error,
            max_error=max_error,
        )
    if not isinstance(power, Real) or not 0 < power < 1:
        raise ParameterError(
            f"power={power!r} is not valid; expected a number between 0 and 1, such as 0.8.",
            power=power,
        )
    goal = max_error * (1.0 - MARGIN)

    def suffices(k: IntArray | int) -> NDArray[np.bool_]:
        """Check the largest number of samples at which at most k errors are allowed."""
        return _at_most(k, _sizes(k + 1, goal, delta) - 1, error) >= power

    # Bisection: `low` does not suffice, `high` does.
    low, high = -1, 0
    while not suffices(high):
        low, high = high, 2 * high + 1
        if _sizes(high, goal, delta) > MOST_LABELS:
            raise ValueError(
                f"More than {MOST_LABELS:,} labels are needed to show {max_error!r}."
                " Raise the goal."
            )
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if suffices(middle) else (middle, high)
    # Rounding sizes to integers shifts the crossing by about 2 error goal / (goal - error) errors.
    width = 10 + int(8 * error * goal / (goal - error))
    after = np.arange(high, high + width)
    failing = after[~suffices(after)]
    return int(_sizes(failing[-1] + 1 if failing.size else high, goal, delta))


def auto_test_size(n_labels: int) -> int:
    """Return the size of the test set of some labels with ``test_size="auto"``.

    Examples
    --------
    >>> auto_test_size(3470), auto_test_size(19210)
    (694, 2869)
    """
    return max(int(n_labels * min(0.2, 4.0 / np.cbrt(n_labels))), 1)


def labels_in_all(n_test: int) -> int:
    """Return the number of labels of which so many are tested: the inverse of `auto_test_size`.

    Examples
    --------
    >>> labels_in_all(694), labels_in_all(2869)
    (3470, 19210)
    """
    return math.ceil(max(5 * n_test, math.pow(n_test / 4, 1.5)))


def _at_most(k: IntArray | int, n: IntArray, p: float) -> FloatArray:
    """Return P(Bin(n, p) <= k)."""
    return np.where(k >= n, 1.0, betainc(np.maximum(n - k, 1), k + 1.0, 1.0 - p))


def _sizes(k: IntArray | int, goal: float, delta: float) -> IntArray:
    """Return the smallest sizes at which k errors show the goal: P(Bin(n, goal) <= k) <= delta."""
    low, high = k, np.ceil((k + 1) / goal).astype(np.int64)
    while (short := _at_most(k, high, goal) > delta).any():
        low, high = np.where(short, high, low), np.where(short, 2 * high, high)
    while (high - low > 1).any():
        middle = (low + high) // 2
        enough = _at_most(k, middle, goal) <= delta
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return high
