"""Votes of estimators that are trained on one part of a split and tested on the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.model_selection import KFold, RepeatedKFold, ShuffleSplit, TimeSeriesSplit
from sklearn.utils import column_or_1d

from tandemvote.auditing import check_findings
from tandemvote.auditing.audit import audit
from tandemvote.models.held_out import predict_each
from tandemvote.models.model_checks import check_not_frozen, check_one_label, predict_labels
from tandemvote.models.parameters import parameter_findings
from tandemvote.models.private_names import pick
from tandemvote.votes.index_order import check_same_order, index_of
from tandemvote.votes.votes import Votes

BLIND = (KFold, RepeatedKFold, ShuffleSplit)
"""Splitters that use neither labels nor features; subclasses may."""

Pair = tuple[NDArray[np.intp], NDArray[np.intp]]


def votes_from_splits(
    estimators: Any, X: Any, y: ArrayLike, *, splits: Any, X_unlabeled: Any = None
) -> Votes:
    """Train every estimator on the training part of every split, and test it on the other part.

    This is `Votes.from_splits`.
    """
    check_same_order(y, {"X": X})
    labels = column_or_1d(y)
    pairs = split_pairs(splits, labels.size)
    unfitted = [estimators] if hasattr(estimators, "fit") else list(estimators)
    for estimator in unfitted:
        check_one_label(estimator)
        check_not_frozen(estimator)
    of_parameters = (parameter_findings(estimator, X, {}) for estimator in unfitted)
    check_findings([*audit(X, y, X_unlabeled=X_unlabeled), *chain(*of_parameters)], ())
    models, predictions, held_out = [], [], []
    for training, tested in pairs:
        X_training, X_tested = pick(X, training), pick(X, tested)
        for estimator in unfitted:
            models.append(clone(estimator).fit(X_training, labels[training]))
            predictions.append(labels.copy())  # unread where the model was trained
            predictions[-1][tested] = predict_labels(models[-1], X_tested)
            held_out.append(np.isin(np.arange(labels.size), tested))
    voters, unlabeled = partial(predict_each, models), None
    if X_unlabeled is not None:
        codes, classes = voters(X_unlabeled)
        unlabeled = classes[codes]
    votes = Votes.from_predictions(predictions, labels, held_out, unlabeled=unlabeled)
    return replace(votes, voters=voters, index=index_of(X))


def split_pairs(splits: Any, n_samples: int) -> list[Pair]:
    """Return the training and test positions of splits that do not depend on the data.

    Examples
    --------
    >>> [(training, tested)] = split_pairs([([0, 1], [2, 3])], 4)
    >>> tested.tolist()
    [2, 3]
    """
    if hasattr(splits, "split"):
        _check_blind(splits)
        return list(splits.split(np.empty(n_samples)))
    if not isinstance(splits, Sequence) or not len(splits):
        raise ValueError(
            f"splits={splits!r} is not valid; expected KFold(shuffle=True), RepeatedKFold,"
            " ShuffleSplit, or a list of pairs (training positions, test positions)."
        )
    pairs = [(np.asarray(training), np.asarray(tested)) for training, tested in splits]
    for place, pair in enumerate(pairs):
        if not (
            all(part.size and part.dtype.kind in "iu" for part in pair)
            and min(map(np.min, pair)) >= 0
            and max(map(np.max, pair)) < n_samples
            and not np.intersect1d(*pair).size
        ):
            raise ValueError(
                f"splits[{place}]={tuple(part.tolist() for part in pair)!r:.60} is not valid;"
                f" expected training and test positions from 0 to {n_samples - 1}, at least one of"
                " each and none in both. Remove the split, or pass positions."
            )
    return pairs


def _check_blind(splits: Any) -> None:
    """Raise ValueError for splitters that may depend on the labels or the order of the rows."""
    if type(splits) in BLIND and getattr(splits, "shuffle", True):
        return
    fix = "Use KFold(shuffle=True), RepeatedKFold or ShuffleSplit."
    if "Group" in type(splits).__name__:
        fix = "Samples that belong together: CertifiedClassifier(model).fit(X, y, groups=groups)."
    if isinstance(splits, TimeSeriesSplit):
        fix = "Rows in the order of time: CertifiedClassifier(model).fit(X, y, order=times)."
    raise ValueError(
        f"splits={splits!r} is not supported: the bound requires splits that do not depend on the"
        f" labels or the order of the rows. {fix}"
    )
