"""Recognise points that were trained on where points never seen are wanted."""

from __future__ import annotations

import math
from hashlib import blake2b
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, issparse

from tandemvote.codes import encode
from tandemvote.ensembles.audit import AuditError, audit_bootstraps
from tandemvote.ensembles.members import BAGGED, made_of_trees, member_input, members_of
from tandemvote.ensembles.pipelines import before_last_step, last_step
from tandemvote.ensembles.private_names import n_trained_on, pick_rows
from tandemvote.ensembles.splits import held_out_mask
from tandemvote.ensembles.voters import TreeVoter

Digests = NDArray[np.uint64]

SURPRISE = 5.0
"""Standard deviations beyond which copies of training rows are no coincidence."""

COINCIDENCE = 0.01
"""Expected number of training points that a point fits by chance, below which a fit says much."""

SUSPICIOUS_SHARE = 0.2
"""Share of such points that must fit. On 24 forests for Splice, SatImage, Adult and Letter, new
points were never refused; half of the training points were by 11 of 12 forests of 100 trees (not by
shallow ones on Adult), and by 6 of 12 of 30 trees."""

ENOUGH_POINTS = 5
"""How many must fit at least."""

MOST_POINTS = 4000
"""How many points are looked at, drawn at random."""

CHUNK = 10_000
"""Training points that are compared at a time."""

WAY_OUT = "Pass points that were not trained on."


def row_digests(X: Any) -> Digests:
    """Return a digest per row, the same for the same values.

    X is an array, frame, sparse matrix or sequence of texts. Numbers are compared as float32, which
    is what trees see of them.

    Examples
    --------
    >>> first, second, third = row_digests([[1, 2], [1.0, 2.0], [2, 1]])
    >>> bool(first == second), bool(first == third)
    (True, False)
    """
    return np.array(
        [int.from_bytes(blake2b(row, digest_size=8).digest(), "little") for row in _rows(X)],
        dtype=np.uint64,
    )


def _rows(X: Any) -> list[bytes]:
    if issparse(X):
        matrix = csr_array(X, copy=True)  # what follows works in place
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        indices, values = matrix.indices.astype(np.int64), matrix.data.astype(np.float32)
        return [
            indices[start:end].tobytes() + values[start:end].tobytes()
            for start, end in zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True)
        ]
    table = np.asarray(X)
    if table.dtype.kind in "biuf":
        return [row.tobytes() for row in np.ascontiguousarray(table, np.float32)]
    return ["\x1f".join(map(_as_text, np.atleast_1d(row))).encode() for row in table]


def _as_text(cell: Any) -> str:
    return repr(float(np.float32(cell))) if isinstance(cell, Real) else str(cell)


def refuse_training_rows(known: Digests, X: Any, *, what: str) -> None:
    """Refuse points that were taken from the training points.

    Rows may coincide by chance. How often, the training points tell: as often as one of them has a
    copy among the others. Clearly more copies than that were not drawn independently.

    Parameters
    ----------
    known : ndarray of uint64
        Digests of the training points.
    X : array_like, frame or sparse matrix
        Points that should be new, called `what` in the error.

    Examples
    --------
    >>> X = np.arange(40.0).reshape(20, 2)
    >>> refuse_training_rows(row_digests(X), X + 0.5, what="test")
    >>> refuse_training_rows(row_digests(X), X[:10], what="test")
    Traceback (most recent call last):
        ...
    ValueError: 10 of the 10 test points are rows of the training data, where chance would give \
about 0. The voters know these points, so they show nothing. Pass points that were not trained on.
    """
    new = row_digests(X)
    different, place, copies = np.unique(known, return_inverse=True, return_counts=True)
    by_chance = float((copies[place] > 1).mean())
    found = int(np.isin(new, different).sum())
    expected = by_chance * new.size
    if found > expected + SURPRISE * math.sqrt(expected * (1.0 - by_chance) + 1.0):
        raise ValueError(
            f"{found} of the {new.size} {what} points are rows of the training data, where chance"
            f" would give about {expected:.0f}. The voters know these points, so they show nothing."
            f" {WAY_OUT}"
        )


def refuse_points_trained_on(model: Any, X: Any, y: ArrayLike, *, what: str) -> None:
    """Refuse labelled points that a fitted classifier was trained on, where it keeps a trace.

    A certified classifier keeps a digest per row. The trees of a bagged ensemble keep what fell
    into their leaves: a point that a tree was trained on lies in a leaf that holds its class. So
    a training point is left out by the bootstraps of all trees whose leaf does not hold its class;
    of a new point, hardly any training point can be found for which that is so.
    """
    X, model = before_last_step(model, X), last_step(model)
    if hasattr(model, "training_rows_"):
        refuse_training_rows(model.training_rows_, X, what=what)
    elif isinstance(model, BAGGED) and made_of_trees(model) and hasattr(model, "classes_"):
        _refuse_points_in_leaves(model, X, np.asarray(y), what)


def _refuse_points_in_leaves(model: Any, X: Any, labels: NDArray[Any], what: str) -> None:
    known = np.isin(labels, model.classes_)
    if known.all() and len(labels) == n_trained_on(model) and _is_training_data(model, X, labels):
        raise ValueError(
            f"The {len(labels)} {what} points are those that {type(model).__name__} was trained on."
            f" The voters know these points, so they show nothing. {WAY_OUT}"
        )
    rows = np.flatnonzero(known)
    if not rows.size:
        return
    if rows.size > MOST_POINTS:
        rows = np.random.default_rng(0).choice(rows, MOST_POINTS, replace=False)
    codes = encode(labels[rows], model.classes_)
    points = member_input(model, pick_rows(X, rows))
    strange = np.array(
        [
            voter.leaf_contents[voter.leaves(points), codes] <= 0
            for voter in members_of(model)
            if isinstance(voter, TreeVoter)
        ]
    )
    drawn = ~held_out_mask(model.estimators_samples_, n_trained_on(model))
    # Logarithm of the expected number of training points that all these trees left out by chance.
    left_out = np.log1p(-drawn.mean(axis=1).clip(max=1 - 1e-9))
    by_chance = left_out @ strange + math.log(n_trained_on(model))
    telling = strange[:, by_chance < math.log(COINCIDENCE)].T.astype(np.float32)
    fits = np.zeros(len(telling), bool)
    for start in range(0, n_trained_on(model), CHUNK):
        part = drawn[:, start : start + CHUNK].astype(np.float32)
        fits |= (telling @ part == 0).any(axis=1)
    if fits.sum() >= max(ENOUGH_POINTS, SUSPICIOUS_SHARE * fits.size):
        raise ValueError(
            f"Of {fits.size} {what} points that can be told apart, {int(fits.sum())} are points"
            f" that {type(model).__name__} was trained on: every tree whose leaf does not know"
            " their label left the same training point out. The voters know these points, so they"
            f" show nothing. {WAY_OUT}"
        )


def _is_training_data(model: Any, X: Any, labels: NDArray[Any]) -> bool:
    try:
        audit_bootstraps(model, X, labels)
    except AuditError:
        return False
    return True
