"""Messy text tables."""

import csv
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tandemvote.tables import DatasetError, read_features, read_table
from tandemvote.tables.encoder import category_number
from tandemvote.tables.file_content import SEPARATORS, find_separator

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
    dataset = read_table(path, target="label", decimal=",")
    assert tuple(dataset.encoder.kinds_) == ("name", "size", "note")
    np.testing.assert_array_equal(dataset.X[:, 1], [1.5, 2.0, np.nan])
    assert dataset.categories == {
        "name": ("Müller; A.", "Smith", 'O"Hara'),
        "note": ("17", "seventeen", None),
    }
    assert dataset.y.tolist() == ["yes", "no", "yes"]


def test_the_columns_of_a_file_without_a_header_are_numbered(tmp_path):
    path = tmp_path / "bare.csv"
    path.write_text("1,2,a\n3,4,b\n")
    dataset = read_table(path, target="column3", header=False)
    assert dataset.X.tolist() == [[1, 2], [3, 4]]


def test_another_encoding_is_rejected_in_the_words_of_the_face(tmp_path):
    path = tmp_path / "latin.csv"
    path.write_bytes("wort,art\ngrün,0\nblau,1\n".encode("latin-1"))
    with pytest.raises(DatasetError, match="encoding=latin-1") as caught:
        read_table(path, target="art")
    assert "--encoding latin-1" in caught.value.on_command_line


def test_other_encodings_are_read_when_named(tmp_path):
    path = tmp_path / "latin.csv"
    path.write_bytes("wort,art\ngrün,0\nblau,1\n".encode("latin-1"))
    assert read_table(path, target="art", encoding="latin-1").categories["wort"] == ("grün", "blau")


@pytest.mark.filterwarnings("default")  # as outside of tests: the rejection must not rest on them
def test_a_row_longer_than_the_header_is_rejected_not_cut(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("a,kind\n" + "1,x,9\n2,y,9\n")
    with pytest.raises(DatasetError, match="cannot be read as a table of 2 columns"):
        read_table(path, target="kind")


SIZES = [i % 9 for i in range(60)]


def numbers_with(cell):
    rows = "".join(f"{i % 9},{i % 2}\n" for i in range(60))
    return f"size,kind\n{rows}{cell},1\n"


@pytest.mark.parametrize("cell", ["?", " ?", "? ", "NA ", "  ", '" null "'])
def test_a_question_mark_or_padded_marker_is_a_missing_entry(tmp_path, cell):
    path = tmp_path / "uci.csv"
    path.write_text(numbers_with(cell))
    loaded = read_table(path, target="kind")
    np.testing.assert_array_equal(loaded.X[:, 0], [*SIZES, np.nan])
    dropped = read_table(path, target="kind", drop_missing=True)
    assert dropped.X[:, 0].tolist() == SIZES
    assert dropped.findings[0].message == "1 row with missing entries excluded."


def test_a_question_mark_can_be_a_category_and_a_label_cannot_be_one(tmp_path):
    path = tmp_path / "mushroom.csv"
    path.write_text("root,kind\n?,a\nb,b\nc,?\n")
    with pytest.raises(DatasetError, match=r"no label in 1 of 3 rows.*row 3"):
        read_table(path, target="kind")
    dataset = read_table(path, target="kind", missing_values=())
    assert dataset.categories == {"root": ("?", "b", "c")}


@pytest.mark.parametrize("cell", ["n/a?", "unknown", "12 kg", "1.2.3"])
def test_a_stray_text_among_numbers_is_rejected_unless_named(tmp_path, cell):
    path = tmp_path / "stray.csv"
    path.write_text(numbers_with(cell))
    with pytest.raises(DatasetError) as caught:
        read_table(path, target="kind")
    assert f"'size' is numbers, but {cell!r} in row 61 is not" in str(caught.value)
    assert "missing_values" in str(caught.value)
    named = read_table(path, target="kind", missing_values=["-", cell])
    np.testing.assert_array_equal(named.X[:, 0], [*SIZES, np.nan])
    coded = read_table(path, target="kind", categories=["size"])
    assert coded.categories["size"] == (*map(str, range(9)), cell)


@pytest.mark.parametrize("decimal", [".", ","])
def test_a_stray_text_among_decimal_commas_is_rejected(tmp_path, decimal):
    path = tmp_path / "stray.csv"
    path.write_text("size;kind\n3,14;a\n2,7;b\nn/a?;a\n-1,5;b\n")
    with pytest.raises(DatasetError, match=r"'n/a\?' in row 3"):
        read_table(path, target="kind", decimal=decimal)


def test_categories_keep_their_zeros_and_must_exist(tmp_path):
    path = tmp_path / "zip.csv"
    path.write_text("zip,kind\n01234,a\n1234 ,b\n01234,b\n")
    dataset = read_table(path, target="kind", categories=["zip", "kind"])
    assert dataset.categories == {"zip": ("01234", "1234")}
    assert dataset.y.tolist() == ["a", "b", "b"]
    options = tmp_path / "more.csv"
    options.write_text("zip\n1234\n")
    points = read_features(options, like=dataset, categories=["zip", "kind"])
    assert points.tolist() == [[category_number("1234")]]
    with pytest.raises(DatasetError, match=r"no column 'zap'.*Did you mean 'zip'"):
        read_table(path, target="kind", categories=["zap"])


def test_blanks_around_a_cell_make_no_new_class(tmp_path):
    path = tmp_path / "blanks.csv"
    path.write_text('size,word,kind\n1,red,yes\n2,red ,yes \n3,"  red", no\n4,blue\t,no\n')
    dataset = read_table(path, target="kind", separator=",")
    assert dataset.class_counts == {"no": 2, "yes": 2}
    assert dataset.categories == {"word": ("red", "blue")}


def test_columns_without_a_header_are_counted(tmp_path):
    path = tmp_path / "iris.csv"
    path.write_text("5.1,3.5,0.2,0.2,setosa\n4.9,3.0,1.4,0.2,other\n")
    with pytest.raises(DatasetError, match=r"starts with '5.1'.*header=False"):
        read_table(path, target="setosa")
    dataset = read_table(path, target="column5", header=False)
    assert dataset.X.tolist() == [[5.1, 3.5, 0.2, 0.2], [4.9, 3.0, 1.4, 0.2]]


@pytest.mark.parametrize("names", ["0,1,kind", "country,2019,kind", "400.5,401,kind"])
def test_ascending_numbers_can_be_names(tmp_path, names):
    path = tmp_path / "t.csv"
    path.write_text(f"{names}\n1,2,a\n3,4,b\n")
    assert tuple(read_table(path, target="kind").encoder.kinds_) == tuple(names.split(",")[:2])


def test_descending_numbers_are_names_if_one_says_so(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("4000,3998,kind\n1,2,a\n3,4,b\n")
    assert tuple(read_table(path, target="kind", header=True).encoder.kinds_) == ("4000", "3998")
