"""Tests of single columns: identifiers, text, cells that are not numbers, the order of rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, xlogy

from tandemvote.auditing.cells import WORDS_OF_TEXT, Column, is_whole
from tandemvote.auditing.finding import Clue

FALSE_ALARM = 1e-6
"""Probability of each test, per column, to report independent data by chance."""

FEWEST_ROWS = 20
"""In fewer rows, many columns of independent values repeat none."""

NEARLY_ALL = 0.9
"""Share of distinct values from which on a column may identify its rows."""

FEW_VALUES, FEW_ROWS = 10, 0.05
"""Numbers, and share of rows, up to which a text among them is a category, and a missing entry."""

FEWEST_OF_CODE = 3
"""Rows with a number from which on it may be a code for missing entries."""

SEVERAL = 0.75
"""Groups of rows, as a share of the rows, up to which the rows of a group are several."""

LARGEST_EXACT = 2**53
"""Beyond this, integers are not exact as float64: they are codes, not measurements."""

IDENTIFIER = "identifier", "error", "Columns that identify rows"
FREE_TEXT = "free_text", "warning", "Columns of free text"
STRAY_TEXT = "stray_text", "error", "Columns of numbers with text among them"
TEXT_VALUES = "text_values", "error", "Columns of numbers and of text in many rows"
MISSING_CODE = "missing_code", "warning", "Columns with a number far from all others"
GROUPED_NAMES = "grouped_names", "error", "Names of rows with beginnings in common"
DECIMAL_COMMA = "decimal_comma", "error", "Columns of numbers with decimal commas"
TIME_ORDER = "time_order", "warning", "Rows are in the order of time"
TIMES = "time_order", "note", "Columns that hold times"
SORTED_ROWS = "sorted_rows", "warning", "Rows are sorted by column"

_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?")


def column_clues(columns: Sequence[Column]) -> Iterator[Clue]:
    """Report identifiers, free text, stray text among numbers, and decimal commas."""
    for column in columns:
        if column.is_number and len(columns) > 1 and _numbers_rows(column):
            yield IDENTIFIER, column.name, f"{column.distinct.size} distinct whole numbers"
        if column.is_number and (row := _row_of_missing_code(column)) is not None:
            yield MISSING_CODE, column.name, f"{column.values[row]:.0f}", f"in row {row + 1}"
        if column.values.dtype.kind != "O" or column.times is not None:
            continue
        present = column.values[column.codes >= 0]
        cells = [text.strip() for text in column.distinct.tolist()]
        is_text = [column.is_category or not _NUMBER.fullmatch(cell) for cell in cells]
        has_comma = ["," in cell for cell in cells]
        if any(has_comma) and not any(is_text):
            yield DECIMAL_COMMA, column.name, *_first_cell(column, has_comma)
        elif share := _share_of_stray(np.array(is_text, bool), column):
            few = len(is_text) - sum(is_text) <= FEW_VALUES or share > FEW_ROWS
            yield TEXT_VALUES if few else STRAY_TEXT, column.name, *_first_cell(column, is_text)
        elif _is_nearly_unique(column):
            if len(columns) == 1:  # texts for a pipeline
                continue
            if column.n_words >= WORDS_OF_TEXT:
                yield FREE_TEXT, column.name, f"{column.n_words:.0f} words on average"
            elif beginning := _repeated_beginning(cells):
                yield GROUPED_NAMES, column.name, beginning, "in several rows"
            elif not any(isinstance(each, float) for each in present):
                yield IDENTIFIER, column.name, f"{column.distinct.size} distinct texts"


def order_clues(columns: Sequence[Column]) -> Iterator[Clue]:
    """Report rows in the order of a column, and columns of times in any order."""
    for column in columns:
        if column.times is not None:
            if is_sorted(column.times):
                yield TIME_ORDER, column.name, "in order"
            elif not column.is_number and column.times.max(initial=-1) > 0:
                yield TIMES, column.name, "dates"
        elif column.is_number and column.distinct.size > 2 and is_sorted(column.codes):
            if np.ptp(column.distinct) == column.codes.size - 1 == column.distinct.size - 1:
                continue  # the numbers of the rows
            yield SORTED_ROWS, column.name, f"{column.distinct.size} distinct values"


def is_sorted(codes: NDArray[np.intp]) -> bool:
    """Return True if codes, ties included, are in an order that shuffling hardly ever gives.

    Negative codes are left out.

    Examples
    --------
    >>> is_sorted(np.repeat([7, 8, 9], 20)), is_sorted(np.array([1, 2, 3]))
    (True, False)
    """
    codes = codes[codes >= 0]
    steps = np.diff(codes)
    if (steps > 0).any() and (steps < 0).any():
        return False
    log_chance = np.log(2) + gammaln(np.bincount(codes) + 1).sum() - gammaln(codes.size + 1)
    return bool(log_chance < np.log(FALSE_ALARM))


def _is_nearly_unique(column: Column) -> bool:
    n_present = int((column.codes >= 0).sum())
    return n_present >= FEWEST_ROWS and column.distinct.size >= NEARLY_ALL * n_present


def _numbers_rows(column: Column) -> bool:
    """Return True for whole numbers that identify rows.

    Independent draws from a range of integers repeat values; the numbers of rows do not.
    """
    values, n_rows = column.distinct, int((column.codes >= 0).sum())
    if not (_is_nearly_unique(column) and is_whole(values)) or column.times is not None:
        return False
    low, high = values[0].item(), values[-1].item()
    if values.dtype.kind in "iu" and max(abs(low), abs(high)) > LARGEST_EXACT:
        return True
    span = high - low + 1.0
    repeats, by_chance = n_rows - values.size, n_rows + span * np.expm1(-n_rows / span)
    # Chernoff's bound: repeats are sums of negatively associated indicators.
    log_chance = repeats - by_chance + xlogy(repeats, by_chance / max(repeats, 1))
    return bool(repeats < by_chance and log_chance < np.log(FALSE_ALARM))


def _share_of_stray(is_text: NDArray[np.bool_], column: Column) -> float:
    """Return the share of rows with one of a few texts that turn numbers into text, or 0."""
    n_texts, n_numbers = int(is_text.sum()), int((~is_text).sum())
    if not 0 < n_texts <= max(2, 0.05 * n_numbers) or n_numbers < 3:
        return 0.0
    is_stray = np.append(is_text, False)[column.codes]
    share = float(is_stray[column.codes >= 0].mean())
    return share if share < 0.5 and isinstance(column.values[is_stray.argmax()], str) else 0.0


def _row_of_missing_code(column: Column) -> int | None:
    """Return the first row with a number such as -999, farther from all others than they range.

    Several rows hold it, so it is not an outlier.
    """
    values = column.distinct.astype(float)
    for place, rest in ((0, values[1:]), (values.size - 1, values[:-1])):
        if rest.size < 2 or not re.fullmatch("-?9{2,}", f"{values[place]:.16g}"):
            continue
        rows = np.flatnonzero(column.codes == place)
        if rows.size >= FEWEST_OF_CODE and np.abs(rest - values[place]).min() > np.ptp(rest):
            return int(rows[0])
    return None


def _repeated_beginning(names: Sequence[str]) -> str:
    """Return the beginning of a name, if names are those of groups and of few rows of each.

    PAT-0001/visit3 ends after the last sign that is not a letter or a digit. Many groups have
    digits in their names, and more beginnings than ends.
    """
    for sign in sorted({*names[0]}):
        if sign.isalnum():
            continue
        parts = [name.rpartition(sign) for name in names]
        beginnings, ends = ({part[place] for part in parts} for place in (0, 2))
        if (
            all(re.search(r"\d", each) for each in beginnings)
            and FEWEST_ROWS <= len(beginnings) <= SEVERAL * len(names)
            and len(ends) < len(beginnings)
        ):
            return "".join(parts[0][:2])
    return ""


def _first_cell(column: Column, is_of_interest: Sequence[bool]) -> tuple[str, str]:
    """Return the first cell with one of the distinct values of interest, and its row in words."""
    row = int(np.append(is_of_interest, False)[column.codes].argmax())
    return str(column.values[row]), f"in row {row + 1}"
