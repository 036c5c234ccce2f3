"""Check certificates of metrics of the confusion matrix.

Every metric is checked as a loss from 0 to 1: the costs between the smallest and the largest one,
and what the metrics that are bounded from below lack to 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from tandemvote.metrics.metric import AT_MOST, METRICS, Metric, Outcomes
from tandemvote.record.document import Measure, Record
from tandemvote.verify.averages import Quantities
from tandemvote.verify.truths import clipped, wrong_value
from tandemvote.votes.names import TEST_SET


def wrong_measure(seen: Quantities, delta: Fraction) -> Iterator[str]:
    """List what is wrong with the counts of a metric, and with its limits."""
    record, measure, limit = seen.record, seen.record.measure, seen.arithmetic.binomial_limit
    metric = METRICS[record.metric]
    assert measure is not None
    if set(record.candidates) != {TEST_SET} or record.group is not None:
        yield f"{record.metric} requires a test set, as the only candidate, on all samples"
    yield from _impossible(metric, record, measure)
    share = delta / (1 if measure.other is None else 2) / len(measure.tests)
    levels = sorted({*map(Fraction, measure.costs)}) or [Fraction(0), Fraction(1)]
    width = levels[-1] - levels[0]
    shares = [(b - a) / width for a, b in pairwise(levels)]
    if metric.about != "costs":
        shares = [Fraction(1, len(measure.tests))] * len(measure.tests)
    rounded = seen.arithmetic.exactly(width / max(Fraction(1), *map(abs, levels)))

    def loss(value: float) -> Fraction:
        part = (Fraction(value) - levels[0]) / width
        return part if record.direction == AT_MOST else 1 - part

    def loss_of(rates: list[Any]) -> Any:
        if metric.name == "f1":  # 2 TP / (2 TP + FP + FN), with TP = 1 - rate, FP + FN = rate
            rates = [rate / (2 - rate) for rate in rates]
        return sum(seen.arithmetic.exactly(a) * b for a, b in zip(shares, rates, strict=True))

    what = f"limit of {record.metric}, as a loss from 0 to 1,"
    most = loss_of([limit(*each, share) for each in measure.tests])
    stated = loss(record.candidates[TEST_SET])
    yield from wrong_value(f"the {what}", stated, clipped(seen, most, rounded), seen.arithmetic)
    if measure.other is not None:
        least = loss_of([1 - limit(n - k, n, share) for k, n in measure.tests])
        truth, stated = clipped(seen, 1 - least, rounded), 1 - loss(measure.other)
        yield from wrong_value(f"1 - the other {what}", stated, truth, seen.arithmetic)


def _impossible(metric: Metric, record: Record, measure: Measure) -> Iterator[str]:
    """List counts that contradict each other or the rest of the file."""
    name, classes, sizes = metric.name, list(record.classes), record.class_counts
    positive, is_class = measure.positive, measure.positive in classes
    is_class &= type(positive) is type(classes[0]) and metric.about == "class"
    if positive is not None and not is_class:
        yield f"{name} is about {positive!r:.40}, which is not a class of the file"
    n_costs, own_sizes = 0, [0]  # of the class that a rate is about, unless it is of all samples
    if metric.about == "costs":
        n_costs, own_sizes = len(classes) ** 2, [0] * (len({*measure.costs}) - 1)
    elif metric.about != "samples":
        own_sizes = [*sizes] if positive is None else [sizes[classes.index(positive)]]
    n_tests = len(own_sizes)
    counted = (len(measure.costs), len(measure.tests), len(measure.observed))
    if counted != (n_costs, n_tests, n_tests) or n_tests < 1:
        yield f"{name} has {counted} costs and tests; expected {(n_costs, n_tests, n_tests)}"
    if measure.other is not None and record.has_referee:
        yield "limits on both sides require a test of the vote itself"
    if not record.has_referee and measure.tests != measure.observed:
        yield f"the counts of {name} are not those observed, though the vote itself is tested"
    if record.voted is None:
        yield f"{name} requires the observed errors of the vote"
    for (k, n), (k_seen, n_seen) in zip(measure.tests, measure.observed, strict=True):
        if k < k_seen or n - k > n_seen - k_seen:
            yield f"fewer errors count for {name} than were observed"
    for own, (k, n) in zip(own_sizes * 2, (*measure.tests, *measure.observed), strict=True):
        if not _can_occur(metric, k, n, (own, sum(sizes) - own)):
            yield f"{k} errors on {n} samples are impossible for {name} and these classes"
    if metric.about == "samples" and measure.tests[0] != record.test:
        yield f"{name} has {measure.tests[0].n_errors} errors, and the test set has others"


def _can_occur(metric: Metric, k: int, n: int, sizes: tuple[int, int]) -> bool:
    """Check that samples of a class and of others can have k errors among n samples that count."""
    labels, predicted = np.array([[0, 0, 1, 1], [0, 1, 0, 1]])
    tried = Outcomes(labels, np.eye(2, dtype=bool)[predicted], (0, 1, 1, 0))
    counted, errors = metric.events(tried)
    kinds = np.where(counted, errors, 2)[:, 0].reshape(2, 2)  # that a sample of the two can be
    masks = [(kinds == kind, number) for kind, number in enumerate((n - k, k, sum(sizes) - n))]
    return all(m.all(axis=1) @ sizes <= number <= m.any(axis=1) @ sizes for m, number in masks)
