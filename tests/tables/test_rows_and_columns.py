"""How a table was read: kinds of columns, repeated rows, rows without labels, targets."""

import numpy as np
import pandas
import pytest

from tandemvote.tables import DatasetError, TableEncoder, from_frame, read_features, read_table
from tandemvote.tables.file_content import read_column

DAYS = pandas.to_datetime(["2012-01-02", "2018-03-14", "1999-12-31"])
SECONDS = [1325462400.0, 1520985600.0, 946598400.0]


@pytest.mark.parametrize(
    "form",
    [
        *("%Y-%m-%d", "%Y/%m/%d", "%Y-%m-%d 00:00", "%Y-%m-%dT%H:%M:%SZ", "%d.%m.%Y", "%d.%m.%y"),
        *("%m/%d/%Y", "%d/%m/%Y", "%m/%d/%y", "%d-%b-%Y", "%d %B %Y", "%B %d, %Y"),
        *("%d/%m/%Y %H:%M:%S", "%m/%d/%Y %I:%M %p"),
    ],
)
def test_a_date_is_the_same_number_however_it_is_written(form):
    frame = pandas.DataFrame({"day": DAYS.strftime(form)})
    encoder = TableEncoder().fit(frame)
    assert encoder.kinds_ == {"day": "date"}
    for row in range(3):  # alone, a day may look like a month
        assert encoder.transform(frame.iloc[[row]]).tolist() == [[SECONDS[row]]]


@pytest.mark.parametrize("form", ["%b-%Y", "%b %Y", "%B %Y", "%Y-%m", "%b-%y"])
def test_a_month_is_its_first_day(form):
    frame = pandas.DataFrame({"month": pandas.to_datetime(["2018-03-01", "2019-12-01"])})
    written = frame.assign(month=frame["month"].dt.strftime(form))
    np.testing.assert_array_equal(
        TableEncoder().fit_transform(written), TableEncoder().fit_transform(frame)
    )


@pytest.mark.parametrize(
    "cells", [["v1.2", "v1.3"], ["10:00", "11:30"], ["May", "June"], ["1/2", "2/2"], ["A12", "B7"]]
)
def test_other_text_is_no_date(cells):
    assert TableEncoder().fit(pandas.DataFrame({"x": cells})).kinds_ == {"x": "category"}


def test_a_text_that_is_no_date_is_rejected_where_dates_were():
    encoder = TableEncoder().fit(pandas.DataFrame({"day": ["01.02.2018", None]}))
    with pytest.raises(DatasetError, match=r"'day' holds dates .*'soon' is not one"):
        encoder.transform(pandas.DataFrame({"day": ["03.02.2018", "soon"]}))
    assert np.isnan(encoder.transform(pandas.DataFrame({"day": [None]}))).all()


def test_every_column_is_accounted_for(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(
        "id,size,color,born,site,void,kind\n"
        "1,2.5,red,01.02.2018,A,,x\n2,,blue,13.02.2018,A,,y\n3,4,,,A,,x\n"
    )
    dataset = read_table(path, target="kind", drop=["id"])
    assert dataset.columns == [
        ("kind", "label", "2 classes"),
        ("id", "dropped", "as asked"),
        ("size", "number", "2.5 to 4, 1 missing"),
        ("color", "category", "2 values, 1 missing"),
        ("born", "date", "2018-02-01 to 2018-02-13, 1 missing, written as %d.%m.%Y"),
        ("site", "constant", "always A"),
        ("void", "constant", "no value"),
    ]
    assert dataset.columns_summary.startswith(
        "kind (label: 2 classes), id (dropped: as asked), size (number: 2.5 to 4, 1 missing), "
    )


REPEATED = pandas.DataFrame(
    {
        "size": [1.0, 1.0, np.nan, np.nan, 1.0, 0.0, -0.0],
        "color": ["red", "red", None, None, "blue", "red", "red"],
        "kind": ["a", "a", "b", "b", "a", "a", "b"],
    }
)


def test_repeated_rows_are_counted_as_pandas_does_and_excluded_on_request():
    dataset = from_frame(REPEATED, target="kind")
    distinct = from_frame(REPEATED, target="kind", drop_duplicates=True)
    assert distinct.n_dropped_duplicates == REPEATED.duplicated().sum() == 2
    np.testing.assert_array_equal(distinct.X, dataset.X[[0, 2, 4, 5, 6]])
    assert distinct.y.tolist() == ["a", "b", "a", "a", "b"]
    assert distinct.findings[0].message == "2 rows that repeat an earlier row excluded."


def test_repeated_rows_without_a_label_are_left_out_on_request():
    frame = REPEATED.assign(kind=["a", None, "b", None, None, None, None])
    dataset = from_frame(frame, target="kind", drop_unlabeled=True, drop_duplicates=True)
    assert dataset.n_dropped_duplicates == 1 and dataset.y.tolist() == ["a", "b"]
    np.testing.assert_array_equal(dataset.X_unlabeled[:, 0], [1, np.nan, 1, 0])


GAPS = pandas.DataFrame(
    {
        "size": [1, None, 3, 4, None],
        "color": ["r", "g", "b", "r", "r"],
        "kind": [0, 1, None, 1, None],
    }
)


def test_rows_without_a_label_are_left_out_alone_and_kept_as_samples():
    dataset = from_frame(GAPS, target="kind", drop_unlabeled=True)
    np.testing.assert_array_equal(dataset.X[:, 0], [1, np.nan, 4])
    np.testing.assert_array_equal(dataset.X_unlabeled[:, 0], [3, np.nan])
    np.testing.assert_array_equal(dataset.X_unlabeled, dataset.encoder.transform(GAPS.iloc[[2, 4]]))
    assert dataset.y.tolist() == [0, 1, 1] and dataset.n_dropped == 0
    assert dataset.findings[0].message == "2 rows without a label excluded."
    whole = from_frame(GAPS, target="kind", drop_missing=True)
    assert whole.X[:, 0].tolist() == [1, 4] and whole.X_unlabeled is None and whole.n_dropped == 3
    both = from_frame(GAPS, target="kind", drop_missing=True, drop_unlabeled=True)
    assert both.X[:, 0].tolist() == [1, 4] and both.X_unlabeled[:, 0].tolist() == [3]
    assert both.n_dropped == 2


def test_a_gap_in_a_dropped_column_costs_no_row():
    assert (
        from_frame(
            GAPS.dropna(subset="kind"), target="kind", drop=["size"], drop_missing=True
        ).n_dropped
        == 0
    )


@pytest.mark.parametrize(
    ("labels", "complaint"),
    [
        (np.arange(400) // 4 * 7, "looks like a measurement: 100 different numbers in 400 rows"),
        (np.arange(400) / 7, "holds fractions"),
        ([f"case {i}" for i in range(400)], "looks like a name: 400 different texts"),
    ],
)
def test_a_target_without_classes_is_rejected(labels, complaint):
    frame = pandas.DataFrame({"size": np.arange(400) % 7, "y": labels})
    with pytest.raises(DatasetError, match=complaint):
        from_frame(frame, target="y")


@pytest.mark.parametrize("labels", [np.arange(400) % 26, [f"c{i % 100}" for i in range(400)]])
def test_many_classes_are_still_classes(labels):
    frame = pandas.DataFrame({"size": np.arange(400) % 7, "y": labels})
    assert from_frame(frame, target="y").n_classes == len(set(labels))


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_numbers_named_as_categories_are_classes(tmp_path, ending):
    frame = pandas.DataFrame({"size": np.arange(400) % 7, "y": np.arange(400) // 4 / 2})
    path = tmp_path / f"t.{ending}"
    frame.to_csv(path, index=False) if ending == "csv" else frame.to_parquet(path)
    assert read_table(path, target="y", categories=["y"]).class_counts["0.5"] == 4


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(DatasetError, match="is a folder"):
        read_table(tmp_path, target="y")


@pytest.mark.parametrize(
    ("separator", "text"),
    [
        ("tab", "size\tkind\n1\ta\n2\tb\n"),
        ("\\t", "size\tkind\n1\ta\n2\tb\n"),
        ("space", 'size kind\n1 "a"\n2  b\n'),
        (":", "size:kind\n1:a\n2:b\n"),
    ],
)
def test_a_separator_can_be_named(tmp_path, separator, text):
    path = tmp_path / "t.csv"
    path.write_text(text)
    dataset = read_table(path, target="kind", separator=separator)
    assert dataset.X.tolist() == [[1], [2]] and dataset.y.tolist() == ["a", "b"]
    with pytest.raises(DatasetError, match="'::' is not a valid separator"):
        read_table(path, target="kind", separator="::")


def test_further_rows_are_read_one_by_one_as_in_a_table(tmp_path):
    known, options = tmp_path / "known.csv", tmp_path / "more.csv"
    known.write_text("note,zip,kind\n17,01234,a\nseventeen,x1,7\n,x1,a\n")
    dataset = read_table(known, target="kind")
    for place, row in enumerate(["17,01234", "seventeen,x1", ",x1"]):
        options.write_text(f"note,zip\n{row}\n")
        for like in (dataset, dataset.encoder):
            assert read_features(options, like=like).tolist() == [dataset.X[place].tolist()]
    options.write_text(
        "zip,note,kind\n01234,17,7\n"
    )  # labels are text, though all here are numbers
    test = read_table(options, target="kind", like=dataset)
    assert test.X.tolist() == [dataset.X[0].tolist()] and test.y.tolist() == ["7"]
    options.write_text("zip,kind\n01234,7\n")
    with pytest.raises(DatasetError, match=r"more\.csv does not fit known: .*no column 'note'"):
        read_table(options, target="kind", like=dataset)


def test_labels_of_another_kind_do_not_fit():
    like = from_frame(pandas.DataFrame({"size": [1, 2], "y": [0, 1]}), target="y")
    other = pandas.DataFrame({"size": [1, 2], "y": ["no", "yes"]})
    with pytest.raises(DatasetError, match="holds no, unlike the first table's 0"):
        from_frame(other, target="y", like=like)


def test_arrays_are_read_by_their_width(tmp_path):
    np.savez(tmp_path / "t.npz", X=np.eye(3), y=[0, 1, 1])
    dataset = read_table(tmp_path / "t.npz")
    assert np.array_equal(read_features(tmp_path / "t.npz", like=3), dataset.X)
    assert np.array_equal(read_table(tmp_path / "t.npz", like=dataset).X, dataset.X)
    with pytest.raises(DatasetError, match="3 features instead of 2"):
        read_features(tmp_path / "t.npz", like=2)
    with pytest.raises(DatasetError, match="no named columns to drop"):
        read_table(tmp_path / "t.npz", drop=["x"])


def test_a_column_without_any_value_has_no_gaps(tmp_path):
    path = tmp_path / "trailing.csv"
    path.write_text("size,kind,\n1,a,\n2,b,\n,a,\n")
    dataset = read_table(path, target="kind", drop_missing=True)
    assert dataset.X[:, 0].tolist() == [1, 2] and dataset.n_dropped == 1
    with pytest.raises(DatasetError, match="Row 3 has no value in the column 'size'"):
        read_features(path, like=dataset)


def test_a_column_of_a_table_without_names_is_copied_by_its_place(tmp_path):
    path = tmp_path / "bare.data"
    path.write_text("a,1\nb,2\n")
    copied = read_column(path, "column1", file_format="csv", header=False)
    assert copied.tolist() == ["a", "b"]


def test_a_table_with_several_rows_per_case_is_rejected_unless_the_column_is_kept():
    visits = pandas.DataFrame({"patient": np.repeat(np.arange(40), 3), "size": np.arange(120) % 7})
    visits["sick"] = np.random.default_rng(0).choice(["yes", "no"], size=40)[visits["patient"]]
    with pytest.raises(
        DatasetError, match=r"'patient' has 40 values .* pass it in keep"
    ) as rejection:
        from_frame(visits, target="sick", drop=["patient"])
    assert "use it with --keep" in rejection.value.on_command_line
    assert from_frame(visits, target="sick", keep=["patient"]).n_samples == 120
