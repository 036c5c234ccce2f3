"""All that is used of scikit-learn beyond its public API, and why."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from sklearn.base import _fit_context
from sklearn.tree import _tree
from sklearn.utils import _safe_indexing
from sklearn.utils._param_validation import HasMethods, Interval, RealNotInt, StrOptions
from sklearn.utils.validation import _check_method_params

__all__ = ["HasMethods", "Interval", "RealNotInt", "StrOptions"]
"""Constraints of parameters. With `fit_context` they give scikit-learn's own error messages."""

DOCUMENTATION = (
    "https://tandemvote.github.io/tandemvote/stable/api/generated/tandemvote.{estimator_name}.html"
)
"""`_doc_link_template` of the classifiers: the page that scikit-learn's diagram links to."""

Method = TypeVar("Method", bound=Callable[..., Any])


def fit_context(*, prefer_skip_nested_validation: bool) -> Callable[[Method], Method]:
    """Return a decorator of `fit` that validates the parameters of an estimator."""
    decorator: Callable[[Method], Method] = _fit_context(
        prefer_skip_nested_validation=prefer_skip_nested_validation
    )
    return decorator


Tree: type = _tree.Tree
"""The compiled tree. A model file from a stranger may hold one whose branches lead into foreign
memory, which scikit-learn does not check."""

TREE_LEAF: int = _tree.TREE_LEAF
"""What a compiled tree has for the children of a leaf."""

pick = _safe_indexing
"""Rows or columns of an array, DataFrame, sparse matrix or list, as in scikit-learn's own
meta-estimators. No public function takes all of these."""


slice_fit_params = _check_method_params
"""Fit parameters, those with one value per sample cut to the rows of the argument `indices`."""


def n_trained_on(model: Any) -> int:
    """Return the number of samples an ensemble was fitted on; no public attribute has it."""
    return int(model._n_samples)


def n_drawn(model: Any) -> int:
    """Number of samples that each member of a bagging classifier drew; all of them in a forest.

    The public `estimators_samples_` would draw all bootstraps again.
    """
    return int(getattr(model, "_max_samples", model._n_samples))


def sample_weight_of(model: Any) -> Any:
    """Weights by which a bagging classifier drew its samples; None without, or in old releases."""
    return getattr(model, "_sample_weight", None)


def knows_all_bootstraps(model: Any) -> bool:
    """Return True if a bagging classifier has the seeds of all members (not after `warm_start`)."""
    return len(getattr(model, "_seeds", model.estimators_)) == len(model.estimators_)


def rows_kept(model: Any) -> Any:
    """Return training samples that a classifier keeps, or None.

    Nearest neighbors and Gaussian processes keep all of them, support vector machines some, and
    none with a precomputed kernel.
    """
    stored = (getattr(model, name, None) for name in ("_fit_X", "X_train_", "support_vectors_"))
    return next((rows for rows in stored if rows is not None and rows.shape[0]), None)
