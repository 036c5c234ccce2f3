"""ARFF as Weka and OpenML write it, and as strangers might."""

import re

import numpy as np
import pytest

from tandemvote.datasets import DatasetError, read_table
from tandemvote.datasets.arff_syntax import split_dense
from tandemvote.datasets.encoding import category_number

pandas = pytest.importorskip("pandas")


def read(tmp_path, text, target="kind", **options):
    path = tmp_path / "table.arff"
    path.write_text(text, encoding=options.get("encoding", "utf-8"))
    return read_table(path, target=target, **options)


@pytest.mark.parametrize("quote", ["'", '"'])
def test_quotes_may_come_late(tmp_path, quote):
    dataset = read(
        tmp_path,
        "@relation r\n@attribute a numeric\n@attribute c {x,'y z',w}\n@attribute kind {pos,neg}\n"
        f"@data\n1,x,pos\n2,{quote}y z{quote},neg\n3,w,pos\n",
    )
    assert dataset.X[:, 0].tolist() == [1, 2, 3]
    assert dataset.categories == {"c": ("x", "y z", "w")}
    assert dataset.y.tolist() == ["pos", "neg", "pos"]


def test_values_may_be_of_any_script(tmp_path):
    text = "@relation r\n@attribute größe {klein, groß}\n@attribute kind {ja,'näh, \\'nein\\''}\n"
    rows = "@data\nklein,ja\ngroß,'näh, \\'nein\\''\n"
    for encoding in ("utf-8", "latin-1"):
        dataset = read(tmp_path, text + rows, encoding=encoding)
        assert dataset.categories == {"größe": ("klein", "groß")}
        assert dataset.y.tolist() == ["ja", "näh, 'nein'"]


def test_sparse_rows_are_the_same_as_dense_ones(tmp_path):
    head = "@relation r\n@attribute a real\n@attribute c {x,'y, z'}\n@attribute kind {0,1}\n@data\n"
    sparse = read(tmp_path, head + "{0 1.5, 1 'y, z'}\n{ }\n{2 1}\n{0 ?,2 1}\n")
    dense = read(tmp_path, head + "1.5,'y, z',0\n0,x,0\n0,x,1\n?,x,1\n")
    np.testing.assert_array_equal(sparse.X, dense.X)
    assert sparse.y.tolist() == dense.y.tolist() == ["0", "0", "1", "1"]
    assert sparse.categories == dense.categories


def test_tabs_comments_cases_strings_and_fractions_of_integers_are_read(tmp_path):
    dataset = read(
        tmp_path,
        "% words\n\n@RELATION\t'a b'\n@Attribute\t'the size'\tINTEGER % whole\n"
        "@attribute note String\n@attribute kind{a,b} % classes\n@DATA\n% more words\n"
        " 1.5 , 'it\\'s' , a \n\n2,O'Hara,b\r\n",
    )
    assert dataset.feature_names == ("the size", "note")
    assert dataset.X[:, 0].tolist() == [1.5, 2]
    assert dataset.categories == {"note": ("it's", "O'Hara")}


@pytest.mark.parametrize(
    ("declared", "cells"),
    [
        ("date", ["1970-01-02T00:00:00", "1970-01-01T00:01:00"]),
        ("DATE yyyy-MM-dd", ["1970-01-02", "1970-01-03"]),
        ('date "dd.MM.yyyy HH:mm:ss"', ["02.01.1970 00:00:00", "01.01.1970 00:01:00"]),
        ("date \"yyyy 'at' MM dd\"", ["1970 at 01 02", "1970 at 01 03"]),
        ("date 'yyyy-MM-dd HH:mm'", ["'1970-01-02 00:00'", "'1970-01-01 00:01'"]),
    ],
)
def test_dates_are_read_by_their_format(tmp_path, declared, cells):
    head = f"@relation r\n@attribute day {declared}\n@attribute kind {{a,b}}\n@data\n"
    dataset = read(tmp_path, f"{head}{cells[0]},a\n{cells[1]},b\n?,a\n")
    seconds = 60 if "mm" in declared or declared == "date" else 172800
    np.testing.assert_array_equal(dataset.X[:, 0], [86400, seconds, np.nan])


def test_nominal_numbers_are_categories_as_declared(tmp_path):
    head = "@relation r\n@attribute n {0,1,2,3+}\n@attribute kind {a,b}\n@data\n"
    dataset = read(tmp_path, head + "0,a\n1,b\n2,a\n3+,a\n")
    assert dataset.X[:, 0].tolist() == [category_number(text) for text in ("0", "1", "2", "3+")]


HEAD = "@relation r\n@attribute a real\n@attribute kind {x,y}\n"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (HEAD, "no line @data"),
        ("@relation r\n@data\n1\n", "line 2: expected @relation"),
        (HEAD + "words\n", "line 4: expected @relation"),
        (HEAD + "@attribute b relational\n", "line 4: the type 'relational' is none of"),
        (HEAD + "@attribute b {p,q\n", "between braces"),
        (HEAD + "@attribute b date yyyyMMDD\n", "the sign 'yyyyMMDD' of a date format"),
        (HEAD + "@attribute b date yyyy-MM-dd-dd\n", "the sign 'dd' of a date format"),
        (HEAD + "@attribute 'b\n", "a quote is not closed"),
        (HEAD + "@attribute a real\n@data\n1,x,2\n", "the column name 'a' twice"),
        (HEAD + "@data\n1,x\n2,y,z\n", "line 6: 3 cells, separated by commas, for 2 attributes"),
        (HEAD + "@data\n1\n", "line 5: 1 cell, separated"),
        (HEAD + "@data\n1,'x\n", "a quote is not closed"),
        (HEAD + "@data\n1,'x'y\n", "text follows it"),
        (HEAD + "@data\n1,x\n2,z\n", "'z' in row 2 is none of its values"),
        (HEAD + "@data\n1,x\ntwo,y\n", "'a', declared as numeric: Unable to parse string"),
        (HEAD + "@data\n{2 x}\n", "no attribute 2"),
        (HEAD + "@data\n{0 1,0 2}\n", "attribute 0 is there twice"),
        (HEAD + "@data\n{0 1,x}\n", "places and cells"),
        (HEAD + "@attribute s string\n@data\n{0 1}\n", "must state the string attribute 's'"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path, text, complaint):
    with pytest.raises(DatasetError, match=re.escape(complaint)):
        read(tmp_path, text)


def test_a_few_sparse_rows_cannot_fill_the_memory(tmp_path, monkeypatch):
    from tandemvote.datasets import arff

    attributes = "".join(f"@attribute a{place} real\n" for place in range(100))
    text = f"@relation r\n{attributes}@data\n" + "{}\n" * 100
    monkeypatch.setattr(arff, "LARGEST_TABLE", 8 * 100 * 99)
    with pytest.raises(DatasetError, match="exceeds"):
        read(tmp_path, text)


@pytest.mark.parametrize("sign", ["'", '"', "\\", ",", " ", "',", "' ", "a,", "{", "\t'\\"])
def test_no_line_takes_longer_than_its_length(sign):
    """A search that went back and forth over such lines would not end within years."""
    for line in (sign * 50_000, "'" + sign * 50_000, "x" + sign * 50_000 + "'"):
        try:
            assert 1 <= len(split_dense(line)) <= line.count(",") + 1
        except ValueError as error:
            assert "quote" in str(error)
