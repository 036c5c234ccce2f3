"""Certify classifiers that abstain where they are not confident."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandemvote.certificate.selective import SelectiveCertificate
from tandemvote.counts import FloatArray
from tandemvote.decimals import failure_probability
from tandemvote.models.held_out import Samples, votes_of
from tandemvote.models.voters import frozen_copy
from tandemvote.votes import Voters, Votes
from tandemvote.voting import vote_shares


def certify_selective(
    models: Any,
    X: Any = None,
    y: ArrayLike | None = None,
    *,
    max_error: float,
    groups: ArrayLike | None = None,
    confidence: float = 0.95,
    allow: Sequence[str] = (),
) -> SelectiveCertificate:
    """Certify a classifier that predicts only where it is confident.

    Parameters
    ----------
    models : classifier, sequence of classifiers, or Votes
        Of a fitted classifier the margin is the difference of its two largest probabilities, of a
        sequence or of votes that of the two largest shares of the vote.
    X, y : array_like, default=None
        Samples that no model was trained on, used for nothing else, and their labels.
    max_error : float
        Largest error rate allowed among confident samples. The smallest of the margins 0, 0.1, ...,
        0.9 that can be shown to keep it is chosen.
    groups : array_like of shape (n_samples,), default=None
        As in `certify`.
    confidence : float, default=0.95
        Probability with which the bound and the coverage hold together.
    allow : sequence of str, default=()
        Codes of errors of `audit` to override, such as "identifier". The certificate records them.

    Returns
    -------
    SelectiveCertificate
        Its `predict` returns the classes of the confident samples, and which these are.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> forest = RandomForestClassifier(random_state=0).fit(X[:900], y[:900])
    >>> certificate = certify_selective(forest, X[900:], y[900:], max_error=0.05)
    >>> certificate.coverage > 0.7
    True
    >>> labels, confident = certificate.predict(X[900:])
    >>> int(confident.sum()) == labels.size == certificate.chosen.n_confident
    True
    """
    delta = failure_probability(confidence)
    samples, one_row_per_group = Samples(X, y, groups, allow=allow), groups is not None
    if hasattr(models, "predict"):
        tested, labels, _, findings = samples.checked([models])
        shares_of: Any = partial(_probabilities, frozen_copy(models))
        shares, classes = shares_of(tested)
    else:
        votes, findings = votes_of(models, samples)
        if not isinstance(votes, Votes) or not votes.held_out.all():
            raise ValueError(
                "Some voters were trained on some of these samples, or only counts are given."
                " certify_selective requires predictions on samples that no voter was trained on."
            )
        one_row_per_group = votes.one_row_per_group
        rho = np.full(votes.n_voters, 1.0 / votes.n_voters)
        labels, classes = votes.classes[votes.labels], votes.classes
        shares = vote_shares(votes.predictions, rho, classes.size)
        shares_of = None if votes.voters is None else partial(_vote_shares, votes.voters, rho)
    return SelectiveCertificate.from_shares(
        shares,
        labels,
        max_error=max_error,
        classes=classes,
        delta=delta,
        shares_of=shares_of,
        findings=findings,
        one_row_per_group=one_row_per_group,
    )


def _vote_shares(voters: Voters, weights: FloatArray, X: Any) -> tuple[FloatArray, NDArray[Any]]:
    codes, classes = voters(X)
    return vote_shares(codes, weights, len(classes)), classes


def _probabilities(model: Any, X: Any) -> tuple[FloatArray, NDArray[Any]]:
    if not hasattr(model, "predict_proba"):
        raise ValueError(
            f"{type(model).__name__} has no predict_proba, so its confidence is unknown. Use a"
            " classifier with predict_proba, or a list of classifiers."
        )
    return np.asarray(model.predict_proba(X)), np.asarray(model.classes_)
