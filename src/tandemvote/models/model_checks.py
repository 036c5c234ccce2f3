"""Checks of models that cannot be certified, with the fix in every error."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.compose import ColumnTransformer
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.utils import get_tags

from tandemvote.models.private_names import (
    knows_all_bootstraps,
    n_drawn,
    n_trained_on,
    sample_weight_of,
)

WITH_A_HOLD_OUT = (
    "Held-out samples certify every classifier: certify(model, X_held_out, y_held_out)."
)

TRAIN_IT = (
    "Use CertifiedClassifier(model).fit(X, y), which trains and certifies, or use held-out"
    " samples: certify(model, X_held_out, y_held_out)."
)

COMPOSED = (Pipeline, FeatureUnion, ColumnTransformer)
"""What transformers are put together by."""


def check_independent_bootstraps(model: Any, n_samples: int) -> None:
    """Raise ValueError if out-of-bag samples are unknown, empty or depend on the data.

    The theorems need the split between the samples a voter is trained on and the samples it is
    evaluated on to be drawn without looking at the data.
    """
    check_one_label(model)
    check_not_frozen(getattr(model, "estimator", None))
    check_class_weight(getattr(model, "class_weight", None))
    trained_on, weights = n_trained_on(model), sample_weight_of(model)
    packages = {kind.__module__.partition(".")[0] for kind in type(model).__mro__}
    problems = {
        f"{type(model).__name__} of imbalanced-learn draws samples by label, which the"
        " bound does not allow. Train it with CertifiedClassifier.": "imblearn" in packages,
        f"The model was fitted on {trained_on} samples and X, y have {n_samples}. Pass exactly the"
        " training data, in the same order.": trained_on != n_samples,
        f"{type(model).__name__} was enlarged with warm_start=True and no longer stores the"
        " bootstraps of its first members. Refit it at once.": not knows_all_bootstraps(model),
        # A forest draws nothing without bootstrap=True; bagging then draws without replacement.
        "bootstrap=False trained every member on every sample, so there are no out-of-bag samples."
        " Refit with bootstrap=True.": not model.bootstrap and n_drawn(model) >= n_samples,
        "The model was fitted with sample_weight, so its bootstraps depend on"
        " the weights. Refit it without sample_weight.": weights is not None,
    }
    for problem, applies in problems.items():
        if applies:
            raise ValueError(f"{problem} {WITH_A_HOLD_OUT}")


def check_class_weight(class_weight: Any) -> None:
    """Raise ValueError for class weights that let labels decide which samples are out of bag.

    Since scikit-learn 1.9 "balanced" and a dict decide how often a sample is drawn. Before,
    "balanced" weighed a voter's samples by class frequencies that its held-out labels entered. A
    dict was harmless before 1.9 and is rejected all the same: a certificate should not depend on
    the release. "balanced_subsample" looks at the drawn samples only, in every release.
    """
    if class_weight is not None and class_weight != "balanced_subsample":
        raise ValueError(
            f"class_weight={class_weight!r} makes the bootstrap depend on the labels, so no"
            " certificate exists. Use class_weight=None, or 'balanced_subsample' in a forest."
        )


def check_one_label(model: Any) -> None:
    """Raise ValueError for models that do not predict one label per sample."""
    name = type(model).__name__
    if isinstance(model, BaseEstimator) and not is_classifier(model):
        raise ValueError(
            f"{name} is not a classifier; the bounds are about the share of wrong labels. Cut the"
            " target into classes and fit a classifier."
        )
    if isinstance(getattr(model, "classes_", None), list):
        raise ValueError(
            f"{name} predicts {len(model.classes_)} outputs at once; the bounds are about one"
            " label. Fit and certify one model per output, each with its share of delta."
        )


def check_has_predict(model: Any) -> None:
    """Raise ValueError for objects without `predict`, such as dicts and pairs, and for classes."""
    if isinstance(model, type):
        raise ValueError(
            f"{model.__name__} is a class, not a fitted classifier. Pass an instance:"
            f" {model.__name__}().fit(X, y)."
        )
    if not hasattr(model, "predict"):
        raise ValueError(
            f"An object of type {type(model).__name__} has no predict. Pass a fitted classifier or"
            " a list of fitted classifiers: list(models.values()), or [model for name, model in"
            " pairs]."
        )


def check_has_voters(model: Any) -> None:
    """Raise ValueError for a fitted model that is not an ensemble with out-of-bag samples."""
    if not hasattr(model, "predict"):
        raise ValueError(
            f"ensemble is of type {type(model).__name__}; expected one fitted RandomForest,"
            " ExtraTrees or Bagging classifier. Certify several models on held-out samples:"
            " certify(models, X_held_out, y_held_out)."
        )
    check_has_predict(model)
    check_one_label(model)
    if isinstance(model, Pipeline) and hasattr(model[-1], "certificate_"):
        raise ValueError(
            "The last step of the pipeline has certified itself: see model[-1].certificate_."
        )
    if hasattr(model, "certificate_"):
        raise ValueError(
            f"{type(model).__name__} has certified itself: see its certificate_. For held-out"
            " samples, use certify(model, X_held_out, y_held_out)."
        )
    raise ValueError(
        f"{type(model).__name__} has no out-of-bag samples, so its training data cannot test"
        f" it. {TRAIN_IT}"
    )


def check_not_frozen(estimator: Any) -> None:
    """Raise ValueError for an estimator that stays fitted when cloned, such as FrozenEstimator.

    Estimators among its parameters are checked too, functions are not.
    """
    for part in _parts(estimator):
        if clone(part) is part:
            raise ValueError(
                f"{part!r} keeps what it learned before, from samples that the voters are to be"
                " evaluated on. Pass the estimator unfitted, or use held-out samples:"
                " certify(model, X_held_out, y_held_out)."
            )


def assumptions_about_steps(pipeline: Pipeline) -> list[str]:
    """Return what must be true of the steps before the last; reject steps that learned from X.

    Samples that a voter left out are not new to it if a step before it was fitted to them, even
    without their labels: what a step memorizes of X is there for the samples left out and missing
    for new ones.
    """
    texts = []
    for step in _parts(pipeline.steps[:-1], COMPOSED):
        if isinstance(step, COMPOSED):
            continue
        if isinstance(step, FrozenEstimator):
            texts.append(f"{step!r} was fitted before, to other samples than X.")
        elif getattr(step, "learns_from_rows", get_tags(step).requires_fit):
            raise ValueError(
                f"{type(step).__name__} was fitted to all samples, including the out-of-bag"
                f" samples. {TRAIN_IT} Wrap a step that was fitted to other samples in"
                " FrozenEstimator."
            )
        else:
            check_not_frozen(step)
            texts.append(
                f"{type(step).__name__} learned nothing from X or y and transforms each sample on"
                " its own."
            )
    return texts


def _parts(estimator: Any, inside: tuple[type[Any], ...] = (object,)) -> Iterator[Any]:
    """Yield estimators and, at any depth, those among the parameters of such as are `inside`."""
    if isinstance(estimator, Mapping):
        estimator = list(estimator.values())
    if isinstance(estimator, list | tuple):
        for part in estimator:
            yield from _parts(part, inside)
    elif hasattr(estimator, "get_params") and not isinstance(estimator, type):
        yield estimator
        if isinstance(estimator, inside):
            yield from _parts(estimator.get_params(deep=False), inside)
