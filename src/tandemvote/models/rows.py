"""Rows compared by digests: copies among samples, and samples that were trained on."""

from __future__ import annotations

import math
from hashlib import blake2b
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, issparse
from scipy.stats import binom

from tandemvote.models.private_names import pick

Digests = NDArray[np.uint64]

FALSE_ALARM = 1e-6
"""Chance of as many copies of training rows below which they are no coincidence."""

CELLS = 10_000
"""Cells of a table that are digested together."""

NUMBERS = "biuf"
"""Kinds of numpy types that are numbers."""

GOLDEN_RATIO = np.uint64(0x9E3779B97F4A7C15)
"""By which SplitMix64 steps from one seed to the next; here from column to column."""

WAY_OUT = "The bound requires samples that no model was trained on. Pass held-out samples."


def row_digests(X: Any) -> Digests:
    """Return a digest per row, the same for the same values.

    X is an array, frame, sparse matrix or sequence of texts. Numbers are compared as float32, which
    is what trees see of them. A row's digest is the sum of its cells' digests; a zero has none.
    """
    if issparse(X):
        matrix = csr_array(X, copy=True)
        matrix.sum_duplicates()  # in place
        digests = np.zeros(matrix.shape[0], np.uint64)
        rows = np.repeat(np.arange(len(digests)), np.diff(matrix.indptr))
        np.add.at(digests, rows, _cell_digests(matrix.data, matrix.indices))
        return digests
    table = np.asarray(X)
    n_rows, n_columns = len(table), math.prod(table.shape[1:])
    table = table.reshape(n_rows, n_columns)
    digests = np.zeros(n_rows, np.uint64)
    if table.dtype.kind in NUMBERS:
        size = max(1, CELLS // max(1, n_columns))
        for part in (slice(start, start + size) for start in range(0, n_rows, size)):
            digests[part] = _cell_digests(table[part], np.arange(n_columns)).sum(axis=1)
        return digests
    for column in range(n_columns):
        cells = pick(X, column, axis=1) if hasattr(X, "columns") else table[:, column]
        digests += _cell_digests(np.asarray(cells), column)
    return digests


def _cell_digests(cells: NDArray[Any], columns: Any) -> Digests:
    """Mix what each cell holds with its column, by the finalizer of SplitMix64; 0 stays 0."""
    codes = _codes(cells)
    mixed = codes + GOLDEN_RATIO * (np.atleast_1d(columns).astype(np.uint64) + np.uint64(1))
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return np.asarray(np.where(codes == 0, np.uint64(0), mixed))


def _codes(cells: NDArray[Any]) -> Digests:
    """Return an integer per cell: the bits of a float32, or a digest of the text."""
    if cells.dtype.kind in NUMBERS:
        with np.errstate(over="ignore"):
            numbers = cells.astype(np.float32) + np.float32(0.0)  # -0.0 becomes 0.0
        return np.asarray(numbers.view(np.uint32), np.uint64)
    known: dict[str, int] = {}
    texts = [cell if isinstance(cell, str) else _as_text(cell) for cell in cells.tolist()]
    for text in set(texts):
        known[text] = int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")
    return np.array([known[text] for text in texts], np.uint64)


def _as_text(cell: Any) -> str:
    return repr(float(np.float32(cell))) if isinstance(cell, Real) else str(cell)


def check_not_training_rows(known: Digests, X: Any, *, what: str) -> None:
    """Reject samples, called `what` in the error, of whose rows too many have a `known` digest.

    Rows may coincide by chance. Known and new rows of one source could have changed places, so of
    the values that several rows have, about as many should be on both sides as when all these rows
    are dealt out at random. Clearly more were not drawn independently.
    """
    new = row_digests(X)
    share = new.size / (known.size + new.size)
    _, times = np.unique(np.concatenate([known, new]), return_counts=True)
    repeated = times[times > 1]
    expected = float((1 - share**repeated - (1 - share) ** repeated).sum())
    found = np.intersect1d(known, new).size
    # Independent events of different chances spread less than if all had the mean of these.
    if found and binom.sf(found - 1, repeated.size, expected / repeated.size) < FALSE_ALARM:
        raise ValueError(
            f"{found} different rows of the {new.size} {what} samples are rows of the training"
            f" data, where chance would give about {expected:.0f}. {WAY_OUT}"
        )


def note_copies(
    X: Any, labels: ArrayLike | None = None, *, what: str, digests: Digests | None = None
) -> tuple[str, ...]:
    """Return a note that counts the repeated rows among samples called `what`, if there are any.

    Whether they are copies of one case cannot be seen. The `digests` of the rows are computed if
    they are not given.

    Examples
    --------
    >>> note_copies([[1, 2], [3, 4], [1, 2]], [0, 1, 0], what="training")  # doctest: +ELLIPSIS
    ('1 of 3 training rows repeats an earlier one, label included. If ...',)
    """
    of_label: Any = np.uint64(0)
    if labels is not None:
        _, codes = np.unique(np.asarray(labels), return_inverse=True)
        of_label = codes.astype(np.uint64) * GOLDEN_RATIO
    digests = (row_digests(X) if digests is None else digests) + of_label
    n_rows = digests.size
    n_copies = n_rows - np.unique(digests).size
    if not n_copies:
        return ()
    return (
        f"{n_copies} of {n_rows} {what} rows {'repeat' if n_copies > 1 else 'repeats'} an earlier"
        f" one{'' if labels is None else ', label included'}. If these rows are copies, the bound"
        " is too small: remove the copies.",
    )
