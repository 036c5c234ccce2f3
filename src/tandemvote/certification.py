"""The one way from votes to a certificate: count, choose weights, profile, bound, issue.

Every interface of the library (the estimators, the `certify` functions, the command line) asks by a
`CertificateRequest`. `certify_votes` counts, chooses weights and profiles; it returns a
`Certification`, which keeps all that was computed, and bounds and issues when asked for its
`certificate`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandemvote.bounds import get_bound
from tandemvote.bounds.averages import HARMONIC, check_sharpening, distribution
from tandemvote.bounds.registry import AUTO
from tandemvote.certificate.certificate import (
    BEST,
    TEST_SET,
    Certificate,
    refuse_other_than_profile,
    refuse_without,
)
from tandemvote.certificate.statement import about
from tandemvote.counting.counts import FloatArray, VoteCounts
from tandemvote.hard_vote import (
    SHUFFLE,
    VoteProfile,
    observed_error,
    votable,
    weighted_vote,
    worst_vote,
)
from tandemvote.inequalities.pac_bayes import refuse_confidence
from tandemvote.votes import Deployed, Votes
from tandemvote.weights import WeightSolution, minimise
from tandemvote.weights.objective import MINIMISABLE

UNIFORM = "uniform"

Places: TypeAlias = slice | NDArray[np.intp]


@dataclass(frozen=True, eq=False, kw_only=True)
class CertificateRequest:
    """What a user asks for; all but the weights must be fixed before the data is seen."""

    weights: str | ArrayLike = UNIFORM  # or the name of a bound to minimise, or the weights
    bound: str | Sequence[str] = AUTO  # as in `Certificate.from_counts`
    prior: ArrayLike | None = None
    delta: float = 0.05
    sharpening: str = HARMONIC

    def check(
        self,
        *,
        n_voters: int,
        classes: Collection[Any] = (),
        unlabelled: bool = False,
        test_set: bool = False,
        deployed: str | None = None,
    ) -> None:
        """Refuse what cannot be done, before anything is trained or counted.

        `classes` are the labels, as far as they are known, and `deployed` is the name of the
        classifier to be certified in place of the vote, if any.
        """
        if n_voters < 1:
            raise ValueError(f"A vote needs at least 1 voter, got {n_voters}.")
        refuse_confidence(self.delta)
        check_sharpening(self.sharpening)
        distribution(self.prior, n_voters, "prior")
        if not isinstance(self.weights, str):
            distribution(self.weights, n_voters, "weights")
        elif self.weights not in (UNIFORM, *MINIMISABLE):
            raise ValueError(
                f"There are no weights {self.weights!r}. Choose one of"
                f" {', '.join(map(repr, (UNIFORM, *MINIMISABLE)))}, or pass an array."
            )
        for name in self.bounds_reported:
            refuse_other_than_profile(name, deployed)
        for name in self.bounds_named:
            refuse_without(name, unlabelled=unlabelled, test_set=test_set)
            get_bound(name).refuse_classes(classes)

    @property
    def bounds_reported(self) -> list[str]:
        """Names of the bounds to report."""
        names = [self.bound] if isinstance(self.bound, str) else self.bound
        return [name for name in names if name not in (AUTO, BEST)]

    @property
    def bound_minimised(self) -> str | None:
        """Name of the bound that the weights are to minimise, if any."""
        return self.weights if isinstance(self.weights, str) and self.weights != UNIFORM else None

    @property
    def bounds_named(self) -> list[str]:
        """Names of the bounds to report and to minimise."""
        return [*self.bounds_reported, *filter(None, [self.bound_minimised])]

    @property
    def fixes_weights(self) -> bool:
        """Whether the weights are known not to depend on the votes, or said not to by the bound."""
        if isinstance(self.weights, str):
            return self.weights == UNIFORM
        return TEST_SET in self.bounds_named

    def minimise(self, counts: VoteCounts, bound: str) -> WeightSolution:
        """Find the weights that minimise a bound, with the delta and prior of the request."""
        return minimise(counts, bound, self.prior, self.delta, sharpening=self.sharpening)


def certify_votes(
    votes: Votes,
    request: CertificateRequest,
    *,
    test_votes: Votes | None = None,
    notes: Sequence[str] = (),
    assumptions: Sequence[str] = (),
) -> Certification:
    """Certify the weighted vote of voters on points they were not trained on.

    `test_votes` are of the same voters on labelled points used for nothing else; `notes` and
    `assumptions` are for the certificate: what to know, and what must be true, of these voters.

    Examples
    --------
    >>> votes = Votes.from_predictions([[0, 1, 1, 1], [0, 0, 0, 1]] * 3, [0, 1, 0, 1])
    >>> certify_votes(votes, CertificateRequest(bound="first_order")).certificate.bound
    'first_order'
    """
    deployed = None if votes.deployed is None else votes.deployed.name
    if deployed is not None and test_votes is not None:
        raise ValueError(
            f"With a test set {deployed} needs no voters: pass certify([it], X_test, y_test)."
            " Leave out deployed or the test set."
        )
    if test_votes is None and deployed is None and votes.is_test_set and request.fixes_weights:
        test_votes = votes  # a common hold-out on which nothing is chosen is a test set
    _check_untested_voters(votes, test_votes, request)
    request.check(
        n_voters=votes.n_voters,
        classes=votes.classes,
        unlabelled=votes.n_unlabelled > 0,
        test_set=test_votes is not None,
        deployed=deployed,
    )
    counted, profiled = set_apart(votes.n_unlabelled, request)
    counts = VoteCounts.from_votes(replace(votes, unlabelled=votes.unlabelled[:, counted]))
    weights, solution = choose_weights(counts, request)
    profile = profile_of(votes, weights, profiled)
    return Certification(
        request=request,
        votes=votes,
        counts=counts,
        solution=solution,
        weights=weights,
        profile=profile,
        test_votes=test_votes,
        notes=notes,
        assumptions=assumptions,
    )


def _check_untested_voters(
    votes: Votes, test_votes: Votes | None, request: CertificateRequest
) -> None:
    """Raise ValueError for untested voters where no bound covers them."""
    if not votes.untested.any():
        return
    voter = int(np.flatnonzero(votes.untested)[0])
    others = [name for name in request.bounds_reported if name != TEST_SET]
    if others and test_votes is votes:
        raise ValueError(
            f"bound={others[0]!r} requires every voter to be tested, and voter {voter} has no"
            " held-out samples. Use bound='auto'."
        )
    if test_votes is not votes:
        raise ValueError(
            f"Voter {voter} has no held-out samples. That requires fixed weights, every other voter"
            " to be tested on all samples, and neither a test set of its own nor a deployed"
            " classifier. Use weights='uniform', or leave the voter out."
        )


def certify_counts(counts: VoteCounts, request: CertificateRequest) -> Certification:
    """Certify a vote from counts alone, where votes are too many to be held in memory."""
    weights, solution = choose_weights(counts, request)
    return Certification(request=request, counts=counts, solution=solution, weights=weights)


def set_apart(n_unlabelled: int, request: CertificateRequest) -> tuple[Places, Places]:
    """Return which unlabelled points to count, so that weights depend on them, and to profile.

    Disagreement is the only thing unlabelled points tell weights. Where it is not asked for, both
    uses get all points; where it is, each gets half of them, drawn at random.
    """
    if "disagreement" not in request.bounds_named:
        return slice(None), slice(None)
    order = np.random.default_rng(SHUFFLE).permutation(n_unlabelled)
    counted, profiled = np.array_split(order, 2)
    return np.sort(counted), np.sort(profiled)


def choose_weights(
    counts: VoteCounts, request: CertificateRequest
) -> tuple[FloatArray, WeightSolution | None]:
    """Return the weights to vote with, and how they were found if they minimise a bound."""
    if request.bound_minimised is not None:
        solution = request.minimise(counts, request.bound_minimised)
        return votable(solution.weights), solution
    if isinstance(request.weights, str):
        return distribution(None, counts.n_voters, "weights"), None
    return votable(distribution(request.weights, counts.n_voters, "weights")), None


def profile_of(votes: Votes, weights: FloatArray, places: Places) -> VoteProfile | None:
    """Profile the deployed classifier, or the vote, on some of the unlabelled points."""
    said, deployed = votes.unlabelled[:, places], votes.deployed
    if not said.size:
        return None
    if deployed is None:
        return VoteProfile.of(said, weights)
    return VoteProfile.of(said, weights, deployed.predictions[places], name=deployed.name)


@dataclass(frozen=True, eq=False, kw_only=True)
class Certification:
    """A certificate and everything it was computed from, so that nothing is computed twice.

    There are no `votes` if they were too many to be held in memory, or not kept in a file.
    """

    request: CertificateRequest
    votes: Votes | None = None
    counts: VoteCounts
    solution: WeightSolution | None = None  # unless weights were uniform or given
    weights: FloatArray  # certified, and voted with
    profile: VoteProfile | None = None
    test_votes: Votes | None = None  # of all voters
    notes: Sequence[str] = ()  # besides what every certificate says
    assumptions: Sequence[str] = ()

    @cached_property
    def certificate(self) -> Certificate:
        """The bounds at these weights, and what they rest on."""
        votes, notes, test_counts = self.votes, self.notes, None
        deployed = None if votes is None else votes.deployed
        if votes is not None and deployed is not None:
            notes = [*notes, self._about(votes, deployed)]
        if self.test_votes is not None:
            test_counts = VoteCounts.from_votes(as_one_voter(self.test_votes, self.weights))
            used = "used for nothing else"
            if self.test_votes.untested.any():
                used = "not used to train the tested models"
            notes = [*notes, f"Test-set labels: {test_counts.n_min} {used}."]
        return Certificate.from_counts(
            self.counts,
            weights=self.weights,
            prior=self.request.prior,
            bound=self.request.bound,
            delta=self.request.delta,
            sharpening=self.request.sharpening,
            profile=self.profile,
            test_counts=test_counts,
            notes=notes,
            assumptions=self.assumptions,
            voters=None if votes is None else votes.voters,
            observed=self.observed if deployed is None else None,
            deployed_predict=None if deployed is None else deployed.predict,
            guessing=None if votes is None else votes.guessing_error,
            one_row_per_group=votes is not None and votes.one_row_per_group,
        )

    @cached_property
    def observed(self) -> float | None:
        """Error of the vote on points its voters did not see: an estimate, not a guarantee."""
        return None if self.votes is None else observed_error(self.votes, self.weights)

    def _about(self, votes: Votes, deployed: Deployed) -> str:
        """Say what is known of a deployed classifier besides its guarantee."""
        winners = weighted_vote(votes.unlabelled, self.weights, votes.classes.size)
        differs = float((winners != deployed.predictions).mean())
        said = (
            f"No labelled point has tested {deployed.name} itself. On {about(differs)} of the"
            f" {votes.n_unlabelled} unlabelled points it differs from the voters' vote."
        )
        if self.observed is None:
            return said
        return f"{said} That vote errs on {about(self.observed)} of held-out points."


def as_one_voter(votes: Votes, weights: FloatArray) -> Votes:
    """Return the weighted vote as votes of a single voter; see `worst_vote` for untested voters."""
    if votes.n_voters == 1:
        return votes
    if not votes.is_test_set:
        raise ValueError(
            "Some voters were trained on some of these samples, so the vote on them tests nothing."
            " Pass votes on samples that no voter was trained on."
        )
    winners = worst_vote(votes, weights)[None, :]
    held_out = np.ones(winners.shape, bool)
    return Votes(winners, votes.labels, held_out, votes.classes, winners[:, :0])
