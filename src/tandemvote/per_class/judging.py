"""Votes of a certified classifier on the points each of its voters never saw, found again."""

from __future__ import annotations

from functools import reduce
from numbers import Integral
from operator import add
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_array, check_random_state, column_or_1d, indexable

from tandemvote.ensembles.hold_out import hold_out_votes
from tandemvote.ensembles.out_of_bag import out_of_bag_votes
from tandemvote.ensembles.splits import Rows, bootstrap, held_out_mask, split
from tandemvote.ensembles.voters import Voter, encode, predict_held_out
from tandemvote.estimators import (
    CertifiedBaggingClassifier,
    CertifiedForestClassifier,
    CertifiedVotingClassifier,
)
from tandemvote.estimators.certified_vote import CertifiedVote
from tandemvote.per_class.counting import class_counts
from tandemvote.votes import Votes

COMPARED = ("errors", "sizes", "tandem_errors", "overlaps")
"""What the estimator counted in `fit` and the votes found again must agree on."""

TEST_SET_INSTEAD = (
    "pass Votes.from_predictions([model.predict(X_test)], y_test) with bound='test_set'."
)


def judge_again(model: CertifiedVote, X: Any, y: ArrayLike) -> tuple[Votes, list[str]]:
    """Let every voter judge once more the points that `fit` held out for it.

    Parameters
    ----------
    model : fitted certified classifier
    X, y : array_like
        The points and labels given to `fit`, in the same order.

    Returns
    -------
    votes : Votes
    notes : list of str

    Raises
    ------
    ValueError
        If the votes do not give exactly the counts of `fit`, or cannot be found again.
    """
    if len(model.estimators_) < model.counts_.n_voters:
        raise ValueError(
            f"This vote was pruned to {len(model.estimators_)} of {model.counts_.n_voters} voters,"
            " and the guarantee must pay for the choice among all. Pass the whole vote with"
            " weights=pruned.certificate_.weights."
        )
    votes = _votes(model, X, y)
    counts = reduce(add, (found.counts for found in class_counts(votes, votes.classes)))
    if not all(
        np.array_equal(getattr(counts, name), getattr(model.counts_, name)) for name in COMPARED
    ):
        raise ValueError(
            "X and y give other votes than those that fit counted. Pass the exact X and y of fit,"
            f" in the same order; or {TEST_SET_INSTEAD}"
        )
    return votes, [
        f"Held-out labels: the {votes.n_samples} given to fit, each used for the voters that were"
        " not trained on it; the votes on them are those counted then."
    ]


def _votes(model: CertifiedVote, X: Any, y: ArrayLike) -> Votes:
    labels = column_or_1d(y)
    if isinstance(model, CertifiedForestClassifier):
        # As fit does: the forest inside was trained on plain numbers without column names.
        points = check_array(
            X, accept_sparse="csr", dtype=np.float32, ensure_all_finite="allow-nan"
        )
        return out_of_bag_votes(model.forest_, points, labels)
    points = indexable(X)[0]
    if isinstance(model, CertifiedVotingClassifier) and model.prefit:
        return hold_out_votes(model.estimators_, points, labels)
    codes = encode(labels, model.classes_)
    held_out = held_out_mask(_rows(model, len(labels)), len(labels))
    voters = [Voter(estimator, model.classes_) for estimator in model.estimators_]
    predictions = predict_held_out(voters, points, codes, held_out, getattr(model, "n_jobs", None))
    return Votes(predictions, codes, held_out, model.classes_, predictions[:, :0])


def _rows(model: CertifiedVote, n_samples: int) -> list[Rows]:
    """Draw again the points each voter was trained on; a seed gives the same ones every time."""
    seed = getattr(model, "random_state", None)
    if isinstance(model, CertifiedBaggingClassifier) and isinstance(seed, Integral):
        random_state = check_random_state(seed)
        drawn = range(model.n_estimators)
        return [bootstrap(n_samples, model.max_samples, random_state) for _ in drawn]
    if isinstance(model, CertifiedVotingClassifier) and (
        isinstance(seed, Integral) or not isinstance(model.splits, Integral)
    ):
        parts = split(n_samples, model.splits, check_random_state(seed))
        return [part for part in parts for _ in model.estimators]
    raise ValueError(
        f"random_state={seed!r} does not tell which points each voter of {type(model).__name__} was"
        f" trained on. Fit with a whole number as random_state, or {TEST_SET_INSTEAD}"
    )
