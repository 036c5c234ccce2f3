"""Profile: the split of the voters at unlabeled samples, behind the vote or a deployed model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tandemvote.votes.codes import distinct
from tandemvote.votes.draws import shuffled
from tandemvote.votes.weighted_vote import FloatArray


@dataclass(frozen=True, eq=False)
class Shares:
    """Shares of the voters behind a classifier at each unlabeled sample, in random order.

    `leads` are the shares of the voters that predict the class of the classifier. `gaps` are its
    leads over the largest share of another class, negative where the voters outvote it. Both have
    shape (n_samples,).
    """

    leads: FloatArray
    gaps: FloatArray

    @property
    def n_samples(self) -> int:
        """Number of unlabeled samples."""
        return int(self.leads.size)


@dataclass(frozen=True, eq=False)
class VoteProfile(Shares):
    """Shares with the `weights` of the voters and the name of the `deployed` classifier.

    The name is None for the vote itself.
    """

    weights: FloatArray
    deployed: str | None = None

    @classmethod
    def of(
        cls,
        predictions: ArrayLike,
        weights: ArrayLike,
        deployed: ArrayLike | None = None,
        *,
        name: str = "the deployed classifier",
    ) -> VoteProfile:
        """Let the voters vote with these weights, and shuffle the samples by all predictions.

        Bets on a sample depend on the samples before it, so the order of a file must not matter.

        Predictions are labels of any type, shape (n_voters, n_samples). `deployed`, of shape
        (n_samples,), are the predictions of another classifier that is certified instead.

        Examples
        --------
        >>> votes = [["a", "b"], ["a", "c"], ["b", "c"]]
        >>> profile = VoteProfile.of(votes, [0.5, 0.25, 0.25])
        >>> sorted(zip(profile.leads.tolist(), profile.gaps.tolist()))
        [(0.5, 0.0), (0.75, 0.5)]
        """
        leads, gaps = vote_leads(predictions, weights, deployed)
        order, rho = shuffled([*np.asarray(predictions), deployed]), np.array(weights, float)
        return cls(leads[order], gaps[order], rho, None if deployed is None else name)


def vote_leads(
    predictions: ArrayLike, weights: ArrayLike, deployed: ArrayLike | None = None
) -> tuple[FloatArray, FloatArray]:
    """Share of the vote's label, or of the deployed classifier's, and its lead over any other.

    Examples
    --------
    >>> leads, gaps = vote_leads([["a", "b"], ["a", "c"], ["b", "c"]], [0.5, 0.25, 0.25])
    >>> leads.tolist(), gaps.tolist()
    ([0.75, 0.5], [0.5, 0.0])
    >>> leads, gaps = vote_leads([["a", "b"], ["a", "c"]], [0.25, 0.75], ["b", "c"])
    >>> leads.tolist(), gaps.tolist()
    ([0.0, 0.75], [-1.0, 0.5])
    """
    predicted, rho = np.asarray(predictions), np.asarray(weights, float)
    classes, codes = distinct(predicted if deployed is None else np.vstack([predicted, deployed]))
    shares = np.zeros((max(classes.size, 2), predicted.shape[1]))
    for label in range(classes.size):
        shares[label] = rho @ (codes[: len(predicted)] == label)
    if deployed is not None:
        chosen = np.take_along_axis(shares, codes[-1:].astype(np.intp), axis=0)[0]
        np.put_along_axis(shares, codes[-1:].astype(np.intp), -1.0, axis=0)
        return chosen, chosen - shares.max(axis=0)
    second, first = np.partition(shares, -2, axis=0)[-2:]
    return np.asarray(first), np.asarray(first - second)
