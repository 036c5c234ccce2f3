"""A digest of fitted models: the same after saving and loading, another for other models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256
from numbers import Complex, Integral
from typing import Any

import numpy as np
from numpy.random import Generator, RandomState
from sklearn.base import BaseEstimator
from sklearn.neighbors import BallTree, KDTree

IGNORED = ("n_jobs", "verbose", "random_state", "_random_state")
"""Attributes that may change after `fit` without changing a prediction."""


def digest_of(models: Iterable[Any]) -> str:
    """Return a digest of everything that determines the predictions of fitted models.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> first, second = (DecisionTreeClassifier().fit([[0], [1]], y) for y in ([0, 1], [1, 0]))
    >>> digest_of([first]) == digest_of([first]), digest_of([first]) == digest_of([second])
    (True, False)
    """
    walk = _Walk()
    walk.add(list(models))
    return walk.hash.hexdigest()[:32]


class _Walk:
    """Hash an object part by part, by values instead of by how they are stored."""

    def __init__(self) -> None:
        self.hash = sha256()  # twice as fast as blake2b where processors have it built in
        self.open: list[int] = []

    def add(self, part: Any) -> None:
        """Add an object; one that contains itself is added once."""
        if id(part) in self.open:
            self._word("itself")
            return
        self.open.append(id(part))
        self._add(part)
        self.open.pop()

    def _add(self, part: Any) -> None:
        if part is None or isinstance(part, str | bytes | bool | np.bool_):
            self._word(repr(part if isinstance(part, str | bytes) else part and bool(part)))
        elif isinstance(part, Integral):
            self._word(str(int(part)))
        elif isinstance(part, Complex):
            self._word(repr(complex(part)))
        elif isinstance(part, np.ndarray):
            self._add_array(part)
        elif isinstance(part, Mapping):
            self._add_items(part)
        elif isinstance(part, list | tuple):
            self._word(f"sequence of {len(part)}")
            for each in part:
                self.add(each)
        elif isinstance(part, set | frozenset):
            self._add_items(dict.fromkeys(part))
        elif callable(part) and hasattr(part, "__qualname__"):
            self._word(f"{part.__module__}.{part.__qualname__}")
        elif isinstance(part, np.dtype):
            self._word(str(part))
        elif not isinstance(part, RandomState | Generator):
            self._add_state(part)

    def _add_array(self, array: np.ndarray[Any, Any]) -> None:
        """Add values by their type; the fields of a record one by one, without padding."""
        if array.dtype.names is not None:
            for name in array.dtype.names:
                self._add_array(array[name])
        elif array.dtype.hasobject:
            self.add(array.tolist())
        else:
            self._word(f"{array.dtype.newbyteorder('<').str} {array.shape}")
            self.hash.update(np.ascontiguousarray(array).tobytes())

    def _add_items(self, items: Mapping[Any, Any]) -> None:
        self._word(f"mapping of {len(items)}")
        for key in sorted(items, key=repr):
            self.add(key)
            self.add(items[key])

    def _add_state(self, part: Any) -> None:
        """Add the type and the attributes, or for others what a pickle would hold."""
        self._word(type(part).__qualname__)
        if isinstance(part, BaseEstimator):
            self._add_items({k: v for k, v in vars(part).items() if k not in IGNORED})
            return
        if isinstance(part, KDTree | BallTree):  # their state counts the queries as well
            self.add([np.asarray(array) for array in part.get_arrays()])
            return
        state = part.__reduce_ex__(2)
        self.add(state if isinstance(state, str) else list(state[1:3]))

    def _word(self, text: str) -> None:
        self.hash.update(text.encode("utf-8", "surrogatepass") + b"\0")
