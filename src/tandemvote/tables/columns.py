"""Columns: what they are called and hold, labels as classes, and columns that tell rows apart."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from difflib import get_close_matches
from itertools import pairwise
from shlex import quote
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tandemvote.codes import is_missing
from tandemvote.extras import import_extra
from tandemvote.spelling import shown
from tandemvote.tables.errors import DatasetError, either

if TYPE_CHECKING:
    import pandas

NAMES_SHOWN = 20

# What R, pandas, databases and spreadsheets write for a missing entry. UCI's ``?`` is not among
# them, as it may be a category elsewhere.
MISSING_TEXTS = (
    *("", "NA", "N/A", "n/a", "<NA>", "#NA", "#N/A", "#N/A N/A", "NULL", "null", "None"),
    *("NaN", "nan", "-NaN", "-nan", "NaT", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
)

FEW_CLASSES = 30
ROWS_OF_A_CLASS = {"numbers": 15, "texts": 2}  # that more than a few need, on average
FEWEST_ROWS = 20  # in fewer rows many an honest column has no value twice
NEARLY_ALL = 0.9  # share of different values from which on a column may name its rows
_IDENTIFIERS = re.compile(
    r"(?i:unnamed: \d+|(row|record)[ _.]?(names?|no|nr)|(.*[ _.-])?(uu|gu|u)?id)|.*[a-z]I[Dd]"
)


def find_column(columns: Sequence[str], wanted: str, name: Any) -> None:
    """Reject a name that is not among the columns, and suggest similar ones."""
    if wanted not in columns:
        near = get_close_matches(wanted, columns, n=3)
        suggestion = f"Did you mean {' or '.join(map(repr, near))}? " if near else ""
        raise DatasetError(
            f"{name} has no column {wanted!r}. {suggestion}Its columns are"
            f" {shown(columns, NAMES_SHOWN)}. If these are data, the file has no header line: add"
            f" one, or {either('pass header=False', 'give --no-header')} where that is an option."
        )


def check_duplicates(columns: Sequence[str], name: Any) -> None:
    """Reject a table with two columns of the same name."""
    for column, count in Counter(columns).items():
        if count > 1:
            raise DatasetError(f"{name} has {count} columns {column!r}. Give each its own name.")


def reject_data(header: Sequence[str], name: Any) -> None:
    """Reject a header line that holds numbers in no ascending order, as a line of data does.

    Ascending numbers, such as 0, 1, 2, years or wavelengths, can be names.
    """
    if any(first >= second for first, second in pairwise(map(float, filter(is_number, header)))):
        raise DatasetError(
            f"{name} starts with {shown(header, NAMES_SHOWN)}, which looks like data, not names."
            f" {either('Pass header=False', 'Give --no-header')} to call the columns column1,"
            f" column2 and so on; {either('header=True', '--header')} if these are their names."
        )


def is_number(cell: str) -> bool:
    """Tell whether a cell is written as a number."""
    try:
        float(cell)
    except ValueError:
        return False
    return True


def inferred(column: pandas.Series) -> str:
    """Return what pandas finds in a column, gaps aside, whatever its type is."""
    return str(import_extra("pandas", "data").api.types.infer_dtype(column, skipna=True))


def missing_labels(labels: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell which labels are missing: NaN, or what it and None become in an array of text."""
    if labels.dtype.kind == "U":
        return np.asarray(np.isin(np.char.strip(labels), MISSING_TEXTS))
    return is_missing(labels)


def label_array(column: pandas.Series) -> NDArray[Any]:
    """Return a label column without gaps as an array of integers, floats, booleans or objects."""
    kind = inferred(column)
    if kind in ("floating", "mixed-integer-float", "decimal"):
        return np.asarray(column.to_numpy(dtype=np.float64))
    labels = np.asarray(column.to_numpy(dtype=object))
    if kind == "integer":
        _check_int64(labels, str(column.name))
        return labels.astype(np.int64)
    return labels.astype(bool) if kind == "boolean" else labels


def classes_of(
    labels: NDArray[Any], *, column: str, like: NDArray[Any] | None = None
) -> NDArray[Any]:
    """Turn labels without gaps into classes: whole numbers, booleans, or else text.

    Labels that look like measurements or names, numbers beyond int64 and fewer than two classes are
    rejected; so are labels of another kind than those of `like`, which need not be as many.
    """
    said, classes, noun, look = f"The label column {column!r}", labels, "texts", "name"
    way_out = "A class needs many rows. Choose another column."
    if labels.dtype.kind in "iuf":
        noun, look = "numbers", "measurement"
        way_out = (
            "A classifier needs classes. Bin the values, choose another column, or use a tool for"
            " regression; to use every value as a class, name the column with"
            f" {either('categories', '--category')}."
        )
        _check_int64(labels.astype(object), column)
        classes = labels.astype(np.int64)
        fractions = labels[labels != classes]
        if fractions.size:
            raise DatasetError(f"{said} holds fractions such as {fractions[0]}. {way_out}")
    elif labels.dtype.kind != "b":
        classes = np.array([str(label) for label in labels])
    distinct = np.unique(classes)
    if like is not None:
        if like.dtype.kind != classes.dtype.kind:
            raise DatasetError(
                f"{said} holds {classes[0]!s:.40}, unlike the first table's {like[0]!s:.40}. Write"
                " the labels in the same way in both."
            )
    elif len(distinct) < 2:
        raise DatasetError(
            f"{said} holds one class only ({distinct[0]}); at least two are needed. Choose another"
            " column, or add rows of another class."
        )
    elif len(distinct) > FEW_CLASSES and len(classes) < ROWS_OF_A_CLASS[noun] * len(distinct):
        raise DatasetError(
            f"{said} looks like a {look}: {len(distinct)} different {noun} in {len(classes)} rows."
            f" {way_out}"
        )
    return classes


def _check_int64(labels: NDArray[Any], column: str) -> None:
    """Reject numbers, given as objects, that a class cannot be."""
    outside = labels[~(np.abs(labels) < 2**63)]
    if outside.size:
        raise DatasetError(
            f"The label column {column!r} holds {outside[0]}; the limit is 2^63. Write such labels"
            " as text, or leave out their rows."
        )


def identifier_reason(
    column: pandas.Series, numbers: NDArray[Any], categories: Collection[str | None] | None
) -> str | None:
    """Say why a column seems to number or name its rows; return None if it does not.

    Where a table is sorted by its labels, as many are, the row number gives the label away.

    Text does if it hardly repeats. Whole numbers do if they hardly repeat and are sorted, or are
    called like an identifier, or lie so close together that independent draws would have
    repeated: n draws from a range of R integers repeat about n²/2R times, or more often.
    """
    present = column.notna().to_numpy()
    n_rows, numbers = int(present.sum()), numbers[present]
    distinct = column.nunique() if categories is None else len({*categories} - {None})
    if n_rows < FEWEST_ROWS or distinct < NEARLY_ALL * n_rows:
        return None
    if categories is not None:
        return f"{distinct} different texts in {n_rows} rows"
    if (numbers != np.rint(numbers)).any():
        return None
    low, high = numbers.min(), numbers.max()
    reason = f"whole numbers from {low:.15g} to {high:.15g}"
    if in_order(numbers):
        return f"{reason} in order"
    repeats_by_chance = n_rows * (n_rows - 1) / 2 / (high - low + 1)
    named = _IDENTIFIERS.fullmatch(str(column.name))
    if named or repeats_by_chance > 7 + 3 * (n_rows - distinct):
        return f"{reason}, hardly one of them twice"
    return None


def in_order(numbers: NDArray[Any]) -> bool:
    """Tell whether numbers never fall or never rise."""
    steps = np.diff(numbers)
    return bool((steps >= 0).all() or (steps <= 0).all())


def columns_in_order(X: NDArray[Any]) -> list[int]:
    """Return the places of columns by which the rows are sorted and that hardly repeat a value."""
    found = []
    for place, column in enumerate(X.T):
        present = column[~np.isnan(column)]
        fewest = max(FEWEST_ROWS, NEARLY_ALL * present.size)
        if in_order(present) and np.unique(present).size >= fewest:
            found.append(place)
    return found


def columns_that_tell(X: NDArray[Any], y: NDArray[Any]) -> list[int]:
    """Return the places of columns that hold one value per class, and another for each."""
    classes, first, codes = np.unique(y, return_index=True, return_inverse=True)
    if len(y) < FEWEST_ROWS or classes.size < 2:
        return []
    return [
        place
        for place, column in enumerate(X.T)
        if np.unique(column[first]).size == classes.size
        and np.array_equal(column, column[first][codes], equal_nan=True)
    ]


def check_identifiers(reasons: Mapping[str, str], keep: Collection[str]) -> None:
    """Reject columns that number or name the rows, unless they are to be kept."""
    found = [column for column in reasons if column not in keep]
    if not found:
        return
    listed = "; ".join(f"{column!r} ({reasons[column]})" for column in found)
    dropping, keeping = (
        " ".join(f"{option} {quote(name)}" for name in found) for option in ("--drop", "--keep")
    )
    these, it = ("This column seems", "it") if len(found) == 1 else ("These columns seem", "them")
    raise DatasetError(
        f"{these} to number or name the rows: {listed}. Models may memorize rows by it and"
        f" fail on new rows. {either(f'Pass drop={found}', f'Give {dropping}')} to"
        f" exclude {it}, or {either(f'keep={found}', keeping)} to use {it}."
    )
