"""Requirements of the bounds: properties of the evidence without which a bound does not apply."""

from __future__ import annotations

from collections.abc import Callable, Collection
from itertools import islice
from typing import Any, NamedTuple

from tandemvote.votes.evidence import Evidence
from tandemvote.votes.votes import SMALLEST


class RequirementError(ValueError):
    """The bound is not defined for these votes."""


class VacuousBoundWarning(UserWarning):
    """The bound is trivial: its value is 1."""


class Requirement(NamedTuple):
    """A property of the evidence that a theorem assumes.

    `unmet` returns what is missing and what to do, or None if the evidence has the property. If
    `trivial_without` the bound is then valid but trivial; otherwise it is not defined.

    Examples
    --------
    >>> from tandemvote import Votes
    >>> evidence = Evidence.of(Votes.from_predictions([[0, 1, 2]], [0, 1, 2]))
    >>> PAIR_OVERLAPS.unmet(evidence)
    >>> BINARY_LABELS.unmet(evidence)  # doctest: +ELLIPSIS
    "it holds for two classes only and the votes have 3 (0, 1, 2). Use ..."
    """

    unmet: Callable[[Evidence], str | None]
    trivial_without: bool = False


def does_not_apply(name: str, reason: str) -> RequirementError:
    """Return the error of a bound that does not apply."""
    return RequirementError(f"The bound {name!r} does not apply: {reason}")


def check_two_classes(name: str, classes: Collection[Any]) -> None:
    """Raise RequirementError if there are too many classes for a bound for two."""
    if reason := _about_classes(classes):
        raise does_not_apply(name, reason)


def _about_classes(classes: Collection[Any]) -> str | None:
    if len(classes) <= 2:
        return None
    shown = ", ".join(map(str, islice(classes, 5))) + ", ..." * (len(classes) > 5)
    return (
        f"it holds for two classes only and the votes have {len(classes)} ({shown})."
        " Use 'tandem', 'first_order' or 'c_tandem'."
    )


def _about_vote(evidence: Evidence) -> str | None:
    if evidence.deployed is not None:
        return f"it is about the vote, not about {evidence.deployed}. Use 'vote_profile'."
    if evidence.ties != SMALLEST:
        return "it is about the vote alone, and a referee breaks ties. Use 'test_set'."
    return None


def _about_voters(evidence: Evidence) -> str | None:
    if evidence.counts.n_min > 0:
        return None
    return (
        f"voter {int(evidence.counts.sizes.argmin())} has no held-out sample, so nothing is known"
        " about its errors. Exclude the voter, or hold out samples for it."
    )


def _about_pairs(evidence: Evidence) -> str | None:
    if evidence.counts.n_min_pairs > 0:
        return None
    pair = divmod(int((evidence.counts.overlaps == 0).argmax()), evidence.counts.n_voters)
    return (
        "voters {} and {} share no held-out sample, so nothing is known about their common errors."
        " Hold out larger parts of the data and repeat the splits, or use 'first_order'."
    ).format(*pair)


def _about_profile(evidence: Evidence) -> str | None:
    if evidence.profile is None:
        return "it requires unlabeled samples. Pass some, or use another bound."
    return None if evidence.ties == SMALLEST else _about_vote(evidence)


def _about_test(evidence: Evidence) -> str | None:
    if evidence.deployed is not None:
        return _about_vote(evidence)
    if evidence.vote and evidence.vote.n_test_errors is not None and evidence.fitted is None:
        return None
    return (
        "it requires the errors of this vote on samples that no voter was trained on, and weights"
        " that do not depend on them. Certify votes on such samples, or use another bound."
    )


OF_THE_VOTE = Requirement(_about_vote)
BINARY_LABELS = Requirement(lambda evidence: _about_classes(evidence.counts.classes))
HELD_OUT_SAMPLES = Requirement(_about_voters, trivial_without=True)
PAIR_OVERLAPS = Requirement(_about_pairs, trivial_without=True)
PROFILE = Requirement(_about_profile)
TEST_OF_THE_VOTE = Requirement(_about_test)
