"""All that is used of scikit-learn beyond its public API, and why."""

from __future__ import annotations

from typing import Any

from sklearn.tree import _tree
from sklearn.utils import _safe_indexing
from sklearn.utils.metaestimators import _BaseComposition

Tree: type = _tree.Tree
"""The compiled tree. A model file from a stranger may hold one whose branches lead into foreign
memory, which scikit-learn does not check."""

TREE_LEAF: int = _tree.TREE_LEAF
"""What a compiled tree has for the children of a leaf."""

pick = _safe_indexing
"""Rows or columns of an array, frame, sparse matrix or list, as scikit-learn's own meta-estimators
take them. No public function does it for all of these."""

NamedEstimators = _BaseComposition
"""Parameters of a list of (name, estimator) pairs, as in `VotingClassifier`: name__parameter."""


def n_trained_on(model: Any) -> int:
    """Number of points a forest or bagging classifier was fitted on; it is told nowhere else."""
    return int(model._n_samples)


def n_drawn(model: Any) -> int:
    """Number of points that each member of a bagging classifier drew; all of them in a forest.

    The public `estimators_samples_` would draw all bootstraps anew to tell.
    """
    return int(getattr(model, "_max_samples", model._n_samples))


def sample_weight_of(model: Any) -> Any:
    """Weights by which a bagging classifier drew its points; None without, or in old releases."""
    return getattr(model, "_sample_weight", None)


def knows_all_bootstraps(model: Any) -> bool:
    """Whether a bagging classifier kept the seeds of all members: `warm_start` drops the first."""
    return len(getattr(model, "_seeds", model.estimators_)) == len(model.estimators_)


def rows_kept(model: Any) -> Any:
    """Training points that a classifier by nearest neighbours keeps; None if it keeps none."""
    return getattr(model, "_fit_X", None)
