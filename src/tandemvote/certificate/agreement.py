"""The guarantee for voters that answer only where enough of them agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tandemvote.certificate.decimals import percent, rounded_up
from tandemvote.certificate.selective import Selection
from tandemvote.certificate.statement import Statement, Table
from tandemvote.counting.counts import FloatArray, IntArray
from tandemvote.hard_vote import vote_totals
from tandemvote.votes import Voters


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class AgreementCertificate(Statement):
    """How often voters can agree on a wrong label.

    Build it with `certify_agreement`.

    Attributes
    ----------
    value : float
        With probability at least 1 - delta, at least `quorum` voters agree on a wrong label on at
        most this share of all points; 1 says nothing.
    quorum : int
        How many voters must agree for an answer.
    errors, sizes : ndarray of int, shape (n_voters,)
        Errors of each voter, and the points it was evaluated on and not trained on.
    prior : ndarray of shape (n_voters,)
        Share of delta that each voter's limit was given.
    delta, assumptions, notes, voters
        As in `Certificate`.
    """

    value: float
    quorum: int
    errors: IntArray
    sizes: IntArray
    prior: FloatArray
    voters: Voters | None = None

    @property
    def guarantee(self) -> str:
        """The promise in one sentence."""
        if self.value >= 1.0:
            return f"No guarantee could be shown with probability {percent(self.delta)}."
        return (
            f"With probability at least {percent(self.delta)} over the draw of the data, "
            f"{self._agreeing} agree on a wrong label on at most"
            f" {rounded_up(100 * self.value, 1)} % of new points."
        )

    def predict(self, X: Any) -> Selection:
        """Return the labels that enough voters agree on, and a mask of the points that have one.

        Where several labels have enough voters, the one with the most counts, of equal ones the
        smallest.
        """
        if self.voters is None:
            raise ValueError(
                "Predictions alone cannot vote on new points. Certify the models themselves."
            )
        codes, classes = self.voters(X)
        totals = vote_totals(codes, np.full(len(codes), 1.0 / len(codes)), len(classes))
        agreeing = np.rint(totals / totals.sum(axis=1, keepdims=True) * len(codes))
        accepted = agreeing.max(axis=1) >= self.quorum
        return Selection(np.asarray(classes[agreeing[accepted].argmax(axis=1)]), accepted)

    @property
    def _agreeing(self) -> str:
        n = self.sizes.size
        return f"all {n} voters" if self.quorum == n else f"at least {self.quorum} of {n} voters"

    def _headline(self) -> str:
        if self.value >= 1.0:
            return f"no guarantee that {self._agreeing} are right where they agree"
        limit = rounded_up(100 * self.value, 1)
        return f"{self._agreeing} agree and are wrong: at most {limit} % ({percent(self.delta)})"

    def _basis(self) -> list[str]:
        return [f"each voter evaluated on at least {int(self.sizes.min())} points it never saw"]

    def _table(self) -> Table:
        rows = [[str(cell) for cell in record.values()] for record in self._records()]
        return Table(["voter", "errors", "points"], ">>>", rows)

    def _records(self) -> list[dict[str, Any]]:
        counted = enumerate(zip(self.errors.tolist(), self.sizes.tolist(), strict=True))
        return [{"voter": i, "errors": wrong, "points": size} for i, (wrong, size) in counted]
