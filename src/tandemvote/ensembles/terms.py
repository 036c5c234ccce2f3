"""What a user asks of a certificate, in the words of the public parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandemvote.bounds import get_bound
from tandemvote.bounds.averages import distribution
from tandemvote.bounds.requirements import RequirementError, check, missing
from tandemvote.bounds.sharpening import HARMONIC, get_sharpening
from tandemvote.certificate import BEST, Certificate, refuse_without
from tandemvote.counts import FloatArray, VoteCounts
from tandemvote.ensembles.hard_vote import votable
from tandemvote.inequalities.pac_bayes_kl import check_delta
from tandemvote.profile import SHUFFLE, VoteProfile
from tandemvote.votes import Votes
from tandemvote.weights import WeightSolution, minimise, prune
from tandemvote.weights.problems import PROBLEMS

UNIFORM = "uniform"


@dataclass(frozen=True, eq=False, kw_only=True)
class Terms:
    """The terms of a certificate; all but the weights must be fixed before the data is seen.

    Attributes
    ----------
    weights : str or array_like of shape (n_voters,)
        "uniform", the name of a bound to minimise, or the weights themselves.
    bound : str or sequence of str
        As in `Certificate.from_counts`.
    prior : array_like of shape (n_voters,), optional
    delta : float in (0, 1)
    sharpening : {"harmonic", "paper"}

    Examples
    --------
    >>> terms = Terms(weights="tandem")
    >>> terms.check(n_voters=2, classes=np.array([0, 1]))
    >>> counts = VoteCounts.from_votes(Votes.from_predictions([[0, 1], [0, 1]], [0, 1]))
    >>> terms.choose_weights(counts).tolist()
    [0.5, 0.5]
    """

    weights: str | ArrayLike = UNIFORM
    bound: str | Sequence[str] = "tandem"
    prior: ArrayLike | None = None
    delta: float = 0.05
    sharpening: str = HARMONIC

    def check(
        self,
        *,
        n_voters: int,
        classes: NDArray[Any],
        unlabelled: bool = False,
        test_set: bool = False,
    ) -> None:
        """Refuse terms that cannot be met, before anything is trained."""
        if n_voters < 1:
            raise ValueError(f"A vote of {n_voters} voters is none; ask for at least 1.")
        check_delta(self.delta)
        get_sharpening(self.sharpening)
        distribution(self.prior, n_voters, "prior")
        if not isinstance(self.weights, str):
            distribution(self.weights, n_voters, "weights")
        elif self.weights not in (UNIFORM, *PROBLEMS):
            raise ValueError(
                f"There are no weights {self.weights!r}. Choose one of"
                f" {', '.join(map(repr, (UNIFORM, *PROBLEMS)))}, or pass an array."
            )
        # One voter who is always right: all that a bound can miss here is a matter of the classes.
        probe = VoteCounts.from_votes(Votes.from_predictions(classes[None, :], classes))
        for name in self._bounds():
            refuse_without(name, unlabelled=unlabelled, test_set=test_set)
            check(name, get_bound(name).needs, probe)

    def check_overlaps(self, held_out: NDArray[np.bool_], n_unlabelled: int) -> None:
        """Refuse bounds that would say nothing with these held-out sets, whatever the votes."""
        silent = np.zeros(held_out.shape, np.uint8)
        votes = Votes(
            predictions=silent,
            labels=silent[0],
            held_out=held_out,
            classes=np.arange(1),
            unlabelled=np.zeros((len(silent), n_unlabelled), np.uint8),
        )
        probe = VoteCounts.from_votes(votes)
        for name in self._bounds():
            for need in missing(get_bound(name).needs, probe):
                raise RequirementError(
                    f"The bound {name!r} says nothing with these splits: {need.explanation(probe)}"
                    " Voters of different folds never share one; random halves do (splits=5)."
                )

    def _bounds(self) -> list[str]:
        """Name the bounds that were asked for, to be reported or minimised."""
        named = [self.bound] if isinstance(self.bound, str) else list(self.bound)
        minimised = [self.weights] if isinstance(self.weights, str) else []
        return [name for name in (*named, *minimised) if name not in (BEST, UNIFORM)]

    def set_apart(self, votes: Votes) -> tuple[Votes, NDArray[Any]]:
        """Part the unlabelled points into those weights may depend on, and those for the profile.

        Disagreement is the only thing unlabelled points tell weights. Where it is not asked for,
        both uses get all points; where it is, each gets half of them, drawn at random.

        Returns
        -------
        votes : Votes
            With the unlabelled points that weights may depend on.
        rest : ndarray of shape (n_voters, n_points)
            Codes predicted on the others.
        """
        if "disagreement" not in self._bounds():
            return votes, votes.unlabelled
        order = np.random.default_rng(SHUFFLE).permutation(votes.n_unlabelled)
        first, second = np.array_split(order, 2)
        seen = replace(votes, unlabelled=votes.unlabelled[:, np.sort(first)])
        return seen, votes.unlabelled[:, np.sort(second)]

    def choose_weights(self, counts: VoteCounts) -> FloatArray:
        """Return the vote's weights; choosing them on the same points costs no confidence."""
        if not isinstance(self.weights, str):
            return votable(distribution(self.weights, counts.n_voters, "weights"))
        if self.weights == UNIFORM:
            return distribution(None, counts.n_voters, "weights")
        return votable(self._minimise(counts, self.weights).weights)

    def prune_weights(self, counts: VoteCounts, max_voters: int) -> FloatArray:
        """Return weights of at most so many voters, the others 0.

        They minimise the bound the weights were to minimise, else the bound to report, else the
        tandem bound.
        """
        asked = [name for name in self._bounds()[::-1] if name in PROBLEMS]
        solution = self._minimise(counts, (*asked, "tandem")[0])
        return votable(prune(solution, counts, max_voters=max_voters).weights)

    def _minimise(self, counts: VoteCounts, bound: str) -> WeightSolution:
        return minimise(counts, bound, self.prior, self.delta, sharpening=self.sharpening)

    def certify(
        self,
        counts: VoteCounts,
        weights: ArrayLike,
        *,
        profile: VoteProfile | None = None,
        test_counts: VoteCounts | None = None,
        notes: Sequence[str] = (),
    ) -> Certificate:
        """Issue the certificate of the vote with these weights."""
        return Certificate.from_counts(
            counts,
            weights=weights,
            prior=self.prior,
            bound=self.bound,
            delta=self.delta,
            sharpening=self.sharpening,
            profile=profile,
            test_counts=test_counts,
            notes=notes,
        )
