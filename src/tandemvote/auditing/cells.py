"""Data of any kind as columns: arrays, DataFrames of any library, sparse matrices and texts."""

from __future__ import annotations

import re
from contextlib import suppress
from decimal import Decimal
from functools import cached_property
from numbers import Integral, Real
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from tandemvote.votes.codes import as_array, distinct, is_missing

NUMBERS = "biuf"
"""Kinds of numpy types that are numbers."""

WORDS_OF_TEXT = 5
"""Mean number of words from which on distinct texts are free text rather than names."""

_DATE = re.compile(
    r"\d{4}[-/.]\d\d?([-/.]\d\d?)?([T ].*)?|(19|20)\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(T.*)?"
)
_DAY_FIRST = re.compile(r"\d\d?[-/.]\d\d?[-/.](\d\d)?\d\d([T ].*)?")
_CLOCK = re.compile(r"\d\d?:\d\d(:\d\d(\.\d+)?)?")


class Column:
    """One column: its name, and its values on all rows."""

    def __init__(self, name: object, values: NDArray[Any], *, is_category: bool = False) -> None:
        self.name, self.values, self.is_category = str(name), values, is_category
        self.is_number = values.dtype.kind in NUMBERS

    @cached_property
    def _factors(self) -> tuple[NDArray[Any], NDArray[np.intp]]:
        return factorize(self.values)

    @property
    def distinct(self) -> NDArray[Any]:
        """Sorted values without missing ones; texts are sorted as texts."""
        return self._factors[0]

    @property
    def codes(self) -> NDArray[np.intp]:
        """Position of each row in `distinct`; -1 where the value is missing."""
        return self._factors[1]

    def at(self, rows: NDArray[np.intp]) -> Column:
        """Return the column on some rows; its values are not sorted again."""
        column = Column(self.name, self.values[rows], is_category=self.is_category)
        codes = self.codes[rows]
        is_used = np.isin(np.arange(self.distinct.size), codes)
        position = np.append(np.cumsum(is_used) - 1, -1)
        column.__dict__["_factors"] = self.distinct[is_used], position[codes]
        return column

    @cached_property
    def n_words(self) -> float:
        """Mean number of words of the distinct values."""
        words = [len(str(value).split()) for value in self.distinct.tolist()]
        return sum(words) / max(len(words), 1)

    @property
    def may_be_names(self) -> bool:
        """True for whole numbers and short texts, which may be names of groups of rows."""
        if self.is_number:
            return self.values.dtype.kind != "b" and is_whole(self.distinct)
        return self.n_words < WORDS_OF_TEXT

    @cached_property
    def times(self) -> NDArray[np.intp] | None:
        """Position of each row in the order of time, if the column holds dates or times.

        It is -1 where the value is missing. Times of day are equal to each other.
        """
        if self.is_number:
            return self.codes if _are_clock_times(self.distinct) else None
        if self.values.dtype.kind == "M":
            return self.codes
        order = None if self.is_category else _order_of_dates(self.distinct.tolist())
        return None if order is None else np.append(order, -1)[self.codes]


Contents = tuple[list[Column], Any]
"""Columns, and an array or sparse matrix of cells that are not in columns, with as many rows."""


def factorize(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the sorted distinct values, and each value's position among them (-1 if missing).

    Examples
    --------
    >>> [each.tolist() for each in factorize(np.array([3.0, np.nan, 1.0, 3.0]))]
    [[1.0, 3.0], [1, -1, 0, 1]]
    """
    is_present = ~is_missing(values)
    present, codes = values[is_present], np.full(values.size, -1)
    if values.dtype.kind == "O":
        texts = [str(value) for value in present]
        distinct_values = np.array(sorted(set(texts)), object)
        position = {text: place for place, text in enumerate(distinct_values)}
        codes[is_present] = [position[text] for text in texts]
    elif values.dtype.kind in "iu":
        distinct_values, codes[is_present] = distinct(present)
    else:
        distinct_values, codes[is_present] = np.unique(present, return_inverse=True)
    return distinct_values, codes


def _are_clock_times(numbers: NDArray[Any]) -> bool:
    """Return True for whole numbers that are Unix times from 1973 to 2100, years or dates."""
    if numbers.size < 2 or not is_whole(numbers):
        return False
    low, high = numbers[0], numbers[-1]
    if low >= 19000101 and high <= 21001231:
        months, days = numbers // 100 % 100, numbers % 100
        return bool(np.isin(months, range(1, 13)).all() and np.isin(days, range(1, 32)).all())
    is_unix = any(1e8 * unit <= low and high <= 4.1e9 * unit for unit in (1, 1e3, 1e6, 1e9))
    return is_unix or bool(low >= 1900 and high <= 2100)


def is_whole(numbers: NDArray[Any]) -> bool:
    """Return True if all numbers are finite and whole."""
    return bool((np.isfinite(numbers) & (numbers == np.floor(numbers))).all())


def _order_of_dates(texts: list[str]) -> NDArray[np.intp] | None:
    """Return the positions of sorted texts in the order of time, if all are dates or times."""
    if texts and all(map(_DATE.fullmatch, texts)):
        return np.arange(len(texts))
    if texts and all(map(_CLOCK.fullmatch, texts)):
        return np.zeros(len(texts), np.intp)
    if not texts or not all(map(_DAY_FIRST.fullmatch, texts)):
        return None
    parts = np.array([re.split(r"\D", text)[:3] for text in texts]).astype(np.intp)
    # The day comes first if a number is too large for a month.
    days = parts @ ((1, 100, 10_000) if parts[:, 0].max() > 12 else (100, 1, 10_000))
    return np.unique(days, return_inverse=True)[1]


def check_collected(X: Any) -> Any:
    """Return X for narwhals; raise ValueError for a lazy DataFrame."""
    table = nw.from_native(X, pass_through=True, allow_series=True)
    if isinstance(table, nw.LazyFrame):
        raise ValueError(
            f"X is a lazy {type(X).__name__}; the rows themselves are required. Pass X.collect()"
            " (compute() with Dask)."
        )
    return table


def read_contents(X: Any) -> Contents:
    """Return the columns of X; of images and sparse matrices, cells that are not in columns."""
    if hasattr(X, "iloc") and hasattr(X, "columns") and not X.columns.is_unique:
        X = X.set_axis([f"{name} (column {place})" for place, name in enumerate(X.columns)], axis=1)
    table = check_collected(X)
    if isinstance(table, nw.Series):
        table = table.alias("X").to_frame()
    if isinstance(table, nw.DataFrame):
        return [*map(_column, table.iter_columns())], np.empty((len(table), 0))
    if issparse(X):
        return [], X
    array = as_array(X)
    if not array.ndim:
        raise ValueError(f"{X!r:.40} is not a table. Pass one row per sample.")
    if array.ndim > 2:
        return [], array.reshape(len(array), -1)
    transposed = np.ascontiguousarray(np.atleast_2d(array.T))
    names = [f"X[:, {place}]" for place in range(len(transposed))] if array.ndim == 2 else ["X"]
    columns = [Column(*each) for each in zip(names, map(_plain, transposed), strict=True)]
    return columns, np.empty((len(array), 0))


def _column(series: Any) -> Column:
    """Return a narwhals Series as a column of numbers, datetime64 or objects."""
    # Texts of categories stay texts, such as zip codes.
    is_category = series.dtype in (nw.Categorical, nw.Enum)
    if is_category:
        values = np.asarray(series.cast(nw.String).to_numpy()).astype(object)
    elif series.dtype.is_nested():
        values = np.array([str(value) for value in series.to_list()], object)
    else:
        values = _plain(np.asarray(series.to_numpy()))
    return Column(series.name, values, is_category=is_category)


def _plain(values: NDArray[Any]) -> NDArray[Any]:
    """Return numbers and dates as they are, durations as numbers, and the rest as objects."""
    if values.dtype.kind == "m":
        return np.where(np.isnat(values), np.nan, values.astype(np.int64))
    if values.dtype.kind in f"{NUMBERS}M":
        return values
    values = values.astype(object)
    missing = is_missing(values)
    kinds = {type(value) for value in values[~missing]}
    if kinds and all(issubclass(kind, Real | Decimal | str) for kind in kinds):
        with suppress(OverflowError, ValueError):  # integers beyond 64 bits, and texts
            whole = all(issubclass(kind, Integral) for kind in kinds) and not missing.any()
            return np.where(missing, np.nan, values).astype(np.int64 if whole else np.float64)
    return values
