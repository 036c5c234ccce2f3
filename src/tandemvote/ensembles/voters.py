"""Fitted classifiers as functions from points to label codes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.utils.parallel import Parallel, delayed

from tandemvote.codes import Codes, encode
from tandemvote.ensembles.private_names import pick

Rows = NDArray[np.intp]

CACHE_BYTES = 2**20
"""Rows are copied for a tree in parts of this size, which a processor's cache holds."""


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

    def predict_rows(self, X: Any, rows: Rows) -> Codes:
        """Predict codes of some rows of X."""
        return self.predict(pick(X, rows))


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

    @cached_property
    def leaf_contents(self) -> NDArray[np.float64]:
        """Weight of the training points of each class in each node, (n_nodes, n_classes)."""
        tree = self.estimator.tree_
        contents = np.zeros((tree.node_count, len(self.classes)))
        columns = encode(np.asarray(self.estimator.classes_), self.classes)
        contents[:, columns] = tree.value[:, 0, :] * tree.weighted_n_node_samples[:, None]
        return contents

    @property
    def splits(self) -> set[tuple[int, float]]:
        """Columns and thresholds of the inner nodes."""
        tree, columns = self.estimator.tree_, self.features
        inner = tree.children_left >= 0
        seen = tree.feature[inner] if columns is None else np.asarray(columns)[tree.feature[inner]]
        return set(zip(seen.tolist(), tree.threshold[inner].tolist(), strict=True))

    def leaves(self, X: Any) -> NDArray[np.intp]:
        """Return the leaf each row of X falls into; X is float32 in C order, or CSR."""
        seen = X if self.features is None else X[:, self.features]
        if isinstance(seen, np.ndarray):
            seen = np.ascontiguousarray(seen)
        return np.asarray(self.estimator.tree_.apply(seen))

    def predict(self, X: Any) -> Codes:
        """Predict codes of the rows of X, float32 in C order, or CSR."""
        return np.asarray(self.leaf_labels[self.leaves(X)])

    def predict_rows(self, X: Any, rows: Rows) -> Codes:
        """Predict codes of some rows of X, a few at a time so that their copies stay in cache."""
        size = max(1, CACHE_BYTES // (4 * X.shape[1]))
        parts = [rows[start : start + size] for start in range(0, len(rows), size)]
        return np.concatenate([self.predict(X[part]) for part in parts])


def predict_codes(voters: Sequence[Voter], X: Any, n_jobs: int | None = None) -> Codes:
    """Let every voter predict every row of X, shape (n_voters, n_samples)."""
    return _each(lambda voter: voters[voter].predict(X), len(voters), n_jobs)


def predict_held_out(
    voters: Sequence[Voter],
    X: Any,
    labels: Codes,
    held_out: NDArray[np.bool_],
    n_jobs: int | None = None,
) -> Codes:
    """Let every voter predict the rows it never saw; elsewhere the label stands in, unread."""

    def predict(voter: int) -> Codes:
        codes: Codes = labels.copy()
        rows = np.flatnonzero(held_out[voter])
        if rows.size:
            codes[rows] = voters[voter].predict_rows(X, rows)
        return codes

    return _each(predict, len(voters), n_jobs)


def _each(predict: Callable[[int], Codes], n_voters: int, n_jobs: int | None) -> Codes:
    """Stack the predictions of all voters, computed in as many threads as there are jobs."""
    shares = np.array_split(np.arange(n_voters), min(effective_n_jobs(n_jobs), n_voters))
    work = Parallel(n_jobs=n_jobs, prefer="threads")
    return np.concatenate(
        work(delayed(lambda share: [predict(voter) for voter in share])(share) for share in shares)
    )
