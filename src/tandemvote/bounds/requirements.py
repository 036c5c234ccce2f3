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

    `is_met` checks the evidence, and `explanation` returns what is missing and what to do. If
    `trivial_without` the bound is then valid but trivial; otherwise it is not defined.


    Examples
    --------
    >>> from tandemvote import Votes
    >>> evidence = Evidence.of(Votes.from_predictions([[0, 1, 2]], [0, 1, 2]))
    >>> BINARY_LABELS.is_met(evidence), PAIR_OVERLAPS.is_met(evidence)
    (False, True)
    """

    is_met: Callable[[Evidence], bool]
    explanation: Callable[[Evidence], str]
    trivial_without: bool = False


def does_not_apply(name: str, reason: str) -> RequirementError:
    """Return the error of a bound that does not apply."""
    return RequirementError(f"The bound {name!r} does not apply: {reason}")


def check_two_classes(name: str, classes: Collection[Any]) -> None:
    """Raise RequirementError if there are too many classes for a bound for two."""
    if len(classes) > 2:
        raise does_not_apply(name, _about_classes(classes))


def _about_classes(classes: Collection[Any]) -> str:
    shown = ", ".join(map(str, islice(classes, 5))) + ", ..." * (len(classes) > 5)
    return (
        f"it holds for two classes only and the votes have {len(classes)} ({shown})."
        " Use 'tandem', 'first_order' or 'c_tandem'."
    )


OF_THE_VOTE = Requirement(
    is_met=lambda evidence: evidence.deployed is None and evidence.ties == SMALLEST,
    explanation=lambda evidence: (
        f"it is about the vote, not about {evidence.deployed}. Use 'vote_profile'."
        if evidence.deployed is not None
        else "it is about the vote alone, and a referee breaks ties. Use 'test_set'."
    ),
)
BINARY_LABELS = Requirement(
    is_met=lambda evidence: evidence.counts.n_classes <= 2,
    explanation=lambda evidence: _about_classes(evidence.counts.classes),
)
HELD_OUT_SAMPLES = Requirement(
    is_met=lambda evidence: evidence.counts.n_min > 0,
    explanation=lambda evidence: (
        f"voter {int(evidence.counts.sizes.argmin())} has no held-out sample, so nothing is known"
        " about its errors. Exclude the voter, or hold out samples for it."
    ),
    trivial_without=True,
)
PAIR_OVERLAPS = Requirement(
    is_met=lambda evidence: evidence.counts.n_min_pairs > 0,
    explanation=lambda evidence: (
        "voters {} and {} share no held-out sample, so nothing is known about their common errors."
        " Hold out larger parts of the data and repeat the splits, or use 'first_order'.".format(
            *divmod(int((evidence.counts.overlaps == 0).argmax()), evidence.counts.n_voters)
        )
    ),
    trivial_without=True,
)
PROFILE = Requirement(
    is_met=lambda evidence: evidence.profile is not None and evidence.ties == SMALLEST,
    explanation=lambda evidence: (
        "it requires unlabeled samples. Pass some, or use another bound."
        if evidence.profile is None
        else OF_THE_VOTE.explanation(evidence)
    ),
)
TEST_OF_THE_VOTE = Requirement(
    is_met=lambda evidence: (
        evidence.deployed is None
        and evidence.fitted is None
        and evidence.vote is not None
        and evidence.vote.n_test_errors is not None
    ),
    explanation=lambda evidence: (
        OF_THE_VOTE.explanation(evidence)
        if evidence.deployed is not None
        else "it requires the errors of this vote on samples that no voter was trained on, and"
        " weights that do not depend on them. Certify votes on such samples, or use another bound."
    ),
)
