"""Kinds of columns are recognized, and columns become numbers and text."""

from datetime import date
from decimal import Decimal

import numpy as np
import pandas
import pytest
from sklearn.pipeline import make_pipeline

from tandemvote.tables import DatasetError, TableColumns
from tandemvote.tables.kinds import find_kind

DAYS = pandas.to_datetime(["2012-01-02", "2018-03-14", "1999-12-31"])
SECONDS = [1325462400.0, 1520985600.0, 946598400.0]


def converted(values, kind=None):
    frame = pandas.DataFrame({"x": values})
    kind = kind or find_kind(frame["x"])
    return TableColumns({"x": kind}).fit_transform(frame)["x"].tolist()


@pytest.mark.parametrize(
    "form",
    [
        *("%Y-%m-%d", "%Y/%m/%d", "%Y-%m-%d 00:00", "%Y-%m-%dT%H:%M:%SZ", "%d.%m.%Y", "%d.%m.%y"),
        *("%m/%d/%Y", "%d/%m/%Y", "%m/%d/%y", "%d-%b-%Y", "%d %B %Y", "%B %d, %Y"),
        *("%d/%m/%Y %H:%M:%S", "%m/%d/%Y %I:%M %p"),
    ],
)
def test_a_date_is_the_same_number_however_it_is_written(form):
    texts = pandas.Series(DAYS.strftime(form))
    kind = find_kind(texts)
    assert kind.startswith("date ")
    for text, seconds in zip(texts, SECONDS, strict=True):  # alone, a day may look like a month
        assert converted([text], kind) == [seconds]


@pytest.mark.parametrize("form", ["%b-%Y", "%b %Y", "%Y-%m", "%b-%y"])
def test_a_month_is_its_first_day(form):
    months = pandas.to_datetime(["2018-03-01", "2019-12-01"])
    assert converted(months.strftime(form)) == converted(months)


def test_in_dates_with_dots_the_day_comes_first():
    assert find_kind(pandas.Series(["01.02.2018", "03.04.2019"])) == "date %d.%m.%Y"
    assert find_kind(pandas.Series(["01/02/2018", "03/04/2019"])) == "date %m/%d/%Y"


@pytest.mark.parametrize(
    "cells",
    [
        *(["v1.2", "v1.3"], ["10:00", "11:30"], ["May", "June"], ["1/2", "2/2"], ["A12", "B7"]),
        *(["2020-02-29", "2020-02-30"], ["2020-02-29", "yesterday"], ["2020-02-29", "1.3.2020"]),
    ],
)
def test_other_text_is_a_category(cells):
    assert find_kind(pandas.Series(cells)) == "category"


@pytest.mark.parametrize("kind", ["datetime64[s]", "datetime64[us]"])
def test_the_year_9999_is_a_date(kind):
    days = pandas.Series(np.array(["9999-12-31", "0001-01-01"], dtype="datetime64[s]"))
    assert converted(days.astype(kind)) == [253402214400.0, -62135596800.0]


def test_typed_columns_become_numbers():
    frame = pandas.DataFrame(
        {
            "moment": pandas.to_datetime(["1970-01-02", None]),
            "zoned": pandas.to_datetime(["1970-01-01T01:00+01:00", "1970-01-01T00:01Z"], utc=True),
            "day": [date(1970, 1, 3), None],
            "span": pandas.to_timedelta(["1min", None]),
            "price": [Decimal("1.25"), None],
            "count": pandas.array([7, None], dtype="Int64"),
            "flag": pandas.array([True, None], dtype="boolean"),
            "void": [None, None],
        }
    )
    kinds = {name: find_kind(frame[name]) for name in frame}
    X = TableColumns(kinds).fit_transform(frame)
    assert {*X.dtypes} == {np.dtype(float)}
    expected = [[86400, 0, 172800, 60, 1.25, 7, 1, np.nan], [np.nan, 60, *[np.nan] * 6]]
    np.testing.assert_array_equal(X.to_numpy(), expected)


def test_categories_become_text_with_gaps():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"more": [1, 2], "code": [7, None], "color": ["red", None]})
    X = TableColumns({"color": "category", "code": "category"}).fit_transform(frame)
    assert [*X.columns] == ["color", "code"] and X.iloc[0].tolist() == ["red", "7"]
    assert X.iloc[1].isna().all()


def test_names_of_columns_and_set_output_are_those_of_scikit_learn():
    polars = pytest.importorskip("polars")
    frame = pandas.DataFrame({"color": ["red", None], "more": [1, 2], "size": [3, 4]})
    columns = TableColumns({"size": "number", "color": "category"})
    assert make_pipeline(columns).fit(frame).get_feature_names_out().tolist() == ["size", "color"]
    X = columns.set_output(transform="polars").fit_transform(frame)
    assert X.equals(polars.DataFrame({"size": [3.0, 4.0], "color": ["red", None]}))


@pytest.mark.parametrize(
    ("values", "kind", "complaint"),
    [
        (["big"], "number", "'x' holds 'big', which is not a number"),
        ([1.5], "date", "'x' holds .*1.5.*, which is not a date"),
        (["soon"], "date %d.%m.%Y", "'soon', which is not a date written as %d.%m.%Y"),
        ([np.inf], "number", "infinite or above 3.4e\\+38"),
        ([10**400], "number", "do not accept .int too large"),
    ],
)
def test_values_that_do_not_fit_their_kind_are_rejected(values, kind, complaint):
    with pytest.raises(DatasetError, match=complaint):
        converted(values, kind)


def test_missing_and_doubled_columns_are_rejected():
    columns = TableColumns({"a": "number", "b": "number", "c": "number"})
    with pytest.raises(DatasetError, match="no column 'b'"):
        columns.transform(pandas.DataFrame({"a": [1]}))
    with pytest.raises(DatasetError, match="2 columns '1'"):
        columns.transform(pandas.DataFrame([[1, 2]], columns=[1, "1"]))


@pytest.mark.parametrize("kind", ["number", "date", "date %Y-%m-%d", "category"])
@pytest.mark.parametrize("missing", [np.nan, None, pandas.NaT])
def test_a_column_without_values_is_missing_whatever_its_kind(kind, missing):
    frame = pandas.DataFrame({"a": [missing, missing]})
    column = TableColumns({"a": kind}).transform(frame)["a"]
    assert column.isna().all()
    assert column.dtype == (object if kind == "category" else float)
