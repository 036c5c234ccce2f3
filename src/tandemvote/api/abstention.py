"""Votes that abstain: where the largest shares are too close, or where too few voters agree."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import column_or_1d

from tandemvote.assumptions import standard_assumptions
from tandemvote.bounds.averages import distribution
from tandemvote.bounds.coalition import agreement_bound
from tandemvote.certificate.agreement import AgreementCertificate
from tandemvote.certificate.selective import SelectiveCertificate, ShareFunction
from tandemvote.counting.counts import FloatArray, VoteCounts
from tandemvote.ensembles.composed import as_it_is
from tandemvote.ensembles.evidence import common_hold_out, evidence, new_points
from tandemvote.ensembles.refusals import refuse_other_than_one_label
from tandemvote.ensembles.voters import is_certified, voters_in
from tandemvote.hard_vote import vote_shares
from tandemvote.inequalities.pac_bayes import refuse_confidence
from tandemvote.votes import Voters

MARGINS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
"""Thresholds to search if none are given: fixed in advance, as they must be."""


def certify_selective(
    model: Any,
    X: Any = None,
    y: ArrayLike | None = None,
    *,
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
    shares_of: ShareFunction | None
    if isinstance(model, Sequence) and len(model) == 1 and y is not None:
        labels = column_or_1d(y)
        shares_of = partial(_probabilities, as_it_is(model[0]))
        shares, classes = shares_of(X)
        new_points(model, X, y, what="held-out")
    else:
        votes = common_hold_out(model, X, y, purpose="a vote that abstains").votes
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


def certify_agreement(
    model: Any,
    X: Any = None,
    y: ArrayLike | None = None,
    *,
    quorum: int | None = None,
    delta: float = 0.05,
) -> AgreementCertificate:
    """Certify how often voters agree on a wrong label, so that they may abstain elsewhere.

    Where all must agree, this is as tight as a hold-out of the size of one voter's: all of them are
    wrong at most as often as the first one is, which was fixed in advance.

    Parameters
    ----------
    model, X, y
        As in `certify`. A certified classifier has kept its votes and needs no X and y. The voters
        count equally.
    quorum : int, optional
        How many voters must agree; by default all of them.
    delta : float in (0, 0.5]
        Probability with which the guarantee may fail.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from tandemvote import CertifiedClassifierCV
    >>> X, y = load_digits(return_X_y=True)
    >>> model = CertifiedClassifierCV(RandomForestClassifier(30), random_state=0)
    >>> found = certify_agreement(model.fit(X[:1500], y[:1500]))
    >>> labels, accepted = found.predict(X[1500:])
    >>> found.value < model.certificate_.value, bool(accepted.mean() > 0.7)
    (True, True)
    """
    refuse_confidence(delta)
    votes, notes, assumptions = evidence(model, X, y)
    counts, n_voters = VoteCounts.from_votes(votes), votes.n_voters
    quorum = n_voters if quorum is None else quorum
    prior = np.eye(1, n_voters)[0] if quorum == n_voters else np.full(n_voters, 1.0 / n_voters)
    tested: dict[str, Any] = {"errors": counts.errors, "sizes": counts.sizes, "prior": prior}
    return AgreementCertificate(
        value=agreement_bound(**tested, quorum=quorum, delta=delta),
        **tested,
        quorum=quorum,
        delta=delta,
        assumptions=(*standard_assumptions(), *assumptions),
        notes=notes,
        voters=voters_in(model) if is_certified(model) else votes.voters,
    )
