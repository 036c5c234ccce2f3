"""Whether a vote that a stranger filed can be used at all, and keeps what it promises.

Trees are walked by compiled code that checks no index: a branch to a node that is not there, or a
split on a column that is not there, reads memory of others. Every way to a tree must therefore be
one that was looked at.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.ensemble import RandomForestClassifier
from sklearn.ensemble._gb import BaseGradientBoosting
from sklearn.tree import BaseDecisionTree
from sklearn.tree._tree import TREE_LEAF, Tree

from tandemvote.certificate.file import certificate_of, document_of
from tandemvote.certificate.file_record import CertificateRecord
from tandemvote.certification import Certification
from tandemvote.estimators import CertifiedForestClassifier
from tandemvote.estimators.certified_vote import CertifiedVote


class ModelFileError(ValueError):
    """A file cannot be opened as a certified vote, or a vote cannot be kept in such a file."""


def refuse_false_promise(model: CertifiedVote) -> None:
    """Compute the certificate again from its counts; refuse one that differs, or of other weights.

    Raises
    ------
    ValueError
        If the certificate is not what its counts and the vote's weights give.
    """
    certificate = certificate_of(CertificateRecord.from_document(document_of(model.certificate_)))
    weights = certificate.weights
    if len(model.weights_) < len(weights):  # a pruned vote has no voters of weight 0
        weights = weights[weights > 0]
    if not np.array_equal(weights, model.weights_) or len(weights) != len(model.estimators_):
        raise ModelFileError("its certificate is about a vote with other weights")
    weights, kept = model.weights_, certificate.weights
    model._accept(
        Certification(
            request=model._request(),
            counts=certificate.counts,
            weights=kept,
            profile=certificate.profile,
            notes=certificate.notes,
        )
    )
    model.certificate_, model.bounds_ = certificate, certificate.bounds
    model.weights_ = weights


def refuse_unsound_trees(model: CertifiedVote) -> None:
    """Look at every tree in a vote, wherever it is.

    Raises
    ------
    ModelFileError
        If a walk down a tree could leave it, or its table.
    """
    parts = list(_everything_in(model))
    owners = [part for part in parts if isinstance(part, BaseDecisionTree)]
    owned = {id(owner.tree_) for owner in owners if hasattr(owner, "tree_")}
    for part in parts:
        if isinstance(part, BaseGradientBoosting):
            raise ModelFileError("gradient boosting walks its trees without a check of anything")
        if isinstance(part, BaseEstimator):
            hidden = [name for name in vars(part) if callable(getattr(type(part), name, None))]
            if hidden:
                raise ModelFileError(f"it replaces the method {hidden[0]} of {type(part).__name__}")
        if isinstance(part, Tree) and id(part) not in owned:
            raise ModelFileError("it holds a tree that belongs to no estimator")
    for owner in owners:
        # scikit-learn compares new points with this number, and only if it is there.
        if hasattr(owner, "tree_") and getattr(owner, "n_features_in_", None) != (
            owner.tree_.n_features
        ):
            raise ModelFileError("it holds a tree for tables of another width than it says")
        _refuse_unsound(getattr(owner, "tree_", None))
    if isinstance(model, CertifiedForestClassifier):
        _refuse_other_widths(model)


def _refuse_unsound(tree: Tree | None) -> None:
    if tree is None:
        return
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
    if tree.max_depth != _depth(left, right):
        raise ModelFileError("it holds a tree that is not as deep as it says")


def _depth(left: Any, right: Any) -> int:
    depth, level = 0, np.zeros(1, dtype=np.intp)
    while True:
        inner = level[left[level] != TREE_LEAF]
        if not inner.size:
            return depth
        depth, level = depth + 1, np.concatenate([left[inner], right[inner]])


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


def _everything_in(model: object) -> Iterator[object]:
    """Yield all that can be reached from an object, each thing once."""
    seen: dict[int, object] = {}
    todo = [model]
    while todo:
        part = todo.pop()
        if id(part) in seen or isinstance(part, type | ModuleType | FunctionType):
            continue
        seen[id(part)] = part
        yield part
        todo.extend(gc.get_referents(part))
        if isinstance(part, np.ndarray) and part.dtype.hasobject:
            todo.extend(part.ravel().tolist())  # which the garbage collector does not look into
