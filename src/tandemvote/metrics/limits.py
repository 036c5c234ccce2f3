"""Exact confidence limits for metrics of the confusion matrix and for differences of error rates.

Every metric is a monotone function of a few binomial rates, called `tests` here: a number of errors
and the number of samples on which they could have occurred. F1 is one of them: given the number of
samples that have the class or are predicted so, the wrong ones among these are binomial, and
F1 = 2 (1 - e) / (2 - e) with their rate e.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tandemvote.inequalities import clopper_pearson
from tandemvote.inequalities.outward import ARITHMETIC_MARGIN
from tandemvote.metrics.confusion import AT_MOST, METRICS, Tests

REASONS = {
    "auc": "it depends on pairs of samples, not on predicted classes",
    "log_loss": "it is unbounded, and depends on probabilities",
    "calibration": "it depends on probabilities and on how they are binned",
}


def check_metric(metric: str) -> None:
    """Raise ValueError for a metric that has no limit here, with the reason."""
    if metric not in [*METRICS]:  # which also takes a list of metrics
        word = str(metric).lower().replace(" ", "_")
        reason = next((why for name, why in REASONS.items() if name in word), "")
        raise ValueError(
            f"metric={metric!r} is not supported{reason and f': {reason}'}. Use one of"
            f" {', '.join(map(repr, METRICS))}."
        )


def metric_value(metric: str, rates: ArrayLike, costs: ArrayLike = ()) -> float:
    """Return the metric that error rates give; the average if there are several classes."""
    rates = np.asarray(rates)
    if metric == "cost":
        levels = np.unique(costs)
        return float(levels[0] + np.diff(levels) @ rates)
    if metric == "f1":
        return float((2.0 * (1.0 - rates) / (2.0 - rates)).mean())
    return float(rates.mean() if metric == "error" else 1.0 - rates.mean())


def metric_limits(
    metric: str, tests: Tests, delta: float, *, costs: ArrayLike = (), sides: int = 1
) -> tuple[float, float]:
    """Return the limit on the metric's own side, and the opposite one, rounded outward.

    Parameters
    ----------
    metric : str
        One of `METRICS`.
    tests : list of tuple of int
        Errors and samples of each rate; see `count_tests`.
    delta : float
        Failure probability, shared by the rates and the sides.
    costs : array_like
        The costs, for metric "cost" only.
    sides : {1, 2}
        If 1, the opposite limit is the trivial one.

    Returns
    -------
    worst, best : float
        "worst" is an upper limit for "error" and "cost", a lower limit for the other metrics.

    Examples
    --------
    >>> worst, best = metric_limits("f1", [(70, 170)], 0.05, sides=2)
    >>> round(worst, 3), round(best, 3)
    (0.676, 0.797)
    """
    share = delta * (1.0 - ARITHMETIC_MARGIN) / sides / len(tests)
    high = [float(clopper_pearson(k, n, delta=share)) for k, n in tests]
    low = [rate_lower(k, n, share) if sides == 2 else 0.0 for k, n in tests]
    ends = (float(np.min(costs)), float(np.max(costs))) if metric == "cost" else (0.0, 1.0)
    margin = 16 * ARITHMETIC_MARGIN * max(1.0, *map(abs, ends))
    margin *= 1.0 if METRICS[metric] == AT_MOST else -1.0
    worst = metric_value(metric, high, costs) + margin
    best = metric_value(metric, low, costs) - margin
    return min(max(worst, ends[0]), ends[1]), min(max(best, ends[0]), ends[1])


def rate_lower(k: int, n: int, delta: float) -> float:
    """Return the lower Clopper-Pearson limit of a rate, rounded down (0 if there are no samples).

    Examples
    --------
    >>> round(rate_lower(97, 100, 0.05), 4)
    0.9243
    """
    # The difference of two floats is off by half a unit in its last place at most.
    return max(0.0, float(np.nextafter(1.0 - clopper_pearson(n - k, n, delta=delta), 0.0)))


def difference_lower(n_gains: int, n_losses: int, n_samples: int, delta: float = 0.05) -> float:
    r"""Lower confidence limit for the error rate of A minus that of B on a common test set.

    .. math:: L_A - L_B = s (2 \theta - 1)

    s is the probability that exactly one of them is right, and :math:`\theta` the probability that
    it is B. Given the number of such samples, `n_gains` is binomial. :math:`\theta` is limited at
    0.9 delta, s at 0.1 delta: from below if the limit of :math:`\theta` is at least 1/2, otherwise
    from above. In every world only one of the two limits of s matters.

    Parameters
    ----------
    n_gains, n_losses : int
        Samples on which A is wrong and B right, and the reverse.
    n_samples : int
        Number of test samples, used for nothing else.
    delta : float, default=0.05
        Failure probability.

    Returns
    -------
    limit : float
        A number in [-1, 1], rounded down.

    Examples
    --------
    >>> round(difference_lower(30, 10, 500), 4)
    0.0113
    """
    n_discordant = n_gains + n_losses
    delta *= 1.0 - ARITHMETIC_MARGIN
    theta = rate_lower(n_gains, n_discordant, 0.9 * delta)
    if theta >= 0.5:
        share = rate_lower(n_discordant, n_samples, 0.1 * delta)
    else:
        share = float(clopper_pearson(n_discordant, n_samples, delta=0.1 * delta))
    return max(-1.0, share * (2.0 * theta - 1.0) - ARITHMETIC_MARGIN)
