"""The vote of tested models, and the referee that breaks its ties."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import indexable

from tandemvote.models.members import Member
from tandemvote.models.private_names import pick
from tandemvote.votes.codes import Codes
from tandemvote.votes.weighted_vote import FloatArray, first_places


class Committee(NamedTuple):
    """Fitted models that predict together positions in `n_classes` classes.

    The tested models vote, and the referee breaks ties. If `averages`, there is no referee and the
    averaged probabilities of the tested models predict.
    """

    tested: list[Member]
    referee: Member | None
    n_classes: int
    averages: bool

    def votes(self, X: Any) -> Codes:
        """Return what is tested: a row for the average, or for each tested model."""
        if self.averages:
            return np.array([self.predict_proba(X).argmax(axis=1)])
        return np.array([each.predict(X) for each in self.tested])

    def predict(self, X: Any) -> NDArray[np.intp]:
        """Return the class with the most votes at each sample."""
        return self._winners(X, self.votes(X))

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the mean probabilities of the tested models that predict the winner."""
        probabilities = [each.predict_proba(X, self.n_classes) for each in self.tested]
        if self.averages:
            return np.asarray(np.mean(probabilities, axis=0))
        pairs = zip(self.tested, probabilities, strict=True)
        votes = np.array(
            [p.argmax(axis=1) if each.is_forest else each.predict(X) for each, p in pairs]
        )
        winners = self._winners(X, votes)
        agree = (votes == winners)[:, :, None]
        mean = np.asarray(np.mean(probabilities, axis=0, where=agree))
        # Some models, SVC for example, predict another class than their most probable one. The
        # largest probability then changes places with that of the predicted class.
        rows, largest = np.arange(len(winners)), mean.argmax(axis=1)
        first, second = mean[rows, largest], mean[rows, winners]
        mean[rows, largest], mean[rows, winners] = second, first
        # A class before the winner may have the same probability.
        tied = mean.argmax(axis=1) != winners
        mean[tied, winners[tied]] = np.nextafter(first[tied], 1)
        return mean

    def _winners(self, X: Any, votes: Codes) -> NDArray[np.intp]:
        """Return the class with the most votes at each sample; the referee sees tied ones only."""
        first = first_places(votes, np.ones(len(votes)), self.n_classes)
        winners: NDArray[np.intp] = first.argmax(axis=1)
        tied = np.flatnonzero(first.sum(axis=1) > 1)
        if self.referee is None or not tied.size:
            return winners
        samples, rows = pick(indexable(X)[0], tied), np.arange(tied.size)
        named, others = self.referee.predict(samples), winners[tied]
        if hasattr(self.referee.model, "predict_proba"):
            shares = self.referee.predict_proba(samples, self.n_classes)
            others = np.where(first[tied], shares, -1.0).argmax(axis=1)
        winners[tied] = np.where(first[tied][rows, named], named, others)
        return winners
