"""Certificates of recall, precision, F1 and other metrics of the confusion matrix."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from decimal import Decimal
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from tandemvote.assumptions import METRIC
from tandemvote.certificate.certificate import Certificate
from tandemvote.certificate.rendering import Table, as_html, as_text, rate
from tandemvote.confusion import AT_LEAST, METRICS, PER_CLASS, Tests, count_tests
from tandemvote.counts import FloatArray
from tandemvote.decimals import percent, rounded_down, rounded_up
from tandemvote.metrics import check_metric, metric_limits, metric_value
from tandemvote.spelling import printable, shown
from tandemvote.verify.document import TEST_SET, Measure, StatedTest
from tandemvote.votes import Votes
from tandemvote.voting import can_win, held_out_vote

WORDS = {
    "error": "error rate",
    "f1": "F1 score",
    "balanced_accuracy": "balanced accuracy",
    "cost": "mean cost",
}

SIDES = {"one": 1, "both": 2}

MOST_CLASSES = 12  # of a table


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class MetricCertificate(Certificate):
    """A limit for a metric of the confusion matrix, valid with a stated confidence.

    `value` is a lower limit if `direction` is "at least", an upper limit if it is "at most".
    `interval` has both limits. `by_class` has the limits of all classes, which hold together.

    Examples
    --------
    >>> from tandemvote import Votes, certify
    >>> votes = Votes.from_predictions([[0, 1, 1, 1] * 50], [0, 1, 1, 0] * 50)
    >>> certify(votes, metric="recall")
    observed recall 100.0%, guaranteed recall >= 97.0% (95% confidence)
      one classifier; a test set of 200 samples, 100 for recall for class 1; bound test_set (TEST)
    """

    measure: Measure

    @property
    def levels(self) -> FloatArray:
        """The distinct costs, sorted; empty for other metrics."""
        return np.unique(self.measure.costs)

    @property
    def interval(self) -> tuple[float, float]:
        """Lower and upper limit; one of them is trivial unless both sides were certified."""
        ends = (0.0, 1.0) if self.metric != "cost" else (self.levels[0], self.levels[-1])
        if self.direction == AT_LEAST:
            return self.value, ends[1] if self.measure.other is None else self.measure.other
        return float(ends[0]) if self.measure.other is None else self.measure.other, self.value

    @property
    def observed(self) -> float | None:
        """The metric of the vote of the tested models on the test samples."""
        tests = self.measure.observed
        if not any(each.n_samples for each in tests):
            return None
        rates = [each.n_errors / each.n_samples if each.n_samples else 1.0 for each in tests]
        return metric_value(self.metric, rates, self.levels)

    @property
    def baseline(self) -> float | None:
        """The metric of the best constant prediction; None where that is 100% or undefined."""
        assert self.counts.tally is not None, "a test set has one"
        labels = self.counts.classes.tolist()
        shares = np.array([self.counts.tally.class_counts[label] for label in labels])
        shares = shares / max(self.counts.tally.n_samples, 1)
        if self.metric == "cost":
            matrix = np.reshape(self.measure.costs, (len(labels), len(labels)))
            return float((shares @ matrix).min())
        if self.metric in ("error", "accuracy"):
            return float(1.0 - shares.max() if self.metric == "error" else shares.max())
        if self.measure.positive is None:
            return 1.0 / len(labels) if self.metric in ("recall", "balanced_accuracy") else None
        share = float(shares[labels.index(self.measure.positive)])
        return {"precision": share, "f1": 2.0 * share / (1.0 + share)}.get(self.metric)

    @property
    def by_class(self) -> dict[Any, float]:
        """Limit of the metric for every class; all of them hold together."""
        labels = [self.measure.positive]
        if self.measure.positive is None and self.metric in (*PER_CLASS, "balanced_accuracy"):
            labels = self.counts.classes.tolist()
        if len(labels) != len(self.measure.tests):
            return {}
        share = self.delta / len(labels)
        sides = 1 if self.measure.other is None else 2
        return {
            label: metric_limits(
                self.metric, _pairs((each,)), share, levels=self.levels, sides=sides
            )[0]
            for label, each in zip(labels, self.measure.tests, strict=True)
        }

    @property
    def bounds(self) -> dict[str, float]:
        """The limit by the name of its bound."""
        return dict(self.candidates)

    def by_group(self, by: Any) -> NoReturn:
        """Groups have error bounds: call `by_group` on the certificate of the error rate."""
        raise ValueError(
            f"by_group is about error rates, and this certificate is about {self.metric}. Call it"
            " on the certificate of the error rate."
        )

    @property
    def name(self) -> str:
        """The metric in words."""
        word = WORDS.get(self.metric, self.metric)
        averaged = self.metric in PER_CLASS and self.measure.positive is None
        return f"average {word}" if averaged else word

    @property
    def _of_class(self) -> str:
        if self.measure.positive is None:
            return ""
        return f" for class {printable(repr(self.measure.positive)[:40])}"

    def _shown(self, value: float, *, lower: bool) -> str:
        """Return a limit as text, rounded to the safe side."""
        rounded = rounded_down if lower else rounded_up
        if self.metric == "cost":
            return rounded(value, 3)
        return f"{rounded(100 * Decimal(value), 1)}%"

    def _rate(self, value: float) -> str:
        return f"{value:.4g}" if self.metric == "cost" else rate(value)

    @property
    def limits(self) -> str:
        """The limit, or both limits, such as ">= 87.1%"."""
        lower, upper = self.interval
        if self.measure.other is not None:
            return f"{self._shown(lower, lower=True)} to {self._shown(upper, lower=False)}"
        at_least = self.direction == AT_LEAST
        return f"{'>=' if at_least else '<='} {self._shown(self.value, lower=at_least)}"

    @property
    def headline(self) -> str:
        """Observed metric, guaranteed metric with its confidence, baseline."""
        words = [f"guaranteed {self.name} {self.limits} ({percent(self.delta)} confidence)"]
        if self.observed is not None:
            words.insert(0, f"observed {self.name} {self._rate(self.observed)}")
        if self.baseline is not None:
            words.append(f"best constant prediction {self._rate(self.baseline)}")
        return ", ".join(words)

    @property
    def guarantee(self) -> str:
        """The limit in one sentence."""
        new = "a random row of a random new group" if self.one_row_per_group else "new data"
        limits = (
            self.limits.replace(">=", AT_LEAST).replace("<=", "at most").replace(" to ", " and ")
        )
        between = "between " * (self.measure.other is not None)
        return (
            f"With {percent(self.delta)} confidence, the {self.name} of {self._subject}"
            f"{self._of_class} on {new} is {between}{limits}."
        )

    @property
    def basis(self) -> str:
        """What the limit is about and rests on, in one sentence."""
        if self.measure.positive is None:
            return super().basis
        counted = f"{self.measure.tests[0].n_samples} for {self.name}{self._of_class}"
        return super().basis.replace(" samples", f" samples, {counted}", 1)

    @property
    def advice(self) -> str:
        """What would help, where the limit is not better than a constant prediction."""
        sign = 1 if self.direction == AT_LEAST else -1
        if self.baseline is None or sign * self.value > sign * self.baseline:
            return ""
        if self.observed is not None and sign * self.observed <= sign * self.baseline:
            return (
                f"The observed {self.name} is not better than that of the best constant prediction."
            )
        return (
            "The limit is not better than that of the best constant prediction. What would help:"
            " more test samples."
        )

    def table(self) -> Table:
        """Return one row of text per class, if there are several."""
        limits = self.by_class
        if len(limits) < 2:
            return Table()
        rows = []
        for (label, limit), seen in zip(limits.items(), self.measure.observed, strict=True):
            value = metric_value(self.metric, [seen.n_errors / max(seen.n_samples, 1)], self.levels)
            shown_value = rate(value) if seen.n_samples else ""
            rows.append(
                [str(label), str(seen.n_samples), shown_value, self._shown(limit, lower=True)]
            )
        word = (
            "recall" if self.metric == "balanced_accuracy" else WORDS.get(self.metric, self.metric)
        )
        return Table(["class", "samples", "observed", f"{word} >="], "<>>>", rows)

    def __repr__(self) -> str:
        return as_text(self.headline, self.lines, self.table())

    def _repr_html_(self) -> str:
        return as_html(self.headline, self.lines, self.assumptions, self.table())


def certify_metric(
    certificate: Certificate,
    metric: str,
    *,
    positive: Any = None,
    cost: ArrayLike | None = None,
    sides: str = "one",
) -> MetricCertificate:
    """Certify a metric of the classifier of a certificate; see `Certificate.for_metric`."""
    check_metric(metric)
    if sides not in SIDES:
        raise ValueError(f"sides={sides!r} is not valid. Use 'one' or 'both'.")
    if (metric == "cost") != (cost is not None):
        raise ValueError("metric='cost' requires cost, and cost requires metric='cost'.")
    votes = _votes_of(certificate, metric)
    if sides == "both" and certificate.n_untested:
        raise ValueError(
            "sides='both' requires that every model is tested, and the referee is not. Use"
            " sides='one', or fit with referee=False."
        )
    costs = None if cost is None else _cost_matrix(cost, votes)
    code = _positive_code(metric, positive, votes, declared=_has_declared_classes(certificate))
    tests = observed = count_tests(
        metric, votes.labels, can_win(votes, certificate.weights), code, costs
    )
    if certificate.n_untested:
        winners = np.eye(votes.classes.size, dtype=bool)[held_out_vote(votes, certificate.weights)]
        observed = count_tests(metric, votes.labels, winners, code, costs)
    levels = np.unique([] if costs is None else costs)
    worst, best = metric_limits(metric, tests, certificate.delta, levels=levels, sides=SIDES[sides])
    measure = Measure(
        positive=None if code is None else votes.classes[code : code + 1].tolist()[0],
        costs=() if costs is None else tuple(costs.flat),
        tests=_stated(tests),
        observed=_stated(observed),
        other=best if sides == "both" else None,
    )
    changed = {
        "value": worst,
        "bound": TEST_SET,
        "candidates": {TEST_SET: worst},
        "metric": metric,
        "direction": METRICS[metric],
        "assumptions": (*certificate.assumptions, METRIC),
        "measure": measure,
        "groups": None,
    }
    same = {each.name: getattr(certificate, each.name) for each in fields(Certificate)}
    return MetricCertificate(**same | changed)


def class_metrics(certificate: Certificate) -> Table:
    """Return recall, precision and F1 of each class, observed and guaranteed, all at once.

    The table is empty without a test set, without votes, and for more than `MOST_CLASSES` classes.
    """
    votes = certificate.votes
    if votes is None or TEST_SET not in certificate.candidates or certificate.measure is not None:
        return Table()
    labels, metrics = votes.classes.tolist(), ("recall", "precision", "f1")
    if len(labels) > MOST_CLASSES:
        return Table()
    shared = replace(certificate, delta=certificate.delta / len(labels) / len(metrics))
    rows = []
    for code, label in enumerate(labels):
        n_samples = int((votes.labels == code).sum())
        if n_samples:
            found = [certify_metric(shared, metric, positive=label) for metric in metrics]
            seen = ["" if each.observed is None else f"{rate(each.observed)}, " for each in found]
            cells = [f"{a}{each.limits}" for a, each in zip(seen, found, strict=True)]
            rows.append([str(label), str(n_samples), *cells])
    return Table(["class", "samples", "recall", "precision", "F1 score"], "<>>>>", rows)


def _votes_of(certificate: Certificate, metric: str) -> Votes:
    """Return the votes that test the predictor, or raise ValueError."""
    if certificate.measure is not None or certificate.group is not None:
        raise ValueError(
            f"metric={metric!r} requires the certificate of the error rate on all samples."
        )
    if TEST_SET not in certificate.candidates:
        raise ValueError(
            f"metric={metric!r} requires samples that test the whole classifier: held-out samples"
            " and fixed weights. Use CertifiedClassifier, or certify on held-out samples; for"
            " recall, by_group('class') bounds the error rate of each class."
        )
    if certificate.votes is None:
        raise ValueError(
            f"metric={metric!r} requires the votes, which counts and files do not hold. Pass the"
            " models, or Votes in memory."
        )
    return certificate.votes


def _cost_matrix(cost: ArrayLike, votes: Votes) -> FloatArray:
    """Return the costs as an array, or raise ValueError."""
    matrix, n_classes = np.asarray(cost, float), votes.classes.size
    if matrix.shape != (n_classes, n_classes) or not np.isfinite(matrix).all():
        raise ValueError(
            f"cost has shape {matrix.shape}; expected finite numbers of shape ({n_classes},"
            f" {n_classes}): a row per true class and a column per predicted class, in the order"
            f" {shown(votes.classes.tolist(), 10)}."
        )
    if np.ptp(matrix) == 0:
        raise ValueError(
            f"cost is {matrix.flat[0]:g} everywhere. Pass at least two distinct costs."
        )
    return matrix


def _has_declared_classes(certificate: Certificate) -> bool:
    """Return True if the classes are those of models, not only those that occur in votes."""
    assert certificate.votes is not None
    return certificate.votes.voters is not None or certificate.members is not None


def _positive_code(metric: str, positive: Any, votes: Votes, *, declared: bool) -> int | None:
    """Return the code of the positive class; None for all classes."""
    labels = votes.classes.tolist()
    listed = shown(labels, 10)
    if metric not in PER_CLASS:
        if positive is not None:
            raise ValueError(
                f"positive={positive!r} has no meaning for metric={metric!r}. Omit it."
            )
        if metric == "balanced_accuracy" and (
            len(labels) < 2 or (len(labels) > 2 and not declared)
        ):
            raise ValueError(
                f"metric='balanced_accuracy' requires all classes, and the votes have {listed}."
                " Pass the fitted model, which knows its classes."
            )
        return None
    if positive is None:
        if len(labels) > 2 and declared:
            return None
        if len(labels) != 2 or labels[1] not in (1, True):
            raise ValueError(
                f"metric={metric!r} requires positive, one of the classes {listed}. Pass"
                f" positive={labels[-1]!r}, for example."
            )
        positive = labels[1]
    if positive not in labels:
        raise ValueError(f"positive={positive!r} is not a class: {listed}. Pass one of them.")
    code = labels.index(positive)
    if not (votes.labels == code).any():
        raise ValueError(
            f"No test sample has the class {positive!r}, so its {metric} cannot be certified. Pass"
            " test samples of this class."
        )
    return code


def _stated(tests: Tests) -> tuple[StatedTest, ...]:
    return tuple(StatedTest(n_errors=k, n_samples=n) for k, n in tests)


def _pairs(tests: tuple[StatedTest, ...]) -> Tests:
    return [(each.n_errors, each.n_samples) for each in tests]
