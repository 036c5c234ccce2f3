"""Which points train which voter, decided without looking at the data, and the training itself."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import KFold, RepeatedKFold, ShuffleSplit
from sklearn.utils.parallel import Parallel, delayed

from tandemvote.ensembles.private_names import pick

Rows = NDArray[np.intp]

LABEL_FREE = (ShuffleSplit, KFold, RepeatedKFold)
"""Splitters that decide by the number of points alone."""

PAIRS = "pairs"

LARGEST_SEED = np.iinfo(np.int32).max


def bootstrap(n_samples: int, max_samples: float | int | None, random_state: RandomState) -> Rows:
    """Draw points with replacement: the full bagging of the paper, or with fewer draws reduced.

    `max_samples` is a number of draws, a share of the points, or None for as many as there are.
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
    """Return the training points of each split, an argument called `name` in errors.

    `splits` is a number of random halves, drawn by `random_state`, "pairs" for `paired_folds`, or a
    ShuffleSplit, RepeatedKFold or KFold(shuffle=True). A splitter is given nothing but the number
    of points, so it cannot look at them.
    """
    if isinstance(splits, str) and splits == PAIRS:
        return paired_folds(n_samples, random_state, name=name)
    splitter: Any = splits
    if isinstance(splits, Integral):
        splitter = ShuffleSplit(int(splits), test_size=0.5, random_state=random_state)
    elif isinstance(splits, KFold) and not splits.shuffle:
        raise ValueError(
            f"{name}={splits!r} cuts the rows in the order in which they come, so a file sorted by"
            " anything decides who is trained on what. Pass KFold(..., shuffle=True)."
        )
    elif not hasattr(splits, "split") or isinstance(splits, str):
        raise ValueError(
            f"{name}={splits!r} is no way to split points. Pass 'pairs', a number, a shuffled"
            " KFold, a ShuffleSplit or a RepeatedKFold."
        )
    elif not isinstance(splits, LABEL_FREE):
        raise ValueError(
            f"{name}={splits!r} may look at the data, as stratified and grouped splits do. Pass a"
            " number, 'pairs', a shuffled KFold or a ShuffleSplit."
        )
    return [train for train, _ in splitter.split(np.empty((n_samples, 1)))]


def paired_folds(n_samples: int, random_state: RandomState, *, name: str = "splits") -> list[Rows]:
    """Return the training points of three voters, every two of which leave out a fold together.

    Each of three folds trains one voter and tests the two others as a pair; the rest of the points
    trains all three. A fold has 2 n^(2/3) of n points, at most a sixth: the more points there are,
    the smaller the part that a guarantee needs.

    Examples
    --------
    >>> [rows.size for rows in paired_folds(1797, RandomState(0))]
    [1207, 1207, 1207]
    """
    size = int(min(n_samples / 6, 2 * n_samples ** (2 / 3)))
    if not size:
        raise ValueError(f"{name}={PAIRS!r} needs at least 6 points, got n_samples={n_samples}.")
    order = random_state.permutation(n_samples)
    folds, rest = order[: 3 * size].reshape(3, size), order[3 * size :]
    return [np.sort(np.concatenate([fold, rest])) for fold in folds]


def held_out_mask(rows: Sequence[Rows], n_samples: int) -> NDArray[np.bool_]:
    """Tell which points each voter was not trained on, shape (n_voters, n_samples)."""
    held_out = np.ones((len(rows), n_samples), bool)
    for mask, chosen in zip(held_out, rows, strict=True):
        mask[chosen] = False
    return held_out


def train(
    estimators: Sequence[Any],
    X: Any,
    y: NDArray[Any],
    parts: Sequence[Rows],
    random_state: RandomState,
    *,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> list[Any]:
    """Fit clones of all estimators to the rows of the first part of X and y, then the second, ...

    Rows are picked from X, frames included, rather than weighed: an estimator may look at points
    of weight zero. Every clone gets its own seed beforehand, so `n_jobs` changes nothing.
    """
    tasks = [(estimator, rows) for rows in parts for estimator in estimators]
    seeds = random_state.randint(LARGEST_SEED, size=len(tasks))
    work = Parallel(n_jobs=n_jobs, verbose=verbose)
    return list(
        work(
            delayed(_train_one)(estimator, X, y, rows, seed)
            for (estimator, rows), seed in zip(tasks, seeds, strict=True)
        )
    )


def _train_one(estimator: Any, X: Any, y: NDArray[Any], rows: Rows, seed: int) -> Any:
    labels = y[rows]
    if (labels == labels[0]).all():
        # Many classifiers refuse a single class. Drawing again until there are two would let the
        # labels choose who is held out; the constant voter is what they would have to learn.
        voter = DummyClassifier(strategy="most_frequent")
    else:
        voter = seeded(clone(estimator), RandomState(seed))
    return voter.fit(pick(X, rows), labels)


def seeded(estimator: Any, random_state: RandomState) -> Any:
    """Set every `random_state` parameter of an estimator and of the estimators inside it.

    Those that scikit-learn marks as deprecated are left alone: setting them would warn.
    """
    names = [
        name
        for name, value in sorted(estimator.get_params().items())
        if f"__{name}".endswith("__random_state")
        and not (isinstance(value, str) and value == "deprecated")
    ]
    return estimator.set_params(**{name: int(random_state.randint(LARGEST_SEED)) for name in names})
