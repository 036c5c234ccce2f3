"""Check certificates of metrics of the confusion matrix.

Every metric is checked as a loss from 0 to 1: the costs between the smallest and the largest one,
and what the metrics that are bounded from below lack to 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Any

from tandemvote.metrics.confusion import AT_MOST, METRICS, PER_CLASS
from tandemvote.record.document import TEST_SET, CertificateRecord, Measure
from tandemvote.verify.averages import Evidence
from tandemvote.verify.truths import clipped, wrong_value


def wrong_measure(seen: Evidence, delta: Fraction) -> Iterator[str]:
    """List what is wrong with the counts of a metric, and with its limits."""
    record, measure, limit = seen.record, seen.record.measure, seen.arithmetic.binomial_limit
    assert measure is not None
    if record.direction != METRICS[record.metric]:
        yield f"{record.metric} is bounded {record.direction!r}, not {METRICS[record.metric]!r}"
    if set(record.candidates) != {TEST_SET} or record.group is not None:
        yield f"{record.metric} requires a test set, as the only candidate, on all samples"
    yield from _impossible(record, measure)
    share = delta / (1 if measure.other is None else 2) / len(measure.tests)
    levels = sorted({*map(Fraction, measure.costs)}) or [Fraction(0), Fraction(1)]
    width = levels[-1] - levels[0]
    steps = [(b - a) / width for a, b in pairwise(levels)]
    rounded = seen.arithmetic.exactly(width / max(Fraction(1), *map(abs, levels)))

    def loss(value: float) -> Fraction:
        part = (Fraction(value) - levels[0]) / width
        return part if record.direction == AT_MOST else 1 - part

    def loss_of(rates: list[Any]) -> Any:
        if record.metric == "cost":
            parts = zip(steps, rates, strict=True)
            return sum(seen.arithmetic.exactly(step) * rate for step, rate in parts)
        if record.metric == "f1":  # 2 TP / (2 TP + FP + FN), with TP = 1 - rate, FP + FN = rate
            rates = [rate / (2 - rate) for rate in rates]
        return sum(rates) / len(rates)

    what = f"limit of {record.metric}, as a loss from 0 to 1,"
    most = loss_of([limit(*each, share) for each in measure.tests])
    stated = loss(record.candidates[TEST_SET])
    yield from wrong_value(f"the {what}", stated, clipped(seen, most, rounded), seen.arithmetic)
    if measure.other is not None:
        least = loss_of([1 - limit(n - k, n, share) for k, n in measure.tests])
        truth, stated = clipped(seen, 1 - least, rounded), 1 - loss(measure.other)
        yield from wrong_value(f"1 - the other {what}", stated, truth, seen.arithmetic)


def _impossible(record: CertificateRecord, measure: Measure) -> Iterator[str]:
    """List counts that contradict each other or the rest of the file."""
    metric, classes, sizes = record.metric, list(record.classes), record.class_counts
    about = type(measure.positive), measure.positive
    named = metric in PER_CLASS and about in [(type(label), label) for label in classes]
    if measure.positive is not None and not named:
        yield f"{metric} is about {measure.positive!r:.40}, which is not a class of the file"
    n_costs, n_tests = 0, 1
    own_sizes = [0]  # of the class that a test is about, unless it is about all samples
    if metric == "cost":
        n_costs, n_tests = len(classes) ** 2, len({*measure.costs}) - 1
        own_sizes *= n_tests
    elif metric in (*PER_CLASS, "balanced_accuracy"):
        one = None if measure.positive is None else classes.index(measure.positive)
        own_sizes = [*sizes] if one is None else [sizes[one]]
        n_tests = len(own_sizes)
    counted = (len(measure.costs), len(measure.tests), len(measure.observed))
    if counted != (n_costs, n_tests, n_tests) or n_tests < 1:
        yield f"{metric} has {counted} costs and tests; expected {(n_costs, n_tests, n_tests)}"
    total = sum(sizes)
    if measure.other is not None and record.has_referee:
        yield "limits on both sides require a test of the vote itself"
    if not record.has_referee and measure.tests != measure.observed:
        yield f"the counts of {metric} are not those observed, though the vote itself is tested"
    if record.observed is None:
        yield f"{metric} requires the observed errors of the vote"
    for (k, n), (k_seen, n_seen) in zip(measure.tests, measure.observed, strict=True):
        if k < k_seen or n - k > n_seen - k_seen:
            yield f"fewer errors count for {metric} than were observed"
    for own, (k, n) in zip(own_sizes * 2, (*measure.tests, *measure.observed), strict=True):
        possible = {
            "precision": k <= total - own and n - k <= own,
            "f1": own <= n <= total and n - own <= k,
            "specificity": n == total - own,
            "recall": n == own,
            "balanced_accuracy": n == own,
        }.get(metric, n == total)
        if not (k <= n and possible):
            yield f"{k} errors on {n} samples are impossible for {metric} and these classes"
    if metric in ("error", "accuracy") and measure.tests[0] != record.test:
        yield f"{metric} has {measure.tests[0].n_errors} errors, and the test set has others"
