"""Whether the bootstraps recovered from a fitted model are those it was trained on."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import chisquare
from sklearn.utils import column_or_1d, compute_sample_weight
from sklearn.utils.validation import has_fit_parameter

from tandemvote.ensembles.fitted import made_of_trees, voter_input, voters_of
from tandemvote.ensembles.voters import Codes, encode

FALSE_ALARM = 1e-12
"""Chance that bootstraps drawn evenly are taken for uneven ones."""

ENOUGH_DRAWS = 5
"""Expected draws of a point from which the chi-square test can be trusted."""

NOT_AUDITED = (
    "Whether X and y are what the {} voters were trained on could not be audited: only trees keep a"
    " record."
)
WEIGHT_ZERO = (
    " BaggingClassifier gave them every point, those left out with weight 0, and the certificate"
    " assumes that they ignore such points; CertifiedBaggingClassifier gives drawn points alone."
)


class AuditError(ValueError):
    """The model was trained on other points than those its bootstraps name."""


def audit_bootstraps(model: Any, X: ArrayLike, y: ArrayLike) -> str:
    """Compare what each tree holds in its leaves with what its recovered bootstrap puts there.

    A wrong X or y, a reordered one, sample weights, or a model from a release that drew bootstraps
    in another way all give other leaves. Models other than trees hold no such record.

    Parameters
    ----------
    model : fitted RandomForestClassifier, ExtraTreesClassifier or BaggingClassifier
    X, y : array_like
        What the model is said to have been trained on.

    Returns
    -------
    str
        What was found, for the certificate's notes.

    Raises
    ------
    AuditError
        If leaves and bootstraps do not match, or points were not drawn evenly.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(n_estimators=20, random_state=0).fit(X, y)
    >>> audit_bootstraps(forest, X, y)
    'The training points in the leaves of all 20 trees are those of the bootstraps found.'
    >>> audit_bootstraps(forest, X[::-1], y[::-1])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    tandemvote.ensembles.audit.AuditError: 20 of 20 trees hold other training points than ...
    """
    labels = encode(column_or_1d(y), model.classes_)
    bootstraps = [np.bincount(rows, minlength=len(labels)) for rows in model.estimators_samples_]
    _refuse_uneven_draws(np.sum(bootstraps, axis=0))
    if not made_of_trees(model):
        voter = model.estimators_[0]
        weighed = bool(has_fit_parameter(voter, "sample_weight"))
        return NOT_AUDITED.format(type(voter).__name__) + (WEIGHT_ZERO if weighed else "")
    points = voter_input(model, X)
    balanced = getattr(model, "class_weight", None) == "balanced_subsample"
    strangers = sum(
        not _leaves_match(voter, points, labels, times, balanced)
        for voter, times in zip(voters_of(model), bootstraps, strict=True)
    )
    if strangers:
        raise AuditError(
            f"{strangers} of {len(bootstraps)} trees hold other training points than the bootstraps"
            " found for them. Pass the exact X and y of fit, in the same order, with the"
            " scikit-learn release that fitted the model; models fitted with sample_weight, or with"
            " class_weight on the trees of a BaggingClassifier, must be refitted without."
        )
    return (
        f"The training points in the leaves of all {len(bootstraps)} trees are those of the"
        " bootstraps found."
    )


def _refuse_uneven_draws(times: NDArray[np.integer[Any]]) -> None:
    """Refuse if some points were drawn oftener than chance allows, summed over all voters."""
    if times.mean() >= ENOUGH_DRAWS and chisquare(times).pvalue < FALSE_ALARM:
        raise AuditError(
            f"Points were drawn between {times.min()} and {times.max()} times, which even draws do"
            " not explain: the bootstraps depend on the data, as they do with sample_weight or"
            " class_weight. Refit without."
        )


def _leaves_match(
    voter: Any, points: Any, labels: Codes, times: NDArray[np.integer[Any]], balanced: bool
) -> bool:
    """Compare the weighted class counts of a tree's leaves with those of the bootstrap."""
    tree = voter.estimator.tree_
    rows = np.flatnonzero(times)
    weights = times[rows].astype(float)
    if balanced:
        weights *= compute_sample_weight("balanced", np.repeat(labels, times))[
            np.cumsum(times[rows]) - 1
        ]
    n_classes = len(voter.classes)
    found = np.bincount(
        voter.leaves(points[rows]) * n_classes + labels[rows],
        weights,
        minlength=tree.node_count * n_classes,
    ).reshape(-1, n_classes)
    held = np.zeros_like(found)
    columns = encode(np.asarray(voter.estimator.classes_), voter.classes)
    held[:, columns] = tree.value[:, 0, :] * tree.weighted_n_node_samples[:, None]
    leaf = tree.children_left == tree.children_right
    return bool(np.allclose(found[leaf], held[leaf], rtol=1e-9, atol=1e-6))
