"""A digest of fitted models: the same after saving and loading, another for other models."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from pickle import Pickler
from typing import Any

import numpy as np
from numpy.random import Generator, RandomState
from sklearn.base import BaseEstimator
from sklearn.neighbors import BallTree, KDTree

IGNORED = ("n_jobs", "verbose", "random_state", "_random_state", "_metadata_request")
"""Attributes that may change after `fit` without changing a prediction."""


def models_digest(models: Iterable[Any]) -> str:
    """Return a digest of everything that determines the predictions of fitted models.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> first, second = (DecisionTreeClassifier().fit([[0], [1]], y) for y in ([0, 1], [1, 0]))
    >>> models_digest([first]) == models_digest([second])
    False
    """
    models, written = list(models), _Written()
    pickler = _ByValue(written)
    pickler.fast = True  # without references to equal objects, which saving does not keep
    try:
        pickler.dump(models)
    except ValueError:  # an object that contains itself
        written = _Written()
        _ByValue(written).dump(models)
    return written.hash.hexdigest()[:32]


class _Written:
    """A file that only hashes what is written."""

    def __init__(self) -> None:
        self.hash = sha256()  # twice as fast as blake2b where processors have it built in

    def write(self, data: Any) -> None:
        self.hash.update(data)


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
        if isinstance(part, BaseEstimator):
            kept = {name: value for name, value in vars(part).items() if name not in IGNORED}
            return type(part), tuple(sorted(kept.items()))
        if isinstance(part, KDTree | BallTree):  # their state counts the queries as well
            return list, tuple(map(np.asarray, part.get_arrays()))
        if hasattr(part, "__qualname__") and part.__module__ != "builtins":
            return str, (f"{part.__module__}.{part.__qualname__}",)
        return NotImplemented


def _parts_of_array(array: np.ndarray[Any, Any]) -> tuple[Any, ...]:
    """Return the values of an array with their type; the fields of a record without padding."""
    if array.dtype.names is not None:
        return list, tuple(array[name] for name in array.dtype.names)
    if array.dtype.hasobject:
        return list, (array.tolist(),)
    return bytes, (array.dtype.newbyteorder("<").str, array.shape, array.tobytes())
