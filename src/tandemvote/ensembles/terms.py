"""What a user asks of a certificate, in the words of the public parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike, NDArray

from tandemvote.bounds import get_bound
from tandemvote.bounds.averages import distribution
from tandemvote.bounds.requirements import check
from tandemvote.certificate import BEST, TEST_SET, Certificate
from tandemvote.counts import FloatArray, VoteCounts
from tandemvote.inequalities.pac_bayes_kl import check_delta
from tandemvote.votes import Votes
from tandemvote.weights import minimise
from tandemvote.weights.problems import PROBLEMS

UNIFORM = "uniform"


@dataclass(frozen=True, eq=False, kw_only=True)
class Terms:
    """The terms of a certificate; all but the weights must be fixed before the data is seen.

    Attributes
    ----------
    weights : str or array_like of shape (n_voters,)
        "uniform", the name of a bound to minimise, or the weights themselves.
    bound : str or sequence of str
        As in `Certificate.from_counts`.
    prior : array_like of shape (n_voters,), optional
    delta : float in (0, 1)

    Examples
    --------
    >>> import numpy as np
    >>> terms = Terms(weights="tandem")
    >>> terms.check(n_voters=2, classes=np.array([0, 1]))
    >>> counts = VoteCounts.from_votes(Votes.from_predictions([[0, 1], [0, 1]], [0, 1]))
    >>> terms.choose_weights(counts).tolist()
    [0.5, 0.5]
    """

    weights: str | ArrayLike = UNIFORM
    bound: str | Sequence[str] = "tandem"
    prior: ArrayLike | None = None
    delta: float = 0.05

    def check(self, *, n_voters: int, classes: NDArray[Any], test_set: bool = False) -> None:
        """Refuse terms that cannot be met, before anything is trained."""
        check_delta(self.delta)
        distribution(self.prior, n_voters, "prior")
        names = [self.bound] if isinstance(self.bound, str) else list(self.bound)
        if isinstance(self.weights, str):
            if self.weights not in (UNIFORM, *PROBLEMS):
                raise ValueError(
                    f"There are no weights {self.weights!r}. Choose one of"
                    f" {', '.join(map(repr, (UNIFORM, *PROBLEMS)))}, or pass an array."
                )
            names += [self.weights] if self.weights != UNIFORM else []
        else:
            distribution(self.weights, n_voters, "weights")
        if TEST_SET in names and not test_set:
            raise ValueError(
                "The bound 'test_set' needs labelled points used for nothing else. Pass a test set"
                " to certify, or choose another bound."
            )
        # One voter who is always right: all that a bound can miss here is a matter of the classes.
        probe = VoteCounts.from_votes(Votes.from_predictions(classes[None, :], classes))
        for name in names:
            if name != BEST:
                check(name, get_bound(name).needs, probe)

    def choose_weights(self, counts: VoteCounts) -> FloatArray:
        """Return the vote's weights; choosing them on the same points costs no confidence."""
        if not isinstance(self.weights, str):
            return distribution(self.weights, counts.n_voters, "weights")
        if self.weights == UNIFORM:
            return distribution(None, counts.n_voters, "weights")
        return minimise(counts, self.weights, self.prior, self.delta).weights

    def certify(
        self,
        counts: VoteCounts,
        weights: ArrayLike,
        *,
        test_counts: VoteCounts | None = None,
        notes: Sequence[str] = (),
    ) -> Certificate:
        """Issue the certificate of the vote with these weights."""
        return Certificate.from_counts(
            counts,
            weights=weights,
            prior=self.prior,
            bound=self.bound,
            delta=self.delta,
            test_counts=test_counts,
            notes=notes,
        )
