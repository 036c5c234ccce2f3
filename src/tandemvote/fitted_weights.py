"""Weights fitted on a labelled hold-out and certified on the same points: the Dirichlet bound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandemvote.bounds import BoundValue, dirichlet
from tandemvote.certificate import percent, rounded_up
from tandemvote.counts import FloatArray
from tandemvote.ensembles.hard_vote import votable, vote_labels
from tandemvote.ensembles.hold_out import hold_out_votes, predict_labels
from tandemvote.votes import Votes
from tandemvote.weights.dirichlet import minimise_dirichlet

SMALLEST_WEIGHT = 2.0**-40
"""A weight of 0 would make the divergence infinite; this one never decides a vote by itself."""


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedVote:
    """A vote whose weights were fitted on a hold-out, and what that hold-out promises of it.

    Attributes
    ----------
    value : float
        With probability at least 1 - delta the vote errs at most this often; 1 says nothing.
    delta : float
        Failure probability.
    weights : ndarray of shape (n_voters,)
    bound : BoundValue
        The Dirichlet bound and its terms.
    models : sequence of fitted classifiers, fitted ensemble, or None
        The voters, if they came as models.
    """

    value: float
    delta: float
    weights: FloatArray
    bound: BoundValue
    models: Any = None

    @property
    def guarantee(self) -> str:
        """The promise in one sentence."""
        if self.value >= 1.0:
            return f"No guarantee could be shown with probability {percent(self.delta)}."
        return (
            f"With probability at least {percent(self.delta)} over the draw of the hold-out, this"
            f" weighted majority vote errs on at most {rounded_up(100 * self.value, 1)} % of new"
            " points."
        )

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict by the hard weighted vote; ties go to the smallest class."""
        if self.models is None:
            raise ValueError("Votes cannot predict. Certify the models themselves.")
        return vote_labels(predict_labels(self.models, X), self.weights)

    def __repr__(self) -> str:
        terms = self.bound.terms
        return (
            f"error <= {rounded_up(self.value)} with probability {percent(self.delta)}\n"
            f"  bound: dirichlet (DIR); the hard weighted vote of {self.weights.size} voters,"
            f" {terms['n_classes']} classes\n"
            f"  weights fitted and certified on the same {terms['n']} labelled points"
        )


def certify_fitted_weights(
    model: Any,
    X: Any = None,
    y: ArrayLike | None = None,
    *,
    prior: ArrayLike | None = None,
    delta: float = 0.05,
) -> FittedVote:
    """Fit the weights of voters on a labelled hold-out and certify the vote on the same points.

    Parameters
    ----------
    model : sequence of fitted classifiers, fitted ensemble, or Votes
        None of the voters may have been trained on the hold-out.
    X, y : array_like, optional
        The hold-out; nothing with votes.
    prior : array_like of shape (n_voters,), optional
        Positive weights fixed before seeing the hold-out; uniform by default.
    delta : float in (0, 1)
        Failure probability.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> labels = rng.integers(2, size=2000)
    >>> skill = np.array([0.1, 0.1, 0.1, 0.4, 0.4, 0.4])[:, None]
    >>> votes = Votes.from_predictions(labels ^ (rng.random((6, 2000)) < skill), labels)
    >>> certify_fitted_weights(votes)
    error <= 0.072 with probability 95 %
      bound: dirichlet (DIR); the hard weighted vote of 6 voters, 2 classes
      weights fitted and certified on the same 2000 labelled points
    """
    if isinstance(model, Votes) != (X is None and y is None):
        raise ValueError(
            "A hold-out of points X and labels y belongs to models; votes hold theirs. Pass models"
            " with both, or votes alone."
        )
    votes = model if isinstance(model, Votes) or y is None else hold_out_votes(model, X, y)
    solution = minimise_dirichlet(votes, prior, delta)
    weights = np.maximum(solution.weights, SMALLEST_WEIGHT)
    weights = votable(weights / weights.sum())
    bound = dirichlet(votes, weights * solution.parameters.sum(), prior, delta)
    return FittedVote(
        value=bound.value,
        delta=delta,
        weights=weights,
        bound=bound,
        models=None if isinstance(model, Votes) else model,
    )
