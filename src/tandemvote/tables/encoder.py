"""The way from the columns of a data frame to numbers, as a scikit-learn transformer.

A column of categories becomes one column: as one-hot columns, variables with many categories would
crowd out the rest among the features that a tree draws at a split. The number of a category is a
hash of its text alone: it is the same in every file, and samples that a voter must not have seen
have no say in how it reads its own, as they would if categories were numbered as they appear.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from tandemvote.extras import import_extra
from tandemvote.tables.columns import (
    check_duplicates,
    check_identifiers,
    find_column,
    identifier_reason,
    inferred,
    is_number,
)
from tandemvote.tables.errors import DatasetError, either, explained

if TYPE_CHECKING:
    import pandas

# scikit-learn's trees compute in float32; a float64, so that half floats are compared as such.
LARGEST_VALUE = np.float64(np.finfo(np.float32).max)

HASH_BYTES = 3  # hashes stay below 2^24, so that float32 holds them exactly
MISSING = -1.0  # the number of a missing category
Categories = tuple[str | None, ...]

_KINDS = {
    **dict.fromkeys(("integer", "floating", "mixed-integer-float", "decimal"), "number"),
    **dict.fromkeys(("boolean", "empty"), "number"),
    **dict.fromkeys(("datetime64", "datetime", "date"), "date"),
    **dict.fromkeys(("timedelta64", "timedelta"), "duration"),
}
# Where a date can be read in two ways, the first takes it; ISO 8601 comes before all of these.
_DAYS = (
    *("%Y/%m/%d", "%d.%m.%Y", "%d.%m.%y", "%m/%d/%Y", "%d/%m/%Y", "%m/%d/%y", "%d/%m/%y"),
    *("%d-%m-%Y", "%d-%b-%Y", "%d-%b-%y", "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y"),
    *("%b-%Y", "%b %Y", "%B %Y", "%b-%y"),
)
_TIMES = ("", " %H:%M", " %H:%M:%S", " %I:%M %p", " %I:%M:%S %p")
_ISO = "ISO8601"
_PLURALS = {"number": "numbers", "category": "text", "date": "dates", "duration": "durations"}


class TableEncoder(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Encode the columns of a pandas or polars data frame as float64, each by one column.

    Numbers and booleans stay what they are, with NaN for missing entries. Dates, also as text such
    as 2018-03-01, 01.03.2018 or Mar-2018, become seconds since 1970, and durations seconds.
    Everything else is a category, numbered by a hash of its text, known or not; missing entries
    form a category of their own.

    Nothing is learned from the rows but the kind of each column and the form of its dates, so
    ``make_pipeline(TableEncoder(), CertifiedClassifier(...))`` may take tables as they are.
    `transform` encodes a row alone as among others, and rejects a table in which a column is
    missing or of another kind. Where 01/02/2018 could be either, the month comes first.

    Parameters
    ----------
    drop : sequence of str
        Columns to leave out.
    keep : sequence of str
        Columns to take although they seem to number or name the rows, which is rejected otherwise.
    complete : bool
        Reject rows with a gap in `transform`, where `fit` saw a column without any: of such rows
        nothing was learned.

    Attributes
    ----------
    feature_names_in_, n_features_in_ : ndarray of str, int
        Names and number of the columns that are encoded.
    kinds_, date_formats_ : dict of str to str
        What each column holds, "number", "category", "date" or "duration"; and how dates that are
        text are written.
    categories_ : dict of str to tuple
        For each column of categories, those that occurred in `fit`; None stands for "missing".
    complete_ : list of str
        Columns in which an entry must not be missing.
    columns_ : list of (str, str, str)
        How every column was read: its name, its kind, "constant" or "dropped", and a few words.

    Examples
    --------
    >>> import pandas
    >>> frame = pandas.DataFrame({"size": [1, None], "color": ["red", None]})
    >>> encoder = TableEncoder().fit(frame)
    >>> encoder.transform(frame).tolist(), encoder.categories_
    ([[1.0, 12301224.0], [nan, -1.0]], {'color': ('red', None)})
    """

    learns_from_rows = False

    def __init__(
        self, *, drop: Sequence[str] = (), keep: Sequence[str] = (), complete: bool = False
    ) -> None:
        self.drop = drop
        self.keep = keep
        self.complete = complete

    def fit(self, X: pandas.DataFrame, y: object = None) -> TableEncoder:
        """Record the columns of a data frame; `y` is ignored."""
        self.fit_transform(X)
        return self

    def fit_transform(self, X: pandas.DataFrame, y: object = None) -> NDArray[Any]:
        """Record the columns of a data frame and encode them; `y` is ignored.

        A `DatasetError` says if a column seems to number or name the rows, or is mostly numbers
        with some text among them, or holds an infinite value.
        """
        frame = _as_pandas(X)
        for column in (*self.drop, *self.keep):
            find_column(list(frame.columns), column, "The table")
        names = [column for column in frame.columns if column not in self.drop]
        if not names:
            raise DatasetError("The table has no column that is not dropped. Keep at least one.")
        kinds = {name: find_kind(frame[name]) for name in names}
        for name, (kind, _) in kinds.items():
            if kind == "category":
                _check_stray_text(frame[name])
        encoded = {name: encode(frame[name], *kinds[name]) for name in names}
        reasons = {
            name: reason
            for name in names
            if kinds[name][0] in ("number", "category")
            and (reason := identifier_reason(frame[name], *encoded[name]))
        }
        check_identifiers(reasons, self.keep)
        self.feature_names_in_, self.n_features_in_ = np.array(names, dtype=object), len(names)
        self.kinds_ = {name: kind for name, (kind, _) in kinds.items()}
        self.date_formats_ = {name: form for name, (_, form) in kinds.items() if form}
        self.categories_ = {name: found for name, (_, found) in encoded.items() if found}
        full = [name for name in names if not frame[name].isna().any()]
        self.complete_ = full if self.complete else []
        self.columns_ = [(name, "dropped", "as asked") for name in self.drop]
        for name in names:
            kind, words = column_detail(*encoded[name], *kinds[name])
            words += f", kept though {reasons.get(name)}" * (name in reasons)
            self.columns_.append((name, kind, words))
        return finite(np.column_stack([numbers for numbers, _ in encoded.values()]), names)

    def transform(self, X: pandas.DataFrame) -> NDArray[Any]:
        """Encode the columns seen in `fit`, wherever they are; others are ignored.

        A `DatasetError` says if a column is missing or of another kind than in `fit`, or has a gap
        although only complete rows are taken.
        """
        check_is_fitted(self)
        frame, numbers = _as_pandas(X), []
        if (gaps := self.gaps(frame)).any():
            row = int(gaps.argmax())
            column = next(name for name in self.complete_ if frame[name].isna().iloc[row])
            raise DatasetError(
                f"Row {row + 1} has no value in the column {column!r}, the first of {gaps.sum()}"
                " such rows, and the vote was certified without them. Leave them out, or certify"
                f" without {either('drop_missing', '--drop-missing')}."
            )
        for name, kind in self.kinds_.items():
            if name not in frame.columns:
                raise DatasetError(f"The column {name!r} is missing. Give the same columns.")
            form, known = self.date_formats_.get(name, ""), self.categories_.get(name, ())
            numbers.append(encode(frame[name], kind, form, known)[0])
        return finite(np.column_stack(numbers), [*self.kinds_])

    def gaps(self, X: pandas.DataFrame) -> NDArray[np.bool_]:
        """Tell which rows lack an entry, if only complete rows are taken."""
        frame = _as_pandas(X)
        wanted = self.complete_
        there = [name for name in wanted if name in frame.columns]
        return np.asarray(frame[there].isna().any(axis=1), dtype=bool)

    def get_feature_names_out(self, input_features: object = None) -> NDArray[Any]:
        """Return the names of the columns, which encoding does not change."""
        check_is_fitted(self)
        return np.asarray(self.feature_names_in_)


def category_number(text: str | None) -> float:
    """Return the number of a category, which depends on its text alone."""
    if text is None:
        return MISSING
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=HASH_BYTES).digest()
    return float(int.from_bytes(digest, "big"))


def finite(X: NDArray[Any], columns: list[str]) -> NDArray[Any]:
    """Return a table; reject numbers that are infinite or too large for trees."""
    too_large = (np.abs(X) > LARGEST_VALUE).any(axis=0)
    if too_large.any():
        raise DatasetError(
            f"The column {columns[too_large.argmax()]} holds a value that is infinite or above "
            f"{LARGEST_VALUE:.1e}, more than trees can take. Replace it, or leave the cell empty."
        )
    return X


def find_kind(column: pandas.Series) -> tuple[str, str]:
    """Return "number", "date", "duration" or "category", and the format of dates that are text."""
    given = inferred(column)
    if given == "string" and (date_format := _date_format(column)):
        return "date", date_format
    return _KINDS.get(given, "category"), ""


def encode(
    column: pandas.Series, kind: str, date_format: str = "", known: Categories = ()
) -> tuple[NDArray[Any], Categories | None]:
    """Return the numbers of a column of the given kind and, if it is one, its categories.

    A whole number is taken for a category if there are such among `known`.
    """
    pandas = import_extra("pandas", "data")
    given = inferred(column)
    if given == "string" and kind == "date":
        column, given = _dates(column, date_format), "date"
    takes_numbers = given == "integer" and any(is_number(name) for name in known if name)
    found = _KINDS.get(given, "category")
    if given != "empty" and not takes_numbers and found != kind:
        raise DatasetError(
            f"The column {column.name!r} holds {_PLURALS[found]} here and {_PLURALS[kind]} in the"
            " table that the encoder was fitted on; its first value is"
            f" {column.dropna().iloc[0]!s:.40}. Write it in the same way in both."
        )
    if kind == "category":
        missing = column.isna().to_numpy()
        codes, names = column.astype(object).map(str).mask(missing).factorize()
        # The code of a missing entry is -1, which finds the last.
        categories: Categories = (*names, None) if missing.any() else tuple(names)
        return np.array([category_number(name) for name in categories])[codes], categories
    if kind == "number":
        said = f"The column {column.name!r} holds an integer above 1.8e308"
        with explained(said, "Replace it, or leave the cell empty.", OverflowError):
            return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan)), None
    if kind == "date":
        # In whole seconds: an instant counted in nanoseconds could not be taken from the year 9999.
        start = pandas.Timestamp(0, unit="s", tz="UTC").as_unit("s")
        try:
            column = pandas.to_datetime(column, utc=True) - start
        except pandas.errors.OutOfBoundsDatetime:  # before release 3, which counts in nanoseconds
            column = column.astype("datetime64[us, UTC]") - start
    seconds = pandas.to_timedelta(column).dt.total_seconds()
    return np.asarray(seconds.to_numpy(dtype=np.float64)), None


def column_detail(
    numbers: NDArray[Any], categories: Categories | None, kind: str, date_format: str
) -> tuple[str, str]:
    """Return the kind of a column, or "constant", and a few words about what it holds."""
    missing = np.isnan(numbers) if categories is None else numbers == MISSING
    present = numbers[~missing]
    if not present.size:
        return "constant", "no value"
    low, high = present.min(), present.max()
    ends = [f"{end:.6g}" for end in (low, high)]
    if kind == "date":
        ends = [str(np.datetime64(int(end), "s"))[:10] for end in (low, high)]
    if low == high and not missing.any():
        kind = "constant"
        words = f"always {next(filter(None, categories or ()), ends[0])}"
    elif categories is not None:
        words = f"{len(set(categories) - {None})} values"
    else:
        words = " to ".join(ends) + " seconds" * (kind == "duration")
    words += f", {missing.sum()} missing" * bool(missing.any())
    if date_format not in ("", _ISO):
        words += f", written as {date_format}"
    return kind, words


def _as_pandas(X: Any) -> pandas.DataFrame:
    pandas = import_extra("pandas", "data")
    frame = X.to_pandas() if hasattr(X, "to_pandas") else X  # from polars, for one
    if not isinstance(frame, pandas.DataFrame):
        raise DatasetError(
            f"The encoder takes a data frame with named columns, got {type(X).__name__}. An array"
            " of numbers needs no encoder."
        )
    frame = frame.rename(columns=str)
    check_duplicates(frame.columns, "The table")
    return frame


def _date_format(column: pandas.Series) -> str:
    """Return the first format by which all texts are dates, or nothing if there is none."""
    texts = column.dropna().drop_duplicates()
    formats = []
    if texts.str.match(r"\d{4}-\d\d(-\d\d|$)").all():
        formats = [_ISO]
    elif texts.str.contains(r"\d").all():
        formats = [day + time for day in _DAYS for time in _TIMES]
    likely = (form for form in formats if _as_dates(texts.iloc[:1], form).notna().all())
    return next((form for form in likely if _as_dates(texts, form).notna().all()), "")


def _as_dates(texts: pandas.Series, date_format: str) -> pandas.Series:
    to_datetime = import_extra("pandas", "data").to_datetime
    return to_datetime(texts, format=date_format, errors="coerce", utc=True)


def _dates(column: pandas.Series, date_format: str) -> pandas.Series:
    """Return the dates that texts stand for; reject a text that is none."""
    date_format = date_format or _date_format(column) or _ISO
    dates = _as_dates(column, date_format)
    lost = column[dates.isna() & column.notna()]
    if lost.size:
        raise DatasetError(
            f"The column {column.name!r} holds dates of the form {date_format}, but"
            f" {lost.iloc[0]!r:.40} is not one. Write all dates in the same way."
        )
    return dates


def _check_stray_text(column: pandas.Series) -> None:
    """Reject numbers with some text among them: as categories they would lose their order."""
    if inferred(column) == "categorical":
        return
    texts = column.dropna().astype(object).map(str)
    to_numeric = import_extra("pandas", "data").to_numeric
    stray = texts[to_numeric(texts.str.replace(",", "."), errors="coerce").isna()]
    if 0 < 2 * len(stray) < len(texts):
        row = stray.index[0]
        raise DatasetError(
            f"Most of the column {column.name!r} is numbers, but {stray.iloc[0]!r} in row"
            f" {row + 1 if isinstance(row, int | np.integer) else row} is not. Correct it, or name"
            f" it with {either('missing_values', '--missing')} if it stands for a missing entry, or"
            f" the column with {either('categories', '--category')} if these are categories."
        )
