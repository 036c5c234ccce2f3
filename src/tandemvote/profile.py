"""How clearly a weighted vote is decided at points without labels."""

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
    """The two largest shares of a vote at each unlabelled point, in random order.

    Attributes
    ----------
    leads : ndarray of shape (n_points,)
        Largest share v1 of the vote.
    gaps : ndarray of shape (n_points,)
        Its lead v1 - v2 over the second largest.
    """

    leads: FloatArray
    gaps: FloatArray

    def __post_init__(self) -> None:
        if self.leads.shape != self.gaps.shape or self.leads.ndim != 1:
            raise ValueError(
                f"leads has shape {self.leads.shape} and gaps {self.gaps.shape}; expected one"
                " number of each per point."
            )
        possible = (self.gaps >= 0) & (self.gaps <= self.leads)
        possible &= 2 * self.leads - self.gaps <= 1 + ROUNDING
        if not possible.all():
            point = int(np.flatnonzero(~possible)[0])
            raise ValueError(
                f"At unlabelled point {point} the vote has a largest share of"
                f" {self.leads[point]:g} and a lead of {self.gaps[point]:g}: the two largest shares"
                " of a vote sum to at most 1."
            )

    @property
    def n_points(self) -> int:
        """Number of unlabelled points."""
        return int(self.leads.size)

    @classmethod
    def of(cls, predictions: ArrayLike, weights: ArrayLike) -> VoteProfile:
        """Let the voters vote with these weights, and shuffle the points by a fixed seed.

        Parameters
        ----------
        predictions : array_like of shape (n_voters, n_points)
            Labels of any type.
        weights : array_like of shape (n_voters,)
            Weights of the vote, which sum to 1.

        Examples
        --------
        >>> votes = [["a", "b"], ["a", "c"], ["b", "c"]]
        >>> profile = VoteProfile.of(votes, [0.5, 0.25, 0.25])
        >>> sorted(zip(profile.leads.tolist(), profile.gaps.tolist()))
        [(0.5, 0.0), (0.75, 0.5)]
        """
        leads, gaps = vote_leads(predictions, weights)
        order = np.random.default_rng(SHUFFLE).permutation(leads.size)
        return cls(leads[order], gaps[order])


def vote_leads(predictions: ArrayLike, weights: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Largest share of the vote at each point, and its lead over the second largest.

    Parameters
    ----------
    predictions, weights
        As in `VoteProfile.of`.

    Examples
    --------
    >>> leads, gaps = vote_leads([["a", "b"], ["a", "c"], ["b", "c"]], [0.5, 0.25, 0.25])
    >>> leads.tolist(), gaps.tolist()
    ([0.75, 0.5], [0.5, 0.0])
    """
    said, rho = np.asarray(predictions), np.asarray(weights, float)
    if said.ndim != 2 or len(said) != rho.size:
        raise ValueError(
            f"The unlabelled predictions have shape {said.shape}; expected ({rho.size},"
            " n_unlabelled): one row per voter, in the order of the counts."
        )
    classes, codes = distinct(said)
    shares = np.zeros((max(classes.size, 2), said.shape[1]))
    for label in range(classes.size):
        shares[label] = rho @ (codes == label)
    second, first = np.partition(shares, -2, axis=0)[-2:]
    return np.asarray(first), np.asarray(first - second)
