"""Columns that identify rows or hold free text, and cells that are not what they should be."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from tandemvote.auditing.cells import Column, factorize
from tandemvote.auditing.finding import Finding

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

COLUMNS_SHOWN = 3

_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?")
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")


def about_columns(
    code: str, severity: str, what: str, evidence: Mapping[Column, str], advice: str
) -> list[Finding]:
    """Report one finding about several columns, each with its evidence."""
    if not evidence:
        return []
    columns = list(evidence)
    named = f"{columns[0].name!r} ({evidence[columns[0]]})"
    named = ", ".join([named, *(repr(each.name) for each in columns[1:COLUMNS_SHOWN])])
    more = f" and {len(columns) - COLUMNS_SHOWN} more" * (len(columns) > COLUMNS_SHOWN)
    return [
        Finding(
            code=code,
            severity=severity,
            message=f"{what}: {named}{more}.",
            advice=advice,
            columns=tuple(each.name for each in columns),
            evidence={each.name: text for each, text in evidence.items()},
        )
    ]


def column_findings(columns: Sequence[Column]) -> list[Finding]:
    """Report identifiers, free text, stray text among numbers, and decimal commas."""
    identifiers, texts, stray, commas = {}, {}, {}, {}
    for column in columns:
        if column.is_number:
            if len(columns) > 1 and (reason := _numbers_rows(column)):
                identifiers[column] = reason
        elif column.values.dtype.kind == "O" and column.times is None:
            if reason := _decimal_commas(column):
                commas[column] = reason
            elif reason := _stray_text(column):
                stray[column] = reason
            elif _is_nearly_unique(column):
                n_words = np.mean([len(text.split()) for text in column.distinct.tolist()])
                count = f"{column.distinct.size} distinct texts in {column.sample.size} rows"
                if n_words >= WORDS_OF_TEXT:
                    texts[column] = f"{n_words:.0f} words on average"
                elif len(columns) > 1 and not _holds_floats(column):
                    identifiers[column] = count
    return [
        *about_columns(
            *("identifier", "error", "Columns that identify rows", identifiers),
            "Models can memorize rows by such columns. Exclude them.",
        ),
        *about_columns(
            *("free_text", "warning", "Columns of free text", texts),
            "Use a text pipeline, or exclude them.",
        ),
        *about_columns(
            *("stray_text", "error", "Columns of numbers with text among them", stray),
            "Correct such cells; pass missing_values=TEXT if they stand for missing entries, or"
            " categories=COLUMN if these are categories.",
        ),
        *about_columns(
            *("decimal_comma", "error", "Columns of numbers with decimal commas", commas),
            "For decimal commas, pass decimal=','. Remove commas that group thousands.",
        ),
    ]


def _is_nearly_unique(column: Column) -> bool:
    n_present = int((column.codes >= 0).sum())
    return n_present >= FEWEST_ROWS and column.distinct.size >= NEARLY_ALL * n_present


def _holds_floats(column: Column) -> bool:
    return any(isinstance(value, float) for value in column.sample)


def _numbers_rows(column: Column) -> str:
    """Return how whole numbers identify rows, or "".

    Independent draws from a range of integers repeat values; the numbers of rows do not.
    """
    distinct = column.distinct
    if not _is_nearly_unique(column) or (distinct != np.floor(distinct)).any():
        return ""
    if column.times is not None:
        return ""
    values, codes = (
        factorize(column.values)
        if column.sample.size < column.values.size
        else (distinct, column.codes)
    )
    n_rows = int((codes >= 0).sum())
    low, high = values[0].item(), values[-1].item()
    if values.size < NEARLY_ALL * n_rows or (values != np.floor(values)).any():
        return ""
    reason = f"{values.size} distinct whole numbers in {n_rows} rows"
    if values.dtype.kind in "iu" and max(abs(low), abs(high)) > LARGEST_EXACT:
        return reason
    span = high - low + 1.0
    repeats, by_chance = n_rows - values.size, n_rows + span * np.expm1(-n_rows / span)
    if repeats >= by_chance:
        return ""
    # Chernoff's bound: repeats are sums of negatively associated indicators.
    log_chance = repeats - by_chance
    if repeats:
        log_chance += repeats * np.log(by_chance / repeats)
    return reason if log_chance < np.log(FALSE_ALARM) else ""


def _stray_text(column: Column) -> str:
    """Return a cell that is not a number in a column of which most are, or ""."""
    texts = column.distinct.tolist()
    is_number = np.array([bool(_NUMBER.fullmatch(text.strip())) for text in texts], bool)
    n_stray = len(texts) - is_number.sum()
    if column.is_category or is_number.sum() < 3:
        return ""
    if not n_stray or n_stray > max(2, 0.05 * is_number.sum()):
        return ""
    stray = (column.codes >= 0) & ~np.append(is_number, True)[column.codes]
    if 2 * stray.sum() >= (column.codes >= 0).sum():
        return ""
    texts_of_stray = {texts[code] for code in np.flatnonzero(~is_number)}
    cells = enumerate(column.values)
    row = next((i for i, value in cells if isinstance(value, str) and value in texts_of_stray), -1)
    return "" if row < 0 else f"{column.values[row]!r:.40} in row {row + 1}"


def _decimal_commas(column: Column) -> str:
    """Return the first cell of a column in which all cells are numbers, some with a comma."""
    texts = column.distinct.tolist()
    if column.is_category or not any("," in text for text in texts):
        return ""
    if not all(_NUMBER.fullmatch(text.strip()) for text in texts):
        return ""
    with_comma = {text for text in texts if _DECIMAL_COMMA.fullmatch(text.strip())}
    row = next((i for i, value in enumerate(column.values) if value in with_comma), None)
    return "" if row is None else f"{column.values[row]!r} in row {row + 1}"
