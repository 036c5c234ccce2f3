"""What every bound is: a formula of a few numbers, and how those numbers come from the votes."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tandemvote.bounds.averages import HARMONIC, Averages
from tandemvote.bounds.requirements import (
    BINARY_LABELS,
    ContradictionWarning,
    Requirement,
    RequirementError,
    VacuousBoundWarning,
    binary_explanation,
)
from tandemvote.counting.counts import VoteCounts
from tandemvote.hard_vote import VoteProfile


@dataclass(frozen=True)
class BoundValue:
    """A computed bound and the terms it came from.

    Attributes
    ----------
    name, label : str
        As in `Bound`.
    value, delta : float
        With probability 1 - delta the vote errs at most this often; in [0, 1], 1 says nothing.
    terms : mapping of str to number or tuple
        What was observed: rates, smallest sets, the weights' divergence; or counts of each voter.
    """

    name: str
    label: str
    value: float
    delta: float
    terms: Mapping[str, Any]

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        numbers = {"delta": self.delta, **self.terms}
        shown = (f"{name}={value:.6g}" for name, value in numbers.items() if not np.ndim(value))
        return f"{self.label} {self.value:.6f} ({', '.join(shown)})"


@dataclass(frozen=True, eq=False, kw_only=True)
class Bound:
    """A bound on the majority vote's error, callable on counts.

    Attributes
    ----------
    name, label : str
        In code, such as "tandem", and in tables and plots, such as "TND".
    summary, theorem : str
        What it measures, in one line, and where it stands in the paper.
    formula : callable
        Plain function of numbers in its published form, keyword arguments only.
    evaluate : callable, optional
        The bound from averages and delta, with the sample sizes that the averages stand for, or
        why its estimates contradict each other; without it the published form.
    terms : callable, optional
        The formula's arguments, delta aside, from averages; by default their attributes of the
        same names, or of those that `renamed` gives.
    needs : tuple of Requirement
    labels_used : str
    superseded_by : str, optional
        Name of a bound of the same estimates that is never looser.
    most_voters : int, optional
        Where there are more voters, the bound is computed only if it is asked for by name.
    uses_profile : bool
        Whether it looks at unlabelled points, and so can be about another classifier than the vote.
    """

    name: str
    label: str
    summary: str
    theorem: str
    formula: Callable[..., float]
    evaluate: Callable[[Averages, float], float | str] | None = None
    terms: Callable[[Averages], dict[str, Any]] | None = None
    renamed: Mapping[str, str] = field(default_factory=dict)
    needs: tuple[Requirement, ...] = ()
    labels_used: str = "held-out labels"
    superseded_by: str | None = None
    most_voters: int | None = None
    uses_profile: bool = False

    def __call__(
        self,
        counts: VoteCounts,
        posterior: ArrayLike | None = None,
        prior: ArrayLike | None = None,
        delta: float = 0.05,
        sharpening: str = HARMONIC,
        *,
        unlabelled: ArrayLike | None = None,
        deployed: ArrayLike | None = None,
    ) -> BoundValue:
        """Evaluate the bound, or raise a `RequirementError` if it does not cover these votes.

        Parameters
        ----------
        counts : VoteCounts
        posterior : array_like of shape (n_voters,), optional
            The vote's weights rho, uniform by default. They may be chosen on the same data.
        prior : array_like of shape (n_voters,), optional
            Weights pi fixed before seeing the data, uniform by default.
        delta : float in (0, 1)
            Failure probability.
        sharpening : {"harmonic", "paper"}
            Sample sizes that use every set in full, or the published form.
        unlabelled : array_like of shape (n_voters, n_unlabelled), optional
            For `vote_profile` alone: predictions on independent points of the same source, used
            neither for training nor for choosing the posterior.
        deployed : array_like of shape (n_unlabelled,), optional
            What another classifier says of them, to bound its error in place of the vote's.
        """
        if not self.uses_profile and (unlabelled is not None or deployed is not None):
            raise ValueError(
                f"The bound {self.name!r} is about the vote and the points of its counts. Count"
                " unlabelled points with the votes; for a deployed classifier take 'vote_profile'."
            )
        self.check(counts)
        averages = Averages.of(counts, posterior, prior, sharpening)
        if unlabelled is not None:
            profile = VoteProfile.of(unlabelled, averages.posterior, deployed)
            averages = replace(averages, profile=profile)
        return self.at(averages, delta)

    def at(self, averages: Averages, delta: float) -> BoundValue:
        """Evaluate the bound at averages that are known already; nothing is checked."""
        if self.terms is None:
            names = [name for name in signature(self.formula).parameters if name != "delta"]
            terms = {name: getattr(averages, self.renamed.get(name, name)) for name in names}
        else:
            terms = self.terms(averages)
        if self.evaluate is None:
            value: float | str = self.formula(**terms, delta=delta)
        else:
            value = self.evaluate(averages, delta)
        if isinstance(value, str):
            warnings.warn(
                f"The bound {self.name!r} is 1.0, no guarantee: its estimates contradict each"
                f" other, as {value}. Either the sample is an unlucky one, or its points do not"
                " come from one source: check how each part was drawn.",
                ContradictionWarning,
                stacklevel=3,
            )
            value = 1.0
        return BoundValue(self.name, self.label, value, delta, terms)

    def missing(self, counts: VoteCounts) -> list[Requirement]:
        """Return the requirements that the votes do not meet."""
        return [need for need in self.needs if not need.holds(counts)]

    def check(self, counts: VoteCounts) -> None:
        """Refuse votes for which the bound is not defined, and warn if it says nothing of them."""
        for need in self.missing(counts):
            explained = need.explanation(counts)
            if not need.without_it_vacuous:
                raise RequirementError(f"The bound {self.name!r} does not apply: {explained}")
            warnings.warn(
                f"The bound {self.name!r} is 1.0, no guarantee: {explained}",
                VacuousBoundWarning,
                stacklevel=3,
            )

    def refuse_classes(self, classes: Collection[Any]) -> None:
        """Refuse a bound for two classes where more are known, before anything is counted."""
        if BINARY_LABELS in self.needs and len(classes) > 2:
            explained = binary_explanation(classes)
            raise RequirementError(f"The bound {self.name!r} does not apply: {explained}")

    def applies_to(self, counts: VoteCounts) -> bool:
        """Tell whether the bound is defined for these votes (it may still be trivial)."""
        return all(need.without_it_vacuous for need in self.missing(counts))

    def offered_for(self, counts: VoteCounts) -> bool:
        """Tell whether the bound is computed for these votes without being asked for."""
        few = self.most_voters is None or counts.n_voters <= self.most_voters
        return few and self.applies_to(counts)

    def __repr__(self) -> str:
        return f"<bound {self.name} ({self.label}): {self.summary}>"
