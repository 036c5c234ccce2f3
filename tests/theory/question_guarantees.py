"""Limits of metrics, differences of models, and alarms of monitors, as promises."""

from __future__ import annotations

from functools import cache, lru_cache, partial
from typing import Any

import numpy as np
from committee_guarantees import _votes, broken_ties, contested, wrong_everywhere
from finite_worlds import Draw, World, coin
from guarantees import Guarantee, Promise, repeated
from numpy.typing import NDArray

from tandemvote import Certificate, Monitor, certify, compare
from tandemvote.metrics.metric import METRICS

COSTS = np.array([[0.0, 1.0], [5.0, 0.0]])


def confusion(name: str, chances: tuple[float, float, float], n: int, delta: float) -> World:
    """One voter with these probabilities of true and false positives and false negatives."""
    tp, fp, fn = chances
    return World(
        name=name,
        mass=np.array([tp, fp, fn, 1 - tp - fp - fn]),
        labels=np.array([1, 0, 1, 0]),
        voters=np.array([[1, 1, 0, 0]]),
        n_samples=n,
        delta=delta,
        n_unlabeled=0,
    )


def two_models(name: str, chances: tuple[float, float, float], n: int, delta: float) -> World:
    """Two voters with these probabilities that only the first, only the second, or both err."""
    only_a, only_b, both = chances
    return World(
        name=name,
        mass=np.array([only_a, only_b, both, 1 - only_a - only_b - both]),
        labels=np.zeros(4, int),
        voters=np.array([[1, 0, 1, 0], [0, 1, 1, 0]]),
        n_samples=n,
        delta=delta,
        n_unlabeled=0,
    )


def _true_value(metric: str, world: World, predicted: NDArray[Any]) -> float:
    """Return the metric of predictions at every sample of a world, by its masses."""
    return _value_of(metric, tuple(world.mass), tuple(world.labels), tuple(predicted))


@cache
def _value_of(
    metric: str, mass: tuple[float, ...], labels: tuple[int, ...], predicted: tuple[int, ...]
) -> float:
    table = np.zeros((2, 2))  # true classes in rows
    np.add.at(table, (labels, predicted), mass)
    (tn, fp), (fn, tp) = table
    return {
        "error": fp + fn,
        "accuracy": tp + tn,
        "recall": tp / (tp + fn),
        "precision": tp / (tp + fp),
        "specificity": tn / (tn + fp),
        "f1": 2 * tp / (2 * tp + fp + fn),
        "balanced_accuracy": (tp / (tp + fn) + tn / (tn + fp)) / 2,
        "cost": float((table * COSTS).sum()),
    }[metric]


def _between(lower: float, true: float, upper: float) -> Promise:
    """Promise that the truth lies between two limits, by a value that changes with them."""
    value = 3.0 + upper - lower / 2
    return Promise(value, value + max(lower - true, true - upper))


@lru_cache(maxsize=2)
def _certificate(draw: Draw, committee: bool) -> Certificate:
    votes = _votes(draw) if committee else draw.votes
    return certify(votes, confidence=1 - draw.world.delta)


def metric_promise(
    metric: str, draw: Draw, *, sides: str = "one", committee: bool = False
) -> Promise:
    """Limits of a metric: of the only voter, or of a committee whose referee errs everywhere."""
    predicted = draw.predictions[0]
    if committee:
        predicted = broken_ties(draw.predictions, wrong_everywhere(draw), 2)
    positive = 1 if METRICS[metric].about == "class" else None
    certificate = _certificate(draw, committee)
    if positive is not None and not (draw.world.labels[draw.sample] == 1).any():
        return Promise(1.0, 0.0)  # rejected: no sample of the class
    cost = COSTS if metric == "cost" else None
    found = certificate.for_metric(metric, positive=positive, cost=cost, sides=sides)
    best = COSTS.min() if metric == "cost" else float(found.direction == "at least")
    lower, upper = found.interval or sorted((found.value, best))
    true = _true_value(metric, draw.world, predicted)
    return _between(lower, true, upper)


def comparison(draw: Draw) -> Promise:
    """Both limits of a difference of error rates."""
    a, b = draw.predictions[:, draw.sample]
    labels = draw.world.labels[draw.sample]
    found: Any = compare(a, b, y=labels, confidence=1 - draw.world.delta)
    risks = draw.world.mass @ (draw.predictions != draw.world.labels).T
    true = risks[0] - risks[1]
    return _between(found.lower, true, found.upper)


def _alarm(draw: Draw, *, goal: bool) -> Promise:
    rate = draw.risk(draw.uniform)
    monitor = Monitor(rate, goal=goal, confidence=1 - draw.world.delta)
    monitor.update(draw.world.labels[draw.sample], draw.predictions[0, draw.sample])
    return Promise(1.0, 2.0 if monitor.alarm_at is not None else 0.0)


def no_false_alarm(draw: Draw) -> Promise:
    """The error rate is the bound itself: an alarm is false."""
    return _alarm(draw, goal=False)


def no_false_goal(draw: Draw) -> Promise:
    """The error rate is the goal itself, or larger: showing less is false."""
    return _alarm(draw, goal=True)


def f1_of_repeated_rows(draw: Draw) -> Promise:
    """Broken: every row counts five times."""
    return metric_promise("f1", repeated(draw, 5))


def alarm_of_repeated_rows(draw: Draw) -> Promise:
    """Broken: five rows of each group err together."""
    return no_false_alarm(repeated(draw, 5))


def by_metric(*metrics: str, sides: str = "one") -> dict[str, Guarantee]:
    """Return the promises of metrics by their names."""
    words = ", both sides" if sides == "both" else ""
    return {f"metric {each}{words}": partial(metric_promise, each, sides=sides) for each in metrics}


ONE_VOTER = by_metric(*METRICS) | by_metric("f1", "error", sides="both")
COMMITTEE: dict[str, Guarantee] = {
    f"metric {each}, worst referee": partial(metric_promise, each, committee=True)
    for each in ("recall", "precision", "f1", "specificity", "cost")
}
COMPARED: dict[str, Guarantee] = {"compare, both limits": comparison}
MONITORED: dict[str, Guarantee] = {
    "monitor, alarm": no_false_alarm,
    "monitor, goal": no_false_goal,
}

QUESTIONS: tuple[tuple[World, dict[str, Guarantee]], ...] = (
    (confusion("rare class, 500 samples", (0.10, 0.03, 0.04), 500, 0.05), ONE_VOTER),
    (contested("contested metrics, 200 samples", 0.1, 200, 0.05), COMMITTEE),
    (two_models("B is better, 500 samples", (0.06, 0.02, 0.05), 500, 0.05), COMPARED),
    (two_models("equal models, 200 samples", (0.05, 0.05, 0.05), 200, 0.05), COMPARED),
    (coin("error rate at the bound, 6000 labels", 0.05, 6000, 0.05), MONITORED),
)
"""Worlds that the theory quotes, and what is promised there."""

BROKEN_QUESTIONS: dict[str, tuple[World, Guarantee]] = {
    "metric f1 of rows that are repeated": (
        confusion("repeated rare class", (0.10, 0.03, 0.04), 100, 0.05),
        f1_of_repeated_rows,
    ),
    "monitor of groups of 5 rows": (
        coin("groups of 5 labels", 0.05, 1200, 0.05),
        alarm_of_repeated_rows,
    ),
}
"""Promises that must be caught, each in a world where it shows."""
