"""Messy text tables."""

import csv
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tandemvote.datasets import DatasetError, read_table
from tandemvote.datasets.delimited import SEPARATORS, find_separator
from tandemvote.datasets.encoding import category_number

pytest.importorskip("pandas")

words = st.text(st.sampled_from("abcXYZ äß;,|\t'\"-"), min_size=1).map(lambda w: "w" + w.rstrip())
numbers = st.floats(-1e30, 1e30, allow_subnormal=False)


@given(
    rows=st.lists(st.tuples(numbers, words), min_size=2, max_size=12),
    separator=st.sampled_from(SEPARATORS),
    mark=st.booleans(),
)
def test_any_table_written_by_the_csv_module_is_read_back(tmp_path_factory, rows, separator, mark):
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator)
    writer.writerow(["size", "word", "label"])
    writer.writerows([size, word, i % 2] for i, (size, word) in enumerate(rows))
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    path.write_text(text.getvalue(), encoding="utf-8-sig" if mark else "utf-8", newline="")
    dataset = read_table(path, target="label", separator=separator)
    assert np.array_equal(dataset.X[:, 0], [size for size, _ in rows])
    assert dataset.X[:, 1].tolist() == [category_number(word) for _, word in rows]
    first_seen = list(dict.fromkeys(word for _, word in rows))
    assert list(dataset.categories["word"]) == first_seen


@pytest.mark.parametrize(
    ("text", "separator"),
    [
        ("a,b,c\n1,2,3\n", ","),
        ("a;b;c\n1,5;2,5;3,5\n", ";"),
        ("1,5;2,5\n3,5;4,5\n", ";"),
        ("a\tb\n1, 2; 3\tx\n", "\t"),
        ('a,b\n"x; y",1\n"z",2\n', ","),
        ("a|b\n1|2\n", "|"),
        ("a,b,c\n1,2\n", ","),
        ("only\n1\n2\n", ","),
    ],
)
def test_the_separator_is_the_one_that_cuts_all_lines_alike(text, separator):
    assert find_separator(text) == separator


def test_a_messy_table_is_read_as_meant(tmp_path):
    path = tmp_path / "mess.csv"
    path.write_bytes(
        "\ufeffname; size ;note;label\r\n"
        '"Müller; A.";1,5;NA;yes\r\n'
        "\r\n"
        "Smith; 2 ;17;no\r\n"
        'O"Hara;?;seventeen;yes\r\n'.encode()
    )
    dataset = read_table(path, target="label", decimal=",", missing_values=["?"])
    assert dataset.feature_names == ("name", "size", "note")
    np.testing.assert_array_equal(dataset.X[:, 1], [1.5, 2.0, np.nan])
    assert dataset.categories == {
        "name": ("Müller; A.", "Smith", 'O"Hara'),
        "note": ("17", "seventeen", None),
    }
    assert dataset.y.tolist() == ["yes", "no", "yes"]


def test_a_file_without_a_header_takes_the_names_given(tmp_path):
    path = tmp_path / "bare.csv"
    path.write_text("1,2,a\n3,4,b\n")
    dataset = read_table(path, target="kind", column_names=["u", "v", "kind"])
    assert dataset.X.tolist() == [[1, 2], [3, 4]]


def test_other_encodings_are_read_when_named(tmp_path):
    path = tmp_path / "latin.csv"
    path.write_bytes("wort,art\ngrün,0\nblau,1\n".encode("latin-1"))
    assert read_table(path, target="art", encoding="latin-1").categories["wort"] == ("grün", "blau")


@pytest.mark.filterwarnings("default")  # as outside of tests: the refusal must not rest on them
def test_a_row_longer_than_the_header_is_refused_not_cut(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("a,kind\n" + "1,x,9\n2,y,9\n")
    with pytest.raises(DatasetError, match="cannot be read as a table of 2 columns"):
        read_table(path, target="kind")
