"""Evidence for a bound: counts, the result of one vote, and its profile.

A result carries the weights that it is the result of, so it cannot be taken for that of others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from operator import add

import numpy as np
from numpy.typing import ArrayLike

from tandemvote.inequalities.outward import FloatArray
from tandemvote.votes.counts import VoteCounts
from tandemvote.votes.profile import VoteProfile
from tandemvote.votes.votes import SMALLEST, Votes
from tandemvote.votes.weighted_vote import is_test_error, observed_vote

CHUNK = 2**18  # samples that vote at a time


@dataclass(frozen=True, eq=False)
class VoteResult:
    """The result of one weighted vote on labeled samples.

    Results of disjoint samples add up if their weights and their rule for ties are equal.

    Attributes
    ----------
    weights : ndarray of shape (n_voters,)
        The weights of the vote.
    ties : {"smallest", "referee"}
        The rule for ties, as in `Votes`.
    n_voted : int
        Samples on which some voter with weight was tested.
    n_errors : int
        Those on which the vote of these voters is wrong.
    n_test_errors : int or None
        Samples that count as errors of the test-set bound. None unless every voter is tested on
        all samples.

    Examples
    --------
    >>> votes = Votes.from_predictions([["a", "b"], ["a", "a"], ["b", "a"]], ["a", "b"])
    >>> result = VoteResult.of(votes)
    >>> result.n_voted, result.n_errors, result.n_test_errors
    (2, 1, 1)
    >>> VoteResult.of(votes, [1.0, 0.0, 0.0]).n_errors
    0
    """

    weights: FloatArray
    ties: str
    n_voted: int
    n_errors: int
    n_test_errors: int | None

    @classmethod
    def of(cls, votes: Votes, weights: ArrayLike | None = None) -> VoteResult:
        """Let the voters vote, with equal weights by default."""
        n_voters = votes.n_voters
        rho = np.full(n_voters, 1.0 / n_voters) if weights is None else np.array(weights, float)
        return reduce(add, (cls._of_part(part, rho) for part in votes.chunks(CHUNK)))

    @classmethod
    def _of_part(cls, votes: Votes, weights: FloatArray) -> VoteResult:
        winners = observed_vote(votes, weights)
        voted = winners >= 0
        n_errors, n_test_errors = int((winners != votes.labels)[voted].sum()), None
        if votes.held_out.all():
            n_test_errors = n_errors
            if votes.ties != SMALLEST:
                n_test_errors = int(is_test_error(votes, weights).sum())
        return cls(weights, votes.ties, int(voted.sum()), n_errors, n_test_errors)

    def __add__(self, other: VoteResult) -> VoteResult:
        if self.ties != other.ties or not np.array_equal(self.weights, other.weights):
            raise ValueError(
                "Cannot add the results of votes with different weights or rules for ties. Count"
                " all parts with the same weights and ties."
            )
        n_test_errors = None
        if self.n_test_errors is not None and other.n_test_errors is not None:
            n_test_errors = self.n_test_errors + other.n_test_errors
        return replace(
            self,
            n_voted=self.n_voted + other.n_voted,
            n_errors=self.n_errors + other.n_errors,
            n_test_errors=n_test_errors,
        )

    @property
    def observed_error(self) -> float | None:
        """Error rate of the vote where some voter was tested; an estimate, not a bound."""
        return self.n_errors / self.n_voted if self.n_voted else None


@dataclass(frozen=True, eq=False)
class Evidence:
    """Counts of votes, and the result and profile of one vote, if they are known.

    Evidence of disjoint samples of the same voters adds up. The sum has no profile, and a result if
    both parts have one.

    Attributes
    ----------
    counts : VoteCounts
        Counts that do not depend on weights.
    vote : VoteResult or None
        Result of the vote of some weights.
    profile : VoteProfile or None
        The split of the voters on unlabeled samples, with some weights.
    fitted : str or None
        Name of the bound that the weights minimize, "given" if they were passed by the user and may
        depend on the samples, None if they were fixed in advance.

    Examples
    --------
    >>> evidence = Evidence.of(Votes.from_predictions([[0, 1], [0, 0]], [0, 1]))
    >>> evidence.vote.n_errors, evidence.at([1.0, 0.0]).vote
    (1, None)
    """

    counts: VoteCounts
    vote: VoteResult | None = None
    profile: VoteProfile | None = None
    fitted: str | None = None

    @classmethod
    def of(
        cls, votes: Votes, weights: ArrayLike | None = None, *, fitted: str | None = None
    ) -> Evidence:
        """Count votes and let them vote, with equal weights by default.

        Parameters
        ----------
        votes : Votes
            Predictions of the voters.
        weights : array_like of shape (n_voters,), default=None
            Weights of the vote.
        fitted : str, default=None
            As the attribute.

        Returns
        -------
        Evidence
            The counts and the result.
        """
        return cls(VoteCounts.from_votes(votes), VoteResult.of(votes, weights), fitted=fitted)

    def __add__(self, other: Evidence) -> Evidence:
        vote = None if self.vote is None or other.vote is None else self.vote + other.vote
        if vote is not None and self.fitted != other.fitted:
            raise ValueError(
                f"Cannot add evidence of weights that were fitted by {self.fitted!r} and by"
                f" {other.fitted!r}. Count all parts in the same way."
            )
        return Evidence(self.counts + other.counts, vote, fitted=self.fitted)

    def at(self, weights: ArrayLike) -> Evidence:
        """Return the evidence for a vote with these weights, without results of other weights.

        Parameters
        ----------
        weights : array_like of shape (n_voters,)
            Weights of the vote.

        Returns
        -------
        Evidence
            The same counts; the result and the profile only if they are those of the weights.
        """
        parts = (self.vote, self.profile)
        own = [part and np.array_equal(part.weights, weights) for part in parts]
        return replace(
            self, vote=self.vote if own[0] else None, profile=self.profile if own[1] else None
        )

    @property
    def deployed(self) -> str | None:
        """Name of the deployed classifier that the profile is about; None if it is the vote."""
        return None if self.profile is None else self.profile.deployed

    @property
    def ties(self) -> str:
        """The rule for ties of the vote, "smallest" if there is no result."""
        return SMALLEST if self.vote is None else self.vote.ties
