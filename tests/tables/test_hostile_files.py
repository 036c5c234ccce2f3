"""Files that would fill the memory, change labels or say too much are rejected in one line."""

import bz2
import gzip
import io
import zipfile

import numpy as np
import pandas
import pytest

from tandemvote.tables import (
    DatasetError,
    file_content,
    from_frame,
    read_table,
)

TABLE = b"size,kind\n" + b"1,a\n2,b\n" * 50


@pytest.mark.parametrize(("ending", "pack"), [("gz", gzip.compress), ("bz2", bz2.compress)])
def test_a_file_that_unpacks_to_more_than_the_limit_is_rejected(
    ending, pack, tmp_path, monkeypatch
):
    path = tmp_path / f"table.csv.{ending}"
    path.write_bytes(pack(TABLE))
    monkeypatch.setattr(file_content, "LARGEST_CONTENT", len(TABLE))
    assert read_table(path, target="kind").n_classes == 2
    monkeypatch.setattr(file_content, "LARGEST_CONTENT", len(TABLE) - 1)
    with pytest.raises(DatasetError, match="unpack it before"):
        read_table(path, target="kind")


def test_no_more_is_unpacked_than_the_limit(tmp_path, monkeypatch):
    path = tmp_path / "table.csv.gz"
    path.write_bytes(gzip.compress(b"0" * 10**7)[:-8])  # its end is missing, and not looked for
    monkeypatch.setattr(file_content, "LARGEST_CONTENT", 10**6)
    with pytest.raises(DatasetError, match="unpack it before"):
        read_table(path, target="kind")


def test_a_compressed_archive_of_a_huge_array_is_rejected_unread(tmp_path, monkeypatch):
    path = tmp_path / "table.npz"
    X, y = np.zeros((1000, 10)), np.arange(1000) % 2
    np.savez_compressed(path, X=X, y=y)
    assert read_table(path).n_samples == 1000
    monkeypatch.setattr(file_content, "LARGEST_TABLE", X.nbytes - 1)
    with pytest.raises(DatasetError, match=r"numpy\.savez"):
        read_table(path)
    np.savez(path, X=X, y=y)  # no larger in memory than on disk
    assert read_table(path).n_samples == 1000


def test_a_table_of_long_runs_is_rejected_unread(tmp_path, monkeypatch):
    path = tmp_path / "table.parquet"
    pandas.DataFrame({"size": np.zeros(10**5), "kind": np.arange(10**5) % 2}).to_parquet(path)
    monkeypatch.setattr(file_content, "LARGEST_TABLE", 16 * 10**5 - 1)
    with pytest.raises(DatasetError, match="100000 rows and 2 columns"):
        read_table(path, target="kind")


@pytest.mark.parametrize(
    "header",
    [
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000000, 3)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000000, 0)}",
        "{'descr': '<U0', 'fortran_order': False, 'shape': (4611686018427387904,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-1, 3)}",
        "{'descr': '|O', 'fortran_order': False, 'shape': (1, 1)}",
        "{'descr': [], 'fortran_order': False, 'shape': (2, 2)}",
        "(" * 5000,
    ],
)
def test_an_array_that_says_to_be_larger_than_it_is_is_rejected(header, tmp_path):
    path = tmp_path / "table.npz"
    text = header.encode() + b"\n"
    part = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text
    labels = io.BytesIO()
    np.save(labels, np.array([0, 1]))
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("X.npy", part)
        archive.writestr("y.npy", labels.getvalue())
    with pytest.raises(DatasetError) as caught:
        read_table(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("label", [2**63, 2**64 - 1, 10**30, -(10**30), "1e30", "inf"])
def test_labels_beyond_integers_are_rejected_not_changed(label, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(f"size,kind\n1,{label}\n2,5\n")
    with pytest.raises(DatasetError, match=r"2\^63"):
        read_table(path, target="kind")


def test_features_beyond_floats_are_rejected(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(f"size,kind\n{'9' * 400},a\n2,b\n")
    with pytest.raises(DatasetError, match=r"1\.8e308"):
        read_table(path, target="kind")


def test_half_floats_are_read_without_a_warning(tmp_path):
    path = tmp_path / "table.npz"
    np.savez(path, X=np.array([[1.5], [2.5]], dtype=np.float16), y=[0, 1])
    assert read_table(path).X.tolist() == [[1.5], [2.5]]


@pytest.mark.parametrize("kind", ["datetime64[s]", "datetime64[us]", object])
def test_the_year_9999_is_a_date(kind):
    days = pandas.Series(np.array(["9999-12-31", "0001-01-01", "NaT"], dtype="datetime64[s]"))
    if kind is object:
        days = pandas.Series([day.to_pydatetime() for day in days], dtype=object)
    frame = pandas.DataFrame({"day": days.astype(kind), "kind": ["a", "b", "a"]})
    seconds = from_frame(frame, target="kind").X[:, 0]
    np.testing.assert_array_equal(seconds, [253402214400.0, -62135596800.0, np.nan])


def test_durations_longer_than_nanoseconds_can_count_are_read():
    spans = pandas.Series(np.array([10**15, 1], dtype="timedelta64[s]"))
    frame = pandas.DataFrame({"span": spans, "kind": ["a", "b"]})
    assert from_frame(frame, target="kind").X[:, 0].tolist() == [1e15, 1.0]


@pytest.mark.parametrize("name", ["\x1b[2J", "a\nb", "\u202e", "x" * 10**5])
def test_what_a_file_puts_into_a_message_stays_one_printable_line(name, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(f'"{name}",kind\n1,a\n2,b\n', encoding="utf-8")
    with pytest.raises(DatasetError) as caught:
        read_table(path, target="label")
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) <= 1000
    assert "kind" in str(caught.value) or len(name) > 1000


def test_a_damaged_parquet_file_is_rejected_in_one_line(tmp_path):
    path = tmp_path / "table.parquet"
    pandas.DataFrame({"size": [1, 2], "kind": ["a", "b"]}).to_parquet(path)
    honest = path.read_bytes()
    rng = np.random.default_rng(0)
    for _ in range(200):
        changed = bytearray(honest)
        for place in rng.integers(len(honest), size=3):
            changed[place] = rng.integers(256)
        path.write_bytes(bytes(changed))
        try:
            read_table(path, target="kind")
        except DatasetError as error:
            assert str(error).isprintable()


def test_parquet_text_that_is_none_is_rejected(tmp_path):
    path = tmp_path / "table.parquet"
    frame = pandas.DataFrame({"color": ["blue", "red"], "kind": ["a", "b"]})
    frame.to_parquet(path, compression=None, use_dictionary=False, write_statistics=False)
    honest = path.read_bytes()
    assert honest.count(b"blue") == 1
    path.write_bytes(honest.replace(b"blue", b"bl\xff\xfe"))
    with pytest.raises(DatasetError, match="cannot be read as Parquet"):
        read_table(path, target="kind")
