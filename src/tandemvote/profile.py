"""How far voters agree at points without labels: with each other, or with another classifier."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tandemvote.codes import distinct
from tandemvote.counting.counts import FloatArray

SHUFFLE = 20201206
"""Seed of the order of the points. Bets on a point depend on the points before it, so the order
of a file must not matter."""

ROUNDING = 1e-9
"""By how much shares that were added up in floating point may exceed 1."""


@dataclass(frozen=True, eq=False)
class VoteProfile:
    """Shares of the voters behind a classifier at each unlabelled point, in random order.

    Attributes
    ----------
    leads : ndarray of shape (n_points,)
        Share of the voters that say what the classifier says: the largest if it is their vote.
    gaps : ndarray of shape (n_points,)
        Its lead over the largest share of another label; negative where they outvote it.
    deployed : str or None
        Name of the classifier; None if it is the weighted vote itself.
    """

    leads: FloatArray
    gaps: FloatArray
    deployed: str | None = None

    def __post_init__(self) -> None:
        if self.leads.shape != self.gaps.shape or self.leads.ndim != 1:
            raise ValueError(
                f"leads has shape {self.leads.shape} and gaps {self.gaps.shape}; expected one"
                " number of each per point."
            )
        possible = (self.leads >= 0) & (self.gaps <= self.leads)
        possible &= 2 * self.leads - self.gaps <= 1 + ROUNDING
        if self.deployed is None:
            possible &= self.gaps >= 0
        if not possible.all():
            point = int(np.flatnonzero(~possible)[0])
            raise ValueError(
                f"At unlabelled point {point} {self.deployed or 'the vote'} has a share of"
                f" {self.leads[point]:g} and a lead of {self.gaps[point]:g}: two shares of the vote"
                " sum to at most 1, and its own label has the largest."
            )

    @property
    def n_points(self) -> int:
        """Number of unlabelled points."""
        return int(self.leads.size)

    @property
    def minorities(self) -> FloatArray:
        """Share of the voters that do not say what most of them say: these err, or more do."""
        return 1.0 - self.leads + np.minimum(self.gaps, 0.0)

    @classmethod
    def of(
        cls,
        predictions: ArrayLike,
        weights: ArrayLike,
        deployed: ArrayLike | None = None,
        *,
        name: str = "the deployed classifier",
    ) -> VoteProfile:
        """Let the voters vote with these weights, and shuffle the points by a fixed seed.

        Parameters
        ----------
        predictions : array_like of shape (n_voters, n_points)
            Labels of any type.
        weights : array_like of shape (n_voters,)
            Weights of the vote, which sum to 1.
        deployed : array_like of shape (n_points,), optional
            What another classifier says, whose profile is wanted in place of the vote's.
        name : str
            Its name.

        Examples
        --------
        >>> votes = [["a", "b"], ["a", "c"], ["b", "c"]]
        >>> profile = VoteProfile.of(votes, [0.5, 0.25, 0.25])
        >>> sorted(zip(profile.leads.tolist(), profile.gaps.tolist()))
        [(0.5, 0.0), (0.75, 0.5)]
        """
        leads, gaps = vote_leads(predictions, weights, deployed)
        order = np.random.default_rng(SHUFFLE).permutation(leads.size)
        return cls(leads[order], gaps[order], None if deployed is None else name)


def vote_leads(
    predictions: ArrayLike, weights: ArrayLike, deployed: ArrayLike | None = None
) -> tuple[FloatArray, FloatArray]:
    """Share of the vote's label, or of the deployed classifier's, and its lead over any other.

    Parameters
    ----------
    predictions, weights, deployed
        As in `VoteProfile.of`.

    Examples
    --------
    >>> leads, gaps = vote_leads([["a", "b"], ["a", "c"], ["b", "c"]], [0.5, 0.25, 0.25])
    >>> leads.tolist(), gaps.tolist()
    ([0.75, 0.5], [0.5, 0.0])
    >>> leads, gaps = vote_leads([["a", "b"], ["a", "c"]], [0.25, 0.75], ["b", "c"])
    >>> leads.tolist(), gaps.tolist()
    ([0.0, 0.75], [-1.0, 0.5])
    """
    said, rho = np.asarray(predictions), np.asarray(weights, float)
    if said.ndim != 2 or len(said) != rho.size:
        raise ValueError(
            f"The unlabelled predictions have shape {said.shape}; expected ({rho.size},"
            " n_unlabelled): one row per voter, in the order of the counts."
        )
    classes, codes = distinct(said if deployed is None else np.vstack([said, deployed]))
    shares = np.zeros((max(classes.size, 2), said.shape[1]))
    for label in range(classes.size):
        shares[label] = rho @ (codes[: rho.size] == label)
    if deployed is not None:
        own = np.take_along_axis(shares, codes[-1:].astype(np.intp), axis=0)[0]
        np.put_along_axis(shares, codes[-1:].astype(np.intp), -1.0, axis=0)
        return own, own - shares.max(axis=0)
    second, first = np.partition(shares, -2, axis=0)[-2:]
    return np.asarray(first), np.asarray(first - second)
