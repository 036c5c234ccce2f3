"""Recognize samples that a fitted classifier was trained on where held-out samples are required."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from scipy.stats import multinomial
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import BaseEnsemble
from sklearn.feature_selection import RFE
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_array

from tandemvote.auditing.columns import FALSE_ALARM
from tandemvote.auditing.rows import Digests, chance_of_shared, row_digests
from tandemvote.models import private_names as private

FITTED_PARTS = (
    *("best_estimator_", "calibrated_classifiers_", "estimators_", "estimator_"),
    *("base_estimator_", "estimator"),
)
"""Attributes under which classifiers keep those that they fitted; `base_estimator_` is that of a
Gaussian process. If a classifier has none of the others, `estimator` was fitted before, as in a
FrozenEstimator."""

WAY_OUT = "The bound requires samples that no model was trained on. Pass held-out samples."

SAME_MEAN = 1e-9
"""Largest difference of means, in standard deviations, that rounding explains."""

MOST_COLUMNS = 50
"""How many columns of a scaler enter the chance; more would only make it smaller."""


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


class Record(NamedTuple):
    """What a part keeps about all of its training samples together.

    `agrees` returns True for samples with the same record, and `log_chance` the logarithm of the
    chance that as many new samples have it, for a function that returns samples like them.
    """

    words: str
    n_samples: int
    agrees: Callable[[Any], bool]
    log_chance: Callable[[Callable[[], Any]], float]


def check_not_trained_on(model: Any, X: Any, y: ArrayLike | None = None, *, what: str) -> None:
    """Raise ValueError for samples that a fitted classifier, or a part of it, was trained on.

    Rows that a part keeps are recognized one by one. By the record of a part all training samples
    together are recognized: new samples are rejected with a probability of at most `FALSE_ALARM`.
    """
    n_samples, limit = np.shape(X)[0], _log_limit(y)
    for part in _parts(Part(model)):
        if (kept := _rows_kept(part.model)) is not None:
            check_not_training_rows(kept, part.samples(X), what=what)
        record = _record(part.model)
        if record is None or n_samples != (part.n_drawn_from or record.n_samples):
            continue
        for rows in [None] if part.drawn is None else _draws(part.drawn(), n_samples):
            if rows is not None and rows.size != record.n_samples:
                continue
            samples = part.samples(X if rows is None else private.pick(X, rows))
            if record.agrees(samples) and record.log_chance(lambda: samples) < limit:  # noqa: B023
                raise ValueError(
                    f"{type(model).__name__} was trained on the {n_samples} {what} samples:"
                    f" {record.words}. {WAY_OUT}"
                )


def can_recognize(model: Any, X: Any, y: ArrayLike | None) -> bool:
    """Return True if `check_not_trained_on` would recognize the training samples, all together."""
    return any(
        _rows_kept(part.model) is not None
        or (
            part.n_drawn_from != 0
            and (record := _record(part.model)) is not None
            and record.log_chance(partial(part.samples, X)) < _log_limit(y)
        )
        for part in _parts(Part(model))
    )


def _log_limit(y: ArrayLike | None) -> float:
    """Return the logarithm of the chance below which samples are rejected.

    It is given the number of samples of each class, which a stratified split fixes.
    """
    sizes = np.ones(1) if y is None else np.unique(np.asarray(y), return_counts=True)[1]
    return math.log(FALSE_ALARM) + float(
        multinomial.logpmf(sizes, sizes.sum(), sizes / sizes.sum())
    )


def check_not_training_rows(known: Digests, X: Any, *, what: str) -> None:
    """Raise ValueError if too many rows of the `what` samples have a `known` digest."""
    new = row_digests(X)
    n_shared, expected, chance = chance_of_shared(known, new)
    if chance < FALSE_ALARM:
        raise ValueError(
            f"{n_shared} different rows of the {new.size} {what} samples are rows of the training"
            f" data, where chance would give about {expected:.0f}. {WAY_OUT}"
        )


def _parts(whole: Part) -> Iterator[Part]:
    """Yield a model and the fitted parts inside it; a part that keeps its rows is enough."""
    yield whole
    if _rows_kept(whole.model) is None:
        for part in _parts_of(whole.model):
            drawn = part[2:] if whole.n_drawn_from is None else whole[2:]
            yield from _parts(Part(part.model, (*whole.steps, *part.steps), *drawn))


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
        if private.is_trained_on_all(model):
            yield from _first_member(model)
    else:
        own = getattr(model, "__dict__", {})
        found: Any = next((own[name] for name in FITTED_PARTS if name in own), [])
        parts = found if isinstance(found, list | tuple | np.ndarray) else [found]
        steps = (model.transform,) if isinstance(model, RFE) else ()
        of_folds = isinstance(model, CalibratedClassifierCV) and len(parts) > 1
        for part in np.ravel(parts) if isinstance(parts, np.ndarray) else parts:
            yield Part(part, steps, 0 if of_folds else None)


def _first_member(ensemble: Any) -> Iterator[Part]:
    """Yield the first member of a fitted ensemble, with its columns and what it drew."""
    members = getattr(ensemble, "estimators_", [None])
    first = members.flat[0] if isinstance(members, np.ndarray) else members[0]
    features = getattr(ensemble, "estimators_features_", [None])[0]
    steps = (partial(_columns, features=features),)
    # The property itself would draw all bootstraps.
    if not hasattr(type(ensemble), "estimators_samples_") or not private.draws_samples(ensemble):
        yield Part(first, steps)
    elif private.knows_all_bootstraps(ensemble):
        drawn = lambda: ensemble.estimators_samples_[0]  # noqa: E731
        yield Part(first, steps, private.n_trained_on(ensemble), drawn)


def _columns(X: Any, features: Any) -> Any:
    """Return some columns, or all, without names, as members of ensembles take them."""
    X = X if issparse(X) else np.asarray(X)
    return X if features is None else X[:, features]


def _draws(drawn: NDArray[np.intp], n_samples: int) -> list[NDArray[np.intp]]:
    """Return the samples that a member may have been given: as weights, once, or repeated."""
    return [np.unique(drawn), drawn, np.arange(n_samples)]


def _rows_kept(model: Any) -> Digests | None:
    """Return digests of the training rows that a part keeps, None if it keeps none."""
    kept = getattr(model, "training_rows_", None)
    if kept is None and private.rows_kept(model) is not None:
        kept = row_digests(private.rows_kept(model))
    return kept


def _record(part: Any) -> Record | None:
    """Return what a tree, histogram boosting, LightGBM or a scaler keeps of its training data."""
    if isinstance(part, StandardScaler) and getattr(part, "mean_", None) is not None:
        n_samples = int(np.max(part.n_samples_seen_))
        words = f"{type(part).__name__} keeps their number and their means"
        return Record(words, n_samples, partial(_has_means, part), _log_chance_of_means)
    first: private.FirstTree
    if hasattr(part, "tree_"):
        is_leaf = part.tree_.children_left == private.TREE_LEAF
        first = part.tree_.n_node_samples * is_leaf, partial(_fallen, part)
    else:
        first = private.first_histogram_tree(part) or private.first_lightgbm_tree(part)
    if first is None:
        return None
    counts, fallen = first
    n_samples = int(counts.sum())
    # Frequencies of the leaves other than those of the training samples make their counts rarer.
    chance = float(multinomial.logpmf(counts, n_samples, counts / n_samples))
    return Record(
        "each leaf of the first tree holds as many training samples as fall into it",
        n_samples,
        lambda samples: np.array_equal(fallen(samples), counts),
        lambda _: chance,
    )


def _fallen(model: Any, X: Any) -> NDArray[np.intp]:
    """Return how many samples fall into each leaf of a tree."""
    samples = check_array(X, accept_sparse="csr", dtype=np.float32, ensure_all_finite=False)
    return np.bincount(model.tree_.apply(samples), minlength=model.tree_.node_count)


def _has_means(scaler: Any, X: Any) -> bool:
    """Return True if samples have the number and the means that a scaler keeps."""
    own = clone(scaler).fit(X)
    spread = 1.0 if own.scale_ is None else own.scale_
    return np.array_equal(own.n_samples_seen_, scaler.n_samples_seen_) and bool(
        (abs(own.mean_ - scaler.mean_) <= SAME_MEAN * spread).all()
    )


def _log_chance_of_means(samples: Callable[[], Any]) -> float:
    """Return the logarithm of the chance that as many new samples have the same means.

    That is the density of sums by the central limit theorem, column by column given the columns
    before, times the median step between values: for two values the mode of the binomial.
    """
    X = samples()
    columns = X[:, :MOST_COLUMNS].toarray() if issparse(X) else np.asarray(X, float)
    columns = columns[:, :MOST_COLUMNS]
    columns = np.nan_to_num(columns - np.nanmean(columns, axis=0))
    gaps = [np.diff(np.unique(column)) for column in columns.T]
    steps = np.array([np.median(gap) if gap.size else math.inf for gap in gaps])
    spreads = abs(np.diag(np.linalg.qr(columns, mode="r")))
    with np.errstate(divide="ignore"):
        chances = steps[: spreads.size] / (math.sqrt(2 * math.pi) * spreads)
    return float(np.log(np.minimum(chances, 1)).sum())
