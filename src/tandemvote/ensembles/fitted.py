"""The voters inside scikit-learn's fitted forests and bagging classifiers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.tree import BaseDecisionTree
from sklearn.utils import get_tags
from sklearn.utils.validation import validate_data

from tandemvote.ensembles.voters import Codes, TreeVoter, Voter, predict_codes


def voter_predictions(model: Any, X: ArrayLike) -> Codes:
    """Return every voter's label on new points, as positions in ``model.classes_``.

    Parameters
    ----------
    model : fitted RandomForestClassifier, ExtraTreesClassifier or BaggingClassifier
    X : array_like, shape (n_samples, n_features)

    Returns
    -------
    ndarray of int, shape (n_voters, n_samples)

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> forest = RandomForestClassifier(n_estimators=3, random_state=0)
    >>> forest = forest.fit([[0], [1], [2], [3]], ["a", "a", "b", "b"])
    >>> voter_predictions(forest, [[-1], [9]]).tolist()
    [[0, 1], [0, 1], [0, 1]]
    """
    return predict_codes(voters_of(model), voter_input(model, X), model.n_jobs)


def voters_of(model: Any) -> list[Voter]:
    """Return the members of a fitted forest or bagging classifier, which were trained on codes."""
    codes = np.arange(len(model.classes_))
    every = np.arange(model.n_features_in_)
    columns = getattr(model, "estimators_features_", [every] * len(model.estimators_))
    kind = TreeVoter if made_of_trees(model) else Voter
    return [
        kind(estimator, codes, None if np.array_equal(chosen, every) else chosen)
        for estimator, chosen in zip(model.estimators_, columns, strict=True)
    ]


def voter_input(model: Any, X: ArrayLike) -> Any:
    """Return X as the model's voters take it: checked, and float32 for trees."""
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
