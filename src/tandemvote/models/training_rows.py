"""Recognize samples that a fitted classifier was trained on where held-out samples are required."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from scipy.stats import multinomial
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_array

from tandemvote.auditing.columns import FALSE_ALARM
from tandemvote.auditing.rows import Digests, chance_of_shared, row_digests
from tandemvote.models import private_names as private
from tandemvote.models.fitted_parts import Part, all_parts
from tandemvote.votes.codes import Codes

WAY_OUT = "The bound requires samples that no model was trained on. Pass held-out samples."

SAME_MEAN = 1e-9
"""Largest difference of means, in standard deviations, that rounding explains."""

MOST_COLUMNS = 50
"""Number of columns of a scaler that enter the chance; more would only make it smaller."""

SAMPLING = ("boosting", "boosting_type", "data_sample_strategy")
"""Parameters by which LightGBM draws samples for each tree."""

Leaves = tuple[NDArray[np.intp], Callable[[Any], Codes]] | None
"""Numbers of training samples in the leaves of the first tree of a model, and a function from
samples to the leaves into which they fall. None for other models."""


class TrainingRecord(NamedTuple):
    """Numbers that a part keeps about all of its training samples together.

    `agrees` returns True for samples with the same record, and `log_chance` the logarithm of the
    chance that as many new samples like given ones have it.
    """

    words: str
    n_samples: int
    agrees: Callable[[Any], bool]
    log_chance: Callable[[Any], float]


def check_not_trained_on(model: Any, X: Any, y: ArrayLike | None = None, *, what: str) -> None:
    """Raise ValueError for samples that a fitted classifier, or a part of it, was trained on.

    Rows that a part keeps are recognized one by one. By the record of a part all training samples
    together are recognized: new samples are rejected with a probability of at most `FALSE_ALARM`.
    """
    n_samples, limit = np.shape(X)[0], _log_limit(y)
    for part in all_parts(Part(model)):
        if (kept := part.rows_kept) is not None:
            check_not_training_rows(kept, part.samples(X), what=what)
        record = _record(part.model)
        if record is None or n_samples != (part.n_drawn_from or record.n_samples):
            continue
        # A member may have been given what it drew as weights, once, or repeated.
        drawn = np.empty(0, np.intp) if part.drawn is None else part.drawn()
        for rows in (np.unique(drawn), drawn, np.arange(n_samples)):
            if rows.size == record.n_samples:
                samples = part.samples(X if part.drawn is None else private.pick(X, rows))
                if record.agrees(samples) and record.log_chance(samples) < limit:
                    raise ValueError(
                        f"{type(model).__name__} was trained on the {n_samples} {what} samples:"
                        f" {record.words}. {WAY_OUT}"
                    )


def can_recognize(model: Any, X: Any, y: ArrayLike | None) -> bool:
    """Return True if `check_not_trained_on` would recognize the training samples, all together."""
    return any(
        part.rows_kept is not None
        or (
            part.n_drawn_from != 0
            and (record := _record(part.model)) is not None
            and record.log_chance(part.samples(X)) < _log_limit(y)
        )
        for part in all_parts(Part(model))
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


def _record(part: Any) -> TrainingRecord | None:
    """Return what a tree, histogram boosting, LightGBM or a scaler keeps of its training data."""
    if isinstance(part, StandardScaler) and getattr(part, "mean_", None) is not None:
        n_samples = int(np.max(part.n_samples_seen_))
        words = f"{type(part).__name__} keeps their number and their means"
        return TrainingRecord(words, n_samples, partial(_has_means, part), _log_chance_of_means)
    first = _leaves_of_tree(part) or _leaves_of_histogram(part) or _leaves_of_lightgbm(part)
    if first is None:
        return None
    counts, leaf_of = first
    n_samples = int(counts.sum())
    # Frequencies of the leaves other than those of the training samples make their counts rarer.
    chance = float(multinomial.logpmf(counts, n_samples, counts / n_samples))
    return TrainingRecord(
        "each leaf of the first tree holds as many training samples as fall into it",
        n_samples,
        lambda X: np.array_equal(np.bincount(leaf_of(X), minlength=counts.size), counts),
        lambda _: chance,
    )


def _leaves_of_tree(model: Any) -> Leaves:
    """Return the leaves of a tree of scikit-learn."""
    if not hasattr(model, "tree_"):
        return None
    tree = model.tree_

    def leaf_of(X: Any) -> Codes:
        X = check_array(X, accept_sparse="csr", dtype=np.float32, ensure_all_finite=False)
        return np.asarray(tree.apply(X))

    return tree.n_node_samples * (tree.children_left == private.TREE_LEAF), leaf_of


def _leaves_of_histogram(model: Any) -> Leaves:
    """Return the leaves of the first tree of HistGradientBoostingClassifier, by their values."""
    if not isinstance(model, HistGradientBoostingClassifier) or model.do_early_stopping_:
        return None
    leaves, values_of = private.first_histogram_tree(model)
    values, place = np.unique(leaves["value"], return_inverse=True)
    counts = np.bincount(place, leaves["count"]).astype(np.intp)
    return counts, lambda X: np.searchsorted(values, values_of(X))


def _leaves_of_lightgbm(model: Any) -> Leaves:
    """Return the leaves of the first tree of LightGBM, None if its samples were drawn."""
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

    def leaf_of(X: Any) -> Codes:
        reached = model.booster_.predict(X, pred_leaf=True, num_iteration=1)
        return np.asarray(reached[:, 0].astype(np.intp))

    return np.array([counts[place] for place in range(len(counts))], np.intp), leaf_of


def _has_means(scaler: Any, X: Any) -> bool:
    """Return True if samples have the number and the means that a scaler keeps."""
    own = clone(scaler).fit(X)
    spread = 1.0 if own.scale_ is None else own.scale_
    return np.array_equal(own.n_samples_seen_, scaler.n_samples_seen_) and bool(
        (abs(own.mean_ - scaler.mean_) <= SAME_MEAN * spread).all()
    )


def _log_chance_of_means(X: Any) -> float:
    """Return the logarithm of the chance that as many new samples have the same means.

    That is the density of sums by the central limit theorem, column by column given the columns
    before, times the median step between values: for two values the mode of the binomial.
    """
    columns = X[:, :MOST_COLUMNS].toarray() if issparse(X) else np.asarray(X, float)
    columns = columns[:, :MOST_COLUMNS]
    columns = np.nan_to_num(columns - np.nanmean(columns, axis=0))
    gaps = [np.diff(np.unique(column)) for column in columns.T]
    steps = np.array([np.median(gap) if gap.size else math.inf for gap in gaps])
    spreads = abs(np.diag(np.linalg.qr(columns, mode="r")))
    with np.errstate(divide="ignore"):
        chances = steps[: spreads.size] / (math.sqrt(2 * math.pi) * spreads)
    return float(np.log(np.minimum(chances, 1)).sum())
