"""The fitted parts of a model, and what each of them is given when the model predicts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import BaseEnsemble
from sklearn.feature_selection import RFE
from sklearn.pipeline import FeatureUnion, Pipeline

from tandemvote.auditing.rows import Digests, row_digests
from tandemvote.models import private_names as private

FITTED_PARTS = (
    *("best_estimator_", "calibrated_classifiers_", "estimators_", "estimator_"),
    *("base_estimator_", "estimator"),
)
"""Attributes under which classifiers keep those that they fitted; `base_estimator_` is that of a
Gaussian process. If a classifier has none of the others, `estimator` was fitted before, as in a
FrozenEstimator."""


class Part(NamedTuple):
    """A fitted part of a model, and the steps from the samples of the model to its own.

    `n_drawn_from` is the number of samples that trained the model if the part was trained on those
    that `drawn` returns, 0 if it was trained on some of them that are unknown.
    """

    model: Any
    steps: tuple[Callable[[Any], Any], ...] = ()
    n_drawn_from: int | None = None
    drawn: Callable[[], NDArray[np.intp]] | None = None

    def samples(self, X: Any) -> Any:
        """Return what the part takes when the model predicts some samples."""
        for step in self.steps:
            X = step(X)
        return X

    @property
    def rows_kept(self) -> Digests | None:
        """Digests of the training rows that the part keeps, None if it keeps none."""
        stored = (getattr(self.model, name, None) for name in private.ROWS_KEPT)
        rows = next((rows for rows in stored if rows is not None and rows.shape[0]), None)
        kept: Digests | None = getattr(self.model, "training_rows_", None)
        return row_digests(rows) if kept is None and rows is not None else kept


def all_parts(whole: Part) -> Iterator[Part]:
    """Yield a model and all fitted parts inside it, but not those of a part that keeps its rows."""
    yield whole
    if whole.rows_kept is None:
        for part in _parts_of(whole.model):
            drawn = part[2:] if whole.n_drawn_from is None else whole[2:]
            yield from all_parts(Part(part.model, (*whole.steps, *part.steps), *drawn))


def _parts_of(model: Any) -> Iterator[Part]:
    """Yield the fitted parts of a model; of an ensemble of one kind the first member."""
    if isinstance(model, Pipeline):
        before: tuple[Any, ...] = ()
        for _, step in model.steps:
            if step not in (None, "passthrough"):
                yield Part(step, before)
                before += (step.transform,) if hasattr(step, "transform") else ()
    elif isinstance(model, ColumnTransformer):
        for _, part, columns in model.transformers_:
            if not isinstance(part, str):
                yield Part(part, (partial(private.pick, indices=columns, axis=1),))
    elif isinstance(model, FeatureUnion):
        yield from (Part(part) for _, part in model.transformer_list if not isinstance(part, str))
    elif isinstance(model, BaseEnsemble):
        # Gradient boosting may leave samples out; other ensembles have neither parameter.
        stops = getattr(model, "n_iter_no_change", None) is not None
        if not stops and getattr(model, "subsample", 1) >= 1:
            yield from _first_member(model)
    else:
        own = getattr(model, "__dict__", {})
        found: Any = next((own[name] for name in FITTED_PARTS if name in own), [])
        found = found.ravel() if isinstance(found, np.ndarray) else found
        parts = found if isinstance(found, list | tuple | np.ndarray) else [found]
        steps = (model.transform,) if isinstance(model, RFE) else ()
        of_folds = isinstance(model, CalibratedClassifierCV) and len(parts) > 1
        yield from (Part(part, steps, 0 if of_folds else None) for part in parts)


def _first_member(ensemble: Any) -> Iterator[Part]:
    """Yield the first member of a fitted ensemble, with its columns and what it drew."""
    members = getattr(ensemble, "estimators_", [None])
    first = members.flat[0] if isinstance(members, np.ndarray) else members[0]
    features = getattr(ensemble, "estimators_features_", [None])[0]
    steps = (partial(_columns, features=features),)
    # The property itself would draw all bootstraps.
    has_draws = hasattr(type(ensemble), "estimators_samples_")
    drawing = private.drawing_of(ensemble) if has_draws else None
    if drawing is None or not drawing.draws_some:
        yield Part(first, steps)
    elif drawing.is_known:
        yield Part(first, steps, drawing.n_samples, lambda: ensemble.estimators_samples_[0])


def _columns(X: Any, features: Any) -> Any:
    """Return some columns, or all, without names, as members of ensembles take them."""
    X = X if issparse(X) else np.asarray(X)
    return X if features is None else X[:, features]
