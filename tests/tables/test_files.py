"""Files come out as they went in, or are rejected in one printable line that names the fix."""

import codecs
import csv
import gzip
import io
import sys

import numpy as np
import pandas
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tandemvote.tables import DatasetError, read_table
from tandemvote.tables.files import SEPARATORS, find_separator, read_frame

FRAME = pandas.DataFrame(
    {"length": [1.5, 0.0, 1e-7], "color": ["red", None, "ünder"], "kind": ["cat", "dog", "cat"]}
)


def check(frame):
    assert frame["length"].tolist() == FRAME["length"].tolist()
    assert frame["color"].fillna("").tolist() == ["red", "", "ünder"]
    assert frame["kind"].tolist() == FRAME["kind"].tolist()


def write(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("separator", SEPARATORS[:-1])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_a_csv_file_is_read_whatever_its_separator_and_encoding(tmp_path, separator, encoding):
    path = tmp_path / "animals.csv"
    FRAME.to_csv(path, sep=separator, encoding=encoding, index=False)
    frame, findings, _ = read_frame(path)
    check(frame)
    assert [each.code for each in findings] == (["encoding"] if encoding == "cp1252" else [])


def test_a_compressed_file_is_unpacked_whatever_its_name(tmp_path):
    packed = gzip.compress(FRAME.to_csv(index=False).encode())
    check(read_frame(write(tmp_path, "animals.data", packed))[0])
    with pytest.raises(DatasetError, match="is damaged and cannot be unpacked"):
        read_frame(write(tmp_path, "animals.data", packed[: len(packed) // 2]))


def test_a_small_file_does_not_fill_the_memory(tmp_path):
    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n" + b"1,1\n" * 2**23))
    assert path.stat().st_size < 40_000
    with pytest.raises(DatasetError, match="bytes when unpacked"):
        read_frame(path)


def test_a_big_endian_file_is_read(tmp_path):
    text = FRAME.to_csv(index=False)
    check(read_frame(write(tmp_path, "t.csv", codecs.BOM_UTF16_BE + text.encode("utf-16-be")))[0])


@pytest.mark.parametrize("name", ["animals.parquet", "animals.data"])
def test_a_parquet_file_is_read_without_its_index(tmp_path, name):
    FRAME.set_index(pandas.Index([10, 20, 30], name="row")).to_parquet(tmp_path / name)
    frame, *_ = read_frame(tmp_path / name)
    check(frame)
    assert [*frame.columns] == [*FRAME.columns]


def test_a_missing_file_is_named_once():
    with pytest.raises(DatasetError) as raised:
        read_frame("nofile.csv")
    assert str(raised.value).count("nofile.csv") == 1 and "No such file" in str(raised.value)


def test_the_standard_input_is_read(monkeypatch):
    content = io.BytesIO(FRAME.to_csv(index=False).encode())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(content))
    check(read_frame("-")[0])


def test_an_excel_file_is_the_same_table(tmp_path):
    pytest.importorskip("openpyxl")
    FRAME.to_excel(tmp_path / "t.xlsx", index=False)
    check(read_frame(tmp_path / "t.xlsx")[0])
    with pytest.raises(DatasetError, match="Save it as CSV"):
        read_frame(write(tmp_path, "broken.xlsx", b"PK\x03\x04 anything"))


def test_an_excel_file_without_its_package_names_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(ImportError, match=r'pip install "tandemvote\[excel\]"'):
        read_frame(write(tmp_path, "t.xlsx", b"PK\x03\x04 anything"))


words = st.text(st.sampled_from("abcXYZ äß;,|\t'\"-"), min_size=1).map(lambda w: "w" + w.rstrip())
numbers = st.floats(-1e30, 1e30, allow_subnormal=False)
quick = settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@quick
@given(
    rows=st.lists(st.tuples(numbers, words), min_size=2, max_size=12),
    separator=st.sampled_from(SEPARATORS[:-1]),
)
def test_any_table_written_by_the_csv_module_is_read_back(tmp_path, rows, separator):
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator)
    writer.writerows([["size", "word"], *rows])
    (tmp_path / "t.csv").write_text(text.getvalue(), encoding="utf-8", newline="")
    frame, *_ = read_frame(tmp_path / "t.csv")
    assert frame["size"].tolist() == [size for size, _ in rows]
    assert frame["word"].tolist() == [word for _, word in rows]


cells = ["", "?", "NA", "nan", "inf", "-0.0", "1e400", "9" * 30, "1,5", "2020-02-30", "True", "1:1"]
signs = ["\t", "\n", "\r", "\0", " ", "\ufeff", "\ud800", *";|,{}%#:'", '"']
texts = st.lists(st.sampled_from([*cells, *signs]) | st.text(max_size=5), max_size=40).map("".join)
contents = st.binary(max_size=200) | texts.map(lambda text: text.encode("utf-8", "surrogatepass"))
HEADS = {"csv": b"size,color,kind\n1,red,a\n2,blue,b\n", "parquet": b"PAR1"}


@quick
@given(content=contents, framed=st.booleans())
@pytest.mark.parametrize("ending", HEADS)
def test_any_bytes_are_a_table_or_rejected_in_one_line(tmp_path, ending, content, framed):
    path = write(tmp_path, f"t.{ending}", HEADS[ending] * framed + content)
    try:
        table = read_table(path, target="kind")
    except DatasetError as error:
        assert str(error).isprintable() and len(str(error)) <= 1000
    else:
        assert len(np.unique(table.y)) >= 2


@pytest.mark.parametrize(
    ("text", "separator"),
    [
        ("a,b,c\n1,2,3\n", ","),
        ("a;b;c\n1,5;2,5;3,5\n", ";"),
        ("a\tb\n1, 2; 3\tx\n", "\t"),
        ('a,b\n"x; y",1\n"z",2\n', ","),
        ("a|b\n1|2\n", "|"),
        ("a,b,c\n1,2\n", ","),
        ("only\n1\n2\n", ","),
        ("a  b\n1 2\n", " "),
    ],
)
def test_the_separator_is_the_one_that_cuts_all_lines_alike(text, separator):
    assert find_separator(text) == separator


def test_a_messy_table_is_read_as_meant(tmp_path):
    text = (
        "\ufeffname; size ;note;label\r\n"
        '"Müller; A.";1,5;NA;yes\r\n'
        "\r\n"
        "Smith; 2 ;17;no \r\n"
        'O"Hara;?;"  x ";yes\r\n'
    )
    frame, findings, _ = read_frame(write(tmp_path, "mess.csv", text), decimal=",")
    assert frame["name"].tolist() == ["Müller; A.", "Smith", 'O"Hara'] and not findings
    np.testing.assert_array_equal(frame["size"], [1.5, 2.0, np.nan])
    assert frame["note"].fillna("").tolist() == ["", "17", "x"]
    assert frame["label"].tolist() == ["yes", "no", "yes"]


@pytest.mark.parametrize("cell", ["?", " ?", "? ", "NA ", "  ", '" null "'])
def test_a_question_mark_or_padded_marker_is_a_missing_entry(tmp_path, cell):
    path = write(tmp_path, "t.csv", f"size,kind\n1,a\n{cell},b\n")
    np.testing.assert_array_equal(read_frame(path)[0]["size"], [1, np.nan])


def test_categories_keep_their_zeros(tmp_path):
    path = write(tmp_path, "t.csv", "zip,n\n01234,1\n1234 ,2\n")
    frame, *_ = read_frame(path, categories=["zip"])
    assert frame["zip"].tolist() == ["01234", "1234"] and frame["n"].tolist() == [1, 2]
    numbers = pandas.DataFrame({"zip": [7, None], "n": [1, 2]})
    numbers.to_parquet(tmp_path / "t.parquet")
    assert read_frame(tmp_path / "t.parquet", categories=["zip"])[0]["zip"].tolist()[0] == "7"


def test_rows_with_too_few_cells_are_a_finding_with_the_row(tmp_path):
    path = write(tmp_path, "t.csv", "a,b,kind\n1,2,x\n\n3\n4,5,y\n6,7\n")
    frame, [finding], _ = read_frame(path)
    assert len(frame) == 4 and frame["b"].isna().tolist() == [False, True, False, False]
    assert finding.code == "short_rows" and finding.severity == "warning"
    assert "2 rows with fewer than 3 cells, the first of them row 2" in finding.message


@pytest.mark.filterwarnings("default")  # as outside of tests: the error must not rest on them
@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("t.csv", "", "is empty"),
        ("t.csv", " \n\n", "is empty"),
        ("t.csv", "a,kind\n", "names of columns but no rows"),
        ("t.csv", "a,a\n1,2\n", "2 columns 'a'"),
        ("t.csv", "a,kind\n1,x\n2,y,9\n", "is not a table of text cells"),
        ("t.csv", "a,kind\n1,x,9\n2,y,9\n", "is not a table of text cells"),
        ("t.csv", 'a,kind\n"1,x\n2,y\n', "not a table of text"),
        ("t.csv", b"\x00\x01\x02", "is not a text file"),
        ("t.parquet", "not parquet", "cannot be read as Parquet"),
    ],
)
def test_an_unusable_file_is_rejected_with_the_reason(tmp_path, name, content, complaint):
    with pytest.raises(DatasetError, match=complaint):
        read_frame(write(tmp_path, name, content))


def test_a_folder_a_missing_file_and_an_address_are_rejected(tmp_path):
    with pytest.raises(DatasetError, match=r"Is a directory.*Check the path"):
        read_frame(tmp_path)
    with pytest.raises(DatasetError, match=r"No such file.*Check the path"):
        read_frame(tmp_path / "gone.csv")
    with pytest.raises(DatasetError, match=r"s3://bucket/t\.csv is an address.*curl"):
        read_frame("s3://bucket/t.csv")


def test_damaged_parquet_files_are_rejected_in_one_line(tmp_path):
    path = tmp_path / "table.parquet"
    FRAME.to_parquet(path)
    honest, rng = path.read_bytes(), np.random.default_rng(0)
    for _ in range(100):
        changed = bytearray(honest)
        for place in rng.integers(len(honest), size=3):
            changed[place] = rng.integers(256)
        path.write_bytes(bytes(changed))
        try:
            read_frame(path)
        except DatasetError as error:
            assert str(error).isprintable()


def test_parquet_text_that_is_not_text_is_rejected(tmp_path):
    path = tmp_path / "table.parquet"
    FRAME.to_parquet(path, compression=None, use_dictionary=False, write_statistics=False)
    honest = path.read_bytes()
    path.write_bytes(honest.replace(b"red", b"\xff\xfed"))
    with pytest.raises(DatasetError, match="cannot be read as Parquet"):
        read_frame(path)


@pytest.mark.parametrize("name", ["\x1b[2J", "\u202e", "x" * 10**5])
def test_what_a_file_puts_into_a_message_stays_one_printable_line(name, tmp_path):
    path = write(tmp_path, "table.csv", f'"{name}",kind\n1,a\n2,b\n')
    with pytest.raises(DatasetError) as caught:
        read_table(path, target="label")
    assert str(caught.value).isprintable() and len(str(caught.value)) <= 1000


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_without_the_extra_the_error_names_it(tmp_path, monkeypatch, name):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r'pip install "tandemvote\[data\]"'):
        read_frame(write(tmp_path, name, "a,label\n1,0\n"))


AMOUNTS = {
    "usd": (["$1,234.50", "$950.00", "-$3.10", ""], [1234.5, 950, -3.1, np.nan]),
    "euro": (["1.234,50 €", "950,00 €", "3,10 €", "12.000,00 €"], [1234.5, 950, 3.1, 12000]),
    "whole_euro": (["1.234 €", "950 €", "2.000 €", "3 €"], [1234, 950, 2000, 3]),
    "percent": (["12.3%", "4%", "5.5%", "100%"], [12.3, 4, 5.5, 100]),
    "thousands": (["1,234", "950", "12,345", "7"], [1234, 950, 12345, 7]),
    "both": (["1,234.50", "950", "2,000,000", "0.5"], [1234.5, 950, 2e6, 0.5]),
}
NOT_AMOUNTS = {
    "three_decimals": ["1,234", "5,678", "9,012", "1,111"],
    "decimals": ["3,14", "2,71", "0,5", "1"],
    "currencies": ["$5", "7 €", "1", "2"],
    "some_percent": ["12%", "0.12", "1", "2"],
    "sizes": ["1,234 kg", "950 kg", "3 kg", "1 kg"],
    "dates": ["1.1.2020", "2.1.2020", "3.1.2020", "4.1.2020"],
}


def test_money_percentages_and_grouped_thousands_are_numbers_if_there_is_one_reading(tmp_path):
    columns = {name: cells for name, (cells, _) in AMOUNTS.items()} | NOT_AMOUNTS
    rows = zip(*columns.values(), strict=True)
    text = "\n".join("\t".join(row) for row in [columns, *rows])
    frame, [finding], _ = read_frame(write(tmp_path, "t.csv", text.encode()))
    for name, (_, expected) in AMOUNTS.items():
        np.testing.assert_array_equal(frame[name], expected)
    assert all(frame[name].tolist() == cells for name, cells in NOT_AMOUNTS.items())
    assert finding.columns == (*AMOUNTS,) and "'$1,234.50' is 1234.5" in finding.message


def test_decimal_commas_leave_other_numbers_what_they_are(tmp_path):
    path = write(tmp_path, "t.csv", b"a;b;c\n3,14;1.5;1.234,5\n2,71;2.25;950\n")
    frame, *_ = read_frame(path, decimal=",")
    assert frame.to_numpy().tolist() == [[3.14, 1.5, 1234.5], [2.71, 2.25, 950]]
