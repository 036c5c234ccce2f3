"""Certificates of recall, precision, F1 and other metrics, from that of the error rate."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from tandemvote.certificate.evidence_fields import votes_for
from tandemvote.metrics.limits import metric_limits
from tandemvote.metrics.metric import METRICS, Metric, MetricName, get_metric, outcomes_of
from tandemvote.record.assumptions import METRIC
from tandemvote.record.document import ErrorCount, Measure
from tandemvote.votes.names import TEST_SET
from tandemvote.votes.printable import shown
from tandemvote.votes.votes import REFEREE, Votes

if TYPE_CHECKING:
    from tandemvote.certificate.certificate import Certificate

Sides = Literal["one", "both"]


def certify_metric(
    certificate: Certificate,
    metric: MetricName,
    *,
    positive: Any = None,
    cost: ArrayLike | None = None,
    sides: Sides = "one",
) -> Certificate:
    """Certify another metric; see `Certificate.for_metric`."""
    record = get_metric(metric)
    if sides not in get_args(Sides):
        raise ValueError(f"sides={sides!r} is not valid. Use 'one' or 'both'.")
    if (record.about == "costs") != (cost is not None):
        raise ValueError("metric='cost' requires cost, and cost requires metric='cost'.")
    votes = votes_for(f"metric={metric!r}", certificate)
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
    costs = () if cost is None else _costs(cost, votes)
    # The classes of models are all classes; those of votes are the ones that occur.
    declared = votes.voters is not None or certificate.members is not None
    code = _positive_code(record, positive, votes, declared=declared)
    possible, observed = outcomes_of(votes, certificate.weights, costs)
    counts, both = record.count(possible, code), sides == "both"
    worst, best = metric_limits(record, counts, certificate.delta, costs=costs, both=both)
    measure = Measure(
        positive=None if code is None else votes.classes[code : code + 1].tolist()[0],
        costs=costs,
        tests=tuple(map(ErrorCount._make, counts)),
        observed=tuple(map(ErrorCount._make, record.count(observed, code))),
        other=best if both else None,
    )
    assumptions = (*certificate.assumptions, METRIC)
    found = replace(certificate, metric=metric, measure=measure, assumptions=assumptions)
    return replace(found, candidates={TEST_SET: worst}, groups=None)


def _costs(cost: ArrayLike, votes: Votes) -> tuple[float, ...]:
    """Return the costs by rows, or raise ValueError."""
    matrix, n_classes = np.asarray(cost, float), votes.classes.size
    valid = matrix.shape == (n_classes, n_classes) and np.isfinite(matrix).all()
    if not valid or np.ptp(matrix) == 0:
        raise ValueError(
            f"cost has shape {matrix.shape}; expected finite numbers of shape ({n_classes},"
            f" {n_classes}), not all equal: a row per true class and a column per predicted class,"
            f" in the order {shown(votes.classes.tolist(), 10)}."
        )
    return tuple(matrix.flat)


def _positive_code(metric: Metric, positive: Any, votes: Votes, *, declared: bool) -> int | None:
    """Return the code of the positive class; None for all classes."""
    labels = votes.classes.tolist()
    if positive is None and metric.about == "class" and len(labels) == 2 and labels[1] in (1, True):
        positive = labels[1]
    if positive is not None:
        present = votes.classes[np.unique(votes.labels)].tolist()
        if metric.about != "class" or positive not in present:
            *names, last = [each.name for each in METRICS.values() if each.about == "class"]
            raise ValueError(
                f"positive={positive!r} is not valid for metric={metric.name!r}. Use it for"
                f" {', '.join(names)} or {last}, and a class of test samples: {shown(present, 10)}."
            )
        return labels.index(positive)
    if metric.about == "class" and not (declared and len(labels) > 2):
        raise ValueError(
            f"metric={metric.name!r} requires positive, one of the classes {shown(labels, 10)}."
            f" Pass positive={labels[-1]!r}, for example."
        )
    if metric.about == "classes" and len(labels) != 2 and not declared:
        raise ValueError(
            f"metric={metric.name!r} requires all classes, and the votes have {shown(labels, 10)}."
            " Pass the fitted model, which knows its classes."
        )
    return None
