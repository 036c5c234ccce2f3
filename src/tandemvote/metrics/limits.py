"""Exact confidence limits for metrics of the confusion matrix.

A metric is a monotone function of a few binomial rates, each of which is given by a number of
errors and the number of samples on which they could have occurred. F1 has one such rate: given the
number of samples that have the class or are predicted so, the wrong ones among these are binomial,
and F1 = 2 (1 - e) / (2 - e) with their rate e.
"""

from __future__ import annotations

import numpy as np

from tandemvote.inequalities import clopper_pearson
from tandemvote.inequalities.outward import ARITHMETIC_MARGIN
from tandemvote.metrics.metric import AT_MOST, Costs, ErrorCounts, Metric


def metric_limits(
    metric: Metric, counts: ErrorCounts, delta: float, *, costs: Costs = (), both: bool = False
) -> tuple[float, float]:
    """Return the limit on the metric's own side, and the opposite one, rounded outward.

    Parameters
    ----------
    metric : Metric
        Its record.
    counts : list of tuple of int
        Errors and samples of each rate; see `Metric.count`.
    delta : float
        Failure probability, shared by the rates and the sides.
    costs : sequence of float
        The costs, of metric "cost" only.
    both : bool, default=False
        Whether both sides are limited; otherwise the opposite limit is the trivial one.

    Returns
    -------
    worst, best : float
        "worst" is an upper limit of a metric that is bounded from above, else a lower limit.

    Examples
    --------
    >>> from tandemvote.metrics.metric import METRICS
    >>> worst, best = metric_limits(METRICS["f1"], [(70, 170)], 0.05, both=True)
    >>> round(worst, 3), round(best, 3)
    (0.676, 0.797)
    """
    share = delta * (1.0 - ARITHMETIC_MARGIN) / (1 + both) / len(counts)
    high = [float(clopper_pearson(k, n, delta=share)) for k, n in counts]
    low = [rate_lower(k, n, share) if both else 0.0 for k, n in counts]
    levels = np.unique(costs or (0.0, 1.0))
    margin = 16 * ARITHMETIC_MARGIN * max(1.0, *np.abs(levels))
    margin *= 1.0 if metric.direction == AT_MOST else -1.0
    ends = [metric.formula(np.array(rates), levels) for rates in (high, low)]
    worst, best = np.clip([ends[0] + margin, ends[1] - margin], levels[0], levels[-1]).tolist()
    return worst, best


def rate_lower(k: int, n: int, delta: float) -> float:
    """Return the lower Clopper-Pearson limit of a rate, rounded down (0 if there are no samples).

    Examples
    --------
    >>> round(rate_lower(97, 100, 0.05), 4)
    0.9243
    """
    # The difference of two floats is off by half a unit in its last place at most.
    return max(0.0, float(np.nextafter(1.0 - clopper_pearson(n - k, n, delta=delta), 0.0)))
