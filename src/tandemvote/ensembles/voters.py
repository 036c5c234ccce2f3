"""Fitted classifiers as functions from points to label codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing
from sklearn.utils.parallel import Parallel, delayed

Codes = NDArray[np.integer[Any]]


@dataclass(frozen=True)
class Voter:
    """One voter, which predicts codes: positions in the classes of the vote.

    Attributes
    ----------
    estimator : fitted classifier
    classes : ndarray
        Sorted labels as this estimator spells them. Members of scikit-learn's ensembles were
        trained on codes, so there the classes are 0, 1, ...
    features : ndarray of int or None
        Columns it was trained on; None for all of them in order.
    """

    estimator: Any
    classes: NDArray[Any]
    features: NDArray[np.integer[Any]] | None = None

    def predict(self, X: Any) -> Codes:
        """Predict codes of the rows of X."""
        seen = X if self.features is None else X[:, self.features]
        return encode(np.asarray(self.estimator.predict(seen)), self.classes)


@dataclass(frozen=True)
class TreeVoter(Voter):
    """A decision tree, which predicts through a table from leaf to label.

    This skips the tree's own averaging of class counts; ties inside a leaf go to the smallest
    class, as they do there.
    """

    @cached_property
    def leaf_labels(self) -> Codes:
        """Code that each node of the tree predicts."""
        codes = encode(np.asarray(self.estimator.classes_), self.classes)
        return np.asarray(codes[self.estimator.tree_.value[:, 0, :].argmax(axis=1)])

    def leaves(self, X: Any) -> NDArray[np.intp]:
        """Return the leaf each row of X falls into; X is float32 in C order, or CSR."""
        seen = X if self.features is None else X[:, self.features]
        if isinstance(seen, np.ndarray):
            seen = np.ascontiguousarray(seen)
        return np.asarray(self.estimator.tree_.apply(seen))

    def predict(self, X: Any) -> Codes:
        """Predict codes of the rows of X, float32 in C order, or CSR."""
        return np.asarray(self.leaf_labels[self.leaves(X)])


def encode(labels: NDArray[Any], classes: NDArray[Any]) -> Codes:
    """Return positions of the labels in the sorted classes, in the smallest sufficient type.

    Examples
    --------
    >>> encode(np.array(["no", "yes"]), np.array(["maybe", "no", "yes"]))
    array([1, 2], dtype=uint8)
    """
    kind = np.min_scalar_type(max(len(classes) - 1, 0))
    codes = np.searchsorted(classes, labels).clip(max=len(classes) - 1).astype(kind)
    unknown = np.flatnonzero(classes[codes] != labels)
    if unknown.size:
        raise ValueError(
            f"{labels[unknown[:1]].tolist()[0]!r} is not among the labels the vote was fitted with"
            f" ({', '.join(map(repr, classes[:5].tolist()))}{', ...' if len(classes) > 5 else ''})."
            " Pass the labels the model was trained on."
        )
    return codes


def predict_codes(voters: Sequence[Voter], X: Any, n_jobs: int | None = None) -> Codes:
    """Let every voter predict every row of X, shape (n_voters, n_samples)."""
    work = Parallel(n_jobs=n_jobs, prefer="threads")
    return np.array(work(delayed(voter.predict)(X) for voter in voters))


def predict_held_out(
    voters: Sequence[Voter],
    X: Any,
    labels: Codes,
    held_out: NDArray[np.bool_],
    n_jobs: int | None = None,
) -> Codes:
    """Let every voter predict the rows it never saw; elsewhere the label stands in, unread."""
    work = Parallel(n_jobs=n_jobs, prefer="threads")
    return np.array(
        work(
            delayed(_predict_rows)(voter, X, labels, np.flatnonzero(mask))
            for voter, mask in zip(voters, held_out, strict=True)
        )
    )


def _predict_rows(voter: Voter, X: Any, labels: Codes, rows: NDArray[np.intp]) -> Codes:
    codes: Codes = labels.copy()
    if rows.size:
        codes[rows] = voter.predict(_safe_indexing(X, rows))
    return codes
