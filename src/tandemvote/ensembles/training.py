"""Train voters, each on its own points and on nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.utils.parallel import Parallel, delayed

from tandemvote.ensembles.private_names import pick
from tandemvote.ensembles.splits import Rows

LARGEST_SEED = np.iinfo(np.int32).max


def train(
    estimators: Sequence[Any],
    X: Any,
    y: NDArray[Any],
    rows: Sequence[Rows],
    random_state: RandomState,
    *,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> list[Any]:
    """Fit a clone of each estimator to its rows of X and y.

    Rows are picked from X, frames included, rather than weighed: an estimator may look at points
    of weight zero. Every clone gets its own seed beforehand, so `n_jobs` changes nothing.
    """
    seeds = random_state.randint(LARGEST_SEED, size=len(estimators))
    work = Parallel(n_jobs=n_jobs, verbose=verbose)
    return list(
        work(
            delayed(_train_one)(estimator, X, y, chosen, seed)
            for estimator, chosen, seed in zip(estimators, rows, seeds, strict=True)
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

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> seeded(DecisionTreeClassifier(), RandomState(0))
    DecisionTreeClassifier(random_state=209652396)
    """
    names = [
        name
        for name, value in sorted(estimator.get_params().items())
        if f"__{name}".endswith("__random_state")
        and not (isinstance(value, str) and value == "deprecated")
    ]
    return estimator.set_params(**{name: int(random_state.randint(LARGEST_SEED)) for name in names})
