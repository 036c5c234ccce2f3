"""Votes on points that a voter was not trained on: out of bag, or on points that none saw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import column_or_1d

from tandemvote.codes import encode
from tandemvote.ensembles.copies import note_copies
from tandemvote.ensembles.refusals import refuse_without_independent_bootstraps
from tandemvote.ensembles.training import held_out_mask
from tandemvote.ensembles.training_rows import (
    refuse_points_trained_on,
    refuse_training_rows,
    row_digests,
)
from tandemvote.ensembles.voters import member_input, members_of, predict_held_out, voters_in
from tandemvote.spelling import FEWEST_POINTS, refuse_other_spellings, refuse_other_words
from tandemvote.votes import Votes


def out_of_bag_votes(
    model: Any, X: ArrayLike, y: ArrayLike, *, X_unlabelled: ArrayLike | None = None
) -> Votes:
    """Let every voter of a fitted ensemble predict the training points its bootstrap left out.

    The model is a RandomForestClassifier, ExtraTreesClassifier or BaggingClassifier whose
    bootstraps do not depend on the labels; X and y are its training points, in the same order,
    which `audit_bootstraps` checks. `X_unlabelled` are further points of the same source.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(n_estimators=20, random_state=0).fit(X, y)
    >>> out_of_bag_votes(forest, X, y)
    Votes(20 voters, 150 labelled points, 3 classes)
    """
    refuse_without_independent_bootstraps(model, np.shape(y)[0])
    labels = encode(column_or_1d(y), model.classes_)
    held_out = held_out_mask(model.estimators_samples_, len(labels))
    points = member_input(model, X)
    predictions = predict_held_out(members_of(model), points, labels, held_out, model.n_jobs)
    voters = voters_in(model)
    unlabelled = predictions[:, :0] if X_unlabelled is None else voters(X_unlabelled)[0]
    return Votes(predictions, labels, held_out, np.asarray(model.classes_), unlabelled, voters)


def hold_out_votes(models: Any, X: Any, y: ArrayLike, *, X_unlabelled: Any | None = None) -> Votes:
    """Let fitted classifiers vote on labelled points that none of them was trained on.

    Points that a model, or one inside it, is seen to be trained on are refused: by certified
    classifiers, forests, bagged trees and nearest neighbours; by trees and gradient boosting, if
    they are all the training points.

    Parameters
    ----------
    models : sequence of fitted classifiers, or one fitted ensemble
        An ensemble stands for its members: RandomForestClassifier, ExtraTreesClassifier or
        BaggingClassifier, with bootstrap or without, or a certified classifier.
    X, y : array_like, shapes (n_samples, n_features) and (n_samples,)
        At least 2 points, handed to each classifier as they are, and their labels.
    X_unlabelled : array_like, shape (n_unlabelled, n_features), optional
        Further points of the same source.

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
    note_copies(X, labels, what=what)
    for model in models if isinstance(models, Sequence) else [models]:
        refuse_points_trained_on(model, X, labels, what=what)
        if X_unlabelled is not None:
            refuse_points_trained_on(model, X_unlabelled, what="unlabelled")
    codes, classes = voters(X)
    more, more_classes = (codes[:, :0], classes) if X_unlabelled is None else voters(X_unlabelled)
    # Votes check and sort labels of any kind: here the true ones together with those of the voters.
    known = np.concatenate([classes, more_classes])
    joined = Votes.from_predictions([labels], labels, unlabelled=known[None, :])
    _refuse_other_labels(classes[np.unique(codes)], labels)
    position, more_position = np.split(joined.unlabelled[0], [len(classes)])
    said, held_out = position[codes], np.ones(codes.shape, bool)
    return Votes(said, joined.labels, held_out, joined.classes, more_position[more], voters)


def _refuse_other_labels(said: NDArray[Any], labels: NDArray[Any]) -> None:
    """Refuse predictions that are written otherwise than the labels."""
    words = [np.unique(part).tolist() for part in (said, labels)]
    if all(isinstance(word, str) for part in words for word in part):
        refuse_other_spellings(*words)
        if labels.size >= FEWEST_POINTS:
            refuse_other_words(*words)
