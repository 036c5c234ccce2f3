"""The voters inside fitted classifiers, as functions from points to codes of labels."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.tree import BaseDecisionTree
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from tandemvote.codes import Codes, encode
from tandemvote.ensembles.pipelines import before_last_step, last_step
from tandemvote.ensembles.refusals import refuse_other_than_one_label
from tandemvote.ensembles.voters import TreeVoter, Voter, predict_codes
from tandemvote.votes import Voters

BAGGED = (RandomForestClassifier, ExtraTreesClassifier, BaggingClassifier)


def voters_in(models: Any) -> Voters:
    """Return the voters in a sequence of classifiers, or in one ensemble, as one function.

    Parameters
    ----------
    models : sequence of fitted classifiers, or one fitted ensemble
        An ensemble stands for its members: RandomForestClassifier, ExtraTreesClassifier,
        BaggingClassifier, a pipeline that ends in one, or a certified classifier.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> forest = RandomForestClassifier(n_estimators=3, random_state=0)
    >>> forest = forest.fit([[0], [1], [2], [3]], ["a", "a", "b", "b"])
    >>> codes, classes = voters_in(forest)([[-1], [9]])
    >>> codes.tolist(), classes.tolist()
    ([[0, 1], [0, 1], [0, 1]], ['a', 'b'])
    """
    if isinstance(models, Sequence):
        for model in models:
            refuse_other_than_one_label(model)
        return partial(_predict_each, models)
    refuse_other_than_one_label(models)
    check_is_fitted(models)
    if not hasattr(models, "predict_voters") and not isinstance(last_step(models), BAGGED):
        raise ValueError(
            f"{type(models).__name__} is no ensemble whose voters are known. Pass a list of fitted"
            " classifiers, [model] for a single one."
        )
    return partial(_predict_members, models)


def _predict_each(models: Sequence[Any], X: Any) -> tuple[Codes, NDArray[Any]]:
    labels = [np.asarray(model.predict(X)) for model in models]
    for model, predicted in zip(models, labels, strict=True):
        if predicted.ndim != 1:
            raise ValueError(
                f"{type(model).__name__} predicts {predicted.shape[1:]} values per point; the"
                " bounds are about one label. Fit and certify one model per output, each with its"
                " share of delta."
            )
    # A label that a model knows but never gives here is one it may give elsewhere.
    known = [np.asarray(model.classes_) for model in models if hasattr(model, "classes_")]
    classes = np.unique(np.concatenate([*labels, *known]))
    return encode(np.array(labels), classes), classes


def _predict_members(model: Any, X: Any) -> tuple[Codes, NDArray[Any]]:
    certified = hasattr(model, "predict_voters")
    codes = model.predict_voters(X) if certified else voter_predictions(model, X)
    return codes, np.asarray(model.classes_)


def voter_predictions(model: Any, X: ArrayLike) -> Codes:
    """Return every member's label on new points, as positions in ``model.classes_``.

    Parameters
    ----------
    model : fitted RandomForestClassifier, ExtraTreesClassifier or BaggingClassifier
        Or a pipeline that ends in one.
    X : array_like, shape (n_samples, n_features)

    Returns
    -------
    ndarray of int, shape (n_voters, n_samples)
    """
    points, model = before_last_step(model, X), last_step(model)
    return predict_codes(members_of(model), member_input(model, points), model.n_jobs)


def members_of(model: Any) -> list[Voter]:
    """Return the members of a fitted forest or bagging classifier, which were trained on codes."""
    codes = np.arange(len(model.classes_))
    every = np.arange(model.n_features_in_)
    columns = getattr(model, "estimators_features_", [every] * len(model.estimators_))
    kind = TreeVoter if made_of_trees(model) else Voter
    return [
        kind(estimator, codes, None if np.array_equal(chosen, every) else chosen)
        for estimator, chosen in zip(model.estimators_, columns, strict=True)
    ]


def member_input(model: Any, X: ArrayLike) -> Any:
    """Return X as the model's members take it: checked, and float32 for trees."""
    trees = made_of_trees(model)
    allow_nan = not trees or get_tags(model).input_tags.allow_nan
    return validate_data(
        model,
        X,
        reset=False,
        accept_sparse="csr",
        accept_large_sparse=not trees,
        dtype=np.float32 if trees else None,
        order="C" if trees else None,
        ensure_all_finite="allow-nan" if allow_nan else True,
    )


def made_of_trees(model: Any) -> bool:
    """Tell whether every voter is a decision tree."""
    return all(isinstance(estimator, BaseDecisionTree) for estimator in model.estimators_)
