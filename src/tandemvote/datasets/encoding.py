"""From columns of any type to the numbers trees split on, and from a label column to classes.

A categorical column becomes one column of numbers. Trees cut it in a few splits wherever that
helps, and one column a variable keeps the features drawn at a split as varied as the variables are;
one-hot columns would let variables with many categories crowd out the rest.

The number of a category is a hash of its text. It depends on nothing else: numbering categories by
their appearance would let points a voter must not have seen decide how it reads its own. It also
gives the same number in every file, so further tables need no shared dictionary.
"""

from __future__ import annotations

from contextlib import suppress
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tandemvote.datasets.errors import DatasetError, import_extra

if TYPE_CHECKING:
    import pandas

_NUMBERS = {"integer", "floating", "mixed-integer-float", "decimal", "boolean", "empty"}
_MOMENTS = {"datetime64", "datetime", "date"}
_DURATIONS = {"timedelta64", "timedelta"}

_ISO_DAY = r"\d{4}-\d\d-\d\d"

HASH_BYTES = 3
"""Hashes stay below 2^24, which float32, the type trees compute in, holds exactly."""

MISSING = -1.0
"""The number of a missing category."""


def category_number(text: str | None) -> float:
    """Number that stands for a category; it depends on the text alone.

    Examples
    --------
    >>> category_number("red"), category_number(None)
    (12301224.0, -1.0)
    """
    if text is None:
        return MISSING
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=HASH_BYTES).digest()
    return float(int.from_bytes(digest, "big"))


def encode_column(column: pandas.Series) -> tuple[NDArray[Any], tuple[str | None, ...] | None]:
    """Turn one column into float64.

    Parameters
    ----------
    column : pandas.Series
        Numbers and booleans stay what they are, missing entries becoming NaN, which trees take.
        Dates, and text that is all dates in ISO 8601, become seconds since 1970, durations seconds.
        All else is a category; missing entries form a category of their own. The index counts rows
        from 0, for messages.

    Returns
    -------
    values : ndarray of shape (n_samples,)
        The numbers.
    categories : tuple or None
        For a category column, its categories (None: missing); `category_number` numbers them.

    Raises
    ------
    DatasetError
        If most of a column of text is numbers, and it is not declared as one of categories.

    Examples
    --------
    >>> import pandas
    >>> values, categories = encode_column(pandas.Series(["red", "blue", None]))
    >>> categories, values.tolist() == [category_number(text) for text in categories]
    (('red', 'blue', None), True)
    """
    pandas: Any = import_extra("pandas", purpose="Encoding a table")
    kind = pandas.api.types.infer_dtype(column, skipna=True)
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
        _refuse_odd_cells(names, codes, column)
    categories: tuple[str | None, ...] = tuple(names)
    if missing.any():
        codes = np.where(missing, len(categories), codes)
        categories += (None,)
    numbers = np.array([category_number(name) for name in categories])
    return numbers[codes], categories


def _refuse_odd_cells(
    names: NDArray[Any], codes: NDArray[np.integer], column: pandas.Series
) -> None:
    """Refuse numbers with a stray text among them: as categories they would lose their order."""
    pandas: Any = import_extra("pandas", purpose="Encoding a table")
    numbers = pandas.to_numeric([name.replace(",", ".") for name in names], errors="coerce")
    odd = np.append(np.isnan(numbers), False)[codes]  # the last is for the code -1, missing
    if 0 < 2 * odd.sum() < (codes >= 0).sum():
        place = odd.argmax()
        raise DatasetError(
            f"Most of the column {column.name!r} is numbers, but {names[codes[place]]!r} in row"
            f" {column.index[place] + 1} is not. Mend it, or name it by missing_values (--missing)"
            " if it stands for a missing entry. If these are categories, name the column by"
            " categories (--category), or store it as such where the format can."
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


def label_array(column: pandas.Series) -> NDArray[Any]:
    """Give a label column without gaps as a plain array, in the type its entries have.

    Examples
    --------
    >>> import pandas
    >>> label_array(pandas.Series([2, 3], dtype="Int64"))
    array([2, 3])
    """
    pandas: Any = import_extra("pandas", purpose="Encoding a table")
    kind = pandas.api.types.infer_dtype(column, skipna=True)
    if kind == "integer":
        return _whole_numbers(column)
    dtype = np.bool_ if kind == "boolean" else np.float64 if kind in _NUMBERS else object
    return np.asarray(column.to_numpy(dtype=dtype))


def _whole_numbers(column: pandas.Series) -> NDArray[Any]:
    try:
        return np.array(column.to_numpy(dtype=object), dtype=np.int64)  # checks, and never wraps
    except OverflowError as error:
        raise DatasetError(
            f"The label column {column.name!r} holds {column.abs().max()}; the limit is 2^63. Write"
            " such labels as text, or leave out their rows."
        ) from error


def encode_labels(labels: NDArray[Any], *, column: str) -> NDArray[Any]:
    """Turn a label column without gaps into classes.

    Parameters
    ----------
    labels : ndarray of shape (n_samples,)
        Whole numbers become int64, booleans stay, all else becomes text.
    column : str
        Its name, for messages.

    Returns
    -------
    ndarray of shape (n_samples,)
        The classes.

    Raises
    ------
    DatasetError
        If the labels are fractions or beyond int64, or there are fewer than two classes.

    Examples
    --------
    >>> import numpy as np
    >>> encode_labels(np.array([1.0, 2.0, 1.0]), column="kind")
    array([1, 2, 1])
    """
    if labels.dtype.kind in "iuf":
        outside = labels[~(np.abs(labels.astype(np.float64)) < 2.0**63)]
        if outside.size:
            raise DatasetError(
                f"The label column {column!r} holds {outside[0]}; the limit is 2^63. Write such"
                " labels as text, or leave out their rows."
            )
        fractions = labels[labels != np.rint(labels)]
        if fractions.size:
            raise DatasetError(
                f"The label column {column!r} holds fractions such as {fractions[0]}; a vote needs "
                "classes. Choose another column, or cut this one into classes first."
            )
        classes: NDArray[Any] = labels.astype(np.int64)
    elif labels.dtype.kind == "b":
        classes = labels
    else:
        classes = np.array([str(label) for label in labels])
    distinct = np.unique(classes)
    if len(distinct) < 2:
        raise DatasetError(
            f"The label column {column!r} holds one class only ({distinct[0]}); at least two are "
            "needed. Choose another column, or add rows of another class."
        )
    return classes
