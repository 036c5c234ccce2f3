"""Columns: their names, their kinds, and their values as models take them, numbers and text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin

from tandemvote.tables.errors import DatasetError, explained
from tandemvote.votes.extras import import_extra
from tandemvote.votes.printable import no_column

if TYPE_CHECKING:
    import pandas

NUMBER, DATE, CATEGORY = "number", "date", "category"
KINDS = {
    **dict.fromkeys(("integer", "floating", "mixed-integer-float", "decimal"), NUMBER),
    **dict.fromkeys(("boolean", "empty", "timedelta64", "timedelta"), NUMBER),
    **dict.fromkeys(("datetime64", "datetime", "date"), DATE),
}
LARGEST_VALUE = float(np.finfo(np.float32).max)
"""Largest number that scikit-learn's trees accept."""

ISO = "ISO8601"
NOT_GUESSED = ("%d.%m.%y", "%m/%d/%y", "%d/%m/%y", "%b-%Y", "%b %Y", "%b-%y", "%m/%d/%Y %I:%M %p")
"""Formats of dates that pandas does not guess."""


class TableColumns(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Select the columns of a DataFrame by name, and convert them to numbers and text.

    Numbers, dates and durations become float64 (the latter in seconds), with NaN for
    missing entries. Categories become text. Nothing is learned from the rows. A column that is
    missing, or whose values do not fit its kind, raises a `DatasetError`.

    Parameters
    ----------
    kinds : mapping of str to str
        Kind of each column: "number", "category", "date", or "date" and the format of dates that
        are text, such as "date %d.%m.%Y".

    Examples
    --------
    >>> import pandas
    >>> columns = TableColumns({"size": "number", "day": "date %d.%m.%Y"})
    >>> columns.fit_transform(pandas.DataFrame({"day": ["02.01.1970"], "size": [3]}))
       size      day
    0   3.0  86400.0
    """

    def __init__(self, kinds: Mapping[str, str]) -> None:
        self.kinds = kinds

    def fit(self, X: pandas.DataFrame, y: object = None) -> TableColumns:
        """Do nothing."""
        return self

    def transform(self, X: pandas.DataFrame) -> pandas.DataFrame:
        """Return the columns, in the order of `kinds`."""
        pandas = import_extra("pandas", "data")
        frame = X.to_pandas() if hasattr(X, "to_pandas") else X  # from polars
        frame = frame.rename(columns=str)
        check_columns(frame, self.kinds, "The table")
        columns = {name: _converted(frame[name], kind) for name, kind in self.kinds.items()}
        return pandas.DataFrame(columns, index=frame.index)

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """Return the names of the columns, in the order of `kinds`."""
        return np.array([*self.kinds], dtype=object)


def check_columns(frame: pandas.DataFrame, wanted: Collection[str], name: Any) -> None:
    """Reject a table with two columns of one name, or without a column that is wanted."""
    columns = list(frame.columns)
    for column, count in Counter(columns).items():
        if count > 1:
            raise DatasetError(f"{name} has {count} columns {column!r}. Give each its own name.")
    for column in wanted:
        if column not in columns:
            raise DatasetError(
                f"{no_column(name, column, columns)} If these are data, the file has no header"
                " line: add one."
            )


def text_of(column: pandas.Series) -> pandas.Series:
    """Return cells as text, whole numbers as such also next to gaps; NaN where they are missing."""
    texts = column.convert_dtypes().astype(object).map(str, na_action="ignore")
    return texts.where(column.notna(), np.nan).astype(object)


def inferred(column: pandas.Series) -> str:
    """Return what pandas finds in a column, gaps aside, whatever its type is."""
    return str(import_extra("pandas", "data").api.types.infer_dtype(column, skipna=True))


def with_kinds(frame: pandas.DataFrame) -> tuple[pandas.DataFrame, dict[str, str]]:
    """Return a DataFrame, in which texts that are dates become dates, with the kinds it had."""
    kinds = {name: find_kind(frame[name]) for name in frame}
    formats = {name: kind.partition(" ")[2] for name, kind in kinds.items() if " " in kind}
    return frame.assign(**{name: as_dates(frame[name], formats[name]) for name in formats}), kinds


def find_kind(column: pandas.Series) -> str:
    """Return the kind of a column, with the format of dates that are text."""
    given = inferred(column)
    if given == "string" and (date_format := _date_format(column.dropna().drop_duplicates())):
        return f"{DATE} {date_format}"
    return KINDS.get(given, CATEGORY)


def _converted(column: pandas.Series, kind: str) -> pandas.Series:
    """Return float64, or text with NaN where it is missing."""
    pandas = import_extra("pandas", "data")
    kind, _, date_format = kind.partition(" ")
    if kind == CATEGORY:
        return text_of(column)
    if column.isna().all():
        return pandas.Series(np.nan, column.index)
    if kind == DATE and inferred(column) == "string":
        column = as_dates(column, date_format or ISO)
    given = inferred(column)
    if KINDS.get(given, CATEGORY) != kind:
        raise DatasetError(
            f"Column {column.name!r} holds {column.dropna().iloc[0]!r:.40}, which is not a {kind}."
            " Write it as in the table of the model; decimal=',' reads decimal commas.",
            decimal=",",
        )
    if kind == DATE:  # in whole seconds, since nanoseconds do not reach the year 9999
        start = pandas.Timestamp(0, unit="s", tz="UTC").as_unit("s")
        column = pandas.to_datetime(column, utc=True) - start
    if kind == DATE or given.startswith("timedelta"):
        column = pandas.to_timedelta(column).dt.total_seconds()
    problem = f"Column {column.name!r} holds a value that trees do not accept"
    with explained(problem, "Replace it, or leave the cell empty.", OverflowError):
        numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
        if (np.abs(numbers) > LARGEST_VALUE).any():
            raise OverflowError(f"infinite or above {LARGEST_VALUE:.1e}")
    return pandas.Series(numbers, column.index)


def _date_format(texts: pandas.Series) -> str:
    """Return a format by which all texts are dates, or nothing.

    The month comes first where both readings are possible, except in dates with dots.
    """
    formats: list[str | None] = []
    if texts.str.match(r"\d{4}-\d\d(-\d\d|$)").all():
        formats = [ISO]
    elif texts.str.contains(r"\d").all():
        from pandas.tseries.api import guess_datetime_format  # noqa: PLC0415  an extra

        first, dots = texts.iloc[0], "." in texts.iloc[0]
        with catch_warnings(action="ignore", category=UserWarning):
            formats = [guess_datetime_format(first, dayfirst=day) for day in (dots, not dots)]
        formats += NOT_GUESSED
    return next((form for form in formats if form and _parsed(texts, form).notna().all()), "")


def as_dates(column: pandas.Series, date_format: str) -> pandas.Series:
    """Return the dates that texts stand for."""
    dates = _parsed(column, date_format)
    wrong = column[dates.isna() & column.notna()]
    if wrong.size:
        raise DatasetError(
            f"Column {column.name!r} holds {wrong.iloc[0]!r:.40}, which is not a date written as"
            f" {date_format}. Write all dates in the same way."
        )
    return dates


def _parsed(texts: pandas.Series, date_format: str) -> pandas.Series:
    to_datetime = import_extra("pandas", "data").to_datetime
    return to_datetime(texts, format=date_format, errors="coerce", utc=True)
