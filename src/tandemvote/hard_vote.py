"""The vote the theorems are about: the label with the largest total weight."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandemvote.counting.counts import FloatArray
from tandemvote.votes import Voters, Votes

EXACT_BITS = 52
"""Weights become integers that sum to less than 2^52, so that their sums are exact in any order."""

VOTABLE_BITS = 50
"""A distribution of multiples of 2^-50 becomes integers exactly, also if its sum is not quite 1."""


def weighted_vote(
    predictions: NDArray[np.integer[Any]], weights: ArrayLike, n_classes: int
) -> NDArray[np.intp]:
    """Return the label with the largest total weight at each point; ties go to the smallest class.

    Weights are scaled by a power of two and rounded to integers before they are added. Every
    partial sum is then an integer below 2^53, exact in floating point: the winner does not depend
    on the order of the voters, and labels backed by the same weights tie exactly.

    Parameters
    ----------
    predictions : ndarray of int, shape (n_voters, n_samples)
        Codes in 0, ..., n_classes - 1.
    weights : array_like of shape (n_voters,)
        At least 0, with a positive sum.
    n_classes : int

    Returns
    -------
    ndarray of int, shape (n_samples,)

    Examples
    --------
    >>> predictions = np.array([[1, 0, 2], [0, 0, 1], [1, 2, 0]])
    >>> weighted_vote(predictions, [1 / 3, 1 / 3, 1 / 3], 3).tolist()
    [1, 0, 0]
    """
    return np.asarray(vote_totals(predictions, weights, n_classes).argmax(axis=1))


def vote_of(voters: Voters | None, X: Any, weights: ArrayLike) -> NDArray[Any]:
    """Let voters vote on points; ties go to the smallest class.

    Examples
    --------
    >>> vote_of(lambda X: (np.array([[0, 1], [1, 1]]), np.array(["a", "b"])), None, [0.5, 0.5])
    array(['a', 'b'], dtype='<U1')
    """
    if voters is None:
        raise ValueError(
            "Predictions alone cannot vote on new points. Certify the models themselves, or vote"
            " with weighted_vote of tandemvote.hard_vote on your own predictions."
        )
    codes, classes = voters(X)
    return np.asarray(classes[weighted_vote(codes, weights, len(classes))])


def vote_shares(
    predictions: NDArray[np.integer[Any]], weights: ArrayLike, n_classes: int
) -> FloatArray:
    """Share of the weight behind each label, shape (n_samples, n_classes); rows sum to 1.

    Examples
    --------
    >>> vote_shares(np.array([[1, 0], [0, 0]]), [0.25, 0.75], 2).tolist()
    [[0.75, 0.25], [1.0, 0.0]]
    """
    return np.asarray(vote_totals(predictions, weights, n_classes) / exact_weights(weights).sum())


def vote_totals(
    predictions: NDArray[np.integer[Any]],
    weights: ArrayLike,
    n_classes: int,
    held_out: NDArray[np.bool_] | None = None,
) -> FloatArray:
    """Total of the exact weights behind each label, of all voters or of those held out.

    Examples
    --------
    >>> held_out = np.array([[True, False], [True, True]])
    >>> totals = vote_totals(np.array([[1, 0], [0, 0]]), [0.25, 0.75], 2, held_out)
    >>> (totals / 2.0**51).tolist()
    [[0.75, 0.25], [0.75, 0.0]]
    """
    units = exact_weights(weights)
    if units.size != len(predictions):
        raise ValueError(
            f"{units.size} weights for {len(predictions)} voters; pass one weight per voter."
        )
    totals = np.zeros((predictions.shape[1], n_classes))
    for voter in np.flatnonzero(units):
        points = slice(None) if held_out is None else np.flatnonzero(held_out[voter])
        rows = np.arange(len(totals))[points]
        totals[rows, predictions[voter, points]] += units[voter]
    return totals


def held_out_shares(votes: Votes, weights: ArrayLike) -> FloatArray:
    """Shares of the vote on labelled points, of the voters that did not see them.

    Returns
    -------
    ndarray, shape (n_samples, n_classes)
        NaN at points that every voter with weight saw.

    Examples
    --------
    >>> votes = Votes.from_predictions([[0, 1], [0, 0]], [0, 1], [[True, False], [True, True]])
    >>> held_out_shares(votes, [0.25, 0.75]).tolist()
    [[1.0, 0.0], [1.0, 0.0]]
    """
    totals = vote_totals(votes.predictions, weights, votes.classes.size, votes.held_out)
    weight = totals.sum(axis=1, keepdims=True)
    shares = np.full_like(totals, np.nan)
    np.divide(totals, weight, out=shares, where=weight > 0)
    return shares


def observed_error(votes: Votes, weights: ArrayLike) -> float | None:
    """Error of the vote on points its voters did not see; None if there are none.

    Examples
    --------
    >>> observed_error(Votes.from_predictions([[0, 1], [0, 0]], [0, 1]), [0.25, 0.75])
    0.5
    """
    shares = held_out_shares(votes, weights)
    covered = ~np.isnan(shares[:, 0])
    wrong = shares[covered].argmax(axis=1) != votes.labels[covered]
    return float(wrong.mean()) if wrong.size else None


def votable(weights: FloatArray) -> FloatArray:
    """Round a distribution to multiples of 2^-50, which `weighted_vote` adds without rounding.

    Certify these: then no weight, however small, is in the certificate and not in the vote.

    Examples
    --------
    >>> votable(np.array([1.0, 1e-20])).tolist()
    [1.0, 0.0]
    """
    return np.asarray(np.ldexp(np.rint(np.ldexp(weights, VOTABLE_BITS)), -VOTABLE_BITS))


def exact_weights(weights: ArrayLike) -> FloatArray:
    """Weights as whole numbers whose sum is about 2^51 or more and less than 2^52.

    Examples
    --------
    >>> exact_weights([0.75, 0.25]).tolist() == [0.75 * 2**51, 0.25 * 2**51]
    True
    """
    values = np.asarray(weights, float)
    # The sum must not depend on the order either.
    total = math.fsum(values.flat) if np.isfinite(values).all() else math.nan
    if values.ndim != 1 or not (values >= 0).all() or not total > 0:
        raise ValueError(
            f"weights has shape {values.shape} and sum {total}; expected one number per voter, each"
            " at least 0, with a positive finite sum."
        )
    _, exponent = math.frexp(total)
    return np.asarray(np.rint(np.ldexp(values, EXACT_BITS - exponent)))
