"""The weighted majority vote: the class with the largest total weight."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandemvote.votes.codes import Codes
from tandemvote.votes.votes import SMALLEST, Votes

FloatArray = NDArray[np.float64]  # not imported: `verify` uses this module, and no inequalities

EXACT_BITS = 52
"""Weights become integers that sum to less than 2^52, so that their sums are exact in any order."""

VOTABLE_BITS = 50
"""A distribution of multiples of 2^-50 becomes integers exactly, also if its sum is not quite 1."""

SHARE_ROUNDING = 1e-9
"""Shares of the weight that differ by no more are a tie: another implementation of the same vote,
which adds them up in floating point, may break it the other way."""


def weighted_vote(predictions: Codes, weights: ArrayLike, n_classes: int) -> NDArray[np.intp]:
    """Return the class with the largest total weight at each sample, the smallest if several tie.

    Weights are scaled by a power of two and rounded to integers before they
    are added. Every partial sum is then an integer below 2^53, exact in floating point: the winner
    does not depend on the order of the voters, and classes with the same weights tie exactly.

    Predictions are codes in 0, ..., n_classes - 1, shape (n_voters, n_samples).

    Examples
    --------
    >>> predictions = np.array([[1, 0, 2], [0, 0, 1], [1, 2, 0]])
    >>> weighted_vote(predictions, [1 / 3, 1 / 3, 1 / 3], 3).tolist()
    [1, 0, 0]
    """
    return np.asarray(vote_totals(predictions, weights, n_classes).argmax(axis=1))


def first_places(predictions: Codes, weights: ArrayLike, n_classes: int) -> NDArray[np.bool_]:
    """Return which classes share the first place, shape (n_samples, n_classes).

    Ties up to rounding count, since another implementation may break them the other way. A referee
    must choose among exactly these classes.

    Examples
    --------
    >>> predictions = np.array([[0, 0], [1, 0], [2, 1]])
    >>> first_places(predictions, [0.4, 0.3, 0.3], 3).astype(int).tolist()
    [[1, 0, 0], [1, 0, 0]]
    >>> first_places(predictions, [0.3, 0.3, 0.3], 3).astype(int).tolist()
    [[1, 1, 1], [1, 0, 0]]
    """
    totals = vote_totals(predictions, weights, n_classes)
    room = SHARE_ROUNDING * exact_weights(weights).sum()
    return np.asarray(totals + room >= totals.max(axis=1, keepdims=True))


def can_win(votes: Votes, weights: ArrayLike) -> NDArray[np.bool_]:
    """Return which classes the classifier may predict, shape (n_samples, n_classes).

    It is the winner of the vote alone, or with a referee every class in first place. The sample
    counts as an error unless the true class is the only one.

    Examples
    --------
    >>> predictions = [[0, 0, 0], [0, 1, 0], [0, 1, 1], [0, 1, 1]]
    >>> votes = Votes.from_predictions(predictions, [0, 1, 0], ties="referee")
    >>> can_win(votes, [0.25] * 4).astype(int).tolist()
    [[1, 0], [0, 1], [1, 1]]
    """
    n_classes = votes.classes.size
    if votes.ties == SMALLEST:
        winners = weighted_vote(votes.predictions, weights, n_classes)
        return np.eye(n_classes, dtype=bool)[winners]
    return first_places(votes.predictions, weights, n_classes)


def is_test_error(votes: Votes, weights: ArrayLike) -> NDArray[np.bool_]:
    """Return True at each sample that counts as an error, whichever way a referee breaks ties.

    Examples
    --------
    >>> predictions = [[0, 0, 0], [0, 1, 0], [0, 1, 1], [0, 1, 1]]
    >>> votes = Votes.from_predictions(predictions, [0, 1, 0], ties="referee")
    >>> is_test_error(votes, [0.25] * 4).tolist()
    [False, False, True]
    """
    possible = can_win(votes, weights)
    possible[np.arange(votes.n_samples), votes.labels] = False
    return np.asarray(possible.any(axis=1))


def vote_shares(predictions: Codes, weights: ArrayLike, n_classes: int) -> FloatArray:
    """Share of the weight behind each label, shape (n_samples, n_classes); rows sum to 1."""
    return np.asarray(vote_totals(predictions, weights, n_classes) / exact_weights(weights).sum())


def vote_totals(
    predictions: Codes,
    weights: ArrayLike,
    n_classes: int,
    held_out: NDArray[np.bool_] | None = None,
) -> FloatArray:
    """Total of the exact weights behind each label, of all voters or of those held out."""
    units = exact_weights(weights)
    if units.size != len(predictions):
        raise ValueError(
            f"{units.size} weights for {len(predictions)} voters; pass one weight per voter."
        )
    totals = np.zeros((predictions.shape[1], n_classes))
    for voter in np.flatnonzero(units):
        rows = np.arange(len(totals)) if held_out is None else np.flatnonzero(held_out[voter])
        totals[rows, predictions[voter, rows]] += units[voter]
    return totals


def observed_vote(votes: Votes, weights: ArrayLike) -> NDArray[np.intp]:
    """Return the class predicted by the voters not trained on a sample; -1 where all were.

    Where all voters with weight vote, ties go to the smallest class, as in the vote itself. Where
    some of them were trained on the sample, or a referee breaks ties, these go to the first voter
    whose class is among the tied: two voters often tie, and would predict the smallest class too
    often.

    Examples
    --------
    >>> seen_by_the_first = [[False, True], [True, True], [True, True]]
    >>> votes = Votes.from_predictions([[1, 1], [1, 1], [0, 0]], [1, 1], seen_by_the_first)
    >>> observed_vote(votes, [0.5, 0.25, 0.25]).tolist()
    [1, 1]
    >>> observed_vote(votes, [0, 0.5, 0.5]).tolist()
    [0, 0]
    """
    totals = vote_totals(votes.predictions, weights, votes.classes.size, votes.held_out)
    winners = np.where(totals.any(axis=1), totals.argmax(axis=1), -1)
    leading = totals == totals.max(axis=1, keepdims=True)
    voting = np.flatnonzero(exact_weights(weights))
    partial = ~votes.held_out[voting].all(axis=0) | (votes.ties != SMALLEST)
    tied = np.flatnonzero(partial & (leading.sum(axis=1) > 1))
    for voter in voting[::-1]:  # so that the first one decides
        chosen = tied[votes.held_out[voter, tied] & leading[tied, votes.predictions[voter, tied]]]
        winners[chosen] = votes.predictions[voter, chosen]
    return winners


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
    """Weights as whole numbers whose sum is about 2^51 or more and less than 2^52."""
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
