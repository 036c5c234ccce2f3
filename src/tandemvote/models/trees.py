"""The members of an ensemble as voters, on new samples and out of bag, with audited bootstraps."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import chisquare
from sklearn.ensemble import BaggingClassifier
from sklearn.utils import get_tags
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import validate_data

from tandemvote.models.model_checks import (
    BAGGED,
    check_independent_bootstraps,
    is_made_of_trees,
)
from tandemvote.votes.codes import Codes, encode
from tandemvote.votes.index_order import index_of
from tandemvote.votes.votes import Votes

CACHE_BYTES = 2**20
"""Rows are copied for a tree in parts of this size, which a processor's cache holds."""

UNEVEN_BY_CHANCE = 1e-12
"""Probability with which bootstraps drawn evenly are rejected as uneven."""

ENOUGH_DRAWS = 5
"""Expected draws of a sample from which the chi-square test can be trusted."""

N_WHOLE = 8
"""Trees, at least, of which every training sample is looked up in its leaf. The others are audited
by the classes of their samples, which a changed label or another order does not leave as they are.
"""


class BootstrapError(ValueError):
    """The ensemble was trained on other samples than those of its bootstraps."""


@dataclass(frozen=True)
class Voter:
    """A member of an ensemble, trained on codes: positions in the classes of the ensemble.

    `features` are the columns it was trained on, None in a forest, whose trees take all. A tree
    predicts through a table from leaf to code, which skips its own averaging of class counts; ties
    inside a leaf go to the smallest class, as they do there.
    """

    estimator: Any
    n_classes: int
    features: NDArray[np.integer[Any]] | None
    is_tree: bool

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

    def predict(self, X: Any, rows: NDArray[np.intp] | None = None) -> Codes:
        """Predict codes of all rows of X, or of some, which trees get in parts that fit a cache."""
        if rows is not None:
            size = max(1, CACHE_BYTES // (4 * X.shape[1])) if self.is_tree else len(rows)
            parts = [rows[start : start + size] for start in range(0, len(rows), size)]
            return np.concatenate([self.predict(X[part]) for part in parts])
        if self.is_tree:
            return np.asarray(self.leaf_labels[self.leaves(X)])
        return np.asarray(self.estimator.predict(X[:, self.features])).astype(np.intp)


def in_threads(function: Callable[[int], Any], n: int, n_jobs: int | None) -> list[Any]:
    """Return the values of a function at 0, ..., n - 1, computed in threads."""
    # Not a hint: functions write into arrays, which processes and clusters would get as copies.
    work = Parallel(n_jobs=n_jobs, require="sharedmem")
    return list(work(delayed(function)(place) for place in range(n)))


def predict_members(model: Any, X: ArrayLike) -> tuple[Codes, NDArray[Any]]:
    """Return the predictions of the members of a fitted ensemble on new samples, and its classes.

    The predictions are positions in the classes, of shape (n_voters, n_samples).
    """
    members, samples = members_of(model), validated(model, X)
    votes = in_threads(lambda place: members[place].predict(samples), len(members), model.n_jobs)
    return np.array(votes), np.asarray(model.classes_)


def members_of(model: Any) -> list[Voter]:
    """Return the members of a fitted forest or bagging classifier, which were trained on codes."""
    is_bagging = isinstance(model, BaggingClassifier)
    columns = model.estimators_features_ if is_bagging else [None] * len(model.estimators_)
    are_trees, n_classes = is_made_of_trees(model), len(model.classes_)
    pairs = zip(model.estimators_, columns, strict=True)
    return [Voter(estimator, n_classes, chosen, are_trees) for estimator, chosen in pairs]


def validated(model: Any, X: Any, y: Any = "no_validation", *, reset: bool = False) -> Any:
    """Return X as members take it, and y if there is one, as scikit-learn checks them for a model.

    Trees take float32; other members take what their bagging classifier was fitted on.
    """
    form: dict[str, Any] = {"dtype": None, "ensure_all_finite": False}
    if not hasattr(model, "estimators_") or is_made_of_trees(model):
        missing = "allow-nan" if get_tags(model).input_tags.allow_nan else True
        form = {"dtype": np.float32, "order": "C", "ensure_all_finite": missing}
        form["accept_large_sparse"] = False
    return validate_data(model, X, y, reset=reset, accept_sparse="csr", **form)


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
    codes = encode(labels, model.classes_)
    predictions, held_out = audited_predictions(model, X, codes)
    unlabeled = predictions[:, :0]
    if X_unlabeled is not None:
        unlabeled, _ = predict_members(model, X_unlabeled)
    votes = Votes(predictions, codes, held_out, model.classes_, unlabeled)
    return replace(votes, voters=partial(predict_members, model), index=index_of(X))


def audited_predictions(model: Any, X: Any, codes: Codes) -> tuple[Codes, NDArray[np.bool_]]:
    """Return predictions of every member, and which samples its bootstrap left out.

    Raises a BootstrapError if the members were trained on other samples.
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
    mismatched = np.zeros(len(members), bool)

    def evaluate(place: int) -> None:
        draws[place] = np.bincount(bootstraps[place], minlength=n_samples)
        held_out[place] = draws[place] == 0
        rows, member = np.flatnonzero(held_out[place]), members[place]
        if rows.size:
            predictions[place, rows] = member.predict(samples, rows)
        weights = draws[place].astype(float)
        if balanced:
            weights *= compute_sample_weight("balanced", codes, indices=bootstraps[place])
        if not member.is_tree:
            return
        nodes: list[Any] = [np.zeros_like(codes)]  # the root
        if by_leaf and place % max(1, len(members) // N_WHOLE) == 0:
            nodes.append(member.leaves(samples))
        mismatched[place] = not all(_has_contents(member, each, codes, weights) for each in nodes)

    in_threads(evaluate, len(members), model.n_jobs)
    _check_draws(draws.sum(axis=0))
    if mismatched.any():
        raise BootstrapError(
            f"{mismatched.sum()} of {len(members)} trees hold other training samples than their"
            " bootstraps. Pass the exact X and y of fit, in the same order, with the scikit-learn"
            " release that fitted the model. Refit models that were fitted with sample_weight."
        )
    return predictions, held_out


def _check_draws(times: NDArray[np.integer[Any]]) -> None:
    """Raise an BootstrapError if some samples were drawn more often than chance explains."""
    if times.mean() >= ENOUGH_DRAWS and chisquare(times).pvalue < UNEVEN_BY_CHANCE:
        raise BootstrapError(
            f"Samples were drawn between {times.min()} and {times.max()} times, which even draws do"
            " not explain: the bootstraps depend on the data, as with sample_weight or"
            " class_weight. Refit without them."
        )


def _has_contents(
    voter: Voter, nodes: NDArray[np.intp], codes: Codes, weights: NDArray[np.float64]
) -> bool:
    """Return True if the nodes into which samples fall hold exactly their weights by class."""
    reached, k = np.flatnonzero(np.bincount(nodes)), voter.n_classes  # without sorting them
    found = np.bincount(nodes * k + codes, weights, minlength=(reached[-1] + 1) * k)
    found, held = found.reshape(-1, k)[reached], voter.contents_of(reached)
    return bool(np.allclose(found, held, rtol=1e-9, atol=1e-6))
