"""From columns of any type to the numbers that trees split on.

A categorical column becomes one column of numbers. Trees cut it in a few splits wherever that
helps, and one column per variable keeps the features drawn at a split as varied as the variables
are; one-hot columns would let variables with many categories crowd out the rest.

The number of a category is a hash of its text and depends on nothing else. Numbering categories in
the order of their appearance would let points that a voter must not have seen decide how it reads
its own. A hash also gives the same number in every file, so further tables need no dictionary.
"""

from __future__ import annotations

from contextlib import suppress
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from tandemvote.extras import import_extra
from tandemvote.tables.columns import refuse_duplicates
from tandemvote.tables.errors import DatasetError

if TYPE_CHECKING:
    import pandas

HASH_BYTES = 3
"""Hashes stay below 2^24, so that float32, the type trees compute in, holds them exactly."""

MISSING = -1.0
"""The number of a missing category."""

# scikit-learn's trees compute in float32; a float64, so that half floats are compared as such.
LARGEST_VALUE = np.float64(np.finfo(np.float32).max)

_NUMBERS = {"integer", "floating", "mixed-integer-float", "decimal", "boolean", "empty"}
_MOMENTS = {"datetime64", "datetime", "date"}
_DURATIONS = {"timedelta64", "timedelta"}
_ISO_DAY = r"\d{4}-\d\d-\d\d"

Categories = tuple[str | None, ...]


def category_number(text: str | None) -> float:
    """Return the number of a category, which depends on its text alone.

    Examples
    --------
    >>> category_number("red"), category_number(None)
    (12301224.0, -1.0)
    """
    if text is None:
        return MISSING
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=HASH_BYTES).digest()
    return float(int.from_bytes(digest, "big"))


class TableEncoder(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Encode the columns of a pandas or polars data frame as float64, each by one column.

    Numbers and booleans stay what they are, with NaN for missing entries. Dates, and text that is
    all dates in ISO 8601, become seconds since 1970; durations become seconds. Everything else is a
    category, numbered by `category_number`; missing entries form a category of their own.

    Nothing is learnt from the rows: `fit` records the columns, so that `transform` can refuse a
    table in which one of them is missing or of another kind.

    Attributes
    ----------
    feature_names_in_ : ndarray of str
        Names of the columns.
    n_features_in_ : int
        Number of columns.
    categories_ : dict of str to tuple
        For each column of categories, those that occurred in `fit`; None stands for "missing".

    Examples
    --------
    >>> import pandas
    >>> frame = pandas.DataFrame({"size": [1, None], "colour": ["red", None]})
    >>> encoder = TableEncoder().fit(frame)
    >>> encoder.transform(frame).tolist()
    [[1.0, 12301224.0], [nan, -1.0]]
    >>> encoder.categories_
    {'colour': ('red', None)}
    """

    def fit(self, X: pandas.DataFrame, y: object = None) -> TableEncoder:
        """Record the columns of a data frame; `y` is ignored."""
        self.fit_transform(X)
        return self

    def fit_transform(self, X: pandas.DataFrame, y: object = None) -> NDArray[Any]:
        """Record the columns of a data frame and encode them; `y` is ignored.

        Raises
        ------
        DatasetError
            If a column is mostly numbers with some text among them, or a value is infinite.
        """
        frame = _as_pandas(X)
        refuse_duplicates(frame.columns, "The table")
        encoded = {column: _encode(frame[column]) for column in frame.columns}
        self.feature_names_in_ = np.array(list(encoded), dtype=object)
        self.n_features_in_ = len(encoded)
        self.categories_ = {
            column: names for column, (_, names) in encoded.items() if names is not None
        }
        return _stacked({column: values for column, (values, _) in encoded.items()})

    def transform(self, X: pandas.DataFrame) -> NDArray[Any]:
        """Encode the columns seen in `fit`, wherever they are; others are ignored.

        Raises
        ------
        DatasetError
            As in `fit_transform`; or if a column is missing, or holds text where it held numbers
            in `fit`, or the other way round.
        """
        check_is_fitted(self)
        frame, encoded = _as_pandas(X), {}
        for column in self.feature_names_in_:
            if column not in frame.columns:
                raise DatasetError(f"The column {column!r} is missing. Give the same columns.")
            categorical = column in self.categories_
            encoded[column], names = _encode(frame[column], categorical=categorical)
            if (names is not None) != categorical and not np.isnan(encoded[column]).all():
                here, there = ("numbers", "text") if categorical else ("text", "numbers")
                raise DatasetError(
                    f"The column {column!r} holds {here} here and {there} in the table that the"
                    " encoder was fitted on. Write it in the same way in both."
                )
        return _stacked(encoded)

    def get_feature_names_out(self, input_features: object = None) -> NDArray[Any]:
        """Return the names of the columns, which encoding does not change."""
        check_is_fitted(self)
        return np.asarray(self.feature_names_in_)


def refuse_infinite(X: NDArray[Any], columns: list[str]) -> None:
    """Refuse numbers that are infinite or too large for trees."""
    too_large = (np.abs(X) > LARGEST_VALUE).any(axis=0)
    if too_large.any():
        raise DatasetError(
            f"The column {columns[too_large.argmax()]} holds a value that is infinite or above "
            f"{LARGEST_VALUE:.1e}, more than trees can take. Replace it, or leave the cell empty."
        )


def _as_pandas(X: Any) -> pandas.DataFrame:
    pandas = import_extra("pandas", "data")
    frame = X.to_pandas() if hasattr(X, "to_pandas") else X  # from polars, for one
    if not isinstance(frame, pandas.DataFrame):
        raise DatasetError(
            f"The encoder takes a data frame with named columns, got {type(X).__name__}. An array"
            " of numbers needs no encoder."
        )
    return frame.rename(columns=str)


def _stacked(columns: dict[str, NDArray[Any]]) -> NDArray[Any]:
    X = np.column_stack(list(columns.values()))
    refuse_infinite(X, list(columns))
    return X


def _encode(
    column: pandas.Series, *, categorical: bool = False
) -> tuple[NDArray[Any], Categories | None]:
    """Return the numbers of a column and, if it is one of categories, the categories.

    With `categorical`, text and missing entries are categories whatever they look like.
    """
    pandas = import_extra("pandas", "data")
    kind = pandas.api.types.infer_dtype(column, skipna=True)
    if categorical and kind in ("string", "empty"):
        kind = "categorical"
    if kind == "string" and column.dropna().str.match(_ISO_DAY).all():
        with suppress(ValueError):  # such as 2020-02-30
            column, kind = pandas.to_datetime(column, format="ISO8601", utc=True), "datetime64"
    if kind in _NUMBERS:
        return _numbers(column), None
    if kind in _MOMENTS:
        # In whole seconds: an instant counted in nanoseconds could not be taken from the year 9999.
        start = pandas.Timestamp(0, unit="s", tz="UTC").as_unit("s")
        return _seconds(pandas.to_datetime(column, utc=True) - start), None
    if kind in _DURATIONS:
        return _seconds(pandas.to_timedelta(column)), None
    missing = column.isna().to_numpy()
    codes, names = pandas.factorize(column.astype(object).map(str).mask(missing))
    if kind != "categorical":
        _refuse_stray_text(names, codes, column)
    categories: Categories = tuple(names)
    if missing.any():
        codes = np.where(missing, len(categories), codes)
        categories += (None,)
    return np.array([category_number(name) for name in categories])[codes], categories


def _refuse_stray_text(
    names: NDArray[Any], codes: NDArray[np.integer], column: pandas.Series
) -> None:
    """Refuse numbers with some text among them: as categories they would lose their order."""
    pandas = import_extra("pandas", "data")
    numbers = pandas.to_numeric([name.replace(",", ".") for name in names], errors="coerce")
    stray = np.append(np.isnan(numbers), False)[codes]  # the last is for the code -1, missing
    if 0 < 2 * stray.sum() < (codes >= 0).sum():
        place = stray.argmax()
        row = column.index[place]
        raise DatasetError(
            f"Most of the column {column.name!r} is numbers, but {names[codes[place]]!r} in row"
            f" {row + 1 if isinstance(row, int | np.integer) else row} is not. Correct it, or name"
            " it by missing_values (--missing) if it stands for a missing entry. If these are"
            " categories, name the column by categories (--category), or store it as such where"
            " the format can."
        )


def _numbers(column: pandas.Series) -> NDArray[Any]:
    try:
        return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
    except OverflowError as error:  # integers of any length in a column of objects
        raise DatasetError(
            f"Column {column.name!r} holds an integer above 1.8e308. Replace it, or leave the cell"
            " empty."
        ) from error


def _seconds(durations: pandas.Series) -> NDArray[Any]:
    return np.asarray(durations.dt.total_seconds().to_numpy(dtype=np.float64))
