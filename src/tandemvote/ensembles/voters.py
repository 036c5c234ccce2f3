"""The members of a fitted scikit-learn ensemble as functions from points to label codes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.tree import BaseDecisionTree
from sklearn.utils import get_tags
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import validate_data

Codes = NDArray[np.integer[Any]]


@dataclass(frozen=True)
class Voter:
    """One member of an ensemble, which predicts codes: positions in the ensemble's classes.

    Attributes
    ----------
    estimator : fitted classifier
        Trained on codes, so that its own `classes_` are codes.
    n_classes : int
        Number of classes of the ensemble.
    features : ndarray of int or None
        Columns it was trained on; None for all of them in order.
    """

    estimator: Any
    n_classes: int
    features: NDArray[np.integer[Any]] | None = None

    def predict(self, X: Any) -> Codes:
        """Predict codes of the rows of X."""
        seen = X if self.features is None else X[:, self.features]
        return np.asarray(self.estimator.predict(seen)).astype(code_type(self.n_classes))


@dataclass(frozen=True)
class TreeVoter(Voter):
    """A decision tree, which predicts through a table from leaf to label.

    This skips the tree's own averaging of class counts; ties inside a leaf go to the smallest
    class, as they do there.
    """

    @cached_property
    def leaf_labels(self) -> Codes:
        """Code that each node of the tree predicts."""
        largest = self.estimator.tree_.value[:, 0, :].argmax(axis=1)
        codes = np.asarray(self.estimator.classes_).astype(code_type(self.n_classes))
        return np.asarray(codes[largest])

    def predict(self, X: Any) -> Codes:
        """Predict codes of the rows of X, float32 and C-ordered or CSR."""
        seen = X if self.features is None else np.ascontiguousarray(X[:, self.features])
        return np.asarray(self.leaf_labels[self.estimator.tree_.apply(seen)])


def voters_of(model: Any) -> list[Voter]:
    """Return the members of a fitted forest or bagging classifier."""
    n_classes = len(model.classes_)
    everything = np.arange(model.n_features_in_)
    columns = getattr(model, "estimators_features_", [everything] * len(model.estimators_))
    return [
        (TreeVoter if isinstance(estimator, BaseDecisionTree) else Voter)(
            estimator, n_classes, None if np.array_equal(chosen, everything) else chosen
        )
        for estimator, chosen in zip(model.estimators_, columns, strict=True)
    ]


def voter_input(model: Any, X: Any) -> Any:
    """Return X as the model's voters take it: float32 for trees, as it is for others."""
    trees = all(isinstance(estimator, BaseDecisionTree) for estimator in model.estimators_)
    with_missing = not trees or get_tags(model).input_tags.allow_nan
    return validate_data(
        model,
        X,
        reset=False,
        accept_sparse="csr",
        accept_large_sparse=not trees,
        dtype=np.float32 if trees else None,
        order="C" if trees else None,
        ensure_all_finite="allow-nan" if with_missing else True,
    )


def voter_predictions(model: Any, X: ArrayLike) -> Codes:
    """Return every voter's label on new points, as positions in ``model.classes_``.

    Parameters
    ----------
    model : fitted RandomForestClassifier, ExtraTreesClassifier or BaggingClassifier
    X : array_like, shape (n_samples, n_features)

    Returns
    -------
    ndarray of int, shape (n_voters, n_samples)

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> forest = RandomForestClassifier(n_estimators=3, random_state=0)
    >>> forest = forest.fit([[0], [1], [2], [3]], ["a", "a", "b", "b"])
    >>> voter_predictions(forest, [[-1], [9]]).tolist()
    [[0, 1], [0, 1], [0, 1]]
    """
    points = voter_input(model, X)
    work = Parallel(n_jobs=model.n_jobs, prefer="threads")
    return np.array(work(delayed(voter.predict)(points) for voter in voters_of(model)))


def code_type(n_classes: int) -> np.dtype[Any]:
    """Smallest integer type that holds the codes of so many classes.

    Examples
    --------
    >>> code_type(256), code_type(257)
    (dtype('uint8'), dtype('uint16'))
    """
    return np.min_scalar_type(max(n_classes - 1, 0))
