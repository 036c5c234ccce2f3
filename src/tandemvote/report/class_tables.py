"""Tables of classes, counted from the votes: the confusion matrix, and limits of metrics."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import confusion_matrix

from tandemvote.certificate.certificate import Certificate
from tandemvote.certificate.rendering import TextTable, rate
from tandemvote.metrics.limits import metric_limits
from tandemvote.metrics.metric import METRICS, outcomes_of
from tandemvote.votes.decimals import in_percent, rounded_down
from tandemvote.votes.names import TEST_SET
from tandemvote.votes.weighted_vote import observed_vote

MOST_CLASSES = 12  # of a table

OF_CLASSES = [METRICS[name] for name in ("recall", "precision", "f1")]
"""The metrics in the columns of the table."""


@dataclass(frozen=True, eq=False)
class Confusion:
    """Numbers of samples: true classes in rows, predicted classes in columns.

    The voters that were not trained on a sample predict it.
    """

    classes: list[str]
    counts: NDArray[np.int64]

    @classmethod
    def from_certificate(cls, certificate: Certificate) -> Confusion | None:
        """Count the vote of a certificate; None without votes, or if it certifies another model."""
        votes = certificate.votes
        if votes is None or certificate.deployed is not None:
            return None
        winners = observed_vote(votes, certificate.weights)
        voted, codes = winners >= 0, range(votes.classes.size)
        counts = confusion_matrix(votes.labels[voted], winners[voted], labels=codes)
        return cls([str(label) for label in votes.classes], counts)

    @property
    def shares(self) -> NDArray[np.float64]:
        """Share of the samples of each true class."""
        return np.asarray(self.counts / np.maximum(self.counts.sum(axis=1, keepdims=True), 1))

    @property
    def errors(self) -> list[tuple[str, str, int, float]]:
        """True class, predicted class, samples, share of the true class; most frequent first."""
        wrong = self.counts * ~np.eye(len(self.classes), dtype=bool)
        found = [
            (self.classes[i], self.classes[j], int(wrong[i, j]), float(self.shares[i, j]))
            for i, j in np.argwhere(wrong)
        ]
        return sorted(found, key=lambda error: -error[2])


def class_metrics(certificate: Certificate) -> TextTable:
    """Return recall, precision and F1 of each class, observed and guaranteed, all at once.

    The table is empty without a test set, without votes, and for more than `MOST_CLASSES` classes.
    """
    votes = certificate.votes
    if votes is None or TEST_SET not in certificate.candidates or votes.classes.size > MOST_CLASSES:
        return TextTable()
    share = certificate.delta / votes.classes.size / len(OF_CLASSES)
    possible, observed = outcomes_of(votes, certificate.weights)
    counts = [(each, each.count(possible), each.count(observed)) for each in OF_CLASSES]
    labels, rows = votes.classes.tolist(), []
    for code, n_samples in zip(*np.unique(votes.labels, return_counts=True), strict=True):
        row = [str(labels[code]), str(n_samples)]
        for metric, able, seen in counts:
            least, _ = metric_limits(metric, [able[code]], share)
            row.append(f"{rate(metric.value([seen[code]]))}, >= {in_percent(least, rounded_down)}")
        rows.append(row)
    return TextTable(["class", "samples", *(each.words for each in OF_CLASSES)], "<>>>>", rows)
