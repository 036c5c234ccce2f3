"""Rows compared by digests: copies of rows, and rows that two tables share."""

from __future__ import annotations

from collections.abc import Collection
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, issparse
from scipy.special import bdtrc

from tandemvote.auditing.cells import (
    NUMBERS,
    WORDS_OF_TEXT,
    Column,
    Contents,
    factorize,
    read_contents,
)
from tandemvote.auditing.columns import FALSE_ALARM, NEARLY_ALL
from tandemvote.auditing.finding import Finding, about_data
from tandemvote.auditing.labels import agreement_by_chance
from tandemvote.votes.codes import Codes

Digests = NDArray[np.uint64]

N_PARTS = 4
"""Parts of the columns, of which halves are put together."""

ALL, MANY_COPIES = 0.99, 0.05
"""Agreement of rows that are equal in half of the columns, and share of copies, of an error."""

ROWS_AT_A_TIME = 2**13
"""Number of rows whose digests of a column fit the cache."""

GOLDEN_RATIO = np.uint64(0x9E3779B97F4A7C15)
"""Step of SplitMix64 from one seed to the next; here from column to column."""


def row_digests(X: Any) -> Digests:
    """Return a digest per row, the same for the same values, of numbers as float32.

    X is an array, DataFrame, sparse matrix or sequence of texts. Trees see numbers as float32.
    """
    return digest_parts(read_contents(X), n_parts=1, kind=np.float32)[0]


def digest_parts(table: Contents, *, n_parts: int = N_PARTS, kind: Any = np.float64) -> Digests:
    """Return digests of shape (n_parts, n_rows), each of some of the columns.

    The digest of a row is the sum of its parts, and a part the sum of its cells; a zero has none.
    Columns of many values are dealt out to the parts first.
    """
    columns, array = table
    digests = np.zeros((n_parts, array.shape[0]), np.uint64)
    if issparse(array):
        matrix = coo_array(array, copy=True)
        matrix.sum_duplicates()  # in place
        cells = _cell_digests(matrix.data, matrix.col, kind)
        np.add.at(digests, (matrix.col % n_parts, matrix.row), cells)
        return digests
    if n_parts > 1:
        columns = sorted(columns, key=lambda column: -column.distinct.size)
    values = [*(column.values for column in columns), *array.T]
    for start in range(0, digests.shape[1], ROWS_AT_A_TIME):
        chunk = slice(start, start + ROWS_AT_A_TIME)
        for place, cells in enumerate(values):
            digests[place % n_parts, chunk] += _cell_digests(cells[chunk], place, kind)
    return digests


def _cell_digests(cells: NDArray[Any], column: Any, kind: Any) -> Digests:
    """Mix what each cell holds with its column, by the finalizer of SplitMix64; 0 stays 0."""
    codes = _codes(cells, kind)
    mixed = codes + GOLDEN_RATIO * (np.atleast_1d(column).astype(np.uint64) + np.uint64(1))
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return np.asarray(np.where(codes == 0, np.uint64(0), mixed))


def _codes(cells: NDArray[Any], kind: Any) -> Digests:
    """Return an integer per cell: the bits of a number, or a digest of the text."""
    if cells.dtype.kind == "M":
        return np.asarray(cells.astype("datetime64[us]").view(np.uint64))
    if cells.dtype.kind in "iu" and kind is np.float64:  # which does not hold all large integers
        return cells.astype(np.uint64)
    if cells.dtype.kind in NUMBERS:
        with np.errstate(over="ignore", invalid="ignore"):
            numbers = cells.astype(kind) + kind(0.0)  # -0.0 becomes 0.0
            numbers[np.isnan(numbers)] = np.nan
        return np.asarray(numbers.view(f"u{numbers.itemsize}").astype(np.uint64))
    texts, codes = factorize(cells)
    hashes = [blake2b(str(text).encode(errors="replace"), digest_size=8) for text in texts]
    digests = [int.from_bytes(each.digest(), "big") for each in hashes]
    return np.array([*digests, 1], np.uint64)[codes]  # 1 where the value is missing


def copy_findings(
    table: Contents,
    label: Codes | None = None,
    group: Codes | None = None,
    *,
    skipped: Collection[str] = (),
    what: str = "rows",
) -> tuple[list[Finding], NDArray[np.bool_]]:
    """Report rows that repeat a row of another group, label included, and return which do not.

    Where chance makes rows equal, more rows are equal in half of the columns. Copies that are equal
    in half of the columns are equal in all of them. Without groups, every row is one.
    """
    columns, array = without_columns(table, skipped)
    without = " in all other columns" * (len(columns) < len(table[0]))
    if len(columns) == 1 and columns[0].n_words >= WORDS_OF_TEXT:
        columns = _words_as_columns(columns[0])
    parts = digest_parts((columns, array))
    n_rows = parts.shape[1]
    of_label = (np.zeros(n_rows) if label is None else label).astype(np.uint64) * GOLDEN_RATIO
    whole = parts.sum(axis=0) + of_label
    if group is not None:
        rows = np.unique(np.column_stack([whole, group]), axis=0, return_index=True)[1]
        parts, of_label, whole = parts[:, rows], of_label[rows], whole[rows]
    is_first = np.zeros(whole.size, bool)
    is_first[np.unique(whole, return_index=True)[1]] = True
    n_copies = int((~is_first).sum())
    if not n_copies:
        return [], is_first
    agreement, n_values = _agreement(whole, parts, of_label)
    severity = "warning" if agreement > NEARLY_ALL else "note"
    is_chance = bdtrc(np.floor(agreement * n_values) - 1, n_values, 0.5) >= FALSE_ALARM
    if agreement > ALL and not is_chance and n_copies >= MANY_COPIES * n_rows:
        severity = "error"
    message = (
        f"{n_copies} of {n_rows} {what} repeat{'s' * (n_copies == 1)} an earlier one{without}"
        f"{'' if label is None else ', label included'}."
    )
    evidence = {"agreement of rows that are equal in half of the columns": f"{agreement:.0%}"}
    return [about_data("copied_rows", severity, message, evidence=evidence)], is_first


def without_columns(table: Contents, skipped: Collection[str]) -> Contents:
    """Return a table without the skipped columns, or as it is if that leaves none."""
    columns, array = table
    return [column for column in columns if column.name not in skipped] or columns, array


def _words_as_columns(column: Column) -> list[Column]:
    words = [str(text).split() for text in column.values]
    parts = ([" ".join(row[part::N_PARTS]) for row in words] for part in range(N_PARTS))
    return [Column(place, np.array(texts, object)) for place, texts in enumerate(parts)]


def _agreement(whole: Digests, parts: Digests, of_label: Digests) -> tuple[float, int]:
    """Return how often rows that are equal in half of the columns are equal in all of them.

    That is the mean over the values of the half that several rows have, beyond the agreement of
    any two rows in the other half; the second number counts these values. The best of four halves.
    """
    _, place, times = np.unique(whole, return_inverse=True, return_counts=True)
    n_copies = times[place] - 1.0
    best = 0.0, 0
    for first, second in ((0, 2), (1, 3), (0, 1), (2, 3)):
        half = parts[first] + parts[second]
        other_half = np.unique(parts.sum(axis=0) - half, return_inverse=True)[1]
        by_chance = agreement_by_chance(other_half)
        _, place, times = np.unique(half + of_label, return_inverse=True, return_counts=True)
        several = times > 1
        equal = np.bincount(place, weights=n_copies)[several] / (times * (times - 1.0))[several]
        if by_chance < 1:
            best = max(best, (float((equal.mean() - by_chance) / (1 - by_chance)), equal.size))
    return best


def chance_of_shared(known: Digests, new: Digests) -> tuple[int, float, float]:
    """Return the number of values that two sets of rows share, the expected one, and its chance.

    Rows of one source could have changed places. Of the values that several rows have, about as
    many should be in both sets as when all these rows are dealt out at random.
    """
    share = new.size / max(known.size + new.size, 1)
    _, times = np.unique(np.concatenate([known, new]), return_counts=True)
    repeated = times[times > 1]
    expected = float((1 - share**repeated - (1 - share) ** repeated).sum())
    n_shared = np.intersect1d(known, new).size
    # Independent events of different chances spread less than if all had the mean of these.
    mean = expected / max(repeated.size, 1)
    return n_shared, expected, float(bdtrc(n_shared - 1, repeated.size, mean))


def unlabeled_findings(
    table: Contents, unlabeled: Contents, *, skipped: Collection[str]
) -> list[Finding]:
    """Report copies of unlabeled samples, and labeled ones among them beyond chance."""
    known, new = (
        digest_parts(without_columns(each, skipped), n_parts=1, kind=np.float32)[0]
        for each in (table, unlabeled)
    )
    n_shared, expected, chance = chance_of_shared(known, new)
    copies, _ = copy_findings(unlabeled, what="unlabeled rows")
    if chance >= FALSE_ALARM:
        return copies
    message = (
        f"{n_shared} distinct rows of the {new.size} unlabeled samples are labeled samples, about"
        f" {expected:.0f} by chance."
    )
    return [about_data("shared_rows", "error", message), *copies]
