"""The guarantee for a vote whose weights were fitted on the hold-out that certifies it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tandemvote.bounds import BoundValue
from tandemvote.certificate.statement import VoteStatement
from tandemvote.counting.counts import FloatArray
from tandemvote.votes import Voters


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class FittedVote(VoteStatement):
    """A vote with weights fitted on a hold-out, and what that hold-out promises of it.

    Build it with `certify_fitted_weights`.

    All attributes are as in `Certificate`; the only bound is "dirichlet".
    """

    value: float
    bound: str
    delta: float
    weights: FloatArray
    bounds: Mapping[str, BoundValue]
    assumptions: tuple[str, ...]
    notes: tuple[str, ...] = ()
    voters: Voters | None = None
    observed: float | None = None
    guessing: float | None = None

    _drawn = "the hold-out"

    def _basis(self) -> list[str]:
        found = self.bounds[self.bound]
        return [
            f"bound: {self.bound} ({found.label}); the hard weighted vote of {self.weights.size}"
            f" voters, {found.terms['n_classes']} classes",
            f"weights fitted and certified on the same {found.terms['n']} labelled points",
        ]

    def _records(self) -> list[dict[str, Any]]:
        return [
            {"bound": name, "label": found.label, "value": found.value, "delta": found.delta}
            for name, found in self.bounds.items()
        ]
