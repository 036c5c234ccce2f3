"""A fitted classifier that abstains, and the certificate of what it accepts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandemvote.counts import FloatArray
from tandemvote.ensembles.refusals import refuse_other_than_one_label
from tandemvote.selective.certificate import SelectiveCertificate
from tandemvote.selective.margins import accepts, check_shares, vote_margins

MARGINS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
"""Thresholds to search if none are given: fixed in advance, as they must be."""


def certify_selective(
    model: Any,
    X_hold_out: Any,
    y_hold_out: ArrayLike,
    *,
    margin: float | Sequence[float] | None = None,
    max_error: float | None = None,
    delta: float = 0.05,
) -> SelectiveCertificate:
    """Certify a vote that abstains: its error on the points it accepts, and how many these are.

    Parameters
    ----------
    model : fitted classifier with predict_proba
        Of the certified classifiers of this library `predict_proba` gives the shares of the hard
        vote; of others the guarantee is about the label with the largest probability. Shares from
        elsewhere go into `SelectiveCertificate.from_shares`.
    X_hold_out, y_hold_out : array_like
        Labelled points used for nothing else.
    margin : float or sequence of float, optional
        Accept a point if the two largest shares differ by at least this: one threshold fixed in
        advance; or several, fixed in advance, of which any may be chosen afterwards, each at its
        share of delta. Needed unless `max_error` is given, which takes 0, 0.1, ..., 0.9 by default.
    max_error : float in (0, 1), optional
        Take the smallest of the thresholds that can be shown to keep the error among accepted
        points at or below this. The search passes levels on from threshold to threshold, which
        costs less than certifying them all.
    delta : float in (0, 1)
        Probability with which any of it may fail.

    Returns
    -------
    SelectiveCertificate

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from tandemvote import CertifiedForestClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> forest = CertifiedForestClassifier(50, random_state=0).fit(X[:900], y[:900])
    >>> found = certify_selective(forest, X[900:], y[900:], max_error=0.05)
    >>> found.error, found.coverage > 0.8
    (0.05, True)
    >>> labels, accepted = SelectiveVote(forest, margin=found.margin).predict(X[900:])
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
    return SelectiveCertificate.from_shares(
        _shares(model, X_hold_out),
        y_hold_out,
        classes=model.classes_,
        margin=margin,
        max_error=max_error,
        delta=delta,
    )


class Selection(NamedTuple):
    """Labels of the accepted points, and which points those are.

    Attributes
    ----------
    labels : ndarray, shape (n_accepted,)
        One label an accepted point, in the order of the points; rejected points have none.
    accepted : ndarray of bool, shape (n_samples,)
    """

    labels: NDArray[Any]
    accepted: NDArray[np.bool_]


@dataclass(frozen=True)
class SelectiveVote:
    """A fitted classifier that gives no label where its margin is below a threshold.

    Attributes
    ----------
    model : fitted classifier with predict_proba
    margin : float
        Points whose two largest shares differ by at least this are accepted.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from tandemvote import CertifiedForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = CertifiedForestClassifier(20, random_state=0).fit(X, y)
    >>> labels, accepted = SelectiveVote(forest, margin=0.9).predict([[5, 3, 1, 0], [6, 3, 5, 1.6]])
    >>> labels.tolist(), accepted.tolist()
    ([0], [True, False])
    """

    model: Any
    margin: float

    def predict(self, X: Any) -> Selection:
        """Return the labels of the accepted points, and a mask that says which these are."""
        shares = _shares(self.model, X)
        accepted = accepts(vote_margins(shares), self.margin)
        winners = shares[accepted].argmax(axis=1)
        return Selection(np.asarray(self.model.classes_)[winners], accepted)


def _shares(model: Any, X: Any) -> FloatArray:
    refuse_other_than_one_label(model)
    if not hasattr(model, "predict_proba"):
        raise ValueError(
            f"{type(model).__name__} has no predict_proba, so no margin is known. Let classifiers"
            " vote with CertifiedVotingClassifier(prefit=True), or pass shares of your own to"
            " SelectiveCertificate.from_shares."
        )
    return check_shares(model.predict_proba(X))
