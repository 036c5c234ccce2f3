"""Users' own files: what goes in comes out, and what cannot is rejected with a way out."""

import bz2
import gzip
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file

from tandemvote.tables import DatasetError, from_frame, read_features, read_table
from tandemvote.tables.encoder import category_number

pandas = pytest.importorskip("pandas")

NUMBERS = np.array([[1.5, -2.0], [0.0, 3.25], [1e-7, 4.0], [5.0, 1e9]])
KINDS = np.array(["cat", "dog", "cat", "eel"])


def frame():
    return pandas.DataFrame(
        {
            "length": NUMBERS[:, 0],
            "color": ["red", "blue", None, "red"],
            "weight": NUMBERS[:, 1],
            "tame": [True, False, True, True],
            "kind": KINDS,
        }
    )


RED_BLUE_NONE_RED = [category_number(text) for text in ("red", "blue", None, "red")]
EXPECTED = np.column_stack([NUMBERS[:, 0], RED_BLUE_NONE_RED, NUMBERS[:, 1], [1, 0, 1, 1]])


def check_frame(dataset):
    assert np.array_equal(dataset.X, EXPECTED)
    assert dataset.y.tolist() == KINDS.tolist()
    assert tuple(dataset.encoder.kinds_) == ("length", "color", "weight", "tame")
    assert dataset.categories["color"] == ("red", "blue", None)
    assert dataset.n_dropped == 0


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_a_csv_file_comes_out_as_it_went_in(tmp_path, separator, encoding):
    path = tmp_path / "animals.csv"
    frame().to_csv(path, sep=separator, encoding=encoding, index=False)
    dataset = read_table(path, target="kind")
    check_frame(dataset)
    assert dataset.name == "animals"


@pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip.compress), (".bz2", bz2.compress)])
def test_a_compressed_csv_file_is_unpacked(tmp_path, suffix, pack):
    path = tmp_path / f"animals.csv{suffix}"
    path.write_bytes(pack(frame().to_csv(index=False).encode()))
    check_frame(read_table(path, target="kind"))


def test_a_parquet_file_comes_out_as_it_went_in(tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "animals.parquet"
    table = frame().astype({"color": "category"})
    table.index = [10, 20, 30, 40]  # a stored index must not turn into a feature
    table.to_parquet(path)
    check_frame(read_table(path, target="kind"))


@pytest.mark.parametrize("zero_based", [True, False])
@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress])
def test_a_libsvm_file_comes_out_as_it_went_in(tmp_path, zero_based, pack):
    path = tmp_path / "animals.libsvm"
    dump_svmlight_file(NUMBERS, [1, -1, 1, 2], str(path), zero_based=zero_based)
    path.write_bytes(pack(path.read_bytes()))
    dataset = read_table(path)
    assert np.array_equal(dataset.X, NUMBERS)
    assert dataset.y.tolist() == [1, -1, 1, 2]


@pytest.mark.parametrize("labels", [KINDS, np.array([3, 4, 3, 5]), np.array([0.0, 1.0, 1.0, 0.0])])
def test_an_npz_file_comes_out_as_it_went_in(tmp_path, labels):
    np.savez_compressed(tmp_path / "animals.npz", X=NUMBERS, y=labels[::-1], kind=labels)
    dataset = read_table(tmp_path / "animals.npz", target="kind")
    assert np.array_equal(dataset.X, NUMBERS)
    assert dataset.y.tolist() == labels.tolist()
    assert read_table(tmp_path / "animals.npz").y.tolist() == labels[::-1].tolist()


def test_missing_entries_stay_unless_their_rows_are_dropped_on_request(tmp_path):
    path = tmp_path / "gaps.csv"
    path.write_text("a,b,kind\n1,x,0\n,y,1\n3,,0\n4,y,1\n")
    loaded = read_table(path, target="kind")
    x, y = category_number("x"), category_number("y")
    np.testing.assert_array_equal(loaded.X, [[1, x], [np.nan, y], [3, -1], [4, y]])
    assert loaded.n_dropped == 0
    dropped = read_table(path, target="kind", drop_missing=True)
    assert np.array_equal(dropped.X, [[1, x], [4, y]])
    assert dropped.categories == {"b": ("x", "y")}
    assert dropped.n_dropped == 2
    assert "2 rows with missing entries excluded" in repr(dropped)
    assert "2 rows with missing entries included" in repr(loaded)


def test_a_missing_label_is_an_error_unless_its_row_is_dropped(tmp_path):
    path = tmp_path / "gaps.csv"
    path.write_text("a,kind\n1,0\n2,\n3,1\n4,1\n")
    with pytest.raises(DatasetError, match=r"no label in 1 of 4 rows.*row 2.*drop_missing"):
        read_table(path, target="kind")
    dataset = read_table(path, target="kind", drop_missing=True)
    assert dataset.y.tolist() == [0, 1, 1]
    assert dataset.y.dtype == np.int64


def test_missing_numbers_in_arrays_follow_the_same_rules(tmp_path):
    path = tmp_path / "gaps.npz"
    holed = NUMBERS.copy()
    holed[2, 1] = np.nan
    np.savez(path, X=holed, y=np.array([0, np.nan, 1, 1]))
    with pytest.raises(DatasetError, match="no label in 1 of 4 rows"):
        read_table(path)
    dataset = read_table(path, drop_missing=True)
    assert dataset.n_dropped == 2
    assert np.array_equal(dataset.X, NUMBERS[[0, 3]])


@pytest.mark.parametrize("text", ["nan", "None", "<NA>", "", " NaN"])
def test_a_label_that_is_text_for_a_missing_one_is_missing(tmp_path, text):
    path = tmp_path / "gaps.npz"
    np.savez(path, X=NUMBERS, y=np.array(["cat", "dog", text, "cat"]))
    with pytest.raises(DatasetError, match=r"no label in 1 of 4 rows.*row 3"):
        read_table(path)
    assert read_table(path, drop_missing=True).class_counts == {"cat": 2, "dog": 1}


@pytest.mark.parametrize(
    "days",
    [
        ["2020-02-29", None, "1969-12-31", "2020-03-01"],
        ["2020-02-29 13:30:00", "2020-02-29T14:00", None, "2020-02-29"],
        ["2020-02-29T13:30:00.5+01:00", "2020-02-29T12:30:01Z", None, None],
    ],
)
def test_dates_are_the_same_numbers_in_every_format(tmp_path, days):
    texts = pandas.DataFrame({"day": days, "kind": [0, 1, 0, 1]})
    texts.to_csv(tmp_path / "days.csv", index=False)
    typed = texts.assign(day=pandas.to_datetime(texts["day"], format="ISO8601", utc=True))
    typed.to_parquet(tmp_path / "days.parquet")
    as_text = read_table(tmp_path / "days.csv", target="kind")
    as_dates = read_table(tmp_path / "days.parquet", target="kind")
    np.testing.assert_array_equal(as_text.X, as_dates.X)
    assert as_text.categories == {}


@pytest.mark.parametrize("odd", ["2020-02-30", "yesterday", "1.3.2020"])
def test_text_that_is_not_all_dates_stays_categories(tmp_path, odd):
    path = write(tmp_path, "days.csv", f"day,kind\n2020-02-29,0\n2020-03-01,1\n{odd},0\n")
    assert read_table(path, target="kind").categories["day"] == ("2020-02-29", "2020-03-01", odd)


def test_days_that_are_labels_stay_labels(tmp_path):
    path = write(tmp_path, "days.csv", "size,day\n1,2020-02-29\n2,2020-03-01\n")
    assert read_table(path, target="day").y.tolist() == ["2020-02-29", "2020-03-01"]


def test_numbers_with_a_stray_text_are_rejected_in_any_format(tmp_path):
    cells = [str(i % 8) for i in range(40)]
    cells[7] = "n/a?"
    table = pandas.DataFrame({"size": cells, "kind": [0, 1] * 20})
    table.iloc[2, 0] = None
    table.to_csv(tmp_path / "t.csv", index=False)
    table.to_parquet(tmp_path / "t.parquet")
    rejection = r"'size' is numbers, but 'n/a\?' in row 8.*missing_values.*categories"
    for name in ("t.csv", "t.parquet"):
        for drop in (False, True):
            with pytest.raises(DatasetError, match=rejection):
                read_table(tmp_path / name, target="kind", drop_missing=drop)
    table.astype({"size": "category"}).to_parquet(tmp_path / "t.parquet")
    assert len(read_table(tmp_path / "t.parquet", target="kind").categories["size"]) == 10


def test_a_doubled_column_name_in_parquet_is_rejected_in_plain_words(tmp_path):
    pyarrow, parquet = map(pytest.importorskip, ("pyarrow", "pyarrow.parquet"))
    columns = [pyarrow.array([1, 2]), pyarrow.array([3, 4]), pyarrow.array([0, 1])]
    table = pyarrow.Table.from_arrays(columns, names=["size", "size", "kind"])
    parquet.write_table(table, tmp_path / "t.parquet")
    with pytest.raises(DatasetError, match="has 2 columns 'size'"):
        read_table(tmp_path / "t.parquet", target="kind")


def test_a_frame_with_a_doubled_column_name_is_rejected():
    table = pandas.DataFrame([[1, 2, 0], [3, 4, 1]], columns=[1, "1", "kind"])
    with pytest.raises(DatasetError, match="2 columns '1'"):
        from_frame(table, target="kind")


def test_an_option_of_another_format_is_rejected(tmp_path):
    path = write(tmp_path, "t.libsvm", "1 1:2\n0 1:3\n")
    with pytest.raises(DatasetError, match=r"without the option 'missing_values'.*zero_based"):
        read_table(path, missing_values=["-"])


def test_dates_durations_decimals_and_nullable_numbers_become_numbers():
    from datetime import date
    from decimal import Decimal

    table = pandas.DataFrame(
        {
            "moment": pandas.to_datetime(["1970-01-02", None]),
            "zoned": pandas.to_datetime(["1970-01-01T01:00+01:00", "1970-01-01T00:01Z"], utc=True),
            "day": [date(1970, 1, 3), None],
            "span": pandas.to_timedelta(["1min", None]),
            "price": [Decimal("1.25"), None],
            "count": pandas.array([7, None], dtype="Int64"),
            "flag": pandas.array([True, None], dtype="boolean"),
            "void": [None, None],
            "y": [0, 1],
        }
    )
    dataset = from_frame(table, target="y")
    expected = [[86400, 0, 172800, 60, 1.25, 7, 1], [np.nan, 60, *[np.nan] * 5]]
    np.testing.assert_array_equal(dataset.X[:, :7], expected)
    assert np.isnan(dataset.X[:, 7]).all()
    assert dataset.categories == {}


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [("Int64", [1, 0, 1]), ("float64", [1, 0, 1]), ("boolean", [True, False, True])],
)
def test_labels_keep_their_kind(dtype, expected):
    table = pandas.DataFrame({"a": [1, 2, 3], "y": pandas.array([1, 0, 1], dtype=dtype)})
    labels = from_frame(table, target="y").y
    assert labels.tolist() == expected
    assert labels.dtype.kind in "ib"


def write(tmp_path, name, content):
    path = Path(tmp_path, name)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    ("name", "content", "target", "complaint"),
    [
        ("t.csv", "alpha,label\n1,0\n2,1\n", "lable", "Did you mean 'label'"),
        (
            "t.csv",
            "a,0\nb,1\n",
            "label",
            "no header line: add one, or pass header=False",
        ),
        ("t.csv", "5.1,3.5,0\n4.9,3,1\n", "label", "looks like data.*Pass header=False"),
        ("t.csv", "1,0,0\n2,1,0\n", "1", "looks like data.*Pass header=False"),
        ("t.csv", "a,label\n1,0\n2,1\n", None, "name the label column with target"),
        ("t.csv", "label\n1\n2\n", "label", "no column besides the label"),
        ("t.csv", "", "label", "is empty"),
        ("t.csv", " \n\n", "label", "is empty"),
        ("t.csv.gz", gzip.compress(b"", mtime=0), "label", "is empty"),
        ("t.csv", "a,label\n", "label", "names of columns but no rows"),
        ("t.csv", "a,label\n1,0\n2,0\n", "label", "one class only"),
        ("t.csv", "a,label\n1,0.5\n2,1.5\n", "label", "fractions such as 0.5"),
        ("t.csv", "a,a,label\n1,2,0\n2,3,1\n", "label", "2 columns 'a'"),
        ("t.csv", "a,label,label\n1,0,0\n2,1,1\n", "label", "2 columns 'label'"),
        ("t.csv", "a,label\n1,0\n2,1,9\n", "label", "cannot be read as a table of 2 columns"),
        ("t.csv", "a,label\n1,0,7\n2,1,9\n", "label", "cannot be read as a table of 2 columns"),
        ("t.csv", 'a,label\n"1,0\n2,1\n', "label", "cannot be read as a table"),
        ("t.csv", "a,label\ninf,0\n2,1\n", "label", "column a holds a value that is infinite"),
        ("t.csv", b"a,label\n\xff\xfe,0\n", "label", "encoding=latin-1"),
        ("t.csv", "a;label\n3,14;0\n2,7;1\n", "label", "pass decimal=','"),
        ("t.xlsx", "anything", "label", "file_format, one of csv, libsvm"),
        ("noending", "1 1:2\n", None, "file_format, one of csv, libsvm"),
        ("t.parquet", "not parquet", "label", "cannot be read as Parquet"),
        ("t.arff", "@relation r\n@attribute a string\n@data\nx\n", "a", "unknown ending '.arff'"),
        ("t.libsvm", "1 1:2\n0 1:3\n", "label", "Leave target out"),
        ("t.libsvm", "one two three\n", None, "cannot be read as LIBSVM"),
        ("t.libsvm", "1 1:2\n1 1:3\n", None, "one class only"),
        ("t.libsvm", "1 1:2\n0 99999999999:3\n", None, "LIBSVM"),
        ("t.libsvm", "1 1:2\n0 2000000000:3\n", None, "the limit is 4 GiB"),
        ("t.npz", b"not a zip", None, "cannot be read as an archive"),
    ],
)
def test_an_unusable_file_is_rejected_with_a_way_out(tmp_path, name, content, target, complaint):
    with pytest.raises(DatasetError, match=complaint):
        read_table(write(tmp_path, name, content), target=target)


@pytest.mark.parametrize(
    ("arrays", "complaint"),
    [
        ({"X": NUMBERS}, "no array 'y'; it has X"),
        ({"X": NUMBERS, "y": KINDS[:2]}, "one label per row"),
        ({"X": np.array([["a"], ["b"]]), "y": np.array([0, 1])}, "table of numbers"),
        ({"X": NUMBERS, "y": np.array([None, 1, 2, 3])}, "without Python objects"),
    ],
)
def test_an_unusable_archive_is_rejected_with_a_way_out(tmp_path, arrays, complaint):
    np.savez(tmp_path / "t.npz", **arrays)
    with pytest.raises(DatasetError, match=complaint):
        read_table(tmp_path / "t.npz")


def test_a_missing_file_is_rejected(tmp_path):
    with pytest.raises(DatasetError, match="There is no file"):
        read_table(tmp_path / "gone.csv", target="y")


def test_the_format_can_be_named_where_the_ending_does_not_tell(tmp_path):
    path = write(tmp_path, "a1a", "-1 3:1\n+1 1:1\n")
    assert read_table(path, file_format="libsvm", n_features=5).X.shape == (2, 5)


def test_rows_all_with_gaps_cannot_all_be_dropped(tmp_path):
    path = write(tmp_path, "t.csv", "a,b,label\n,1,0\n1,,1\n")
    with pytest.raises(DatasetError, match=r"every row of 2.*drop_missing=False"):
        read_table(path, target="label", drop_missing=True)


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_without_the_extra_the_error_says_what_to_install(tmp_path, monkeypatch, name):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r'pip install "tandemvote\[data\]"'):
        read_table(write(tmp_path, name, "a,label\n1,0\n"), target="label")


def test_a_category_has_the_same_number_whatever_else_is_in_the_table():
    """Points a voter must not see may not decide how it reads its own."""
    whole = pandas.DataFrame({"color": ["blue", "red", "green", "red"], "kind": [0, 1, 0, 1]})
    part = from_frame(whole.iloc[1:], target="kind")
    assert part.X.tolist() == from_frame(whole, target="kind").X[1:].tolist()


def test_categories_that_share_a_number_are_named():
    assert category_number("zip04756") == category_number("zip06716")
    places = [f"zip{i:05d}" for i in range(10_000)]
    table = pandas.DataFrame({"place": places, "kind": [0, 1] * 5000})
    table["tame"] = ["yes", "no", "no", "yes"] * 2500
    dataset = from_frame(table, target="kind", keep=["place"])
    assert dataset.findings[-1].code == "merged_categories"
    assert dataset.findings[-1].columns == ("place",)
    assert dataset.findings[-1].message.rstrip(".") in repr(dataset)
    pair = table.iloc[[4756, 6716, 1]]
    [merged] = from_frame(pair, target="kind").findings
    assert "'zip04756' and 'zip06716' of column 'place' share a number" in merged.message
    assert from_frame(table.iloc[:1000], target="kind", keep=["place"]).findings == ()


def test_category_numbers_are_exact_in_the_type_trees_compute_in():
    numbers = [category_number(f"category {i}") for i in range(500)]
    assert len(set(numbers)) == 500
    assert np.array_equal(np.float32(numbers), numbers)


@pytest.mark.parametrize("ending", ["csv", "parquet", "npz", "libsvm"])
def test_further_samples_are_read_like_the_first(tmp_path, ending):
    path = tmp_path / f"points.{ending}"
    frame = pandas.DataFrame(NUMBERS, columns=["length", "weight"])
    frame["kind"] = [0, 1, 0, 1]
    if ending == "csv":
        frame.to_csv(path, index=False)
    elif ending == "parquet":
        frame.to_parquet(path)
    elif ending == "npz":
        np.savez(path, X=NUMBERS, y=frame["kind"])
    else:
        dump_svmlight_file(NUMBERS, frame["kind"], str(path))
    dataset = read_table(path, target="kind" if ending in ("csv", "parquet") else None)
    assert np.array_equal(read_features(path, like=dataset), dataset.X)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("color\nred\n", r"more\.csv does not fit known: The column 'weight' is missing"),
        ("color,weight\nred,heavy\n", "'weight' holds text here and numbers in the table"),
        ("color,weight\n3,5\n", "'color' holds numbers here and text in the table"),
    ],
)
def test_samples_of_another_kind_are_rejected(tmp_path, text, message):
    known, options = tmp_path / "known.csv", tmp_path / "more.csv"
    known.write_text("color,weight,kind\nred,1,a\nblue,2,b\n")
    options.write_text(text)
    with pytest.raises(DatasetError, match=message):
        read_features(options, like=read_table(known, target="kind"))
