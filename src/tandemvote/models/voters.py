"""The voters inside fitted classifiers, as functions from samples to label codes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import get_tags
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import validate_data

from tandemvote.codes import Codes, encode
from tandemvote.models.model_checks import BAGGED
from tandemvote.models.splitting import Rows

CACHE_BYTES = 2**20
"""Rows are copied for a tree in parts of this size, which a processor's cache holds."""


@dataclass(frozen=True)
class Voter:
    """A tree of an ensemble, trained on codes: positions in the classes of the ensemble.

    `features` are the columns it was trained on, None for all in order. It predicts through a table
    from leaf to code, which skips the tree's own averaging of class counts; ties inside a leaf go
    to the smallest class, as they do there.
    """

    estimator: Any
    n_classes: int
    features: NDArray[np.integer[Any]] | None = None

    @cached_property
    def codes(self) -> Codes:
        """Codes of the classes that the tree was trained on."""
        return np.asarray(self.estimator.classes_).astype(np.intp)

    def contents_of(self, nodes: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return the weight of the training samples of each class in some nodes."""
        tree = self.estimator.tree_
        contents = np.zeros((len(nodes), self.n_classes))
        contents[:, self.codes] = tree.value[nodes, 0] * tree.weighted_n_node_samples[nodes, None]
        return contents

    @cached_property
    def leaf_labels(self) -> Codes:
        """Code that each node of the tree predicts."""
        return np.asarray(self.codes[self.estimator.tree_.value[:, 0, :].argmax(axis=1)])

    def leaves(self, X: Any) -> NDArray[np.intp]:
        """Return the leaf each row of X falls into; X is float32 in C order, or CSR."""
        samples = X if self.features is None else X[:, self.features]
        if isinstance(samples, np.ndarray):
            samples = np.ascontiguousarray(samples)
        return np.asarray(self.estimator.apply(samples, check_input=False))

    def predict(self, X: Any, rows: Rows | None = None) -> Codes:
        """Predict codes of rows of X, some of them a few at a time so that copies stay in cache."""
        if rows is None:
            return np.asarray(self.leaf_labels[self.leaves(X)])
        size = max(1, CACHE_BYTES // (4 * X.shape[1]))
        parts = [rows[start : start + size] for start in range(0, len(rows), size)]
        return np.concatenate([self.predict(X[part]) for part in parts])


def in_threads(function: Callable[[int], Any], n: int, n_jobs: int | None) -> list[Any]:
    """Return the values of a function at 0, ..., n - 1, computed in threads."""
    # Not a hint: functions write into arrays, which processes and clusters would get as copies.
    work = Parallel(n_jobs=n_jobs, require="sharedmem")
    return list(work(delayed(function)(place) for place in range(n)))


def frozen_copy(model: Any) -> Any:
    """Return a model that stays as it is when the given one is fitted again.

    Compiled trees are shared: `fit` replaces them and never changes them.
    """
    members = model.estimators_ if type(model) in BAGGED else []
    trees = [member.tree_ for member in members if hasattr(member, "tree_")]
    try:
        return deepcopy(model, {id(tree): tree for tree in trees})
    except Exception as error:  # whatever stands in the way of a copy
        raise ValueError(
            f"{type(model).__name__} cannot be copied ({error}), and without a copy later changes"
            " of the object would change the certified classifier. Pass its predictions:"
            " certify(Votes.from_predictions([model.predict(X)], y))."
        ) from error


def predict_each(models: Sequence[Any], X: Any) -> tuple[Codes, NDArray[Any]]:
    """Return the predictions of classifiers as positions in their classes, and these classes."""
    labels = [predict_labels(model, X) for model in models]
    # A label that a model knows but never gives here is one it may give elsewhere.
    known = [np.asarray(model.classes_) for model in models if hasattr(model, "classes_")]
    classes = np.unique(np.concatenate([*labels, *known]))
    return encode(np.array(labels), classes), classes


def predict_labels(model: Any, X: Any) -> NDArray[Any]:
    """Predict one label per sample, or raise ValueError for other predictions."""
    predicted = np.asarray(model.predict(X))
    if predicted.ndim == 2 and predicted.shape[1] == 1:  # CatBoost, with three classes or more
        return predicted[:, 0]
    if predicted.ndim != 1:
        fix = "Certify one model per output, each with its share of delta."
        if predicted.dtype.kind == "f":
            fix = "If these are probabilities, predict classes[probabilities.argmax(axis=1)]."
        raise ValueError(
            f"predict of {type(model).__name__} returns an array of shape {predicted.shape};"
            f" expected one label per sample. {fix}"
        )
    return predicted


def predict_members(model: Any, X: Any) -> tuple[Codes, NDArray[Any]]:
    """Return the predictions of the members of an ensemble, and its classes."""
    return voter_predictions(model, X), np.asarray(model.classes_)


def voter_predictions(model: Any, X: ArrayLike) -> Codes:
    """Return the predictions of a fitted forest's or bagging classifier's members on new samples.

    They are positions in ``model.classes_``, of shape (n_voters, n_samples).
    """
    members, samples = members_of(model), validated(model, X)
    votes = in_threads(lambda place: members[place].predict(samples), len(members), model.n_jobs)
    return np.array(votes)


def members_of(model: Any) -> list[Voter]:
    """Return the members of a fitted forest or bagging classifier, which were trained on codes."""
    n_classes, every = len(model.classes_), np.arange(model.n_features_in_)
    columns = getattr(model, "estimators_features_", [every] * len(model.estimators_))
    return [
        Voter(estimator, n_classes, None if np.array_equal(chosen, every) else chosen)
        for estimator, chosen in zip(model.estimators_, columns, strict=True)
    ]


def validated(model: Any, X: Any, y: Any = "no_validation", *, reset: bool = False) -> Any:
    """Return X as trees take it, and y if there is one, as scikit-learn checks them for a model."""
    return validate_data(
        model,
        X,
        y,
        reset=reset,
        accept_sparse="csr",
        accept_large_sparse=False,
        dtype=np.float32,
        order="C",
        ensure_all_finite="allow-nan" if get_tags(model).input_tags.allow_nan else True,
    )
