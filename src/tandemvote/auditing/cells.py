"""Data of any kind as columns: arrays, DataFrames of any library, sparse matrices and texts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from tandemvote.codes import distinct as integer_codes
from tandemvote.codes import is_missing

SAMPLE = 20_000
"""Rows on which columns are looked at; whatever seems suspicious is confirmed on all rows."""

NUMBERS = "biuf"
"""Kinds of numpy types that are numbers."""

CATEGORIES = (nw.Categorical, nw.Enum)

_DATE = re.compile(
    r"\d{4}[-/.]\d\d?([-/.]\d\d?)?([T ].*)?|(19|20)\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(T.*)?"
)
_DAY_FIRST = re.compile(r"\d\d?[-/.]\d\d?[-/.](\d\d)?\d\d([T ].*)?")
_CLOCK = re.compile(r"\d\d?:\d\d(:\d\d(\.\d+)?)?")


class Column:
    """One column: its name, and its values on all rows or on a sample of them."""

    def __init__(self, name: object, values: NDArray[Any], *, is_category: bool = False) -> None:
        self.name, self.values, self.is_category = str(name), values, is_category

    @cached_property
    def sample(self) -> Column:
        """Return the column on a sample of rows."""
        rows = sample_rows(len(self.values))
        if rows is None:
            return self
        return Column(self.name, self.values[rows], is_category=self.is_category)

    @cached_property
    def is_number(self) -> bool:
        """Return True for numbers."""
        return self.values.dtype.kind in NUMBERS

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

    @cached_property
    def n_words(self) -> float:
        """Mean number of words of the distinct texts."""
        if self.values.dtype.kind != "O" or not self.distinct.size:
            return 0.0
        return float(np.mean([len(text.split()) for text in self.distinct.tolist()]))

    @cached_property
    def times(self) -> NDArray[Any] | None:
        """Numbers in the order of time, NaN where missing, if the column holds dates or times."""
        if self.values.dtype.kind == "M":
            return np.where(np.isnat(self.values), np.nan, self.values.astype(np.int64))
        if self.is_number:
            present = self.values[~is_missing(self.values)]
            return self.values if _are_clock_times(present) else None
        return None if self.is_category else _dates(self.distinct, self.codes)


def factorize(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the sorted distinct values, and each value's position among them (-1 if missing).

    Examples
    --------
    >>> [each.tolist() for each in factorize(np.array([3.0, np.nan, 1.0, 3.0]))]
    [[1.0, 3.0], [1, -1, 0, 1]]
    """
    missing = is_missing(values)
    if values.dtype.kind == "O":
        texts = [value if isinstance(value, str) else str(value) for value in values[~missing]]
        distinct = sorted(set(texts))
        position = {text: place for place, text in enumerate(distinct)}
        found = np.fromiter(map(position.__getitem__, texts), np.intp, len(texts))
        known: NDArray[Any] = np.array(distinct, object)
    elif values.dtype.kind in "iu":
        known, small = integer_codes(values)
        found = small.astype(np.intp)
    else:
        known, found = np.unique(values[~missing], return_inverse=True)
    if not missing.any():
        return known, found
    codes = np.full(values.size, -1)
    codes[~missing] = found
    return known, codes


def _are_clock_times(numbers: NDArray[Any]) -> bool:
    """Return True for whole numbers that are Unix times from 1973 to 2100, years or dates."""
    if not numbers.size or not is_whole(numbers):
        return False
    low, high = int(numbers.min()), int(numbers.max())
    if low == high:
        return False
    if any(1e8 * unit <= low and high <= 4.1e9 * unit for unit in (1, 1e3, 1e6, 1e9)):
        return True
    if low >= 19000101 and high <= 21001231:
        month, day = numbers // 100 % 100, numbers % 100
        return bool(((month >= 1) & (month <= 12) & (day >= 1) & (day <= 31)).all())
    return low >= 1900 and high <= 2100


def is_whole(numbers: NDArray[Any]) -> bool:
    """Return True if all numbers are finite and whole."""
    return numbers.dtype.kind != "f" or bool(
        (np.isfinite(numbers) & (numbers == np.floor(numbers))).all()
    )


def _dates(distinct: NDArray[Any], codes: NDArray[np.intp]) -> NDArray[Any] | None:
    """Return numbers in the order of dates written as text, if that is what all texts are."""
    texts = distinct.tolist()
    for form in (_DATE, _DAY_FIRST, _CLOCK):
        if not texts or not all(form.fullmatch(text) for text in texts):
            continue
        order = np.arange(float(len(texts)))  # year, month, day: the order of the texts
        if form is _CLOCK:
            order[:] = 0
        elif form is _DAY_FIRST:
            parts = np.array([re.split(r"\D", text)[:3] for text in texts], float)
            months = parts[:, 1] if parts[:, 0].max() > 12 else parts[:, 0]
            days = parts[:, 0] + parts[:, 1] - months
            order = 10000 * parts[:, 2] + 100 * months + days
        return np.where(codes < 0, np.nan, np.append(order, np.nan)[codes])
    return None


def check_collected(X: Any) -> Any:
    """Return X for narwhals; raise ValueError for a lazy DataFrame."""
    table = nw.from_native(X, pass_through=True, allow_series=True)
    if isinstance(table, nw.LazyFrame):
        raise ValueError(
            f"X is a lazy {type(X).__name__}; the rows themselves are required. Pass X.collect()"
            " (compute() with Dask)."
        )
    return table


def read_columns(X: Any) -> tuple[list[Column], Any]:
    """Return the columns of X, and X as an array or sparse matrix (None for a DataFrame).

    Images and sparse matrices have rows but not columns that can be looked at.
    """
    if hasattr(X, "iloc") and hasattr(X, "columns") and not X.columns.is_unique:
        X = X.set_axis([f"{name} (column {place})" for place, name in enumerate(X.columns)], axis=1)
    table = check_collected(X)
    if isinstance(table, nw.DataFrame):
        return [
            Column(each.name, series_values(each), is_category=each.dtype in CATEGORIES)
            for each in table.iter_columns()
        ], None
    if issparse(X):
        return [], X
    array = series_values(table) if isinstance(table, nw.Series) else as_rows(X)
    if array.ndim > 2 or array.dtype.kind not in f"{NUMBERS}MOUS":
        return [], array
    if array.ndim < 2:
        return [Column("X", _plain(array))], array
    columns = np.asfortranarray(array) if array.dtype.kind in NUMBERS else array
    return [
        Column(f"X[:, {place}]", _plain(columns[:, place])) for place in range(array.shape[1])
    ], array


def n_rows_of(columns: Sequence[Column], array: Any) -> int:
    """Return the number of rows of what `read_columns` returned."""
    if columns:
        return len(columns[0].values)
    return 0 if array is None else int(array.shape[0])


def as_rows(X: Any) -> NDArray[Any]:
    """Return a sequence as an array; of objects where its items do not form a table."""
    try:
        array = np.asarray(X)
    except ValueError:  # items of different lengths
        array = np.empty(len(X), object)
        array[:] = list(X)
    mixed = array.dtype.kind in "US" and not hasattr(X, "dtype") and isinstance(X, Sequence)
    return np.array(X, object) if mixed else array


def series_values(series: Any) -> NDArray[Any]:
    """Return the values of a narwhals Series: numbers, datetime64, or objects."""
    kind = series.dtype
    if kind.is_nested():
        return np.array([str(value) for value in series.to_list()], object)
    if kind.is_decimal():
        series = series.cast(nw.Float64)
    elif kind in CATEGORIES:  # whose texts stay texts, such as zip codes
        return np.asarray(series.cast(nw.String).to_numpy()).astype(object)
    return _plain(np.asarray(series.to_numpy()))


def _plain(values: NDArray[Any]) -> NDArray[Any]:
    """Return numbers and dates as they are, durations as numbers, and the rest as objects."""
    if values.dtype.kind == "m":
        return np.where(np.isnat(values), np.nan, values.astype(np.int64))
    if values.dtype.kind in f"{NUMBERS}M":
        return values
    values = values.astype(object)
    missing = is_missing(values)
    kinds = {type(value) for value in values[~missing]}
    if kinds and kinds <= {int, float, bool, str} and kinds != {bool}:
        try:
            whole = kinds == {int} and not missing.any()
            return np.where(missing, np.nan, values).astype(np.int64 if whole else np.float64)
        except (OverflowError, ValueError):  # integers beyond 64 bits, and texts
            return values
    return values


@lru_cache(1)
def sample_rows(n_rows: int) -> NDArray[np.intp] | None:
    """Return the rows on which columns are looked at, or None for all of them."""
    if n_rows <= SAMPLE:
        return None
    return np.sort(np.random.default_rng(0).choice(n_rows, SAMPLE, replace=False))
