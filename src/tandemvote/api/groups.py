"""From any vote to a guarantee for every group of points."""

from __future__ import annotations

import warnings
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandemvote.api.groupings import Mask, members_of
from tandemvote.api.models import own_predict_note
from tandemvote.assumptions import standard_assumptions
from tandemvote.bounds import BoundValue, VacuousBoundWarning, get_bound
from tandemvote.bounds.averages import HARMONIC
from tandemvote.certificate.by_group import (
    PREDICTED_CLASS,
    TRUE_CLASS,
    GroupCertificates,
    GroupGuarantee,
)
from tandemvote.certificate.certificate import TEST_SET, VOTE_PROFILE
from tandemvote.certificate.file_fields import pack
from tandemvote.certificate.file_record import PAIRS
from tandemvote.certification import (
    UNIFORM,
    CertificateRequest,
    Certification,
    as_one_voter,
    certify_votes,
)
from tandemvote.counting.counts import INTEGER_FIELDS, VoteCounts
from tandemvote.ensembles.evidence import evidence
from tandemvote.ensembles.voters import is_certified
from tandemvote.hard_vote import held_out_vote
from tandemvote.inequalities.pac_bayes import refuse_confidence
from tandemvote.votes import Votes

Counts = Mapping[bool, VoteCounts]
"""Of the vote itself where True, for the test-set bound; else of the voters."""

MOST_TIMES = 2**12
"""If so many times as many points would not do, the errors are too many."""


@contextmanager
def _silence() -> Iterator[None]:
    """Leave out warnings of bounds that say nothing: the table says it in words."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VacuousBoundWarning)
        yield


@_silence()
def certify_by_group(
    model: Any,
    X: Any = None,
    y: ArrayLike | None = None,
    *,
    groups: Any,
    weights: str | ArrayLike | None = None,
    bound: str | Sequence[str] = "auto",
    prior: ArrayLike | None = None,
    delta: float = 0.05,
    sharpening: str = HARMONIC,
) -> GroupCertificates:
    """Certify the error of the hard weighted vote on each group of points.

    Parameters
    ----------
    model : fitted certified classifier, fitted ensemble, sequence of fitted classifiers, or Votes
        As in `certify`. A certified classifier has kept the votes of its `fit` and needs no X and
        y. On points that no voter saw, ``[model]`` or ``hold_out_votes(model, X, y)``, the limits
        are exact binomial ones, far tighter.
    X, y : array_like, optional
        As in `certify`.
    groups : str, array_like of shape (n_samples,), or several of these
        "class" for the true class (1 - error is the recall), "predicted" for the predicted class
        (the precision; requires points that no voter saw), the name of a column of X, or one value
        per point, of X or not; a list of names, a mapping of names to any of these, or a frame for
        several at once. Missing values are a group of their own. Groups must be fixed before
        looking at these points.
    weights, bound, prior, sharpening
        As in `certify`, the same for all groups. The weights are by default those of a certified
        classifier, else uniform. Every bound holds for the points of one group as it does for all.
    delta : float in (0, 0.5]
        Probability with which any of the limits may fail, divided equally among the groups.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> labels = rng.choice(["frequent", "rare"], p=[0.9, 0.1], size=5000)
    >>> other = np.where(labels == "rare", "frequent", "rare")
    >>> wrong = rng.random((25, 5000)) < np.where(labels == "rare", 0.3, 0.05)
    >>> votes = Votes.from_predictions(np.where(wrong, other, labels), labels)
    >>> certify_by_group(votes, groups="predicted")
    errors by predicted class, all at once with probability 95 %
      the hard weighted vote of 25 voters; each of 2 errors at delta / 2
    <BLANKLINE>
        predicted class  points  observed  error <=  bound
        frequent           4526     0.003    0.0050  TEST   precision >= 0.995
        rare                474     0.000    0.0078  TEST   precision >= 0.992
      note: Test-set labels: 5000 used for nothing else.
    """
    refuse_confidence(delta)
    names = (bound,) if isinstance(bound, str) else bound
    if VOTE_PROFILE in names:
        raise ValueError(
            "The bound 'vote_profile' looks at unlabelled points, whose group is unknown. Choose"
            " another bound, or pass points that no voter saw and say bound='test_set'."
        )
    found = evidence(model, X, y)
    _refuse_deployed(found.votes)
    labelled = replace(found.votes, unlabelled=found.votes.unlabelled[:, :0])
    asked: dict[str, Any] = {"bound": bound, "delta": delta, "sharpening": sharpening}
    if is_certified(model) and weights is None and prior is None:
        kept = model.certification_
        whole = replace(
            kept,
            request=replace(kept.request, **asked),
            votes=labelled,
            profile=None,
            test_votes=labelled if kept.test_votes is kept.votes else None,
            notes=found.notes,
        )
    elif is_certified(model) and TEST_SET in names:
        raise ValueError(
            "Other weights may have been chosen on the points of fit, so these are no test set for"
            " them. Pass hold_out_votes(model, X_held_out, y_held_out), or choose another bound."
        )
    else:
        fixed = UNIFORM if weights is None else weights
        request = CertificateRequest(weights=fixed, prior=prior, **asked)
        whole = certify_votes(labelled, request, notes=found.notes, assumptions=found.assumptions)
    own = own_predict_note(model, whole.certificate.predict, training=X)
    certified = certify_groups(whole, groups, X)
    return replace(certified, notes=(*certified.notes, *own))


@_silence()
def certify_groups(whole: Certification, groups: Any, X: Any = None) -> GroupCertificates:
    """Certify groups with the votes, weights and bounds of a certification.

    Only the points of each group are counted; nothing else is computed again. `X` is needed if
    `groups` names its columns. Where the bound is "test_set" alone, X and groups are those of the
    test set.
    """
    if whole.votes is None:
        raise ValueError(
            "The votes were not kept, so the points of each group cannot be counted. Certify votes"
            " that fit in memory."
        )
    _refuse_deployed(whole.votes)
    certifier = GroupCertifier(whole, whole.votes, whole.certificate.candidates)
    if TEST_SET in certifier.names and whole.test_votes is not whole.votes:
        # A test set of its own has other points: one of the two is looked at.
        others = tuple(name for name in certifier.names if name != TEST_SET)
        tested = as_one_voter(cast("Votes", whole.test_votes), whole.weights)
        certifier = replace(certifier, names=others) if others else replace(certifier, votes=tested)
    codes = {TRUE_CLASS: certifier.votes.labels, PREDICTED_CLASS: certifier.said}
    members = list(members_of(groups, X, codes, certifier.votes.classes))
    predicted = any(by == PREDICTED_CLASS for by, _, _ in members)
    if predicted and certifier.votes.untested.any():
        raise ValueError(
            "Errors by predicted class require every voter to be tested, because the untested ones"
            " (the referee) change what is predicted. Group by 'class', or fit with referee=False."
        )
    if TEST_SET not in certifier.names and predicted:
        raise ValueError(
            "Errors by predicted class require samples that no voter was trained on, fixed weights"
            " and the bound 'test_set', which 'auto' then chooses. Pass hold_out_votes(model,"
            " X_held_out, y_held_out), or group by 'class'."
        )
    standard = standard_assumptions(
        by_group=True,
        test_set=whole.test_votes is not None,
        untested=bool(certifier.votes.untested.any()),
        one_row_per_group=certifier.votes.one_row_per_group,
        one_voter=whole.counts.n_voters == 1,
    )
    return GroupCertificates(
        guarantees=tuple(certifier.guarantee(*each, n_groups=len(members)) for each in members),
        certificate=whole.certificate,
        candidates=certifier.names,
        delta=whole.request.delta,
        n_samples=certifier.votes.n_samples,
        assumptions=(*standard, *whole.assumptions),
        notes=tuple(whole.certificate.notes),
    )


def _refuse_deployed(votes: Votes) -> None:
    if votes.deployed is not None:
        raise ValueError(
            f"The points of a group say something about the vote, not about {votes.deployed.name},"
            " which is deployed in its place. Certify the vote, or pass the deployed classifier in"
            " a list with labelled points it never saw."
        )


@dataclass(frozen=True, eq=False)
class GroupCertifier:
    """Limits the error of the vote of a certification on some of its points."""

    whole: Certification
    votes: Votes
    names: tuple[str, ...]  # of bounds fixed beforehand, among which the smallest counts

    @cached_property
    def said(self) -> NDArray[np.intp]:
        """Code of the label that voters name which did not see the point; -1 if all saw it."""
        weights = self.whole.weights if self.votes.n_voters > 1 else np.ones(1)
        return held_out_vote(self.votes, weights)

    @cached_property
    def _errors(self) -> dict[bool, tuple[Mask, Mask]]:
        """Points held out and errors on them, of the vote and of the voters, as in `Counts`."""
        vote = np.ones((1, self.votes.n_samples), bool), np.zeros((1, self.votes.n_samples), bool)
        if TEST_SET in self.names:
            vote = vote[0], as_one_voter(self.votes, self.whole.weights).errors
        voters = self.votes.held_out, self.votes.errors
        return {name == TEST_SET: vote if name == TEST_SET else voters for name in self.names}

    def guarantee(self, by: str, label: Any, points: Mask, *, n_groups: int) -> GroupGuarantee:
        """Certify one of so many groups."""
        counts, delta = self._counts(points), self.whole.request.delta / n_groups
        bounds = self._bounds(counts, delta)
        value = _smallest(bounds)
        wrong = (self.said != self.votes.labels)[points & (self.said >= 0)]
        test, pairs = counts.get(True), counts.get(False)
        return GroupGuarantee(
            by=by,
            label=label,
            value=value,
            observed=float(wrong.mean()) if wrong.size else None,
            bound=min(bounds.values(), key=float).name if bounds else self.names[0],
            delta=delta,
            bounds=bounds,
            n_points=int(points.sum()),
            remark=self._remark(counts, delta, int(points.sum())) if value >= 1.0 else "",
            test=None if test is None else (int(test.errors[0]), int(test.sizes[0])),
            counts=None if pairs is None else {n: pack(getattr(pairs, n)) for n in PAIRS},
        )

    def _counts(self, points: Mask) -> Counts:
        """Count errors on some points.

        The labels are "right" and "wrong": all that errors and common errors depend on, and as fast
        for many classes as for two. Different labels count with two classes alone, where they are
        one right and one wrong.
        """
        found = {}
        for tested, (held_out, wrong) in self._errors.items() if points.any() else ():
            said = wrong[:, points].astype(np.uint8)
            right = np.zeros(said.shape[1], np.uint8)
            votes = Votes(said, right, held_out[:, points], np.arange(2), unlabelled=said[:, :0])
            found[tested] = replace(VoteCounts.from_votes(votes), classes=self.votes.classes)
        return found

    def _bounds(self, counts: Counts, delta: float, times: int = 1) -> dict[str, BoundValue]:
        """Bound the error by each of the bounds, at its share of delta.

        The counts are taken so many times, to see whether more points would help.
        """
        request, share = self.whole.request, delta / len(self.names)
        found = {}
        for name in self.names if counts else ():
            once = counts[name == TEST_SET]
            more = {each: times * getattr(once, each) for each in INTEGER_FIELDS}
            rho, pi = (None, None) if name == TEST_SET else (self.whole.weights, request.prior)
            found[name] = get_bound(name)(replace(once, **more), rho, pi, share, request.sharpening)
        return found

    def _remark(self, counts: Counts, delta: float, n: int) -> str:
        """Say why nothing is shown on n points, and how many would change that."""
        if not n:
            return "no point"
        if any(get_bound(name).missing(counts[name == TEST_SET]) for name in self.names):
            return f"too few points: not every voter, or pair of voters, holds out one of the {n}"
        tried = range(2, MOST_TIMES + 1)
        place = bisect_left(
            tried, True, key=lambda times: _smallest(self._bounds(counts, delta, times)) < 1.0
        )
        if place == len(tried):
            return "too many errors, however many points there were"
        return f"too few points: about {tried[place] * n} would be needed"


def _smallest(bounds: Mapping[str, BoundValue]) -> float:
    return min(map(float, bounds.values()), default=1.0)
