"""Columns that identify rows or hold free text, and cells that are not what they should be."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from tandemvote.auditing.cells import Column, is_whole
from tandemvote.auditing.finding import Finding, about_columns
from tandemvote.codes import is_missing

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

_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?")


def column_findings(columns: Sequence[Column]) -> list[Finding]:
    """Report identifiers, free text, stray text among numbers, and decimal commas."""
    identifiers, texts, stray, commas = {}, {}, {}, {}
    for column in columns:
        if column.is_number:
            if len(columns) > 1 and _numbers_rows(column):
                identifiers[column.name] = f"{column.distinct.size} distinct whole numbers"
        elif column.values.dtype.kind == "O" and column.times is None:
            cells = [text.strip() for text in column.distinct.tolist()]
            is_number = np.array([bool(_NUMBER.fullmatch(cell)) for cell in cells], bool)
            has_comma = np.array(["," in cell for cell in cells], bool)
            if not column.is_category and is_number.all() and has_comma.any():
                commas[column.name] = _cell(column, has_comma)
            elif not column.is_category and _are_stray(~is_number, column):
                stray[column.name] = _cell(column, ~is_number)
            elif _is_nearly_unique(column):
                if column.n_words >= WORDS_OF_TEXT:
                    texts[column.name] = f"{column.n_words:.0f} words on average"
                elif len(columns) > 1 and not any(
                    isinstance(each, float) for each in column.values
                ):
                    identifiers[column.name] = f"{column.distinct.size} distinct texts"
    return [
        *about_columns("identifier", "error", "Columns that identify rows", identifiers),
        *about_columns("free_text", "warning", "Columns of free text", texts),
        *about_columns("stray_text", "error", "Columns of numbers with text among them", stray),
        *about_columns("decimal_comma", "error", "Columns of numbers with decimal commas", commas),
    ]


def _is_nearly_unique(column: Column) -> bool:
    n_present = int((column.codes >= 0).sum())
    return n_present >= FEWEST_ROWS and column.distinct.size >= NEARLY_ALL * n_present


def _numbers_rows(column: Column) -> bool:
    """Return True for whole numbers that identify rows.

    Independent draws from a range of integers repeat values; the numbers of rows do not.
    """
    present = column.values[~is_missing(column.values)]
    if not is_whole(present) or column.times is not None:
        return False
    if not (_is_nearly_unique(column.sample) and _is_nearly_unique(column)):
        return False
    low, high = present.min().item(), present.max().item()
    if present.dtype.kind in "iu" and max(abs(low), abs(high)) > LARGEST_EXACT:
        return True
    n_values, span = column.distinct.size, high - low + 1.0
    repeats = present.size - n_values
    by_chance = present.size + span * np.expm1(-present.size / span)
    # Chernoff's bound: repeats are sums of negatively associated indicators.
    log_chance = repeats - by_chance + xlogy(repeats, by_chance / max(repeats, 1))
    return bool(repeats < by_chance and log_chance < np.log(FALSE_ALARM))


def _are_stray(is_text: NDArray[np.bool_], column: Column) -> bool:
    """Return True if a few texts turn a column of numbers into text."""
    n_texts, n_numbers = int(is_text.sum()), int((~is_text).sum())
    if not 0 < n_texts <= max(2, 0.05 * n_numbers) or n_numbers < 3:
        return False
    if is_text[column.codes[column.codes >= 0]].mean() >= 0.5:
        return False
    return isinstance(column.values[_first_row(column, is_text)], str)


def _first_row(column: Column, is_of_interest: NDArray[np.bool_]) -> int:
    return int(np.append(is_of_interest, False)[column.codes].argmax())


def _cell(column: Column, is_of_interest: NDArray[np.bool_]) -> str:
    """Return the first cell with one of the distinct values of interest."""
    row = _first_row(column, is_of_interest)
    return f"{column.values[row]!r:.40} in row {row + 1}"
