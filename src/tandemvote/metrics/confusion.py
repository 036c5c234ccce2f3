"""The metrics of the confusion matrix, and the error counts that each is computed from.

Limits are in `tandemvote.metrics.limits`; counts are apart from them, since `verify` counts again
without the formulas that made a certificate.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Metric = Literal[
    "error", "accuracy", "recall", "precision", "f1", "specificity", "balanced_accuracy", "cost"
]
Sides = Literal["one", "both"]

AT_MOST, AT_LEAST = "at most", "at least"

PER_CLASS = ("recall", "precision", "f1", "specificity")
"""Metrics of one class, or averages over all classes."""

METRICS: dict[str, str] = {
    "error": AT_MOST,
    "accuracy": AT_LEAST,
    **dict.fromkeys(PER_CLASS, AT_LEAST),
    "balanced_accuracy": AT_LEAST,
    "cost": AT_MOST,
}
"""Metrics, and the side from which each is bounded."""

Tests = list[tuple[int, int]]


def count_tests(
    metric: str,
    labels: NDArray[np.integer],
    winners: NDArray[np.bool_],
    positive: int | None = None,
    costs: NDArray[np.float64] | None = None,
) -> Tests:
    """Return (errors, samples) for each rate that a metric is a function of.

    Parameters
    ----------
    metric : str
        One of `METRICS`.
    labels : ndarray of int, shape (n_samples,)
        Codes of the true classes.
    winners : ndarray of bool, shape (n_samples, n_classes)
        Which classes are predicted, or can be predicted by some referee.
    positive : int, default=None
        Code of the class; None for all classes.
    costs : ndarray of shape (n_classes, n_classes), default=None
        Cost of each true class (row) and predicted class (column).

    Returns
    -------
    tests : list of tuple of int

    Examples
    --------
    >>> labels, predicted = np.array([1, 1, 1, 0, 0]), np.array([1, 1, 0, 1, 0])
    >>> count_tests("f1", labels, np.eye(2, dtype=bool)[predicted], positive=1)
    [(2, 4)]
    """
    own = winners[np.arange(labels.size), labels]
    right = own & (winners.sum(axis=1) == 1)
    if metric in ("error", "accuracy"):
        return [(int((~right).sum()), labels.size)]
    if costs is not None:
        # What the costliest class costs that can be predicted.
        most = np.where(winners, costs[labels], -np.inf).max(axis=1)
        return [(int((most >= level).sum()), labels.size) for level in np.unique(costs)[1:]]
    n_classes = winners.shape[1]
    sizes = np.bincount(labels, minlength=n_classes)
    hits = np.bincount(labels[right], minlength=n_classes)
    false_alarms = winners.sum(axis=0) - np.bincount(labels[own], minlength=n_classes)
    misses, others = sizes - hits, labels.size - sizes
    errors, samples = {
        "precision": (false_alarms, hits + false_alarms),
        "f1": (false_alarms + misses, sizes + false_alarms),
        "specificity": (false_alarms, others),
    }.get(metric, (misses, sizes))  # recall; balanced accuracy is its average
    tests = list(zip(errors.tolist(), samples.tolist(), strict=True))
    return tests if positive is None else [tests[positive]]
