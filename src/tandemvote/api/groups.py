"""From any vote to a guarantee for every group of points."""

from __future__ import annotations

import warnings
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandemvote.api.groupings import Mask, members_of
from tandemvote.assumptions import standard_assumptions
from tandemvote.bounds import BoundValue, VacuousBoundWarning, get_bound
from tandemvote.bounds.requirements import missing
from tandemvote.bounds.sharpening import HARMONIC
from tandemvote.certificate.by_group import (
    ERRORS_OF_DELTA,
    PREDICTED_CLASS,
    TRUE_CLASS,
    GroupCertificates,
    GroupGuarantee,
)
from tandemvote.certificate.certificate import TEST_SET, VOTE_PROFILE
from tandemvote.certificate.file_arrays import pack
from tandemvote.certificate.file_groups import PAIRS
from tandemvote.certificate.thresholds import lower_limit, upper_limit
from tandemvote.certification import (
    UNIFORM,
    CertificateRequest,
    Certification,
    as_one_voter,
    certify_votes,
)
from tandemvote.counting.counts import INTEGER_FIELDS, VoteCounts
from tandemvote.ensembles.evidence import evidence, is_certified, own_predict_note
from tandemvote.hard_vote import held_out_shares
from tandemvote.inequalities.outward import outward
from tandemvote.votes import Votes

Counts = Mapping[str, VoteCounts]

BOTH_LIMITS = (lower_limit, upper_limit)

MOST_TIMES = 2**12
"""If so many times as many points would not do, the errors are too many."""


def certify_by_group(
    model: Any,
    X: Any = None,
    y: ArrayLike | None = None,
    *,
    groups: Any,
    gaps: bool = False,
    weights: str | ArrayLike | None = None,
    bound: str | Sequence[str] = "auto",
    prior: ArrayLike | None = None,
    delta: float = 0.05,
    sharpening: str = HARMONIC,
) -> GroupCertificates:
    """Certify the error of the hard weighted vote on each group of points, and their shares.

    Parameters
    ----------
    model : fitted certified classifier, fitted ensemble, sequence of fitted classifiers, or Votes
        As in `certify`. A certified classifier has kept the votes of its `fit` and needs no X and
        y. On points that no voter saw, ``[model]`` or ``hold_out_votes(model, X, y)``, the limits
        are exact binomial ones, far tighter.
    X, y : array_like, optional
        As in `certify`.
    groups : str, array_like of shape (n_samples,), or several of these
        "class" for the true class (1 - error is the recall), "predicted" for the class that the
        vote names (the precision), the name of a column of X, or one value per point, of X or not;
        a list of names, a mapping of names to any of these, or a frame for several at once. Missing
        values are a group of their own. Groups must be fixed before looking at these points.
    gaps : bool
        Certify lower limits as well, which `GroupCertificates.gap` compares; needs points that no
        voter saw, and costs half of the errors' delta.
    weights : {"uniform", "first_order", "tandem", "disagreement"} or array_like, optional
        The same for all groups. By default those of a certified classifier, else uniform.
    bound, prior, sharpening
        As in `certify`. Every bound holds for the points of one group as it does for all.
    delta : float in (0, 1)
        Probability with which any of the limits may fail. Nine tenths are for the errors, in equal
        parts; one tenth is for the shares.

    Returns
    -------
    GroupCertificates

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> labels = rng.choice(["frequent", "rare"], p=[0.9, 0.1], size=5000)
    >>> other = np.where(labels == "rare", "frequent", "rare")
    >>> wrong = rng.random((25, 5000)) < np.where(labels == "rare", 0.3, 0.05)
    >>> votes = Votes.from_predictions(np.where(wrong, other, labels), labels)
    >>> certify_by_group(votes, groups="predicted")
    errors by predicted class, all at once with probability 95 %
      the hard weighted vote of 25 voters; each of 2 errors at 0.9 delta / 2
    <BLANKLINE>
        predicted class  points           share  observed  error <=  bound
        frequent           4526  0.892 to 0.918     0.003    0.0050  TEST   precision >= 0.995
        rare                474  0.082 to 0.108     0.000    0.0080  TEST   precision >= 0.992
      note: Test-set labels: 5000 set aside for the test-set bound.
    """
    names = (bound,) if isinstance(bound, str) else bound
    if VOTE_PROFILE in names:
        raise ValueError(
            "The bound 'vote_profile' looks at unlabelled points, whose group is unknown. Choose"
            " another bound, or pass points that no voter saw and say bound='test_set'."
        )
    request = CertificateRequest(
        weights=UNIFORM if weights is None else weights,
        bound=bound,
        prior=prior,
        delta=delta,
        sharpening=sharpening,
    )
    found = evidence(model, X, y)
    _refuse_deployed(found.votes)
    labelled = replace(found.votes, unlabelled=found.votes.unlabelled[:, :0])
    own_weights = is_certified(model) and weights is None and prior is None
    if is_certified(model) and not own_weights and TEST_SET in names:
        raise ValueError(
            "Other weights may have been chosen on the points of fit, so these are no test set for"
            " them. Pass hold_out_votes(model, X_held_out, y_held_out), or choose another bound."
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VacuousBoundWarning)  # the table says it in words
        if own_weights:
            kept = model.certification_
            request = replace(request, weights=kept.request.weights, prior=kept.request.prior)
            tested = kept.test_votes is not None and kept.test_votes is kept.votes
            whole = replace(
                kept,
                request=request,
                votes=labelled,
                profile=None,
                test_votes=labelled if tested else None,
                notes=found.notes,
            )
        else:
            whole = certify_votes(
                labelled, request, notes=found.notes, assumptions=found.assumptions
            )
        own = own_predict_note(
            model, whole.certificate.predict, test=None, unlabelled=None, training=X
        )
    certified = certify_groups(whole, groups, X, gaps=gaps)
    return replace(certified, notes=(*certified.notes, *own))


def certify_groups(
    whole: Certification, groups: Any, X: Any = None, *, gaps: bool = False
) -> GroupCertificates:
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
    certifier = GroupCertifier(whole, whole.votes, whole.certificate.candidates, gaps)
    if TEST_SET in certifier.names and whole.test_votes is not whole.votes:
        # A test set of its own has other points: one of the two is looked at.
        others = tuple(name for name in certifier.names if name != TEST_SET)
        tested = as_one_voter(cast("Votes", whole.test_votes), whole.weights)
        certifier = replace(certifier, names=others) if others else replace(certifier, votes=tested)
    if gaps and certifier.names != (TEST_SET,):
        raise ValueError(
            "gaps=True needs lower limits of the vote's error, which only points that no voter saw"
            " can give. Pass hold_out_votes(model, X_held_out, y_held_out), or [model] with them,"
            " and fixed weights."
        )
    codes = {TRUE_CLASS: certifier.votes.labels, PREDICTED_CLASS: certifier.said}
    members = list(members_of(groups, X, codes, certifier.votes.classes))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VacuousBoundWarning)
        guarantees = tuple(certifier.guarantee(*each, n_groups=len(members)) for each in members)
    return GroupCertificates(
        guarantees=guarantees,
        certificate=whole.certificate,
        candidates=certifier.names,
        delta=whole.request.delta,
        n_samples=certifier.votes.n_samples,
        gaps=gaps,
        assumptions=(
            *standard_assumptions(by_group=True, test_set=whole.test_votes is not None),
            *whole.assumptions,
        ),
        notes=tuple(whole.certificate.notes),
    )


def _refuse_deployed(votes: Votes) -> None:
    if votes.deployed is not None:
        raise ValueError(
            f"The points of a group say something about the vote, not about {votes.deployed.name},"
            " which is deployed in its place. Certify the vote, or pass the deployed classifier in"
            " a list with labelled points it never saw."
        )


class Limits(NamedTuple):
    """What is shown about one group: its error, from bounds or from below, and its share."""

    value: float
    bounds: Mapping[str, BoundValue]
    share: tuple[float, float]
    lower: float = 0.0


@dataclass(frozen=True, eq=False)
class GroupCertifier:
    """Limits the error of the vote of a certification on some of its points."""

    whole: Certification
    votes: Votes
    names: tuple[str, ...]  # of bounds fixed beforehand, among which the smallest counts
    gaps: bool = False

    @cached_property
    def said(self) -> NDArray[np.intp]:
        """Code of the label that voters name which did not see the point; -1 if all saw it."""
        weights = self.whole.weights if self.votes.n_voters > 1 else np.ones(1)
        shares = held_out_shares(self.votes, weights)
        return np.where(np.isnan(shares[:, 0]), -1, shares.argmax(axis=1))

    def guarantee(self, by: str, label: Any, points: Mask, *, n_groups: int) -> GroupGuarantee:
        """Certify one of so many groups."""
        seen_by_some = by == PREDICTED_CLASS and TEST_SET not in self.names
        own = self.votes.classes[self.votes.labels] == label if seen_by_some else points
        counts = self._counts(own)
        false = self._counts(np.ones_like(own), ~own) if seen_by_some else None
        limits = partial(self._limits, own, counts, false, n_groups)
        found = limits(1)
        wrong = (self.said != self.votes.labels)[points & (self.said >= 0)]
        evidence = {} if seen_by_some else {name == TEST_SET: each for name, each in counts.items()}
        test, pairs = evidence.get(True), evidence.get(False)
        return GroupGuarantee(
            by=by,
            label=label,
            value=found.value,
            lower=found.lower,
            observed=float(wrong.mean()) if wrong.size else None,
            bound=min(found.bounds.values(), key=float).name if found.bounds else self.names[0],
            delta=ERRORS_OF_DELTA * self.whole.request.delta / n_groups,
            bounds=found.bounds,
            n_points=int(points.sum()),
            share=found.share,
            remark=self._remark(limits, counts, int(own.sum())) if found.value >= 1.0 else "",
            test=None if test is None else (int(test.errors[0]), int(test.sizes[0])),
            counts=None if pairs is None else {n: pack(getattr(pairs, n)) for n in PAIRS},
        )

    def _limits(
        self, own: Mask, counts: Counts, false: Counts | None, n_groups: int, times: int
    ) -> Limits:
        """Limit the error on a group's own points, were they so many times as many.

        With `false`, counts of errors on the points of other classes, it is the error where the
        vote names a class and cannot be observed itself. The vote names it wrongly at most as often
        as it errs on points of other classes, and rightly at least as often as a point is of this
        class and the vote does not err on it.
        """
        delta = self.whole.request.delta / n_groups
        level = ERRORS_OF_DELTA * delta / (2 if self.gaps or false else 1)
        n, inside = times * own.size, times * int(own.sum())
        low, high = (f(inside, n, (1 - ERRORS_OF_DELTA) * delta / 2) for f in BOTH_LIMITS)
        found = self._bounds(counts, level, times)
        value = _smallest(found)
        if false is not None:
            found = self._bounds(false, level, times)
            wrongly = _smallest(found)
            rightly = 1.0 - outward(1.0 - low * (1.0 - value))
            value = outward(wrongly / (wrongly + rightly)) if rightly > 0 else 1.0
            return Limits(value, found, (rightly, outward(high + wrongly)))
        tested = counts.get(TEST_SET) if self.gaps else None
        if tested is None:
            return Limits(value, found, (low, high))
        lower = lower_limit(int(tested.errors[0]), int(tested.sizes[0]), level)
        return Limits(value, found, (low, high), lower)

    @cached_property
    def _wrong(self) -> Mask:
        return self.votes.errors

    def _counts(self, points: Mask, counted: Mask | None = None) -> dict[str, VoteCounts]:
        """Count errors on some points, or those of them that are told, for each of the bounds."""
        if not points.any():
            return {}
        found = {}
        for kind in {name == TEST_SET for name in self.names}:
            held_out = (self.said >= 0)[None] if kind else self.votes.held_out
            wrong = held_out & (self.said != self.votes.labels) if kind else self._wrong
            if counted is not None:
                wrong = wrong & counted
            found[kind] = _count(wrong[:, points], held_out[:, points], self.votes.classes)
        return {name: found[name == TEST_SET] for name in self.names}

    def _bounds(self, counts: Counts, delta: float, times: int) -> dict[str, BoundValue]:
        """Bound the error by the bounds asked for, each at its share of delta."""
        request, share = self.whole.request, delta / len(self.names)
        found = {}
        for name, once in counts.items():
            more = {each: times * getattr(once, each) for each in INTEGER_FIELDS}
            rho, pi = (None, None) if name == TEST_SET else (self.whole.weights, request.prior)
            counted = replace(once, **more)
            found[name] = get_bound(name)(counted, rho, pi, share, request.sharpening)
        return found

    def _remark(self, limits: Callable[[int], Limits], counts: Counts, n: int) -> str:
        """Say why nothing is shown on n points, and how many would change that."""
        if not n:
            return "no point"
        if any(missing(get_bound(name).needs, counted) for name, counted in counts.items()):
            return f"too few points: not every voter, or pair of voters, holds out one of the {n}"
        times = 2
        while limits(times).value >= 1.0:
            times *= 2
            if times > MOST_TIMES:
                return "too many errors, however many points there were"
        tried = range(times // 2 + 1, times)
        least = tried.start + bisect_left(tried, True, key=lambda some: limits(some).value < 1.0)
        return f"too few points: about {least * n} would be needed"


def _smallest(found: Mapping[str, BoundValue]) -> float:
    return min((each.value for each in found.values()), default=1.0)


def _count(wrong: Mask, held_out: Mask, classes: NDArray[Any]) -> VoteCounts:
    """Count with "right" and "wrong" for labels, as fast for many classes as for two.

    This is all that errors and common errors depend on. Different labels count with two classes
    alone, where they are the same as one right and one wrong.
    """
    counts = VoteCounts.from_votes(
        Votes(
            predictions=wrong.astype(np.uint8),
            labels=np.zeros(wrong.shape[1], np.uint8),
            held_out=held_out,
            classes=np.arange(2),
            unlabelled=np.zeros((len(wrong), 0), np.uint8),
        )
    )
    return replace(counts, classes=classes)
