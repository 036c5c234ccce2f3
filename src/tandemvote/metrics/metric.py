"""The metrics: which samples count, what is an error, and the value that error rates give.

A metric is one record in one table, which certificates, files, `verify`, reports and texts share.
Limits are in `tandemvote.metrics.limits`; records are apart from them, since `verify` counts again
without the formulas that made a certificate.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandemvote.votes.votes import Votes
from tandemvote.votes.weighted_vote import FloatArray, can_win, observed_vote

MetricName = Literal[
    "error", "accuracy", "recall", "precision", "f1", "specificity", "balanced_accuracy", "cost"
]

AT_MOST, AT_LEAST = "at most", "at least"

ErrorCounts = Sequence[tuple[int, int]]
"""Errors, and the samples on which they can occur, of each rate."""

Costs = Sequence[float]
"""A matrix by rows, true classes, then predicted classes; empty for metrics without costs."""

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Outcomes:
    """True classes of samples, and the classes that are predicted or that a referee can choose.

    `labels` are codes of shape (n_samples,). `winners`, of shape (n_samples, n_classes), is True
    where a class is predicted or can be. Properties have a column per class, or a single one.
    """

    labels: NDArray[np.integer]
    winners: Mask
    costs: Costs = ()

    @cached_property
    def true(self) -> Mask:
        """Samples that have the class."""
        return np.asarray(self.labels[:, None] == np.arange(self.winners.shape[1]))

    @cached_property
    def right(self) -> Mask:
        """Samples that have the class, and no other can be predicted."""
        return self.true & self.winners & (self.winners.sum(axis=1, keepdims=True) == 1)

    @property
    def wrong(self) -> Mask:
        """Samples where another class than the true one can be predicted."""
        return np.asarray(~self.right.any(axis=1, keepdims=True))

    @property
    def costly(self) -> Mask:
        """Samples whose largest possible cost reaches a level; a column for each but the lowest."""
        costs = np.reshape(self.costs, self.winners.shape[1:] * 2)
        largest = np.where(self.winners, costs[self.labels], -np.inf).max(axis=1)
        return np.asarray(largest[:, None] >= np.unique(costs)[1:])


def _mean_f1(rates: FloatArray, _: FloatArray) -> Any:
    return (2.0 * (1.0 - rates) / (2.0 - rates)).mean()


def _mean_cost(rates: FloatArray, levels: FloatArray) -> Any:
    return levels[0] + np.diff(levels) @ rates


@dataclass(frozen=True)
class Metric:
    """A number that error rates determine.

    Attributes
    ----------
    name, words : str
        Its names in code and files, and in texts.
    events : callable
        From `Outcomes` to two matrices with a row per sample and a column per rate: samples that
        count, and which of them are errors.
    about : {"class", "classes", "samples", "costs"}
        What it has a rate for: a class, or each of them if none is chosen; all classes; the
        samples as a whole; each cost above the smallest.
    direction : {"at least", "at most"}
        The side from which it is bounded: it must decrease with every rate, or increase.
    formula : callable
        From the rates and the distinct costs to the value. By default it is 1 minus the mean rate.
    """

    name: MetricName
    words: str
    events: Callable[[Outcomes], tuple[Mask | bool, Mask]]
    about: Literal["class", "classes", "samples", "costs"] = "class"
    direction: str = AT_LEAST
    formula: Callable[[FloatArray, FloatArray], Any] = lambda rates, _: 1.0 - rates.mean()

    def count(self, outcomes: Outcomes, positive: int | None = None) -> ErrorCounts:
        """Return (errors, samples) for each rate, or for that of the class with code `positive`.

        Examples
        --------
        >>> labels, predicted = np.array([1, 1, 1, 0, 0]), np.array([1, 1, 0, 1, 0])
        >>> METRICS["f1"].count(Outcomes(labels, np.eye(2, dtype=bool)[predicted]), positive=1)
        [(2, 4)]
        """
        counted, errors = np.broadcast_arrays(*self.events(outcomes))
        sums = (counted & errors).sum(axis=0), counted.sum(axis=0)
        counts = list(zip(*map(np.ndarray.tolist, sums), strict=True))
        return counts if positive is None else [counts[positive]]

    def value(self, counts: ErrorCounts, costs: Costs = ()) -> float:
        """Return the value of the metric on the counted samples; a rate without samples is 1.

        Examples
        --------
        >>> METRICS["recall"].value([(1, 4), (0, 0)])
        0.375
        """
        rates = np.array([k / n if n else 1.0 for k, n in counts])
        return float(self.formula(rates, np.unique(costs or (0.0, 1.0))))


RECORDS = (
    Metric("error", "error rate", lambda o: (True, o.wrong), "samples", AT_MOST, _mean_cost),
    Metric("accuracy", "accuracy", lambda o: (True, o.wrong), "samples"),
    Metric("recall", "recall", lambda o: (o.true, ~o.right)),
    Metric("precision", "precision", lambda o: (o.right | (o.winners & ~o.true), ~o.true)),
    Metric("f1", "F1 score", lambda o: (o.true | o.winners, ~o.right), formula=_mean_f1),
    Metric("specificity", "specificity", lambda o: (~o.true, o.winners)),
    Metric("balanced_accuracy", "balanced accuracy", lambda o: (o.true, ~o.right), "classes"),
    Metric("cost", "mean cost", lambda o: (True, o.costly), "costs", AT_MOST, _mean_cost),
)

METRICS: dict[str, Metric] = {each.name: each for each in RECORDS}

REASONS = {
    "auc": "it depends on pairs of samples, not on predicted classes",
    "log_loss": "it is unbounded, and depends on probabilities",
    "calibration": "it depends on probabilities and on how they are binned",
}


def get_metric(name: str) -> Metric:
    """Return the metric of that name, or raise ValueError with the reason why there is none.

    Examples
    --------
    >>> get_metric("f1").words
    'F1 score'
    """
    if name not in [*METRICS]:  # which also takes a list of metrics
        word = str(name).lower().replace(" ", "_")
        reason = next((why for part, why in REASONS.items() if part in word), "")
        raise ValueError(
            f"metric={name!r} is not supported{reason and f': {reason}'}. Use one of"
            f" {', '.join(map(repr, METRICS))}."
        )
    return METRICS[name]


def outcomes_of(votes: Votes, weights: ArrayLike, costs: Costs = ()) -> tuple[Outcomes, Outcomes]:
    """Return what the classifier can predict, and what the tested voters alone predict.

    Examples
    --------
    >>> votes = Votes.from_predictions([[0, 1], [1, 1]], [0, 1], ties="referee")
    >>> [METRICS["error"].count(each) for each in outcomes_of(votes, [0.5, 0.5])]
    [[(1, 2)], [(0, 2)]]
    """
    voted = np.eye(votes.classes.size, dtype=bool)[observed_vote(votes, weights)]
    possible = Outcomes(votes.labels, can_win(votes, weights), costs)
    return possible, replace(possible, winners=voted)
