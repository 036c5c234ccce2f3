"""What a column holds: numbers, dates, durations or categories, and each of them as numbers.

A column of categories becomes one column of numbers. Trees cut it in a few splits wherever that
helps, and one column per variable keeps the features drawn at a split as varied as the variables
are; one-hot columns would let variables with many categories crowd out the rest.

The number of a category is a hash of its text and depends on nothing else. Numbering categories in
the order of their appearance would let points that a voter must not have seen decide how it reads
its own. A hash also gives the same number in every file, so further tables need no dictionary.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from hashlib import blake2b
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tandemvote.extras import import_extra
from tandemvote.tables.columns import is_number
from tandemvote.tables.errors import DatasetError, either

if TYPE_CHECKING:
    import pandas

HASH_BYTES = 3
"""Hashes stay below 2^24, so that float32, the type trees compute in, holds them exactly."""

MISSING = -1.0
"""The number of a missing category."""

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
_WORDS = {"d": "day", "m": "month", "b": "month", "B": "month", "Y": "year", "y": "year"}
_WORDS |= {"H": "hour", "I": "hour", "M": "minute", "S": "second", "p": "am/pm"}


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


def find_kind(column: pandas.Series) -> tuple[str, str]:
    """Return "number", "date", "duration" or "category", and the format of dates that are text.

    Examples
    --------
    >>> import pandas
    >>> find_kind(pandas.Series(["Mar-2018", None])), find_kind(pandas.Series(["a", "1"]))
    (('date', '%b-%Y'), ('category', ''))
    """
    given = _inferred(column)
    if given == "string" and (date_format := find_date_format(column)):
        return "date", date_format
    if given not in _KINDS and given != "categorical":
        _refuse_stray_text(column)
    return _KINDS.get(given, "category"), ""


def find_date_format(column: pandas.Series) -> str:
    """Return the first format by which all texts are dates, or nothing if there is none."""
    pandas = import_extra("pandas", "data")
    texts = column.dropna().drop_duplicates()
    if texts.str.match(r"\d{4}-\d\d(-\d\d|$)").all():
        formats: Iterable[str] = (_ISO,)
    elif texts.str.contains(r"\d").all():
        formats = map("".join, product(_DAYS, _TIMES))
    else:
        return ""
    for date_format in formats:
        for some in (texts.iloc[:1], texts):  # most formats fail at the first
            dates = pandas.to_datetime(some, format=date_format, errors="coerce", utc=True)
            if dates.isna().any():
                break
        else:
            return date_format
    return ""


def encode(
    column: pandas.Series, kind: str, date_format: str = "", known: Categories = ()
) -> tuple[NDArray[Any], Categories | None]:
    """Return the numbers of a column of the given kind and, if it is one, its categories.

    Numbers are as they are, with NaN where they are missing; dates are seconds since 1970, and
    durations are seconds. A whole number is taken for a category if there are such among `known`.

    Examples
    --------
    >>> import pandas
    >>> encode(pandas.Series(["01.02.1970"]), "date", "%d.%m.%Y")[0]
    array([2678400.])
    """
    pandas = import_extra("pandas", "data")
    given = _inferred(column)
    if given == "string" and kind == "date":
        column, given = _dates(column, date_format), "date"
    takes_numbers = given == "integer" and any(is_number(name) for name in known if name)
    found = _KINDS.get(given, "category")
    if given != "empty" and not takes_numbers and found != kind:
        here, there = (_PLURALS[name] for name in (found, kind))
        raise DatasetError(
            f"The column {column.name!r} holds {here} here and {there} in the table that the"
            f" encoder was fitted on; its first value is {column.dropna().iloc[0]!s:.40}. Write it"
            " in the same way in both."
        )
    if kind == "category":
        return _categories(column)
    if kind == "number":
        return _numbers(column), None
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
    numbers: NDArray[Any], kind: str, categories: Categories | None, date_format: str = ""
) -> tuple[str, str]:
    """Return the kind of a column, or "constant", and a few words about what it holds.

    Examples
    --------
    >>> column_detail(np.array([7.0, -1.0, 9.0]), "category", ("a", None, "b"))
    ('category', '2 values, 1 missing')
    >>> column_detail(np.array([0.0, 86400.0]), "date", None, "%d.%m.%Y")
    ('date', '1970-01-01 to 1970-01-02, written as day.month.year')
    """
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
        words += ", written as " + re.sub("%(.)", lambda sign: _WORDS[sign[1]], date_format)
    return kind, words


def _inferred(column: pandas.Series) -> str:
    return str(import_extra("pandas", "data").api.types.infer_dtype(column, skipna=True))


def _categories(column: pandas.Series) -> tuple[NDArray[Any], Categories]:
    missing = column.isna().to_numpy()
    pandas = import_extra("pandas", "data")
    codes, names = pandas.factorize(column.astype(object).map(str).mask(missing))
    # The code of a missing entry is -1, which finds the last.
    categories: Categories = (*names, None) if missing.any() else tuple(names)
    return np.array([category_number(name) for name in categories])[codes], categories


def _dates(column: pandas.Series, date_format: str) -> pandas.Series:
    pandas = import_extra("pandas", "data")
    date_format = date_format or find_date_format(column) or _ISO
    dates = pandas.to_datetime(column, format=date_format, errors="coerce", utc=True)
    lost = column[dates.isna() & column.notna()]
    if lost.size:
        raise DatasetError(
            f"The column {column.name!r} holds dates of the form {date_format}, but"
            f" {lost.iloc[0]!r:.40} is none. Write all dates in the same way."
        )
    return dates


def _refuse_stray_text(column: pandas.Series) -> None:
    """Refuse numbers with some text among them: as categories they would lose their order."""
    pandas = import_extra("pandas", "data")
    texts = column.dropna().astype(object).map(str)
    numbers = pandas.to_numeric(texts.str.replace(",", "."), errors="coerce")
    stray = texts[numbers.isna()]
    if 0 < 2 * len(stray) < len(texts):
        row = stray.index[0]
        raise DatasetError(
            f"Most of the column {column.name!r} is numbers, but {stray.iloc[0]!r} in row"
            f" {row + 1 if isinstance(row, int | np.integer) else row} is not. Correct it, or name"
            f" it by {either('missing_values', '--missing')} if it stands for a missing entry. If"
            f" these are categories, name the column by {either('categories', '--category')}, or"
            " store it as such where the format can."
        )


def _numbers(column: pandas.Series) -> NDArray[Any]:
    try:
        return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
    except OverflowError as error:  # integers of any length in a column of objects
        raise DatasetError(
            f"Column {column.name!r} holds an integer above 1.8e308. Replace it, or leave the cell"
            " empty."
        ) from error
