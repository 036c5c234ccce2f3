"""Weights fitted on a labelled hold-out and certified on the same points: the Dirichlet bound."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tandemvote.assumptions import standard_assumptions
from tandemvote.bounds import dirichlet_on_votes
from tandemvote.certificate.fitted import FittedVote
from tandemvote.ensembles.evidence import common_hold_out
from tandemvote.hard_vote import observed_error, votable
from tandemvote.weights.dirichlet_weights import minimise_dirichlet

SMALLEST_WEIGHT = 2.0**-40
"""A weight of 0 would make the divergence infinite; this one never decides a vote by itself."""


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
    model : sequence of fitted classifiers, or Votes
        The members of an ensemble vote in ``hold_out_votes(ensemble, X_held_out, y_held_out)``.
    X, y : array_like, optional
        Labelled points that no voter was trained on, used for nothing else; nothing with votes.
    prior : array_like of shape (n_voters,), optional
        Positive weights fixed before seeing the hold-out; uniform by default.
    delta : float in (0, 1)
        Failure probability.

    Examples
    --------
    >>> from tandemvote import Votes
    >>> rng = np.random.default_rng(0)
    >>> labels = rng.integers(2, size=2000)
    >>> skill = np.array([0.1, 0.1, 0.1, 0.4, 0.4, 0.4])[:, None]
    >>> votes = Votes.from_predictions(labels ^ (rng.random((6, 2000)) < skill), labels)
    >>> certify_fitted_weights(votes)
    observed 3.4 %, guaranteed at most 7.2 % (95 %), guessing 47.9 %
      bound: dirichlet (DIR); the hard weighted vote of 6 voters, 2 classes
      weights fitted and certified on the same 2000 labelled points
    """
    held_out = common_hold_out(model, X, y, purpose="fitting weights")
    votes = held_out.votes
    solution = minimise_dirichlet(votes, prior, delta)
    weights = np.maximum(solution.weights, SMALLEST_WEIGHT)
    weights = votable(weights / weights.sum())
    found = dirichlet_on_votes(votes, weights * solution.parameters.sum(), prior, delta)
    return FittedVote(
        value=found.value,
        bound=found.name,
        delta=delta,
        weights=weights,
        bounds={found.name: found},
        assumptions=(*standard_assumptions(), *held_out.assumptions),
        notes=tuple(held_out.notes),
        voters=votes.voters,
        observed=observed_error(votes, weights),
        guessing=votes.guessing_error,
    )
