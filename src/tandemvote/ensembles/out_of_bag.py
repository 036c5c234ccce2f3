"""Votes on the points each voter's bootstrap left out, from models that are already fitted."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.parallel import Parallel, delayed

from tandemvote.ensembles.voters import (
    Codes,
    Voter,
    code_type,
    voter_input,
    voter_predictions,
    voters_of,
)
from tandemvote.votes import Votes


def out_of_bag_votes(
    model: Any, X: ArrayLike, y: ArrayLike, *, X_unlabelled: ArrayLike | None = None
) -> Votes:
    """Let every voter of a fitted ensemble judge the training points its bootstrap left out.

    Parameters
    ----------
    model : fitted RandomForestClassifier, ExtraTreesClassifier or BaggingClassifier
        With bootstraps that do not depend on the labels.
    X : array_like, shape (n_samples, n_features)
        The training points, in the order in which the model saw them.
    y : array_like, shape (n_samples,)
        Their labels.
    X_unlabelled : array_like, shape (n_unlabelled, n_features), optional
        Points of the same source, without labels, that the model was not trained on.

    Returns
    -------
    Votes

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(n_estimators=20, random_state=0).fit(X, y)
    >>> out_of_bag_votes(forest, X, y)
    Votes(20 voters, 150 labelled points, 3 classes)
    """
    points = voter_input(model, X)
    labels = np.searchsorted(model.classes_, np.asarray(y)).astype(code_type(len(model.classes_)))
    held_out = out_of_bag_mask(model, len(labels))
    work = Parallel(n_jobs=model.n_jobs, prefer="threads")
    predictions = np.array(
        work(
            delayed(_predict_held_out)(voter, points, labels, mask)
            for voter, mask in zip(voters_of(model), held_out, strict=True)
        )
    )
    unlabelled = (
        predictions[:, :0] if X_unlabelled is None else voter_predictions(model, X_unlabelled)
    )
    return Votes(predictions, labels, held_out, np.asarray(model.classes_), unlabelled)


def out_of_bag_mask(model: Any, n_samples: int) -> NDArray[np.bool_]:
    """Tell which points each voter's bootstrap left out, shape (n_voters, n_samples)."""
    held_out = np.ones((len(model.estimators_), n_samples), bool)
    for voter, drawn in enumerate(model.estimators_samples_):
        held_out[voter, drawn] = False
    return held_out


def _predict_held_out(voter: Voter, points: Any, labels: Codes, mask: NDArray[np.bool_]) -> Codes:
    """Predict where the mask is True; elsewhere the label stands in, which nobody reads."""
    codes: Codes = labels.copy()
    if mask.any():
        codes[mask] = voter.predict(points[mask])
    return codes
