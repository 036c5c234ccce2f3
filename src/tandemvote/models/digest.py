"""A digest of fitted models, and certificates that are returned for the models they are about."""

from __future__ import annotations

import pickle
from hashlib import sha256
from pickle import Pickler
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import Generator, RandomState
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.neighbors import BallTree, KDTree
from sklearn.utils.validation import check_is_fitted

from tandemvote.models.private_names import DOCUMENTATION, TREE_LEAF, Tree

if TYPE_CHECKING:
    from tandemvote.certificate import Certificate

IGNORED = ("n_jobs", "verbose", "random_state", "_random_state", "_metadata_request")
"""Attributes that may change after `fit` without changing a prediction."""

ABOUT_TRAINING = ("impurity", "n_node_samples", "weighted_n_node_samples")
"""Fields of the nodes of a tree that no prediction reads."""


class HasCertificate:
    """A fitted classifier that returns its certificate only while its tested models are the same.

    Subclasses define `_members_digest`. The attributes that `fit` sets are annotated: files that
    hold others are rejected.
    """

    _certificate: Certificate
    classes_: NDArray[Any]
    training_rows_: NDArray[np.uint64]
    n_features_in_: int
    feature_names_in_: NDArray[Any]

    _doc_link_module = "tandemvote"
    _doc_link_template = DOCUMENTATION

    @property
    def certificate_(self) -> Certificate:
        """The error bound, what it was computed from, and its assumptions.

        Raises ValueError if the tested models have changed since they were tested.
        """
        check_is_fitted(self, "_certificate")
        if self._certificate.members != self._members_digest():
            raise ValueError(
                f"The tested models of this {type(self).__name__} are not those that its"
                " certificate is about: one of them was refitted or replaced. Call fit again."
            )
        return self._certificate

    def _members_digest(self) -> str:
        raise NotImplementedError


def models_digest(models: list[Any]) -> str:
    """Return a digest of everything that determines the predictions of fitted models.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> first, second = (DecisionTreeClassifier().fit([[0], [1]], y) for y in ([0, 1], [1, 0]))
    >>> models_digest([first]) == models_digest([second])
    False
    """
    try:
        # Without references to equal objects, which saving does not keep.
        return _digest(models, fast=True)
    except ValueError:  # an object that contains itself
        return _digest(models, fast=False)


def _digest(models: list[Any], *, fast: bool) -> str:
    digest = sha256()  # twice as fast as blake2b where processors have it built in
    pickler = _ByValue(SimpleNamespace(write=digest.update))
    pickler.fast = fast
    pickler.dump(models)
    return digest.hexdigest()[:32]


class _ByValue(Pickler):
    """Pickle objects by their values instead of by how they are stored."""

    def reducer_override(self, part: Any) -> Any:  # noqa: PLR0911
        """Return what stands for an object, or NotImplemented for what pickle stores of it."""
        if isinstance(part, np.ndarray):
            return _parts_of_array(part)
        if isinstance(part, np.generic):
            return str, (repr(part.item()),)
        if isinstance(part, RandomState | Generator):
            return str, ()
        is_catboost = type(part).__module__.startswith("catboost") and hasattr(part, "is_fitted")
        if is_catboost or isinstance(part, BaseEstimator):
            # What CatBoost stores changes when it is loaded for the first time.
            state = pickle.loads(pickle.dumps(part)).__getstate__() if is_catboost else vars(part)
            return type(part), tuple(
                (name, state[name]) for name in sorted(state) if name not in IGNORED
            )
        if isinstance(part, Tree):
            return _parts_of_tree(part)
        if isinstance(part, KDTree | BallTree):  # their state counts the queries as well
            return list, tuple(map(np.asarray, part.get_arrays()))
        if hasattr(part, "__qualname__") and part.__module__ != "builtins":
            return str, (f"{part.__module__}.{part.__qualname__}",)
        return NotImplemented


def _parts_of_tree(tree: Any) -> tuple[Any, ...]:
    """Return the splits of a tree and the values of its leaves, which are half of its nodes."""
    nodes, is_leaf = tree.__getstate__()["nodes"], tree.children_left == TREE_LEAF
    splits = [nodes[name] for name in nodes.dtype.names if name not in ABOUT_TRAINING]
    return list, (*splits, np.compress(is_leaf, tree.value, axis=0))


def _parts_of_array(array: np.ndarray[Any, Any]) -> tuple[Any, ...]:
    """Return the values of an array with their type; the fields of a record without padding."""
    if array.dtype.names is not None:
        return list, tuple(array[name] for name in array.dtype.names)
    if array.dtype.hasobject:
        return list, (array.tolist(),)
    return bytes, (array.dtype.newbyteorder("<").str, array.shape, array.tobytes())
