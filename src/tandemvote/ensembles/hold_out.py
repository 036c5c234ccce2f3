"""Votes on points that no voter was trained on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import column_or_1d

from tandemvote.ensembles.fitted import voter_predictions
from tandemvote.ensembles.refusals import refuse_other_than_one_label
from tandemvote.ensembles.voters import encode
from tandemvote.votes import Votes


def hold_out_votes(models: Any, X: Any, y: ArrayLike, *, X_unlabelled: Any | None = None) -> Votes:
    """Let fitted classifiers judge labelled points that none of them was trained on.

    Parameters
    ----------
    models : sequence of fitted classifiers, or one fitted ensemble
        An ensemble stands for its members: RandomForestClassifier, ExtraTreesClassifier or
        BaggingClassifier, with bootstrap or without.
    X : array_like, shape (n_samples, n_features)
        Handed to each classifier as it is.
    y : array_like, shape (n_samples,)
        At least 2 labels.
    X_unlabelled : array_like, shape (n_unlabelled, n_features), optional
        Further points of the same source.

    Returns
    -------
    Votes

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> models = [KNeighborsClassifier(k).fit(X[::2], y[::2]) for k in (1, 5)]
    >>> hold_out_votes(models, X[1::2], y[1::2])
    Votes(2 voters, 75 labelled points, 3 classes)
    """
    labels = column_or_1d(y)
    if len(labels) < 2:
        raise ValueError(
            f"A hold-out of {len(labels)} points says nothing; at least 2 are needed, thousands for"
            " a useful guarantee. Hold out more points, or bag and judge out of bag."
        )
    unlabelled = None if X_unlabelled is None else predict_labels(models, X_unlabelled)
    votes = Votes.from_predictions(predict_labels(models, X), labels, unlabelled=unlabelled)
    # A label that a model knows but never gave here is still one it may give elsewhere.
    members = models if isinstance(models, Sequence) else [models]
    known = [model.classes_ for model in members if hasattr(model, "classes_")]
    classes = np.unique(np.concatenate([votes.classes, *known]))
    return Votes(
        predictions=encode(votes.classes[votes.predictions], classes),
        labels=encode(votes.classes[votes.labels], classes),
        held_out=votes.held_out,
        classes=classes,
        unlabelled=encode(votes.classes[votes.unlabelled], classes),
    )


def predict_labels(models: Any, X: Any) -> NDArray[Any]:
    """Return the labels every voter predicts, shape (n_voters, n_samples)."""
    if isinstance(models, Sequence):
        for model in models:
            refuse_other_than_one_label(model)
        return np.array([np.asarray(model.predict(X)) for model in models])
    refuse_other_than_one_label(models)
    return np.asarray(models.classes_)[voter_predictions(models, X)]
