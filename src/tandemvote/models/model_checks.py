"""Checks of models that cannot be certified, with the fix in every error."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.pipeline import Pipeline
from sklearn.tree import BaseDecisionTree
from sklearn.utils.validation import check_is_fitted

from tandemvote.models import private_names as private
from tandemvote.votes.printable import shown

HELD_OUT = "certify(model, X_held_out, y_held_out)"

BAGGED = (RandomForestClassifier, ExtraTreesClassifier, BaggingClassifier)


def last_step(model: Any) -> Any:
    """Return the classifier at the end of a pipeline, or any other model itself."""
    return model[-1] if isinstance(model, Pipeline) else model


def check_independent_bootstraps(model: Any, n_samples: int) -> None:
    """Raise ValueError if out-of-bag samples are unknown, empty or depend on the data.

    The theorems need the split between the samples a voter is trained on and the samples it is
    evaluated on to be drawn without looking at the data.
    """
    check_class_weight(getattr(model, "class_weight", None))
    drawing = private.drawing_of(model)
    problems = {
        f"The model was fitted on {drawing.n_samples} samples and X, y have {n_samples}. Pass"
        " exactly the training data, in the same order.": drawing.n_samples != n_samples,
        f"{type(model).__name__} was enlarged with warm_start=True and has lost the bootstraps"
        " of its first members. Refit it from scratch.": not drawing.is_known,
        "bootstrap=False trained every member on every sample, so there are no out-of-bag samples."
        " Refit with bootstrap=True.": not drawing.draws_some,
        "The model was fitted with sample_weight, so its bootstraps depend on the weights. Refit it"
        " without sample_weight.": drawing.is_weighted,
    }
    for problem, applies in problems.items():
        if applies:
            raise ValueError(f"{problem} Held-out samples certify every classifier: {HELD_OUT}.")


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
    foreign = not isinstance(model, BaseEstimator)
    if not (foreign or is_classifier(model)) or isinstance(getattr(model, "classes_", None), list):
        raise ValueError(
            f"{type(model).__name__} is not a classifier with one output. Pass one, or certify one"
            " model per output, each with its share of delta; bin a numeric target into classes."
        )


def check_has_predict(model: Any) -> None:
    """Raise ValueError for objects that are not classifiers, such as dicts, pairs and classes."""
    if isinstance(model, type) or not hasattr(model, "predict"):
        raise ValueError(
            f"{getattr(model, '__name__', type(model).__name__)} is not a fitted classifier. Pass"
            " one or a list of them: list(models.values()), or [model for name, model in pairs]."
        )
    check_one_label(model)


def check_bagged(model: Any) -> None:
    """Raise ValueError for models other than ensembles with known out-of-bag samples.

    Trees keep a record by which their bootstraps are audited. Subclasses may draw samples in
    another way: those of imbalanced-learn do, by label.
    """
    check_one_label(model)
    if type(model) in BAGGED:
        check_is_fitted(model)
        check_not_frozen(model.estimator_)
    else:
        raise ValueError(
            f"{type(model).__name__} is not a RandomForest, ExtraTrees or Bagging classifier, so"
            " its training data cannot test it. Use"
            " CertifiedClassifier(model).fit(X, y), which trains and certifies, or use held-out"
            f" samples: {HELD_OUT}."
        )


def is_made_of_trees(model: Any) -> bool:
    """Return True if every member of an ensemble is a decision tree."""
    return all(isinstance(estimator, BaseDecisionTree) for estimator in model.estimators_)


def check_two_classes(labels: NDArray[Any], where: str, fix: str) -> None:
    """Raise ValueError if all labels are the same."""
    classes = np.unique(labels).tolist()
    if len(classes) < 2:
        raise ValueError(
            f"{where} {len(classes)} class, {shown(classes)}; at least 2 are required. {fix}"
        )


def check_not_frozen(estimator: Any) -> None:
    """Raise ValueError for an estimator that stays fitted when cloned, such as FrozenEstimator.

    Estimators among its parameters are checked too, functions are not.
    """
    for part in [estimator, *clone(estimator).get_params().values()]:
        if hasattr(part, "get_params") and not isinstance(part, type) and clone(part) is part:
            raise ValueError(
                f"{part!r} stays fitted when it is cloned, so it may have been trained on the"
                f" test samples. Pass the estimator unfitted, or use held-out samples: {HELD_OUT}."
            )


def predict_labels(model: Any, X: Any) -> NDArray[Any]:
    """Predict one label per sample, or raise ValueError for other predictions."""
    predicted = np.asarray(model.predict(X))
    if predicted.ndim == 2 and predicted.shape[1] == 1:  # CatBoost, with three classes or more
        return predicted[:, 0]
    if predicted.ndim != 1:
        raise ValueError(
            f"predict of {type(model).__name__} returns an array of shape {predicted.shape};"
            " expected one label per sample. Predict classes[probabilities.argmax(axis=1)], or"
            " certify one model per output, each with its share of delta."
        )
    return predicted
