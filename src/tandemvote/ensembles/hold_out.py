"""Votes on points that no voter was trained on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import column_or_1d

from tandemvote.ensembles.members import voters_in
from tandemvote.ensembles.training_rows import (
    refuse_points_trained_on,
    refuse_training_rows,
    row_digests,
)
from tandemvote.votes import Votes


def hold_out_votes(models: Any, X: Any, y: ArrayLike, *, X_unlabelled: Any | None = None) -> Votes:
    """Let fitted classifiers vote on labelled points that none of them was trained on.

    Parameters
    ----------
    models : sequence of fitted classifiers, or one fitted ensemble
        An ensemble stands for its members: RandomForestClassifier, ExtraTreesClassifier or
        BaggingClassifier, with bootstrap or without, or a certified classifier.
    X : array_like, shape (n_samples, n_features)
        Handed to each classifier as it is.
    y : array_like, shape (n_samples,)
        At least 2 labels.
    X_unlabelled : array_like, shape (n_unlabelled, n_features), optional
        Further points of the same source.

    Raises
    ------
    ValueError
        If a model was trained on these points and that can be seen: by certified classifiers, and
        by forests and bagged trees.

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
            " a useful guarantee. Hold out more points, or evaluate out of bag."
        )
    if X_unlabelled is not None:
        refuse_training_rows(row_digests(X), X_unlabelled, what="unlabelled")
    return votes_on(models, X, labels, what="held-out", X_unlabelled=X_unlabelled)


def votes_on(
    models: Any, X: Any, labels: NDArray[Any], *, what: str, X_unlabelled: Any | None = None
) -> Votes:
    """Let models vote on labelled points; refuse points that a model is seen to be trained on."""
    voters = voters_in(models)
    for model in models if isinstance(models, Sequence) else [models]:
        refuse_points_trained_on(model, X, labels, what=what)
        if X_unlabelled is not None and hasattr(model, "training_rows_"):
            refuse_training_rows(model.training_rows_, X_unlabelled, what="unlabelled")
    codes, classes = voters(X)
    more, more_classes = (codes[:, :0], classes) if X_unlabelled is None else voters(X_unlabelled)
    # Votes check and sort labels of any kind: here the true ones together with those of the voters.
    known = np.concatenate([classes, more_classes])
    joined = Votes.from_predictions([labels], labels, unlabelled=known[None, :])
    position, more_position = np.split(joined.unlabelled[0], [len(classes)])
    return Votes(
        predictions=position[codes],
        labels=joined.labels,
        held_out=np.ones(codes.shape, bool),
        classes=joined.classes,
        unlabelled=more_position[more],
        voters=voters,
    )
