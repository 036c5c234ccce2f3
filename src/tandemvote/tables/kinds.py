"""Kinds of columns, and columns as models take them: numbers and text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings, simplefilter

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags

from tandemvote.auditing import Finding
from tandemvote.extras import import_extra
from tandemvote.tables.columns import check_duplicates, inferred
from tandemvote.tables.errors import DatasetError, explained

if TYPE_CHECKING:
    import pandas

NUMBER, DATE, DURATION, CATEGORY = "number", "date", "duration", "category"
KINDS = {
    **dict.fromkeys(("integer", "floating", "mixed-integer-float", "decimal"), NUMBER),
    **dict.fromkeys(("boolean", "empty"), NUMBER),
    **dict.fromkeys(("datetime64", "datetime", "date"), DATE),
    **dict.fromkeys(("timedelta64", "timedelta"), DURATION),
}
PLURALS = {NUMBER: "numbers", CATEGORY: "text", DATE: "dates", DURATION: "durations"}
LARGEST_VALUE = float(np.finfo(np.float32).max)
"""Largest number that scikit-learn's trees accept."""

ISO = "ISO8601"
NOT_GUESSED = ("%d.%m.%y", "%m/%d/%y", "%d/%m/%y", "%b-%Y", "%b %Y", "%b-%y", "%m/%d/%Y %I:%M %p")
"""Formats of dates that pandas does not guess."""


class TableColumns(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Select the columns of a DataFrame by name, and convert them to numbers and text.

    Numbers, dates and durations become float64 (dates and durations in seconds), with NaN for
    missing entries. Categories become text. Nothing is learned from the rows. A column that is
    missing, or whose values do not fit its kind, raises a `DatasetError`.

    Parameters
    ----------
    kinds : mapping of str to str
        Kind of each column: "number", "category", "duration", "date", or "date" and the format of
        dates that are text, such as "date %d.%m.%Y".

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
        check_duplicates(list(frame.columns), "The table")
        absent = [name for name in self.kinds if name not in frame.columns]
        if absent:
            words = ", ".join(map(repr, absent))
            raise DatasetError(f"The table has no column {words}. Give the columns of the model.")
        columns = {name: _converted(frame[name], kind) for name, kind in self.kinds.items()}
        return pandas.DataFrame(columns, index=frame.index)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        return tags


def find_kind(column: pandas.Series) -> str:
    """Return the kind of a column, with the format of dates that are text."""
    given = inferred(column)
    if given == "string" and (date_format := _date_format(column.dropna().drop_duplicates())):
        return f"{DATE} {date_format}"
    return KINDS.get(given, CATEGORY)


def stray_text(column: pandas.Series) -> Finding | None:
    """Report text in a column that is mostly numbers: as categories they would lose their order."""
    if inferred(column) == "categorical":
        return None
    texts = column.dropna().astype(object).map(str)
    to_numeric = import_extra("pandas", "data").to_numeric
    commas = texts.str.contains(",", regex=False)
    stray = texts[to_numeric(texts.str.replace(",", "."), errors="coerce").isna()]
    name, rows = str(column.name), [int(row) + 1 for row in stray.index[:5]]
    if stray.empty and commas.any():
        return Finding(
            code="decimal_comma",
            severity="error",
            message=f"Column {name!r} holds numbers with commas, such as"
            f" {texts[commas].iloc[0]!r} in row {int(texts.index[commas][0]) + 1}.",
            advice="For decimal commas, pass decimal=','. Remove commas that group thousands.",
            columns=(name,),
        )
    if not 0 < 2 * len(stray) < len(texts):
        return None
    rows_of = f"row {rows[0]}" if len(stray) == 1 else f"{len(stray)} rows, such as row {rows[0]}"
    return Finding(
        code="stray_text",
        severity="error",
        message=f"Most of column {name!r} is numbers, but {stray.iloc[0]!r:.60} in {rows_of} is"
        " not.",
        advice=f"Correct it; if it stands for a missing entry, pass"
        f" missing_values=[{stray.iloc[0]!r:.60}]; if these are categories, pass"
        f" categories=[{name!r}].",
        columns=(name,),
        evidence={"rows": ", ".join(map(str, rows))},
    )


def _converted(column: pandas.Series, kind: str) -> pandas.Series:
    """Return float64, or text with NaN where it is missing."""
    pandas = import_extra("pandas", "data")
    kind, _, date_format = kind.partition(" ")
    if kind == CATEGORY:
        present = column.notna()
        texts = column.where(present).convert_dtypes().astype(object)
        return texts.map(str, na_action="ignore").where(present, np.nan).astype(object)
    given = inferred(column)
    if given == "string" and kind == DATE:
        column, given = _dates(column, date_format), "datetime"
    if given != "empty" and KINDS.get(given, CATEGORY) != kind:
        found = PLURALS[KINDS.get(given, CATEGORY)]
        raise DatasetError(
            f"Column {column.name!r} holds {found}, such as {column.dropna().iloc[0]!s:.40}, where"
            f" {PLURALS[kind]} are expected. Write it as in the table of the model."
        )
    if kind == NUMBER:
        fix = "Replace it, or leave the cell empty."
        with explained(f"Column {column.name!r} holds a number above 1.8e308", fix, OverflowError):
            numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
        if (np.abs(numbers) > LARGEST_VALUE).any():
            raise DatasetError(
                f"Column {column.name!r} holds a value that is infinite or above"
                f" {LARGEST_VALUE:.1e}, the largest number that trees accept. {fix}"
            )
        return pandas.Series(numbers, column.index)
    if kind == DATE:  # in whole seconds, since nanoseconds do not reach the year 9999
        start = pandas.Timestamp(0, unit="s", tz="UTC").as_unit("s")
        column = pandas.to_datetime(column, utc=True) - start
    return pandas.to_timedelta(column).dt.total_seconds().astype(np.float64)


def _date_format(texts: pandas.Series) -> str:
    """Return a format by which all texts are dates, or nothing.

    The month comes first where both readings are possible, except in dates with dots.
    """
    if texts.str.match(r"\d{4}-\d\d(-\d\d|$)").all():
        formats: Any = [ISO]
    elif texts.str.contains(r"\d").all():
        from pandas.tseries.api import guess_datetime_format  # noqa: PLC0415  an extra

        first, dots = texts.iloc[0], "." in texts.iloc[0]
        with catch_warnings():
            simplefilter("ignore", UserWarning)
            formats = [guess_datetime_format(first, dayfirst=day) for day in (dots, not dots)]
        formats += NOT_GUESSED
    else:
        return ""
    return next((form for form in formats if form and _as_dates(texts, form).notna().all()), "")


def _as_dates(texts: pandas.Series, date_format: str) -> pandas.Series:
    to_datetime = import_extra("pandas", "data").to_datetime
    return to_datetime(texts, format=date_format, errors="coerce", utc=True)


def _dates(column: pandas.Series, date_format: str) -> pandas.Series:
    """Return the dates that texts stand for."""
    dates = _as_dates(column, date_format or ISO)
    wrong = column[dates.isna() & column.notna()]
    if wrong.size:
        raise DatasetError(
            f"Column {column.name!r} holds {wrong.iloc[0]!r:.40}, which is not a date written as"
            f" {date_format or ISO}. Write all dates in the same way."
        )
    return dates
