"""Which labels the vote takes for which, counted on points its voters did not see."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import confusion_matrix

from tandemvote.hard_vote import held_out_shares
from tandemvote.votes import Votes


@dataclass(frozen=True, eq=False)
class Confusion:
    """Counts of points by true and predicted label.

    Attributes
    ----------
    classes : list of str
    counts : ndarray of int, shape (n_classes, n_classes)
        Rows are true labels, columns predicted ones.

    Examples
    --------
    >>> votes = Votes.from_predictions([["a", "a", "b"]], ["a", "b", "b"])
    >>> found = Confusion.from_votes(votes, [1.0])
    >>> found.counts.tolist(), list(found.mistakes())
    ([[1, 0], [1, 1]], [('b', 'a', 1, 0.5)])
    """

    classes: list[str]
    counts: NDArray[np.int64]

    @classmethod
    def from_votes(cls, votes: Votes, weights: ArrayLike) -> Confusion:
        """Let the voters that did not see a point vote on it."""
        shares = held_out_shares(votes, weights)
        covered = ~np.isnan(shares[:, 0])
        codes = np.arange(votes.classes.size)
        said = shares[covered].argmax(axis=1)
        counts = confusion_matrix(votes.labels[covered], said, labels=codes)
        return cls([str(label) for label in votes.classes], counts)

    @property
    def shares(self) -> NDArray[np.float64]:
        """Share of the points of each true label."""
        return np.asarray(self.counts / np.maximum(self.counts.sum(axis=1, keepdims=True), 1))

    def mistakes(self) -> Iterator[tuple[str, str, int, float]]:
        """True label, predicted label, points, share of the true label; most frequent first."""
        wrong = self.counts * ~np.eye(len(self.classes), dtype=bool)
        for cell in np.argsort(-wrong, axis=None, kind="stable")[: np.count_nonzero(wrong)]:
            truth, said = divmod(int(cell), len(self.classes))
            share = float(self.shares[truth, said])
            yield self.classes[truth], self.classes[said], int(wrong[truth, said]), share
