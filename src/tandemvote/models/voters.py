"""The voters inside fitted classifiers, as functions from samples to label codes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.tree import BaseDecisionTree
from sklearn.utils import get_tags
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted, validate_data

from tandemvote.codes import Codes, encode
from tandemvote.models.composed import as_it_is, last_step, steps_before, through
from tandemvote.models.model_checks import check_has_predict, check_one_label
from tandemvote.models.private_names import pick
from tandemvote.models.splitting import Rows
from tandemvote.votes import Voters

BAGGED = (RandomForestClassifier, ExtraTreesClassifier, BaggingClassifier)

CACHE_BYTES = 2**20
"""Rows are copied for a tree in parts of this size, which a processor's cache holds."""


@dataclass(frozen=True)
class Voter:
    """One voter, which predicts codes: positions in the classes of the vote.

    `classes` are sorted labels as the estimator spells them; members of scikit-learn's ensembles
    were trained on codes. `features` are the columns it was trained on, None for all in order.
    """

    estimator: Any
    classes: NDArray[Any]
    features: NDArray[np.integer[Any]] | None = None

    def seen(self, X: Any) -> Any:
        """Return the columns of X that the voter was trained on."""
        return X if self.features is None else X[:, self.features]

    def predict(self, X: Any, rows: Rows | None = None) -> Codes:
        """Predict codes of some rows of X, of all by default."""
        samples = self.seen(X if rows is None else pick(X, rows))
        return encode(np.asarray(self.estimator.predict(samples)), self.classes)


@dataclass(frozen=True)
class TreeVoter(Voter):
    """A decision tree, which predicts through a table from leaf to label.

    This skips the tree's own averaging of class counts; ties inside a leaf go to the smallest
    class, as they do there.
    """

    def contents_of(self, nodes: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return the weight of the training samples of each class in some nodes."""
        tree = self.estimator.tree_
        contents = np.zeros((len(nodes), len(self.classes)))
        columns = encode(np.asarray(self.estimator.classes_), self.classes)
        contents[:, columns] = tree.value[nodes, 0] * tree.weighted_n_node_samples[nodes, None]
        return contents

    @cached_property
    def leaf_labels(self) -> Codes:
        """Code that each node of the tree predicts."""
        codes = encode(np.asarray(self.estimator.classes_), self.classes)
        return np.asarray(codes[self.estimator.tree_.value[:, 0, :].argmax(axis=1)])

    @property
    def splits(self) -> set[tuple[int, float]]:
        """Columns and thresholds of the inner nodes."""
        tree, columns = self.estimator.tree_, self.features
        inner = tree.children_left >= 0
        seen = tree.feature[inner] if columns is None else np.asarray(columns)[tree.feature[inner]]
        return set(zip(seen.tolist(), tree.threshold[inner].tolist(), strict=True))

    def leaves(self, X: Any) -> NDArray[np.intp]:
        """Return the leaf each row of X falls into; X is float32 in C order, or CSR."""
        samples = self.seen(X)
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


def predict_codes(voters: Sequence[Voter], X: Any, n_jobs: int | None = None) -> Codes:
    """Let every voter predict every row of X, shape (n_voters, n_samples)."""
    return _each(lambda voter: voters[voter].predict(X), len(voters), n_jobs)


def _each(predict: Callable[[int], Codes], n_voters: int, n_jobs: int | None) -> Codes:
    """Stack the predictions of all voters."""
    return np.array(in_threads(predict, n_voters, n_jobs))


def in_threads(function: Callable[[int], Any], n: int, n_jobs: int | None) -> list[Any]:
    """Return the values of a function at 0, ..., n - 1, computed in threads."""
    shares = np.array_split(np.arange(n), min(effective_n_jobs(n_jobs), n))
    # Not a hint: functions write into arrays, which processes and clusters would get as copies.
    work = Parallel(n_jobs=n_jobs, require="sharedmem")
    every = delayed(lambda share: [function(int(place)) for place in share])
    parts = work(every(share) for share in shares)
    return [value for part in parts for value in part]


def voters_in(models: Any) -> Voters:
    """Return the voters in a sequence of classifiers, or in one ensemble, as one function.

    An ensemble stands for its members: RandomForestClassifier, ExtraTreesClassifier,
    BaggingClassifier, a pipeline that ends in one, or a certified classifier. The voters stay what
    they are when the models are fitted again.
    """
    if isinstance(models, Sequence):
        if not models:
            raise ValueError("There are no classifiers in the sequence. Pass at least one, fitted.")
        for model in models:
            check_has_predict(model)
            check_one_label(model)
        return partial(_predict_each, as_it_is(list(models)))
    check_one_label(models)
    check_is_fitted(models)
    if not hasattr(models, "predict_voters") and not isinstance(last_step(models), BAGGED):
        raise ValueError(
            f"{type(models).__name__} is not an ensemble with known members. Pass a list of fitted"
            " classifiers, [model] for a single one."
        )
    return partial(predict_members, as_it_is(models))


def _predict_each(models: Sequence[Any], X: Any) -> tuple[Codes, NDArray[Any]]:
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
    codes = model.predict_voters(X) if is_certified(model) else voter_predictions(model, X)
    return codes, np.asarray(model.classes_)


def voter_predictions(model: Any, X: ArrayLike) -> Codes:
    """Return every member's label on new samples, as positions in ``model.classes_``.

    The model is a fitted RandomForestClassifier, ExtraTreesClassifier or BaggingClassifier, or a
    pipeline that ends in one. The shape is (n_voters, n_samples).
    """
    samples, model = through(steps_before(model), X), last_step(model)
    return predict_codes(members_of(model), member_input(model, samples), model.n_jobs)


def members_of(model: Any) -> list[Voter]:
    """Return the members of a fitted forest or bagging classifier, which were trained on codes."""
    codes = np.arange(len(model.classes_))
    every = np.arange(model.n_features_in_)
    columns = getattr(model, "estimators_features_", [every] * len(model.estimators_))
    kind = TreeVoter if is_made_of_trees(model) else Voter
    return [
        kind(estimator, codes, None if np.array_equal(chosen, every) else chosen)
        for estimator, chosen in zip(model.estimators_, columns, strict=True)
    ]


def member_input(model: Any, X: ArrayLike) -> Any:
    """Return X as the model's members take it: checked, and float32 for trees."""
    trees = is_made_of_trees(model)
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


def is_made_of_trees(model: Any) -> bool:
    """Return True if every voter is a decision tree."""
    return all(isinstance(estimator, BaseDecisionTree) for estimator in model.estimators_)


def is_certified(model: Any) -> bool:
    """Return True for a certified classifier, which keeps the votes of its own `fit`."""
    return hasattr(model, "predict_voters") or hasattr(model, "refit_referee")
