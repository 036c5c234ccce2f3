"""The record of a bound: its name, its function, and what it requires."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from tandemvote.bounds.estimates import Estimates
from tandemvote.bounds.requirements import (
    BINARY_LABELS,
    Requirement,
    RequirementError,
    VacuousBoundWarning,
    binary_explanation,
)
from tandemvote.counts import VoteCounts


@dataclass(frozen=True, eq=False, kw_only=True)
class Bound:
    """A bound on the error rate of a majority vote.

    Attributes
    ----------
    label : str
        Name in tables and plots, such as "TND".
    summary, theorem : str
        One line about what it measures, and its place in the paper.
    function : callable
        The bound as a function of `Estimates` and delta.
    needs : tuple of Requirement
    superseded_by : str, optional
        Name of a bound of the same estimates that is never looser.
    most_voters : int, optional
        With more voters, the bound is computed only if it is requested by name.


    Examples
    --------
    >>> from tandemvote.bounds import Estimates, get_bound
    >>> tandem = get_bound("tandem")
    >>> tandem.name, tandem.label, tandem.theorem
    ('tandem', 'TND', 'Theorem 3')
    >>> round(tandem(Estimates.from_numbers(tandem_loss=0.12138, n_min_pairs=3359.92)), 4)
    0.5788
    """

    label: str
    summary: str
    theorem: str
    function: Callable[[Estimates, float], float]
    needs: tuple[Requirement, ...] = ()
    superseded_by: str | None = None
    most_voters: int | None = None

    @property
    def name(self) -> str:
        """Name in code, such as "tandem": that of the function, without "_bound"."""
        return self.function.__name__.removesuffix("_bound")

    def __call__(self, estimates: Estimates, delta: float = 0.05) -> float:
        """Return the bound; warn if it is trivial because the votes lack what it requires."""
        if estimates.counts is not None:
            self.check(estimates.counts)
        return self.function(estimates, delta)

    def missing(self, counts: VoteCounts) -> list[Requirement]:
        """Return the requirements that the votes do not meet."""
        return [need for need in self.needs if not need.is_met(counts)]

    def check(self, counts: VoteCounts) -> None:
        """Raise RequirementError if the bound is not defined; warn if it is trivial."""
        for need in self.missing(counts):
            explained = need.explanation(counts)
            if not need.without_it_vacuous:
                raise RequirementError(f"The bound {self.name!r} does not apply: {explained}")
            warnings.warn(
                f"The bound {self.name!r} is 1.0, no guarantee: {explained}",
                VacuousBoundWarning,
                stacklevel=3,
            )

    def check_classes(self, classes: Collection[Any]) -> None:
        """Raise RequirementError if there are too many classes, before anything is counted."""
        if BINARY_LABELS in self.needs and len(classes) > 2:
            explained = binary_explanation(classes)
            raise RequirementError(f"The bound {self.name!r} does not apply: {explained}")

    def is_defined_for(self, counts: VoteCounts) -> bool:
        """Return True if the bound is defined for these votes (it may still be trivial)."""
        return all(need.without_it_vacuous for need in self.missing(counts))

    def is_offered_for(self, counts: VoteCounts) -> bool:
        """Return True if the bound is computed for these votes without being requested."""
        few = self.most_voters is None or counts.n_voters <= self.most_voters
        return few and self.is_defined_for(counts)

    def __repr__(self) -> str:
        return f"<bound {self.name} ({self.label}): {self.summary}>"
