"""The record of a bound: its name, its function, and what it requires."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from tandemvote.bounds.estimates import Estimates
from tandemvote.bounds.requirements import (
    BINARY_LABELS,
    OF_THE_VOTE,
    Requirement,
    VacuousBoundWarning,
    check_two_classes,
    does_not_apply,
)
from tandemvote.votes.evidence import Evidence


@dataclass(frozen=True, eq=False)
class Bound:
    """A bound on the error rate of a majority vote.

    Attributes
    ----------
    function : callable
        The bound as a function of `Estimates` and delta.
    label : str
        Name in tables and plots, such as "TND".
    summary, theorem : str
        One line about what it measures, and its place in the paper.
    about : Requirement
        What the evidence must be about: by default a vote that breaks its own ties.
    needs : tuple of Requirement
        What else the bound requires.
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

    function: Callable[[Estimates, float], float]
    label: str
    summary: str
    theorem: str = ""
    about: Requirement = OF_THE_VOTE
    needs: tuple[Requirement, ...] = ()
    superseded_by: str | None = None
    most_voters: int | None = None

    def __post_init__(self) -> None:
        """Check that the bound has a name."""
        if not getattr(self.function, "__name__", "").isidentifier():
            raise ValueError(
                f"The function {self.function!r} has no name, and a bound is named after its"
                " function. Define it with def."
            )

    @property
    def name(self) -> str:
        """Name in code, such as "tandem": that of the function, without "_bound"."""
        return self.function.__name__.removesuffix("_bound")

    def __call__(self, estimates: Estimates, delta: float = 0.05) -> float:
        """Return the bound; warn if it is trivial because the votes lack what it requires."""
        if estimates.evidence is not None:
            self.check(estimates.evidence)
        return self.function(estimates, delta)

    def applies(self, evidence: Evidence) -> str | None:
        """Return why the bound does not apply to the evidence; None if it does.

        Parameters
        ----------
        evidence : Evidence
            What the bound would be computed from.

        Returns
        -------
        str or None
            The reason and what to do. A bound that applies may still be trivial.

        Examples
        --------
        >>> from tandemvote import Votes
        >>> from tandemvote.bounds import get_bound
        >>> evidence = Evidence.of(Votes.from_predictions([[0, 1, 1]], [0, 1, 0]))
        >>> get_bound("test_set").applies(evidence)
        >>> get_bound("test_set").applies(Evidence(evidence.counts))  # doctest: +ELLIPSIS
        'it requires the errors of this vote on samples that no voter was trained on, ...'
        """
        unmet = (
            each.unmet(evidence) for each in self.missing(evidence) if not each.trivial_without
        )
        return next(unmet, None)

    def missing(self, evidence: Evidence) -> list[Requirement]:
        """Return the requirements that the evidence does not meet."""
        return [need for need in (self.about, *self.needs) if need.unmet(evidence)]

    def check(self, evidence: Evidence) -> None:
        """Raise RequirementError if the bound does not apply; warn if it is trivial."""
        if reason := self.applies(evidence):
            raise does_not_apply(self.name, reason)
        for need in self.missing(evidence):
            warnings.warn(
                f"The bound {self.name!r} is 1.0, no guarantee: {need.unmet(evidence)}",
                VacuousBoundWarning,
                stacklevel=3,
            )

    def check_classes(self, classes: Collection[Any]) -> None:
        """Raise RequirementError if there are too many classes, before anything is counted."""
        if BINARY_LABELS in self.needs:
            check_two_classes(self.name, classes)

    def exists_for(self, evidence: Evidence) -> bool:
        """Return True if this kind of evidence has the bound, whichever classes the labels have."""
        return self.is_affordable(evidence) and not {*self.missing(evidence)} - {BINARY_LABELS}

    def is_affordable(self, evidence: Evidence) -> bool:
        """Return True if there are not too many voters to compute the bound without a request."""
        return self.most_voters is None or evidence.counts.n_voters <= self.most_voters

    def __repr__(self) -> str:
        return f"<bound {self.name} ({self.label}): {self.summary}>"
