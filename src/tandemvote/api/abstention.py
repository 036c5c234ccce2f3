"""Votes that abstain where the largest shares are too close."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from numpy.typing import ArrayLike, NDArray
from sklearn.utils import column_or_1d

from tandemvote.bounds.averages import distribution
from tandemvote.certificate.selective import SelectiveCertificate, ShareFunction
from tandemvote.counting.counts import FloatArray
from tandemvote.ensembles.composed import as_it_is
from tandemvote.ensembles.evidence import common_hold_out, draw_by_group, new_points
from tandemvote.ensembles.refusals import refuse_other_than_one_label
from tandemvote.hard_vote import vote_shares
from tandemvote.votes import Voters

MARGINS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
"""Thresholds to search if none are given: fixed in advance, as they must be."""


def certify_selective(
    model: Any,
    X: Any = None,
    y: ArrayLike | None = None,
    *,
    groups: ArrayLike | None = None,
    margin: float | Sequence[float] | None = None,
    max_error: float | None = None,
    weights: ArrayLike | None = None,
    delta: float = 0.05,
) -> SelectiveCertificate:
    """Certify a vote that abstains: its error on the points it accepts, and how many these are.

    Parameters
    ----------
    model : sequence of fitted classifiers, or Votes
        Of a single classifier, ``[classifier]``, the shares are its own probabilities, which for
        the certified classifiers of this library are the shares of the hard vote. Several vote.
        Shares from elsewhere go into `SelectiveCertificate.from_shares`.
    X, y : array_like, optional
        Labelled points that no classifier was trained on, used for nothing else; nothing with
        votes.
    groups : array_like of shape (n_samples,), optional
        Group of each sample, as in `certify`: one random row of each group is used.
    margin : float or sequence of float, optional
        Accept a point if the two largest shares differ by at least this: one threshold fixed in
        advance; or several, fixed in advance, of which any may be chosen afterwards, each at its
        share of delta. Needed unless `max_error` is given, which takes 0, 0.1, ..., 0.9 by default.
    max_error : float in (0, 1), optional
        Take the smallest of the thresholds that can be shown to keep the error among accepted
        points at or below this. The search passes levels on from threshold to threshold, which
        costs less than certifying them all.
    weights : array_like of shape (n_voters,), optional
        Weights of several voters, fixed before looking at these points; uniform by default.
    delta : float in (0, 0.5]
        Probability with which any of it may fail.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from tandemvote import CertifiedForestClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> forest = CertifiedForestClassifier(50, random_state=0).fit(X[:900], y[:900])
    >>> found = certify_selective([forest], X[900:], y[900:], max_error=0.05)
    >>> found.error, found.coverage > 0.8
    (0.05, True)
    >>> labels, accepted = found.predict(X[900:])
    >>> int(accepted.sum()) == labels.size == found.n_accepted
    True
    """
    if margin is None:
        if max_error is None:
            raise ValueError(
                "Neither margin nor max_error is given. Say which points to accept, margin=0.2 for"
                " example, or which error to keep, max_error=0.05."
            )
        margin = MARGINS
    if groups is not None:
        model, X, y = draw_by_group(model, X, y, groups)
    one_row_per_group = groups is not None
    shares_of: ShareFunction | None
    if isinstance(model, Sequence) and len(model) == 1 and y is not None:
        labels = column_or_1d(y)
        shares_of = partial(_probabilities, as_it_is(model[0]))
        shares, classes = shares_of(X)
        new_points(model, X, y, what="held-out")
    else:
        votes = common_hold_out(model, X, y)
        one_row_per_group |= votes.one_row_per_group
        rho = distribution(weights, votes.n_voters, "weights")
        labels, classes = votes.classes[votes.labels], votes.classes
        shares = vote_shares(votes.predictions, rho, classes.size)
        shares_of = None if votes.voters is None else partial(_vote_shares, votes.voters, rho)
    return SelectiveCertificate.from_shares(
        shares,
        labels,
        classes=classes,
        shares_of=shares_of,
        margin=margin,
        max_error=max_error,
        delta=delta,
        one_row_per_group=one_row_per_group,
    )


def _vote_shares(voters: Voters, weights: FloatArray, X: Any) -> tuple[FloatArray, NDArray[Any]]:
    codes, classes = voters(X)
    return vote_shares(codes, weights, len(classes)), classes


def _probabilities(model: Any, X: Any) -> tuple[FloatArray, NDArray[Any]]:
    refuse_other_than_one_label(model)
    if not hasattr(model, "predict_proba"):
        raise ValueError(
            f"{type(model).__name__} has no predict_proba, so no margin is known. Let several"
            " classifiers vote, or pass shares of your own to SelectiveCertificate.from_shares."
        )
    return model.predict_proba(X), model.classes_
