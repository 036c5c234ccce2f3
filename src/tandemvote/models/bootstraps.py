"""Votes of the members of an ensemble on their out-of-bag samples, with audited bootstraps."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chisquare
from sklearn.utils.class_weight import compute_sample_weight

from tandemvote.codes import Codes, encode
from tandemvote.frames import index_of
from tandemvote.models.model_checks import check_independent_bootstraps
from tandemvote.models.voters import (
    Voter,
    in_threads,
    members_of,
    predict_members,
    validated,
    voter_predictions,
)
from tandemvote.votes import Votes

FALSE_ALARM = 1e-12
"""Probability with which bootstraps drawn evenly are rejected as uneven."""

ENOUGH_DRAWS = 5
"""Expected draws of a sample from which the chi-square test can be trusted."""

N_WHOLE = 8
"""Trees of which every training sample is looked up in its leaf. The others are audited by the
classes of their samples, which a changed label or another order does not leave as they are."""


class AuditError(ValueError):
    """The ensemble was trained on other samples than those of its bootstraps."""


def out_of_bag_votes(model: Any, X: Any, labels: NDArray[Any], X_unlabeled: Any = None) -> Votes:
    """Let every member predict the samples that its bootstrap left out, and audit the bootstraps.

    Every bootstrap is drawn once, and every tree is evaluated once. All members predict the
    unlabeled samples.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(n_estimators=20, random_state=0).fit(X, y)
    >>> out_of_bag_votes(forest, X, y)
    Votes(20 voters, 150 labeled samples, 3 classes)
    """
    check_independent_bootstraps(model, len(labels))
    classes = np.asarray(model.classes_)
    codes = encode(labels, classes)
    predictions, held_out = audited_predictions(model, X, codes)
    unlabeled = predictions[:, :0]
    if X_unlabeled is not None:
        unlabeled = voter_predictions(model, X_unlabeled)
    votes = Votes(predictions, codes, held_out, classes, unlabeled)
    return replace(votes, voters=partial(predict_members, model), index=index_of(X))


def audited_predictions(model: Any, X: Any, codes: Codes) -> tuple[Codes, NDArray[np.bool_]]:
    """Return predictions of every member, and which samples its bootstrap left out.

    Raises an AuditError if the members were trained on other samples.
    """
    n_samples = len(codes)
    samples, members = validated(model, X), members_of(model)
    # Before scikit-learn 1.8 trees put missing values into other leaves in training than later.
    by_leaf = not (isinstance(samples, np.ndarray) and np.isnan(samples).any())
    balanced = getattr(model, "class_weight", None) == "balanced_subsample"
    bootstraps = model.estimators_samples_
    predictions = np.tile(codes, (len(members), 1))  # unread where a member was trained
    held_out = np.zeros(predictions.shape, bool)
    draws = np.zeros((len(members), n_samples), np.int32)
    strangers = np.zeros(len(members), bool)

    def evaluate(place: int) -> None:
        draws[place] = np.bincount(bootstraps[place], minlength=n_samples)
        held_out[place] = draws[place] == 0
        rows, member = np.flatnonzero(held_out[place]), members[place]
        if rows.size:
            predictions[place, rows] = member.predict(samples, rows)
        weights = draws[place].astype(float)
        if balanced:
            weights *= compute_sample_weight("balanced", codes, indices=bootstraps[place])
        whole = by_leaf and place % max(1, len(members) // N_WHOLE) == 0
        strangers[place] = not (
            _has_contents(member, np.zeros_like(codes), codes, weights)
            and (not whole or _has_contents(member, member.leaves(samples), codes, weights))
        )

    in_threads(evaluate, len(members), model.n_jobs)
    _check_draws(draws.sum(axis=0))
    if strangers.any():
        raise AuditError(
            f"{strangers.sum()} of {len(members)} trees hold other training samples than their"
            " bootstraps. Pass the exact X and y of fit, in the same order, with the scikit-learn"
            " release that fitted the model. Refit models that were fitted with sample_weight."
        )
    return predictions, held_out


def _check_draws(times: NDArray[np.integer[Any]]) -> None:
    """Raise an AuditError if some samples were drawn more often than chance explains."""
    if times.mean() >= ENOUGH_DRAWS and chisquare(times).pvalue < FALSE_ALARM:
        raise AuditError(
            f"Samples were drawn between {times.min()} and {times.max()} times, which even draws do"
            " not explain: the bootstraps depend on the data, as with sample_weight or"
            " class_weight. Refit without them."
        )


def _has_contents(
    voter: Voter, nodes: NDArray[np.intp], codes: Codes, weights: NDArray[np.float64]
) -> bool:
    """Return True if the nodes into which samples fall hold exactly their weights by class."""
    leaves, place = np.unique(nodes, return_inverse=True)
    held = voter.contents_of(leaves)
    cells = place * voter.n_classes + codes
    found = np.bincount(cells, weights, minlength=held.size).reshape(held.shape)
    return bool(np.allclose(found, held, rtol=1e-9, atol=1e-6))
