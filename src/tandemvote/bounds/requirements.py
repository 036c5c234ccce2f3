"""What a bound needs of the votes, as data, and the one place that checks it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from tandemvote.counting.counts import IntArray, VoteCounts


class RequirementError(ValueError):
    """The bound is not defined for these votes."""


class VacuousBoundWarning(UserWarning):
    """The bound is defined but says nothing: its value is 1."""


@dataclass(frozen=True)
class Requirement:
    """A property of the votes that a theorem assumes.

    Attributes
    ----------
    holds : callable
        Tells from the counts whether the property is there.
    explanation : callable
        What is missing and what to do, in words, given the counts.
    without_it_vacuous : bool
        Whether the bound stays valid but trivial without the property; else it is not defined.
    """

    holds: Callable[[VoteCounts], bool]
    explanation: Callable[[VoteCounts], str]
    without_it_vacuous: bool = False


def _binary_explanation(counts: VoteCounts) -> str:
    shown = ", ".join(map(str, counts.classes[:5])) + (", ..." if counts.n_classes > 5 else "")
    return (
        f"it holds for two classes only and the votes have {counts.n_classes} ({shown})."
        " Use 'tandem', 'first_order' or 'c_tandem'."
    )


def _overlap_explanation(overlaps: IntArray, other_way: str = "") -> str:
    first, second = np.argwhere(overlaps == 0)[0]
    return (
        f"voters {first} and {second} share no held-out point, so nothing is known about their"
        " common errors. Train each voter on fewer points (max_samples=0.5), or use 'first_order'"
        f"{other_way}."
    )


BINARY_LABELS = Requirement(
    holds=lambda counts: counts.n_classes <= 2,
    explanation=_binary_explanation,
)
HELD_OUT_POINTS = Requirement(
    holds=lambda counts: counts.n_min > 0,
    explanation=lambda counts: (
        f"voter {int(counts.sizes.argmin())} has no held-out point, so nothing is known about its"
        " errors. Train each voter on fewer points (max_samples=0.5)."
    ),
    without_it_vacuous=True,
)
PAIR_OVERLAPS = Requirement(
    holds=lambda counts: counts.n_min_pairs > 0,
    explanation=lambda counts: _overlap_explanation(counts.overlaps),
    without_it_vacuous=True,
)
DISAGREEMENT_OVERLAPS = Requirement(
    holds=lambda counts: counts.n_min_disagreement > 0,
    explanation=lambda counts: _overlap_explanation(
        counts.disagreement_overlaps, ", or add unlabelled points"
    ),
    without_it_vacuous=True,
)
ONE_CLASSIFIER = Requirement(
    holds=lambda counts: counts.n_voters == 1,
    explanation=lambda counts: (
        f"it is about one classifier and the counts have {counts.n_voters} voters. Let the vote"
        " predict points that were used for nothing else, and count it as a single voter."
    ),
)


def missing(needs: Iterable[Requirement], counts: VoteCounts) -> list[Requirement]:
    """Return the requirements that the votes do not meet."""
    return [need for need in needs if not need.holds(counts)]


def check(name: str, needs: Iterable[Requirement], counts: VoteCounts) -> None:
    """Refuse a bound the votes do not allow, and warn of one that says nothing."""
    for need in missing(needs, counts):
        if not need.without_it_vacuous:
            raise RequirementError(f"The bound {name!r} does not apply: {need.explanation(counts)}")
        warnings.warn(
            f"The bound {name!r} is 1.0, no guarantee: {need.explanation(counts)}",
            VacuousBoundWarning,
            stacklevel=3,
        )
