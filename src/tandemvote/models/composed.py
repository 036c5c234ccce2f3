"""Classifiers that contain others: pipelines, searches, votes, calibration."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.feature_selection import RFE
from sklearn.pipeline import Pipeline

FITTED_PARTS = (
    *("best_estimator_", "calibrated_classifiers_", "estimators_", "estimator_"),
    "base_estimator_",  # of a Gaussian process
)
"""Attributes under which classifiers keep those that they fitted. If a classifier has none of them,
`estimator` was fitted before, as in a FrozenEstimator; elsewhere it is an unfitted pattern."""


def last_step(model: Any) -> Any:
    """Return the classifier at the end of a pipeline, or any other model itself."""
    return model[-1] if isinstance(model, Pipeline) else model


def steps_before(model: Any) -> list[Any]:
    """Return the steps before the classifier of a pipeline that do something."""
    steps = model.steps[:-1] if isinstance(model, Pipeline) else []
    return [step for _, step in steps if step not in (None, "passthrough")]


def through(steps: Sequence[Any], X: Any) -> Any:
    """Return samples after some steps, one by one as a pipeline takes them when it predicts."""
    for step in steps:
        X = step.transform(X)
    return X


def parts_of(
    model: Any, y: ArrayLike | None
) -> Iterator[tuple[Any, ArrayLike | None, Sequence[Any]]]:
    """Yield the fitted classifiers inside a classifier, each with its labels and steps.

    The steps lead from the samples of the whole to those that the part takes. The labels are None
    if the part was fitted to others, as the members of a VotingClassifier are to codes.
    """
    if isinstance(model, Pipeline):
        yield model[-1], y, steps_before(model)
        return
    own = getattr(model, "__dict__", {})
    parts: Any = next((own[name] for name in (*FITTED_PARTS, "estimator") if name in own), [])
    if not isinstance(parts, list | tuple):
        parts = parts.ravel().tolist() if isinstance(parts, np.ndarray) else [parts]
    for part in parts:
        labels = getattr(model, "classes_", None)
        same = labels is None or np.array_equal(labels, getattr(part, "classes_", labels))
        yield part, y if same else None, [model] if isinstance(model, RFE) else []


def as_it_is(model: Any, copies: dict[int, Any] | None = None) -> Any:
    """Return a model that stays as it is when the one given is fitted again.

    `fit` gives an estimator new attributes, with `warm_start` changes its arrays, and may fit the
    estimators inside it, so these are copied at any depth. Compiled trees are shared, not copied.
    An object with `predict` that is not a scikit-learn estimator is copied whole.
    """
    copies = {} if copies is None else copies
    if isinstance(model, np.ndarray):
        return model.copy()
    if isinstance(model, list | tuple):
        parts = [as_it_is(part, copies) for part in model]
        return parts if type(model) is list else tuple(parts) if type(model) is tuple else model
    if not isinstance(model, BaseEstimator):
        return _whole_copy(model) if hasattr(model, "predict") else model
    if id(model) not in copies:
        copies[id(model)] = copy = object.__new__(type(model))
        for name, value in vars(model).items():
            vars(copy)[name] = as_it_is(value, copies)
    return copies[id(model)]


def _whole_copy(model: Any) -> Any:
    """Return a deep copy, or raise ValueError if the model cannot be copied."""
    try:
        return deepcopy(model)
    except Exception as error:  # whatever stands in the way of a copy
        raise ValueError(
            f"{type(model).__name__} cannot be copied ({error}), and without a copy later changes"
            " of the object would change the certified classifier. Pass its predictions:"
            " certify(Votes.from_predictions([model.predict(X)], y))."
        ) from error
