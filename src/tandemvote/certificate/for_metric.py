"""From the certificate of an error rate to that of recall, precision, F1 and other metrics."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from tandemvote.certificate.rendering import TextTable, rate
from tandemvote.inequalities.outward import FloatArray
from tandemvote.metrics.confusion import PER_CLASS, Metric, Sides, Tests, count_tests
from tandemvote.metrics.limits import check_metric, metric_limits
from tandemvote.record.assumptions import METRIC
from tandemvote.record.document import TEST_SET, Measure, StatedTest
from tandemvote.votes.printable import shown
from tandemvote.votes.votes import REFEREE, Votes
from tandemvote.votes.weighted_vote import can_win, observed_vote

if TYPE_CHECKING:
    from tandemvote.certificate.certificate import Certificate

SIDES = {"one": 1, "both": 2}

MOST_CLASSES = 12  # of a table


def certify_metric(
    certificate: Certificate,
    metric: Metric,
    *,
    positive: Any = None,
    cost: ArrayLike | None = None,
    sides: Sides = "one",
) -> Certificate:
    """Certify another metric of the same classifier on the same samples.

    Requires samples that test the classifier: a committee, or held-out samples. With a referee,
    the limit holds for every referee: a class counts as predicted if it can win. Each metric
    holds alone, at the whole failure probability.

    Parameters
    ----------
    metric : str
        "recall", "precision", "f1", "specificity", "balanced_accuracy", "accuracy", "cost" or
        "error".
    positive : label, default=None
        Class that recall, precision, F1 and specificity are about. By default 1 of two classes,
        and the average over the classes if there are more; then `by_class` has each of them.
    cost : array_like of shape (n_classes, n_classes), default=None
        Cost of each true class (row) and predicted class (column), for metric "cost".
    sides : {"one", "both"}
        "both" gives an `interval`, each side at half of the failure probability. It requires
        that no referee breaks ties.

    Returns
    -------
    Certificate
        With `direction` "at least", or "at most" for "cost" and "error".

    Examples
    --------
    >>> votes = Votes.from_predictions([[0, 1, 1, 1] * 50], [0, 1, 1, 0] * 50)
    >>> from tandemvote import certify
    >>> certify(votes).for_metric("precision").headline
    'observed precision 66.7%, guaranteed precision >= 59.7% (95% confidence)'
    """
    check_metric(metric)
    if sides not in SIDES:
        raise ValueError(f"sides={sides!r} is not valid. Use 'one' or 'both'.")
    if (metric == "cost") != (cost is not None):
        raise ValueError("metric='cost' requires cost, and cost requires metric='cost'.")
    votes = certificate.votes_for(f"metric={metric!r}")
    if TEST_SET not in certificate.candidates:
        raise ValueError(
            f"metric={metric!r} requires samples that test the whole classifier: held-out samples"
            " and fixed weights. Use CertifiedClassifier, or certify on held-out samples; for"
            " recall, by_group('class') bounds the error rate of each class."
        )
    if sides == "both" and certificate.ties == REFEREE:
        raise ValueError(
            "sides='both' requires a test of the classifier itself, without a referee. Use"
            " sides='one', or fit with referee=False."
        )
    costs = None if cost is None else _cost_matrix(cost, votes)
    # The classes of models are all classes; those of votes are the ones that occur.
    declared = votes.voters is not None or certificate.members is not None
    code = _positive_code(metric, positive, votes, declared=declared)
    tests = count_tests(metric, votes.labels, can_win(votes, certificate.weights), code, costs)
    # What is observed is the vote of the tested models, which has one winner.
    winners = np.eye(votes.classes.size, dtype=bool)[observed_vote(votes, certificate.weights)]
    levels = np.unique([] if costs is None else costs)
    worst, best = metric_limits(metric, tests, certificate.delta, costs=levels, sides=SIDES[sides])
    measure = Measure(
        positive=None if code is None else votes.classes[code : code + 1].tolist()[0],
        costs=() if costs is None else tuple(costs.flat),
        tests=_stated(tests),
        observed=_stated(count_tests(metric, votes.labels, winners, code, costs)),
        other=best if sides == "both" else None,
    )
    return replace(
        certificate,
        candidates={TEST_SET: worst},
        metric=metric,
        assumptions=(*certificate.assumptions, METRIC),
        measure=measure,
        groups=None,
    )


def class_metrics(certificate: Certificate) -> TextTable:
    """Return recall, precision and F1 of each class, observed and guaranteed, all at once.

    The table is empty without a test set, without votes, and for more than `MOST_CLASSES` classes.
    """
    votes = certificate.votes
    metrics: tuple[Metric, ...] = ("recall", "precision", "f1")
    if votes is None or TEST_SET not in certificate.candidates or votes.classes.size > MOST_CLASSES:
        return TextTable()
    shared = replace(certificate, delta=certificate.delta / votes.classes.size / len(metrics))
    labels, rows = votes.classes.tolist(), []
    for code, n_samples in zip(*np.unique(votes.labels, return_counts=True), strict=True):
        found = [certify_metric(shared, metric, positive=labels[code]) for metric in metrics]
        cells = [f"{rate(each.observed or 0.0)}, {each.limits}" for each in found]
        rows.append([str(labels[code]), str(n_samples), *cells])
    return TextTable(["class", "samples", "recall", "precision", "F1 score"], "<>>>>", rows)


def _cost_matrix(cost: ArrayLike, votes: Votes) -> FloatArray:
    """Return the costs as an array, or raise ValueError."""
    matrix, n_classes = np.asarray(cost, float), votes.classes.size
    valid = matrix.shape == (n_classes, n_classes) and np.isfinite(matrix).all()
    if not valid or np.ptp(matrix) == 0:
        raise ValueError(
            f"cost has shape {matrix.shape}; expected finite numbers of shape ({n_classes},"
            f" {n_classes}), not all equal: a row per true class and a column per predicted class,"
            f" in the order {shown(votes.classes.tolist(), 10)}."
        )
    return matrix


def _positive_code(metric: str, positive: Any, votes: Votes, *, declared: bool) -> int | None:
    """Return the code of the positive class; None for all classes."""
    labels = votes.classes.tolist()
    if positive is None and metric in PER_CLASS and len(labels) == 2 and labels[1] in (1, True):
        positive = labels[1]
    if positive is not None:
        present = votes.classes[np.unique(votes.labels)].tolist()
        if metric not in PER_CLASS or positive not in present:
            raise ValueError(
                f"positive={positive!r} is not valid for metric={metric!r}. Use it for recall,"
                f" precision, f1 or specificity, and a class of test samples: {shown(present, 10)}."
            )
        return labels.index(positive)
    if metric in PER_CLASS and not (declared and len(labels) > 2):
        raise ValueError(
            f"metric={metric!r} requires positive, one of the classes {shown(labels, 10)}. Pass"
            f" positive={labels[-1]!r}, for example."
        )
    if metric == "balanced_accuracy" and len(labels) != 2 and not declared:
        raise ValueError(
            f"metric={metric!r} requires all classes, and the votes have {shown(labels, 10)}. Pass"
            " the fitted model, which knows its classes."
        )
    return None


def _stated(tests: Tests) -> tuple[StatedTest, ...]:
    return tuple(StatedTest(n_errors=k, n_samples=n) for k, n in tests)
