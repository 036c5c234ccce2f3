"""What one column shows: identifiers, text, cells that are not numbers, and the order of rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, xlogy

from tandemvote.auditing.cells import Column, is_whole
from tandemvote.auditing.finding import Clue

FALSE_ALARM = 1e-6
"""Probability of each test, per column, to report independent data by chance."""

FEWEST_ROWS = 20
"""In fewer rows, many columns of independent values repeat none."""

NEARLY_ALL = 0.9
"""Share of distinct values from which on a column may identify its rows."""

WORDS_OF_TEXT = 5
"""Mean number of words from which on distinct texts are free text rather than names."""

LARGEST_EXACT = 2**53
"""Beyond this, integers are not exact as float64: they are codes, not measurements."""

IDENTIFIER = "identifier", "error", "Columns that identify rows"
FREE_TEXT = "free_text", "warning", "Columns of free text"
STRAY_TEXT = "stray_text", "error", "Columns of numbers with text among them"
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
        if column.values.dtype.kind != "O" or column.times is not None:
            continue
        present = column.values[column.codes >= 0]
        cells = [text.strip() for text in column.distinct.tolist()]
        is_text = [column.is_category or not _NUMBER.fullmatch(cell) for cell in cells]
        has_comma = ["," in cell for cell in cells]
        if any(has_comma) and not any(is_text):
            yield DECIMAL_COMMA, column.name, *_first_cell(column, has_comma)
        elif _are_stray(np.array(is_text, bool), column):
            yield STRAY_TEXT, column.name, *_first_cell(column, is_text)
        elif _is_nearly_unique(column):
            if column.n_words >= WORDS_OF_TEXT:
                yield FREE_TEXT, column.name, f"{column.n_words:.0f} words on average"
            elif len(columns) > 1 and not any(isinstance(each, float) for each in present):
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


def _are_stray(is_text: NDArray[np.bool_], column: Column) -> bool:
    """Return True if a few texts turn a column of numbers into text."""
    n_texts, n_numbers = int(is_text.sum()), int((~is_text).sum())
    if not 0 < n_texts <= max(2, 0.05 * n_numbers) or n_numbers < 3:
        return False
    is_stray = np.append(is_text, False)[column.codes]
    is_rare = bool(is_stray[column.codes >= 0].mean() < 0.5)
    return is_rare and isinstance(column.values[is_stray.argmax()], str)


def _first_cell(column: Column, is_of_interest: Sequence[bool]) -> tuple[str, int]:
    """Return the first cell with one of the distinct values of interest, and its row."""
    row = int(np.append(is_of_interest, False)[column.codes].argmax())
    return str(column.values[row]), row + 1
