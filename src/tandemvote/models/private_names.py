"""Names of scikit-learn beyond its public API that are used, each with the reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

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
    # A function, since type checkers lose the method behind a variable that is generic.
    decorator: Callable[[Method], Method] = _fit_context(
        prefer_skip_nested_validation=prefer_skip_nested_validation
    )
    return decorator


FOREST_CONSTRAINTS: dict[str, Any] = RandomForestClassifier._parameter_constraints
"""Values that a random forest accepts for its parameters."""

Tree: type = _tree.Tree
"""The compiled tree. A model file from a stranger may hold one whose branches lead into foreign
memory, which scikit-learn does not check."""

TREE_LEAF: int = _tree.TREE_LEAF
"""Number that a compiled tree has for the children of a leaf."""

pick = _safe_indexing
"""Rows or columns of an array, DataFrame, sparse matrix or list, as in scikit-learn's own
meta-estimators. No public function takes all of these."""


slice_fit_params = _check_method_params
"""Fit parameters, those with one value per sample cut to the rows of the argument `indices`."""


ROWS_KEPT = ("_fit_X", "X_train_", "support_vectors_")
"""Attributes with training samples. Nearest neighbors and Gaussian processes keep all of them,
support vector machines some, and none with a precomputed kernel."""


class BootstrapDrawing(NamedTuple):
    """The draws by which a forest or bagging classifier chose the samples of its members.

    It was fitted on `n_samples`. `draws_some` is False if all members got all of them.
    `is_weighted` is True if `sample_weight` decided the draws, which old releases do not keep.
    `is_known` is False if `warm_start` has lost the seeds of the first members.
    """

    n_samples: int
    draws_some: bool
    is_weighted: bool
    is_known: bool


def drawing_of(model: Any) -> BootstrapDrawing:
    """Return the draws. The public `estimators_samples_` would draw all bootstraps again."""
    n_samples, seeds = int(model._n_samples), getattr(model, "_seeds", model.estimators_)
    # A forest draws nothing without `bootstrap`; bagging then draws without replacement.
    draws_some = bool(model.bootstrap) or getattr(model, "_max_samples", n_samples) < n_samples
    is_weighted = getattr(model, "_sample_weight", None) is not None
    return BootstrapDrawing(
        n_samples, draws_some, is_weighted, len(seeds) == len(model.estimators_)
    )


def first_histogram_tree(model: HistGradientBoostingClassifier) -> tuple[Any, Any]:
    """Return the leaves of the first tree, as a record array, and the value that samples reach."""
    tree, categories = model._predictors[0][0], model._bin_mapper.make_known_categories_bitsets()

    def values_of(X: Any) -> Any:
        return tree.predict(model._preprocess_X(X, reset=False), *categories, 1)

    return tree.nodes[tree.nodes["is_leaf"] == 1], values_of
