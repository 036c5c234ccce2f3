"""All that is used of scikit-learn beyond its public API, and why."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import _fit_context
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
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


FOREST_CONSTRAINTS: dict[str, Any] = RandomForestClassifier._parameter_constraints
"""What a random forest accepts for its parameters."""

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


def draws_samples(model: Any) -> bool:
    """Return True if the members of a forest or bagging classifier were trained on samples drawn.

    A forest draws nothing without `bootstrap`; bagging then draws without replacement.
    """
    return bool(model.bootstrap) or n_drawn(model) < n_trained_on(model)


def is_trained_on_all(model: Any) -> bool:
    """Return True if gradient boosting leaves out no sample; other classifiers never do."""
    return getattr(model, "n_iter_no_change", None) is None and getattr(model, "subsample", 1) >= 1


FirstTree = tuple[NDArray[np.integer[Any]], Callable[[Any], NDArray[np.integer[Any]]]] | None
"""Numbers of training samples in the leaves of the first tree of a model, and how many of some
samples fall into each leaf. None for other models, and where some samples are left out."""


def first_histogram_tree(model: Any) -> FirstTree:
    """Return the counts of the first tree of HistGradientBoostingClassifier."""
    if not isinstance(model, HistGradientBoostingClassifier) or model.do_early_stopping_:
        return None
    tree = model._predictors[0][0]
    nodes = tree.nodes[tree.nodes["is_leaf"] == 1]
    values, place = np.unique(nodes["value"], return_inverse=True)
    categories = model._bin_mapper.make_known_categories_bitsets()

    def fallen(X: Any) -> NDArray[np.integer[Any]]:
        reached = tree.predict(model._preprocess_X(X, reset=False), *categories, 1)
        return np.bincount(np.searchsorted(values, reached), minlength=values.size)

    return np.bincount(place, nodes["count"]).astype(np.intp), fallen


def first_lightgbm_tree(model: Any) -> FirstTree:
    """Return the counts of the first tree of LightGBM, whose samples may have been drawn."""
    if not type(model).__module__.startswith("lightgbm") or not hasattr(model, "booster_"):
        return None
    params = model.booster_.params | model.get_params()
    rate = params.get("bagging_fraction", params.get("subsample", 1.0))
    frequency = params.get("bagging_freq", params.get("subsample_freq", 0))
    drawn = rate < 1 and frequency > 0
    if drawn or {"goss", "rf"} & {params.get(name) for name in SAMPLING}:
        return None
    waiting, counts = [model.booster_.dump_model(num_iteration=1)["tree_info"][0]], {}
    while waiting:
        node = waiting.pop()
        waiting += [part for part in node.values() if isinstance(part, dict)]
        if "leaf_count" in node:
            counts[node.get("leaf_index", 0)] = node["leaf_count"]

    def fallen(X: Any) -> NDArray[np.integer[Any]]:
        reached = model.booster_.predict(X, pred_leaf=True, num_iteration=1)
        return np.bincount(reached[:, 0].astype(np.intp), minlength=len(counts))

    return np.array([counts[place] for place in range(len(counts))], np.intp), fallen


SAMPLING = ("boosting", "boosting_type", "data_sample_strategy")
"""Parameters by which LightGBM draws samples for each tree."""


def rows_kept(model: Any) -> Any:
    """Return training samples that a classifier keeps, or None.

    Nearest neighbors and Gaussian processes keep all of them, support vector machines some, and
    none with a precomputed kernel.
    """
    stored = (getattr(model, name, None) for name in ("_fit_X", "X_train_", "support_vectors_"))
    return next((rows for rows in stored if rows is not None and rows.shape[0]), None)
