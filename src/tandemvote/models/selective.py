"""Certify classifiers that abstain where they are not confident."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import column_or_1d

from tandemvote.bounds.estimates import check_distribution
from tandemvote.certificate.selective import SelectiveCertificate
from tandemvote.counts import FloatArray
from tandemvote.decimals import failure_probability
from tandemvote.models.composed import as_it_is
from tandemvote.models.held_out import GROUP_SEED, check_held_out, held_out_votes
from tandemvote.models.model_checks import check_one_label
from tandemvote.models.private_names import pick
from tandemvote.models.splitting import group_codes, one_row_per_group
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
    grouped = groups is not None
    if hasattr(models, "predict"):
        if X is None or y is None:
            raise ValueError("X and y are required: samples that the model was not trained on.")
        labels = column_or_1d(y)
        findings = check_held_out([models], X, y, groups=groups, allow=allow)
        if groups is not None:
            rows = one_row_per_group(group_codes(groups, y), RandomState(GROUP_SEED))
            X, labels = pick(X, rows), labels[rows]
        shares_of: Any = partial(_probabilities, as_it_is(models))
        shares, classes = shares_of(X)
    else:
        votes, findings = _votes(models, X, y, groups, allow)
        grouped = votes.one_row_per_group
        rho = check_distribution(None, votes.n_voters, "weights")
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
        one_row_per_group=grouped,
    )


def _votes(
    models: Any, X: Any, y: Any, groups: Any, allow: Sequence[str]
) -> tuple[Votes, tuple[Any, ...]]:
    if isinstance(models, Votes):
        if any(given is not None for given in (X, y, groups)):
            raise ValueError(
                "X, y and groups cannot be combined with votes, which hold predictions and labels."
            )
        if not models.held_out.all():
            raise ValueError(
                "Some voters were trained on some of these samples. certify_selective requires"
                " samples that no voter was trained on."
            )
        return models, ()
    if not isinstance(models, Sequence):
        raise ValueError(
            f"models is of type {type(models).__name__}; expected a fitted classifier, a list of"
            " fitted classifiers, or Votes."
        )
    if X is None or y is None:
        raise ValueError("X and y are required: samples that no model was trained on.")
    return held_out_votes(models, X, y, groups=groups, allow=allow)


def _vote_shares(voters: Voters, weights: FloatArray, X: Any) -> tuple[FloatArray, NDArray[Any]]:
    codes, classes = voters(X)
    return vote_shares(codes, weights, len(classes)), classes


def _probabilities(model: Any, X: Any) -> tuple[FloatArray, NDArray[Any]]:
    check_one_label(model)
    if not hasattr(model, "predict_proba"):
        raise ValueError(
            f"{type(model).__name__} has no predict_proba, so its confidence is unknown. Use a"
            " classifier with predict_proba, or a list of classifiers."
        )
    return np.asarray(model.predict_proba(X)), np.asarray(model.classes_)
