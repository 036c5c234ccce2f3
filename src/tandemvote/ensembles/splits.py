"""Which points train which voter, decided without looking at the data."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.model_selection import KFold, RepeatedKFold, ShuffleSplit

Rows = NDArray[np.intp]

HALF = 0.5

LABEL_FREE = (ShuffleSplit, KFold, RepeatedKFold)
"""Splitters that decide by the number of points alone."""


def bootstrap(n_samples: int, max_samples: float | int | None, random_state: RandomState) -> Rows:
    """Draw points with replacement: the full bagging of the paper, or with fewer draws reduced.

    `max_samples` is a number of draws, a share of the points, or None for as many as there are.

    Examples
    --------
    >>> bootstrap(10, 0.5, RandomState(0)).tolist()
    [5, 0, 3, 3, 7]
    >>> bootstrap(10, None, RandomState(0)).size, bootstrap(10, 2, RandomState(0)).size
    (10, 2)
    """
    draws = n_samples if max_samples is None else max_samples
    if not isinstance(draws, Integral) and 0 < draws <= 1:
        draws = max(round(n_samples * draws), 1)
    if not isinstance(draws, Integral) or not 1 <= draws <= n_samples:
        raise ValueError(
            f"max_samples={max_samples!r} with {n_samples} points; expected None, a whole number"
            f" from 1 to {n_samples}, or a share in (0, 1]. Reduced bagging is max_samples=0.5."
        )
    return random_state.randint(n_samples, size=int(draws))


def split(
    n_samples: int, splits: Any, random_state: RandomState, *, name: str = "splits"
) -> list[Rows]:
    """Return the training points of each split.

    The splitter is given nothing but the number of points, so it cannot look at them.

    Parameters
    ----------
    n_samples : int
    splits : int or scikit-learn splitter
        A number of random halves, or a ShuffleSplit, RepeatedKFold or KFold(shuffle=True).
    random_state : RandomState
        For random halves; a splitter has its own.
    name : str
        What `splits` is called in errors.

    Examples
    --------
    >>> from sklearn.model_selection import KFold
    >>> [len(rows) for rows in split(9, KFold(3, shuffle=True), RandomState(0))]
    [6, 6, 6]
    >>> [len(rows) for rows in split(9, 3, RandomState(0))]
    [4, 4, 4]
    """
    splitter: Any = splits
    if isinstance(splits, Integral):
        splitter = ShuffleSplit(int(splits), test_size=HALF, random_state=random_state)
    elif isinstance(splits, KFold) and not splits.shuffle:
        raise ValueError(
            f"{name}={splits!r} cuts the rows in the order in which they come, so a file sorted by"
            " anything decides who is trained on what. Pass KFold(..., shuffle=True)."
        )
    elif not isinstance(splits, LABEL_FREE):
        raise ValueError(
            f"{name}={splits!r} may look at the data, as stratified and grouped splits do. Pass a"
            " number, a shuffled KFold or a ShuffleSplit."
        )
    return [train for train, _ in splitter.split(np.empty((n_samples, 1)))]


def held_out_mask(rows: Sequence[Rows], n_samples: int) -> NDArray[np.bool_]:
    """Tell which points each voter was not trained on, shape (n_voters, n_samples).

    Examples
    --------
    >>> held_out_mask([np.array([0, 0, 2])], 4).tolist()
    [[False, True, False, True]]
    """
    held_out = np.ones((len(rows), n_samples), bool)
    for mask, chosen in zip(held_out, rows, strict=True):
        mask[chosen] = False
    return held_out
