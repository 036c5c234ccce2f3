"""Recognize samples that a fitted classifier was trained on where held-out samples are required."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from scipy.stats import binom, multinomial
from sklearn.ensemble import BaggingClassifier
from sklearn.feature_selection import RFE
from sklearn.pipeline import Pipeline
from sklearn.utils import check_array

from tandemvote.auditing.columns import FALSE_ALARM
from tandemvote.auditing.rows import Digests, chance_of_shared, row_digests
from tandemvote.codes import encode
from tandemvote.models import private_names as private
from tandemvote.models.model_checks import BAGGED, is_made_of_trees
from tandemvote.models.trees import BootstrapError, audited_predictions, members_of, validated

FITTED_PARTS = (
    *("best_estimator_", "calibrated_classifiers_", "estimators_", "estimator_"),
    *("base_estimator_", "estimator"),
)
"""Attributes under which classifiers keep those that they fitted; `base_estimator_` is that of a
Gaussian process. If a classifier has none of the others, `estimator` was fitted before, as in a
FrozenEstimator."""

WAY_OUT = "The bound requires samples that no model was trained on. Pass held-out samples."

COINCIDENCE = 0.01
"""Expected number of training samples that a sample fits by chance, below which a fit is
informative."""

WITH_LABELS, WITHOUT_LABELS = (5, 0.2), (10, 0.5)
"""How many samples must fit, and which share of the informative ones, beyond copies by chance. With
new splits of the 23 data sets on which these were chosen, 1,240 forests rejected no new samples."""

MOST_BY_CHANCE = 0.9
"""Largest share that is attributed to chance if no two of the samples are the same: a few training
rows fit all, and a few new rows would not show how many are copies. 360 sets of 50 to 300 new
samples, of ten data sets, were accepted with this limit; the forests above were tried without
it."""

OTHER_STEPS = 40
"""Steps between values that the columns besides the busiest one must have. Along a single column
new samples lie in the leaves of their neighbors and fit these: up to 56% of the informative samples
did, and up to 12% next to a column of 26 categories."""

MOST_SAMPLES = 4000
"""How many samples are looked at, drawn at random."""

TRAINING_CHUNK = 10_000
"""Training samples that are looked at together."""


def check_not_trained_on(
    model: Any, X: Any, y: ArrayLike | None = None, *, what: str, steps: Sequence[Any] = ()
) -> None:
    """Raise ValueError for samples that a fitted classifier, or one inside it, was trained on.

    A certified classifier keeps a digest per row, nearest neighbors keep the rows, and trees keep
    how many fell into their leaves. The classifier takes the samples after the `steps`.
    """
    kept = getattr(model, "training_rows_", None)
    if kept is None and private.rows_kept(model) is not None:
        kept = row_digests(private.rows_kept(model))
    if kept is not None:
        check_not_training_rows(kept, _through(steps, X), what=what)
    elif hasattr(model, "tree_"):
        _check_tree_samples(model, _through(steps, X), what=what)
    elif _has_known_bootstraps(model):
        _check_forest_samples(model, _through(steps, X), y, what=what)
    else:
        for part, labels, more in _parts_of(model, y):
            check_not_trained_on(part, X, labels, what=what, steps=[*steps, *more])


def _through(steps: Sequence[Any], X: Any) -> Any:
    """Return samples after some steps, one by one as a pipeline takes them when it predicts."""
    for step in steps:
        X = step.transform(X)
    return X


def _parts_of(model: Any, y: ArrayLike | None) -> Iterator[tuple[Any, Any, list[Any]]]:
    """Yield the fitted classifiers inside a classifier, each with its labels and steps.

    The steps lead from the samples of the whole to those that the part takes. The labels are None
    if the part was fitted to others, as the members of a VotingClassifier are to codes.
    """
    if isinstance(model, Pipeline):
        steps = [step for _, step in model.steps[:-1] if step not in (None, "passthrough")]
        yield model[-1], y, steps
        return
    own = getattr(model, "__dict__", {})
    parts: Any = next((own[name] for name in FITTED_PARTS if name in own), [])
    if not isinstance(parts, list | tuple):
        parts = parts.ravel().tolist() if isinstance(parts, np.ndarray) else [parts]
    for part in parts:
        labels = getattr(model, "classes_", None)
        same = labels is None or np.array_equal(labels, getattr(part, "classes_", labels))
        yield part, y if same else None, [model] if isinstance(model, RFE) else []


def check_not_training_rows(known: Digests, X: Any, *, what: str) -> None:
    """Raise ValueError if too many rows of the `what` samples have a `known` digest."""
    new = row_digests(X)
    n_shared, expected, chance = chance_of_shared(known, new)
    if chance < FALSE_ALARM:
        raise ValueError(
            f"{n_shared} different rows of the {new.size} {what} samples are rows of the training"
            f" data, where chance would give about {expected:.0f}. {WAY_OUT}"
        )


def _has_known_bootstraps(model: Any) -> bool:
    """Return True for trees with bootstraps that can be drawn again."""
    if not isinstance(model, BAGGED) or not hasattr(model, "classes_"):
        return False
    draws = model.bootstrap or isinstance(model, BaggingClassifier)
    return draws and is_made_of_trees(model) and private.knows_all_bootstraps(model)


def _check_tree_samples(model: Any, X: Any, *, what: str) -> None:
    """Raise ValueError if no leaf of a tree receives more samples than it was trained on."""
    tree, n = model.tree_, np.shape(X)[0]
    if model.n_features_in_ != np.shape(X)[1] or n > tree.n_node_samples[0]:
        return
    samples = check_array(X, accept_sparse="csr", dtype=np.float32, ensure_all_finite=False)
    leaves = tree.children_left < 0
    fallen = np.bincount(tree.apply(samples), minlength=tree.node_count)[leaves]
    trained = tree.n_node_samples[leaves]
    # New samples fall into the leaves with the frequencies of the training samples, or deviate from
    # them, which makes it rarer that no leaf receives more of them. The numbers in different leaves
    # are negatively associated. As many new samples must fall exactly as the training samples did.
    shares = trained / trained.sum()
    if n == trained.sum():
        chance = multinomial.logpmf(trained, n, shares)
    else:
        chance = binom.logcdf(trained, n, shares).sum()
    if (fallen <= trained).all() and chance < math.log(FALSE_ALARM):
        raise ValueError(
            f"{type(model).__name__} seems to be trained on the {n} {what} samples: none of its"
            f" {len(trained)} leaves receives more of them than it was trained on. {WAY_OUT}"
        )


def _check_forest_samples(model: Any, X: Any, y: ArrayLike | None, *, what: str) -> None:
    """Raise ValueError for samples that trees with bootstraps were trained on.

    A sample that a tree was trained on lies in a leaf that holds its class. So a training sample is
    left out by the bootstraps of all trees whose leaf does not hold its class; of a new sample,
    hardly any training sample can be found for which that is so. Without labels the ensemble's own
    predictions stand in for them, which at training samples are nearly the same.
    """
    if not hasattr(model, "feature_names_in_") and hasattr(X, "columns"):
        X = np.asarray(X)  # a part fitted to an array, inside a model fitted to a DataFrame
    labels = model.predict(X) if y is None else np.asarray(y)
    rows = np.flatnonzero(np.isin(labels, model.classes_))
    if not rows.size:
        return
    if len(rows) == private.n_trained_on(model) == len(labels):
        with suppress(BootstrapError):  # raised if the model was trained on other samples
            audited_predictions(model, X, encode(labels, model.classes_))
            raise ValueError(
                f"{type(model).__name__} was trained on the {len(labels)} {what} samples. {WAY_OUT}"
            )
    if rows.size > MOST_SAMPLES:
        rows = np.random.default_rng(0).choice(rows, MOST_SAMPLES, replace=False)
    fits = _fits(model, validated(model, private.pick(X, rows)), labels[rows])
    n_fits, (fewest, share) = int(fits.sum()), WITHOUT_LABELS if y is None else WITH_LABELS
    shown, unseen = _copies_by_chance(model, X)
    share += shown + min(unseen, MOST_BY_CHANCE - share)
    if n_fits >= fewest and n_fits >= share * fits.size:
        raise ValueError(
            f"{n_fits} of {fits.size} {what} samples that could be compared are training samples of"
            f" {type(model).__name__}: the leaves of its trees contain them. {WAY_OUT}"
        )


def _fits(model: Any, samples: Any, labels: NDArray[Any]) -> NDArray[np.bool_]:
    """Return for each informative sample whether it could be a training sample.

    That is so if some training sample was drawn by none of the trees whose leaf lacks its class.
    """
    if issparse(samples):
        n_steps = samples.getnnz(axis=0)
    else:
        n_steps = np.array([np.unique(column).size - 1 for column in samples.T])
    if n_steps.sum() - n_steps.max() < OTHER_STEPS:
        return np.zeros(0, bool)
    codes = encode(labels, model.classes_)
    every = np.arange(len(codes))
    lacks_class = np.array(
        [voter.contents_of(voter.leaves(samples))[every, codes] <= 0 for voter in members_of(model)]
    )
    n = private.n_trained_on(model)
    drawn = np.array([np.bincount(chosen, minlength=n) > 0 for chosen in model.estimators_samples_])
    # A training sample that hardly any tree drew, because of a small weight, would fit anything.
    share = drawn.mean(axis=0)
    drawn = drawn[:, share >= 0.75 * np.median(share[share > 0])]
    numbers, place = np.unique(lacks_class.sum(axis=0), return_inverse=True)
    left_out = 1 - drawn.mean(axis=0)
    # Expected numbers of training samples that all trees lacking the class left out by chance.
    by_chance = np.array([(left_out**number).sum() for number in numbers])[place]
    informative = lacks_class[:, by_chance < COINCIDENCE].T.astype(np.float32)
    fits = np.zeros(len(informative), bool)
    for start in range(0, drawn.shape[1], TRAINING_CHUNK):
        part = drawn[:, start : start + TRAINING_CHUNK].astype(np.float32)
        fits |= (informative @ part == 0).any(axis=1)
    return fits


def _copies_by_chance(model: Any, X: Any) -> tuple[float, float]:
    """Estimate from above the share of new rows that have a copy among the training rows.

    The first number extrapolates the share of rows of X that have a copy in X to as many rows as
    the model was trained on. The second number adds three rows, for copies that a small X does
    not show.
    """
    _, place, times = np.unique(row_digests(X), return_inverse=True, return_counts=True)
    copies, n_rows = int((times[place] > 1).sum()), len(place)
    larger = max(1.0, private.n_trained_on(model) / n_rows)
    return copies / n_rows * larger, 3 / n_rows * larger
