"""What a model file may hold: a certified classifier, alone or after the encoder of its columns.

Trees are walked by compiled code that checks no index: a branch to a node that is not there, or a
split on a column that is not there, reads foreign memory. So every tree in a file is found and
checked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
)
from sklearn.pipeline import Pipeline
from sklearn.tree import BaseDecisionTree

from tandemvote.ensembles.private_names import TREE_LEAF, Tree
from tandemvote.estimators import CertifiedClassifier, CertifiedForestClassifier
from tandemvote.tables import TableEncoder

Certified: TypeAlias = "CertifiedClassifier | CertifiedForestClassifier"
Model: TypeAlias = "Certified | Pipeline"
"""A certified classifier, or a pipeline of a `TableEncoder` and one."""

WITHOUT_PARTS = (
    *(type(None), str, bytes, bytearray, int, float, complex, range, type),
    *(FunctionType, BuiltinFunctionType, np.ufunc, np.generic, np.dtype, Tree),
    *(np.random.RandomState, np.random.Generator, np.random.BitGenerator),
)
"""Types with nothing inside that could be a tree."""


class ModelFileError(ValueError):
    """A file cannot be opened as a certified classifier, or cannot keep this one."""


def classifier_of(model: Model) -> Certified:
    """Return the classifier itself, without the encoder of its columns."""
    classifier: Certified = model[-1] if isinstance(model, Pipeline) else model
    return classifier


def encoder_of(model: Model) -> TableEncoder | None:
    """Return what turns columns into numbers, if the model has it."""
    return model[0] if isinstance(model, Pipeline) else None


def refuse_other_models(model: Any) -> None:
    """Reject anything but a certified classifier, alone or after an encoder."""
    parts = [part for _, part in model.steps] if isinstance(model, Pipeline) else [model]
    if not isinstance(parts[-1], CertifiedClassifier | CertifiedForestClassifier):
        raise ModelFileError(f"it holds a {type(parts[-1]).__name__}, not a certified classifier")
    if len(parts) > 2 or not all(isinstance(part, TableEncoder) for part in parts[:-1]):
        raise ModelFileError(f"it holds a {type(parts[0]).__name__} before the classifier")


def refuse_unsound_trees(model: Model) -> None:
    """Reject a classifier with a tree, anywhere, on which a walk could leave it or its table."""
    parts = list(_everything_in(model))
    trees = [part for part in parts if isinstance(part, BaseDecisionTree)]
    owners = [part for part in trees if hasattr(part, "tree_")]
    owned = {id(owner.tree_) for owner in owners}
    for part in parts:
        if isinstance(part, GradientBoostingClassifier | GradientBoostingRegressor):
            raise ModelFileError("gradient boosting walks its trees without a check of anything")
        if isinstance(part, BaseEstimator):
            hidden = [name for name in vars(part) if callable(getattr(type(part), name, None))]
            if hidden:
                raise ModelFileError(f"it replaces the method {hidden[0]} of {type(part).__name__}")
        if isinstance(part, Tree) and id(part) not in owned:
            raise ModelFileError("it holds a tree that belongs to no estimator")
    for owner in owners:
        # scikit-learn compares new points with this number, and only if it is there.
        if getattr(owner, "n_features_in_", None) != owner.tree_.n_features:
            raise ModelFileError("it holds a tree for tables of another width than it says")
        _refuse_unsound(owner.tree_)
    classifier = classifier_of(model)
    if isinstance(classifier, CertifiedForestClassifier):
        _refuse_other_widths(classifier)


def _refuse_unsound(tree: Any) -> None:
    if not 0 < tree.node_count <= tree.capacity:
        raise ModelFileError("it holds a tree without nodes, or with fewer than it says")
    left, right, feature = tree.children_left, tree.children_right, tree.feature
    inner = np.flatnonzero(left != TREE_LEAF)
    children = np.concatenate([left[inner], right[inner]])
    # Each node but the root is the child of one node before it: every walk goes on, and ends.
    if not (
        np.array_equal(np.sort(children), np.arange(1, tree.node_count))
        and (children > np.concatenate([inner, inner])).all()
        and ((feature[inner] >= 0) & (feature[inner] < tree.n_features)).all()
    ):
        raise ModelFileError("it holds a tree whose branches lead nowhere")
    depth, level = -1, np.zeros(1, dtype=np.intp)
    while level.size:
        inner = level[left[level] != TREE_LEAF]
        depth, level = depth + 1, np.concatenate([left[inner], right[inner]])
    if tree.max_depth != depth:
        raise ModelFileError("it holds a tree that is not as deep as it says")


def _refuse_other_widths(model: CertifiedForestClassifier) -> None:
    """A certified forest checks the table itself, and then walks its trees directly."""
    forest = model.forest_
    widths = {part.n_features_in_ for part in (model, forest, *forest.estimators_)}
    if (
        type(forest) is not RandomForestClassifier
        or hasattr(forest, "estimators_features_")
        or len(forest.estimators_) != len(model.weights_)
        or len(widths) > 1
        or not all(isinstance(part, BaseDecisionTree) for part in forest.estimators_)
    ):
        raise ModelFileError("its forest is none, or not the one its weights are for")


def _everything_in(whole: Any) -> Iterator[Any]:
    """Yield an object and all that it holds, at any depth, each object once."""
    seen: dict[int, Any] = {}
    waiting = [whole]
    while waiting:
        part = waiting.pop()
        if id(part) not in seen:
            seen[id(part)] = part
            yield part
            waiting.extend(_held_by(part))


def _held_by(whole: Any) -> Iterator[object]:
    """Yield what an object holds.

    Of compiled objects this is what a copy would be made of: more a file cannot have put into one.
    """
    if isinstance(whole, WITHOUT_PARTS):
        return
    if isinstance(whole, Mapping):
        yield from whole.keys()
        yield from whole.values()
    elif isinstance(whole, list | tuple | set | frozenset):
        yield from whole
    elif isinstance(whole, np.ndarray):
        if whole.dtype.hasobject:
            yield from np.asarray(whole).ravel().tolist()  # masked entries included
    elif isinstance(whole, partial | MethodType) or not hasattr(whole, "__dict__"):
        yield whole.__reduce_ex__(2)
    if hasattr(whole, "__dict__"):
        yield vars(whole)
