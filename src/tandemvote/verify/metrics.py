"""Check certificates of metrics of the confusion matrix, and count them again from votes."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

from tandemvote.verify.arithmetic import Arithmetic
from tandemvote.verify.coalitions import voting_units
from tandemvote.verify.document import METRICS, TEST_SET, CertificateRecord, Measure, StatedTest
from tandemvote.verify.recount import ROUNDING, in_classes, winners
from tandemvote.verify.rules import TOLERANCE, as_different_texts
from tandemvote.votes import Votes

OF_ONE_CLASS = ("recall", "precision", "f1", "specificity")


def wrong_measure(
    record: CertificateRecord, delta: Fraction, arithmetic: Arithmetic
) -> Iterator[str]:
    """List what is wrong with a metric: its counts, its limits, and how they are printed."""
    measure = record.measure
    assert measure is not None
    if record.direction != METRICS[record.metric]:
        yield f"{record.metric} is bounded {record.direction!r}, not {METRICS[record.metric]!r}"
    if set(record.stated) != {TEST_SET} or record.group is not None:
        yield f"{record.metric} requires a test set, as the only candidate, on all samples"
        return
    yield from _impossible(record, measure)
    sides = 1 if measure.other is None else 2
    share = delta / sides / len(measure.tests)
    high = [_limit(each, share, arithmetic) for each in measure.tests]
    at_most = record.direction == "at most"
    levels = sorted({*map(Fraction, measure.costs)})
    scale = max([Fraction(1), *map(abs, levels)])
    what = f"the limit of {record.metric}"
    for value in {record.value, record.stated[TEST_SET].value}:
        truth = _value(record.metric, high, levels, arithmetic)
        yield from _wrong(what, value, truth, scale, arithmetic, upper=at_most)
    if measure.other is not None:
        low = [1 - _limit(_complement(each), share, arithmetic) for each in measure.tests]
        truth = _value(record.metric, low, levels, arithmetic)
        yield from _wrong(
            f"the other {what}", measure.other, truth, scale, arithmetic, upper=not at_most
        )
    for printed in {record.printed, record.stated[TEST_SET].printed}:
        excess = (Fraction(printed) - Fraction(record.value)) * (1 if at_most else -1)
        last_place = int(Decimal(printed).as_tuple().exponent)
        if last_place > -3 or not 0 <= excess < Fraction(1, 10**-last_place):
            yield f"{what} is {record.value!r} in the file, but printed as {printed}"


def _complement(test: StatedTest) -> StatedTest:
    return StatedTest(n_errors=test.n_samples - test.n_errors, n_samples=test.n_samples)


def _limit(test: StatedTest, delta: Fraction, arithmetic: Arithmetic) -> Any:
    if test.n_samples == 0:
        return arithmetic.exactly(1)
    return arithmetic.binomial_limit(test.n_errors, test.n_samples, delta)


def _value(metric: str, rates: list[Any], levels: list[Fraction], arithmetic: Arithmetic) -> Any:
    """Return the metric of error rates, from its definition."""
    number = arithmetic.exactly
    if metric == "cost":
        steps = zip(rates, levels, levels[1:], strict=False)
        return sum((number(b - a) * rate for rate, a, b in steps), number(levels[0]))
    if metric == "f1":  # 2 TP / (2 TP + FP + FN), with TP = 1 - rate and FP + FN = rate
        rates = [rate / (2 - rate) for rate in rates]
    mean = sum(rates, number(0)) / len(rates)
    return mean if metric == "error" else 1 - mean


def _wrong(
    what: str, stated: float, truth: Any, scale: Fraction, arithmetic: Arithmetic, *, upper: bool
) -> Iterator[str]:
    """Report a limit that is on the wrong side of the truth, or far on the safe side of it."""
    value, sign = Fraction(stated), 1 if upper else -1
    low, high = sorted(sign * end for end in arithmetic.ends(truth))
    slack = TOLERANCE * scale
    if sign * value < (high if arithmetic.rigorous else high - slack):
        shown, real = as_different_texts(value, sign * low)
        yield f"{what} is {shown} in the file and {real} by its own counts"
    elif sign * value > low + slack:
        shown, real = as_different_texts(value, sign * high)
        yield f"{what} is {shown} in the file and only {real} by its own counts"


def _impossible(record: CertificateRecord, measure: Measure) -> Iterator[str]:
    """List counts that contradict each other or the rest of the file."""
    metric, classes, sizes = record.metric, list(record.classes), record.class_counts or ()
    of_class = metric in OF_ONE_CLASS
    if measure.positive is not None and (not of_class or measure.positive not in classes):
        yield f"{metric} is about {measure.positive!r:.40}, which is not a class of the file"
        return
    n_costs = len(classes) ** 2 if metric == "cost" else 0
    n_tests = max(1, len({*measure.costs}) - 1)
    if measure.positive is None and (of_class or metric == "balanced_accuracy"):
        n_tests = len(classes)
    counted = (len(measure.costs), len(measure.tests), len(measure.observed))
    if counted != (n_costs, n_tests, n_tests):
        yield f"{metric} has {counted} costs and tests; expected {(n_costs, n_tests, n_tests)}"
        return
    if metric == "cost" and len({*measure.costs}) < 2:
        yield "all costs are the same"
    total, untested = sum(sizes), bool(record.untested.any())
    if measure.other is not None and untested:
        yield "limits on both sides require every voter to be tested"
    if not untested and measure.tests != measure.observed:
        yield f"the counts of {metric} are not those observed, though every voter is tested"
    labels = [measure.positive] if measure.positive is not None else classes
    for number, test in enumerate((*measure.tests, *measure.observed)):
        k, n = test.n_errors, test.n_samples
        own = sizes[classes.index(labels[number % n_tests % len(labels)])]
        possible = {
            "precision": k <= total - own and n - k <= own,
            "f1": own <= n <= total and n - own <= k,
            "specificity": n == total - own,
            "recall": n == own,
            "balanced_accuracy": n == own,
        }.get(metric, n == total)
        if not (k <= n and possible):
            yield f"{k} errors on {n} samples are impossible for {metric} and these classes"
    errors = record.test.n_errors if record.test is not None else 0
    if metric in ("error", "accuracy") and measure.tests[0].n_errors != errors:
        yield f"{metric} has {measure.tests[0].n_errors} errors, and the test set has {errors}"


def other_measure(record: CertificateRecord, votes: Votes | None) -> Iterator[str]:
    """Report counts of a metric that are not those of the votes."""
    measure = record.measure
    if votes is None or measure is None:
        return
    votes = in_classes(record, votes)
    chosen = [{code} for code in winners(record, votes).tolist()]
    for what, stated, sets in (
        ("counts", measure.tests, _able(record, votes) or chosen),
        ("observed counts", measure.observed, chosen),
    ):
        counted = _counted(record, measure, votes.labels.tolist(), sets)
        if counted != [(each.n_errors, each.n_samples) for each in stated]:
            yield f"the {what} of {record.metric} are not those of the votes: {counted[:3]}"


def _able(record: CertificateRecord, votes: Votes) -> list[set[int]]:
    """Return which classes win at each sample if all untested voters choose them."""
    tested = [bool(row.any()) for row in votes.held_out]
    if all(tested):
        return []
    units = [int(unit) for unit in voting_units(record.weights)]
    unknown = sum(unit for unit, known in zip(units, tested, strict=True) if not known)
    room, found = unknown + sum(units) * ROUNDING, []
    for column in votes.predictions.T:
        behind = dict.fromkeys(range(len(record.classes)), 0)
        for unit, known, code in zip(units, tested, column, strict=True):
            behind[int(code)] += unit * known
        most = max(behind.values())
        found.append({label for label, weight in behind.items() if weight + room >= most})
    return found


def _counted(
    record: CertificateRecord, measure: Measure, labels: list[int], sets: list[set[int]]
) -> list[tuple[int, int]]:
    """Count errors and samples of each rate, sample by sample."""
    pairs, metric = list(zip(labels, sets, strict=True)), record.metric
    if metric in ("error", "accuracy"):
        return [(sum(can != {y} for y, can in pairs), len(pairs))]
    if metric == "cost":
        k = len(record.classes)
        most = [max(measure.costs[y * k + c] for c in can) for y, can in pairs]
        return [(sum(m >= b for m in most), len(pairs)) for b in sorted({*measure.costs})[1:]]
    codes = list(range(len(record.classes)))
    if measure.positive is not None:
        codes = [record.classes.index(measure.positive)]
    tests = []
    for c in codes:
        hits = sum(y == c and can == {c} for y, can in pairs)
        misses = sum(y == c and can != {c} for y, can in pairs)
        false = sum(y != c and c in can for y, can in pairs)
        rest = sum(y != c and c not in can for y, can in pairs)
        tests.append(
            {
                "precision": (false, hits + false),
                "f1": (false + misses, hits + false + misses),
                "specificity": (false, false + rest),
            }.get(metric, (misses, hits + misses))
        )
    return tests
