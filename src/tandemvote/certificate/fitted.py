"""A vote whose weights were fitted on the hold-out that certifies it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from tandemvote.bounds import BoundValue
from tandemvote.certificate.decimals import percent, rounded_up
from tandemvote.counts import FloatArray
from tandemvote.hard_vote import vote_of
from tandemvote.votes import Voters


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedVote:
    """A vote whose weights were fitted on a hold-out, and what that hold-out promises of it.

    Attributes
    ----------
    value : float
        With probability at least 1 - delta the vote errs at most this often; 1 says nothing.
    delta : float
        Failure probability.
    weights : ndarray of shape (n_voters,)
    bound : BoundValue
        The Dirichlet bound and its terms.
    assumptions : tuple of str
        What must be true, in words, because no code can see it.
    voters : callable or None
        The voters themselves, if they are at hand.
    """

    value: float
    delta: float
    weights: FloatArray
    bound: BoundValue
    assumptions: tuple[str, ...]
    voters: Voters | None = None

    @property
    def guarantee(self) -> str:
        """The promise in one sentence."""
        if self.value >= 1.0:
            return f"No guarantee could be shown with probability {percent(self.delta)}."
        return (
            f"With probability at least {percent(self.delta)} over the draw of the hold-out, this"
            f" weighted majority vote errs on at most {rounded_up(100 * self.value, 1)} % of new"
            " points."
        )

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict by the hard weighted vote; ties go to the smallest class."""
        return vote_of(self.voters, X, self.weights)

    def __repr__(self) -> str:
        terms = self.bound.terms
        return (
            f"error <= {rounded_up(self.value)} with probability {percent(self.delta)}\n"
            f"  bound: dirichlet (DIR); the hard weighted vote of {self.weights.size} voters,"
            f" {terms['n_classes']} classes\n"
            f"  weights fitted and certified on the same {terms['n']} labelled points"
        )
