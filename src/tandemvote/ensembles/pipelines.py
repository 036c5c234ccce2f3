"""Fitted pipelines that end in an ensemble, whose voters take what the steps before it return."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sklearn.compose import ColumnTransformer
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.utils import get_tags

COMPOSED = (Pipeline, FeatureUnion, ColumnTransformer)


def last_step(model: Any) -> Any:
    """Return the classifier at the end of a pipeline, or the model if it is none."""
    return model[-1] if isinstance(model, Pipeline) else model


def before_last_step(model: Any, X: Any) -> Any:
    """Return points as the last step of a pipeline takes them."""
    return model[:-1].transform(X) if isinstance(model, Pipeline) and len(model.steps) > 1 else X


def assumptions_about_steps(pipeline: Pipeline) -> list[str]:
    """Return what must be true of the steps before the last; refuse steps that learnt from X.

    Points that a voter left out are not new to it if a step before it was fitted to them, even
    without their labels: what a step memorises of X is there for the points left out and missing
    for new ones.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import Normalizer, StandardScaler
    >>> assumptions_about_steps(make_pipeline(Normalizer(), RandomForestClassifier()))
    ['Normalizer looks at one point at a time.']
    >>> pipeline = make_pipeline(StandardScaler(), RandomForestClassifier())
    >>> assumptions_about_steps(pipeline)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    ValueError: StandardScaler was fitted to all points, those that the voters left out ...
    """
    texts = []
    for step in _leaves(pipeline.steps[:-1]):
        if isinstance(step, FrozenEstimator):
            texts.append(f"{step!r} was fitted before, to other points than X.")
        elif getattr(step, "learns_from_rows", get_tags(step).requires_fit):
            name = type(step).__name__
            raise ValueError(
                f"{name} was fitted to all points, those that the voters left out among them, so"
                " these show nothing about new points. Train the whole pipeline with a certificate:"
                " CertifiedClassifierCV(pipeline).fit(X, y), or"
                " CertifiedBaggingClassifier(pipeline).fit(X, y); or pass points it never saw:"
                " certify([pipeline], X_held_out, y_held_out). A step that was fitted to other"
                " points before goes into the pipeline as FrozenEstimator(step)."
            )
        else:
            texts.append(f"{type(step).__name__} looks at one point at a time.")
    return texts


def _leaves(step: Any) -> Iterator[Any]:
    """Yield the transformers of which a step is composed."""
    if isinstance(step, COMPOSED):
        step = list(step.get_params(deep=False).values())
    if isinstance(step, list | tuple):
        for part in step:
            yield from _leaves(part)
    elif hasattr(step, "get_params") and not isinstance(step, type):
        yield step
