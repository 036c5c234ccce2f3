"""Whether the bootstraps recovered from a fitted model are those it was trained on."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import sklearn
from numpy.typing import ArrayLike, NDArray
from scipy.stats import chisquare
from sklearn.utils import column_or_1d, compute_sample_weight
from sklearn.utils.validation import has_fit_parameter

from tandemvote.codes import Codes, encode
from tandemvote.ensembles.voters import made_of_trees, member_input, members_of

FALSE_ALARM = 1e-12
"""Chance that bootstraps drawn evenly are taken for uneven ones."""

ENOUGH_DRAWS = 5
"""Expected draws of a point from which the chi-square test can be trusted."""

MISFILES_MISSING_VALUES = tuple(map(int, re.findall(r"\d+", sklearn.__version__)[:2])) < (1, 8)
"""Whether training may file points with missing values under other leaves than `apply` does."""

NOT_AUDITED = (
    "Whether X and y are what the {} voters were trained on could not be audited: only trees keep a"
    " record."
)
ABOUT_TRAINING_DATA = (
    "X and y are exactly what the {} voters were trained on, in the same order: unlike trees, they"
    " keep no record by which this could be checked."
)
ABOUT_WEIGHT_ZERO = (
    "The {} voters ignore samples of sample weight 0: BaggingClassifier gave each of them every"
    " sample, those left out with weight 0."
)


class AuditError(ValueError):
    """The model was trained on other points than those its bootstraps name."""


def audit_bootstraps(model: Any, X: ArrayLike, y: ArrayLike) -> str:
    """Compare what each tree holds in its leaves with what its recovered bootstrap puts there.

    A wrong X or y, a reordered one, sample weights, or a model from a release that drew bootstraps
    in another way all give other leaves, and an `AuditError`. Models other than trees hold no such
    record. What was found is returned, for the notes of a certificate.
    """
    labels = encode(column_or_1d(y), model.classes_)
    bootstraps = [np.bincount(rows, minlength=len(labels)) for rows in model.estimators_samples_]
    times = np.sum(bootstraps, axis=0)
    if times.mean() >= ENOUGH_DRAWS and chisquare(times).pvalue < FALSE_ALARM:
        raise AuditError(
            f"Points were drawn between {times.min()} and {times.max()} times, which even draws do"
            " not explain: the bootstraps depend on the data, as they do with sample_weight or"
            " class_weight. Refit without."
        )
    if not made_of_trees(model):
        return NOT_AUDITED.format(type(model.estimators_[0]).__name__)
    points = member_input(model, X)
    weighed = getattr(model, "class_weight", None) == "balanced_subsample"
    # Leaves cannot be compared where the release misfiles points; whole trees still can.
    missing = isinstance(points, np.ndarray) and bool(np.isnan(points).any())
    by_leaf = not (MISFILES_MISSING_VALUES and missing)
    strangers = sum(
        not _holds(voter, points, labels, times, balanced=weighed, by_leaf=by_leaf)
        for voter, times in zip(members_of(model), bootstraps, strict=True)
    )
    if strangers:
        raise AuditError(
            f"{strangers} of {len(bootstraps)} trees hold other training points than the bootstraps"
            " found for them. Pass the exact X and y of fit, in the same order, with the"
            " scikit-learn release that fitted the model; models fitted with sample_weight, or with"
            " class_weight on the trees of a BaggingClassifier, must be refitted without."
        )
    return (
        f"The training points in the {'leaves of ' if by_leaf else ''}all {len(bootstraps)} trees"
        " are those of the bootstraps found."
    )


def unaudited_assumptions(model: Any) -> list[str]:
    """What must be true of voters other than trees, because no code can see it."""
    if made_of_trees(model):
        return []
    voter = model.estimators_[0]
    weighed = has_fit_parameter(voter, "sample_weight")
    texts = [ABOUT_TRAINING_DATA, *([ABOUT_WEIGHT_ZERO] if weighed else [])]
    return [text.format(type(voter).__name__) for text in texts]


def _holds(
    voter: Any, points: Any, labels: Codes, times: NDArray[Any], *, balanced: bool, by_leaf: bool
) -> bool:
    """Compare the weighted class counts a tree keeps with those its bootstrap gives."""
    tree, n_classes = voter.estimator.tree_, len(voter.classes)
    rows = np.flatnonzero(times)
    weights = times[rows].astype(float)
    if balanced:
        drawn = np.repeat(labels[rows], times[rows])
        weights *= compute_sample_weight("balanced", drawn)[np.cumsum(times[rows]) - 1]
    leaves = voter.leaves(points[rows]) if by_leaf else np.zeros(len(rows), int)
    found = np.bincount(
        leaves * n_classes + labels[rows], weights, minlength=tree.node_count * n_classes
    ).reshape(-1, n_classes)
    compared = tree.children_left == tree.children_right if by_leaf else [0]
    kept = voter.leaf_contents[compared]
    return bool(np.allclose(found[compared], kept, rtol=1e-9, atol=1e-6))
