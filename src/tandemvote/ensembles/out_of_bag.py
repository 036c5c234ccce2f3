"""Votes on the points each voter's bootstrap left out, from models that are already fitted."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import column_or_1d

from tandemvote.codes import encode
from tandemvote.ensembles.members import member_input, members_of, voters_in
from tandemvote.ensembles.refusals import refuse_without_independent_bootstraps
from tandemvote.ensembles.splits import held_out_mask
from tandemvote.ensembles.voters import predict_held_out
from tandemvote.votes import Votes


def out_of_bag_votes(
    model: Any, X: ArrayLike, y: ArrayLike, *, X_unlabelled: ArrayLike | None = None
) -> Votes:
    """Let every voter of a fitted ensemble predict the training points its bootstrap left out.

    Whether X and y are what the model was trained on is not checked here beyond their size; see
    `audit_bootstraps`.

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
    predictions = predict_held_out(
        members_of(model), member_input(model, X), labels, held_out, model.n_jobs
    )
    voters = voters_in(model)
    unlabelled = predictions[:, :0] if X_unlabelled is None else voters(X_unlabelled)[0]
    return Votes(predictions, labels, held_out, np.asarray(model.classes_), unlabelled, voters)
