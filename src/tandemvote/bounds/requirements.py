"""Requirements of the bounds, and estimates that no vote can have together.

The mean G and the mean square T of the erring weight satisfy G^2 <= T <= G; with two classes the
disagreement is D = 2 (G - T) <= 2 G (1 - G). Intervals without such a pair are either one of the
unlucky draws that delta allows, or their samples are drawn from different distributions. A bound
computed from them would be small for no good reason, so it is 1.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection
from itertools import islice
from typing import Any, NamedTuple

from tandemvote.inequalities import Interval
from tandemvote.inequalities.outward import INPUT_MARGIN
from tandemvote.votes.evidence import Evidence
from tandemvote.votes.votes import SMALLEST

ROOM = 1.0 + INPUT_MARGIN  # intervals contradict each other if apart by more than rounding


class RequirementError(ValueError):
    """The bound is not defined for these votes."""


class VacuousBoundWarning(UserWarning):
    """The bound is trivial: its value is 1."""


class ContradictionWarning(VacuousBoundWarning):
    """Two estimates exclude each other, so the bound is 1."""


class ContradictionError(ValueError):
    """Labeled and unlabeled samples are not drawn from the same distribution."""


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


def binary_explanation(classes: Collection[Any]) -> str:
    """Explain why a bound for two classes does not apply to more."""
    shown = ", ".join(map(str, islice(classes, 5))) + (", ..." if len(classes) > 5 else "")
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
    explanation=lambda evidence: binary_explanation(evidence.counts.classes),
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
TEST = Requirement(
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


def warn_contradiction(name: str, reason: str) -> float:
    """Return the bound of estimates that contradict each other, which is 1, and warn."""
    warnings.warn(
        f"The bound {name!r} is 1.0, no guarantee: its estimates contradict each other, as"
        f" {reason}. Either this is an unlucky draw, or the samples are not drawn from the"
        " same distribution. Check how each part was drawn.",
        ContradictionWarning,
        stacklevel=3,
    )
    return 1.0


def contradiction_of_two_classes(gibbs: Interval, differ: Interval) -> str | None:
    """Explain why no vote of two classes has this error and disagreement; None if one has."""
    g = min(max(0.5, gibbs.lower), gibbs.upper)
    most = 2.0 * g * (1.0 - g)
    if differ.lower <= most * ROOM:
        return None
    side, end = ("least", gibbs.lower) if gibbs.lower > 0.5 else ("most", gibbs.upper)
    return (
        f"an error of at {side} {end:.3g} lets voters disagree on at most {most:.3g} of the"
        f" samples, and they do on {differ.lower:.3g}"
    )


def contradiction_of_moments(gibbs: Interval, tandem: Interval) -> str | None:
    """Explain why no weight in [0, 1] has this mean and mean square; None if one has."""
    if tandem.lower > gibbs.upper * ROOM:
        return (
            f"two voters err together on at least {tandem.lower:.3g} of the samples, and one of"
            f" them on at most {gibbs.upper:.3g}"
        )
    if gibbs.lower**2 > tandem.upper * ROOM:
        return (
            f"a voter errs on at least {gibbs.lower:.3g} of the samples, two of them together"
            f" therefore on at least {gibbs.lower**2:.3g}, and they do on at most"
            f" {tandem.upper:.3g}"
        )
    return None


def contradiction_of_pairs(both: Interval, one: Interval) -> str | None:
    """Explain why two voters cannot err together and alone this often; None if they can."""
    if (both.upper + one.lower / 2) ** 2 <= both.upper * ROOM or both.upper >= 0.25:
        return None
    return (
        f"exactly one of two voters errs on at least {one.lower:.3g} of the samples, and both on at"
        f" most {both.upper:.3g}"
    )
