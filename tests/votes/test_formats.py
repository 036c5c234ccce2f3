"""The same votes in CSV and in Parquet files are the same `Votes`."""

import csv
import gzip
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tandemvote.votes import vote_tables
from tandemvote.votes.reading import read_predictions, read_votes
from tandemvote.votes.vote_tables import VotesFileError, column_names, read_columns

arrow = pytest.importorskip("pyarrow", reason="votes on disk need the data extra")
parquet = pytest.importorskip("pyarrow.parquet")

quick = settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
words = st.sampled_from(
    [
        *("a", "A", " a", "a ", "1", "01", "1.0", "1e0", "-0", "0", "NA", "None", "nan", "", " "),
        *(
            '"',
            '""',
            "a,b",
            "a;b",
            "a\tb",
            "a|b",
            "a\nb",
            "a\r\nb",
            "'",
            "\\",
            "#",
            "\u2028",
            "\x0b",
        ),
        *("\u00e9", "e\u0301", "\ufeff", "9007199254740993", "True", "TRUE", "?"),
        # The csv module of Python 3.10 cannot write a null character.
        *(("a\0", "\0a") if sys.version_info >= (3, 11) else ()),
    ]
)
REJECTED = ("null character", "NUL", "has no held-out predictions")


def tables(cell):
    return st.integers(1, 6).flatmap(
        lambda n: st.tuples(
            st.lists(cell.filter(lambda word: word != ""), min_size=n, max_size=n),
            st.lists(st.lists(cell, min_size=n, max_size=n), min_size=1, max_size=3),
        )
    )


def write(path, columns, separator=",", encoding="utf-8"):
    if path.suffix == ".parquet":
        parquet.write_table(arrow.table(columns), path)
        return
    with path.open("w", newline="", encoding=encoding) as file:
        writer = csv.writer(file, delimiter=separator)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


def assert_equal(votes, other):
    assert votes.classes.tolist() == other.classes.tolist()
    for field in ("labels", "predictions", "held_out"):
        np.testing.assert_array_equal(getattr(votes, field), getattr(other, field))


def read_or_rejected(path, drop=()):
    try:
        return read_votes(path, target="label", drop=drop, keep=None)
    except VotesFileError as error:
        assert any(reason in str(error) for reason in REJECTED)
        return None


@quick
@given(
    table=tables(words),
    separator=st.sampled_from(",;\t|"),
    encoding=st.sampled_from(["utf-8", "utf-8-sig"]),
    n_first=st.integers(0, 6),
)
def test_csv_and_shards_of_parquet_give_equal_votes(
    table, separator, encoding, n_first, tmp_path_factory
):
    folder = tmp_path_factory.mktemp("votes")
    labels, voters = table
    columns = {"label": labels, **{f"v{i}": column for i, column in enumerate(voters)}}
    columns["row"] = [str(i) for i in range(len(labels))]  # no shard is a copy of another
    write(folder / "votes.csv", columns, separator, encoding)
    for part, rows in (("0", slice(0, n_first)), ("1", slice(n_first, None))):
        shard = {name: column[rows] for name, column in columns.items()}
        if shard["label"]:
            write(folder / f"{part}.parquet", shard)
    from_shards = read_or_rejected(folder, ["row"])
    from_csv = read_or_rejected(folder / "votes.csv", ["row"])
    assert (from_csv is None) == (from_shards is None)
    if from_csv is None:
        return
    assert_equal(from_csv, from_shards)
    assert from_csv.held_out.tolist() == [[cell != "" for cell in column] for column in voters]
    assert from_csv.classes[from_csv.labels].tolist() == labels
    predictions = from_csv.classes[from_csv.predictions]
    assert predictions[from_csv.held_out].tolist() == [
        cell for column in voters for cell in column if cell
    ]


KINDS = {
    "integers": (st.integers(0, 12), [arrow.int8(), arrow.uint64(), arrow.int64()]),
    "distant integers": (st.sampled_from([-(2**63), -1, 2**63 - 1]), [arrow.int64()]),
    "floats": (st.integers(-3, 12).map(float), [arrow.float64(), arrow.float32()]),
    "booleans": (st.booleans(), [arrow.bool_()]),
    "categories": (
        st.sampled_from(["a", "NA", "b"]),
        [arrow.dictionary(arrow.int8(), arrow.string())],
    ),
    "numbered categories": (
        st.integers(0, 3),
        [arrow.dictionary(arrow.int8(), arrow.int64())],
    ),
}


@quick
@given(data=st.data())
@pytest.mark.parametrize("kind", KINDS)
def test_typed_columns_are_the_text_they_are_written_as(kind, data, tmp_path):
    label, types = KINDS[kind]
    n = data.draw(st.integers(1, 6))
    columns = {"label": data.draw(st.lists(label, min_size=n, max_size=n))} | {
        f"v{i}": data.draw(st.lists(st.none() | label, min_size=n, max_size=n)) for i in range(2)
    }
    arrays = {
        name: arrow.array(column, data.draw(st.sampled_from(types)))
        for name, column in columns.items()
    }
    size = data.draw(st.integers(1, 6))
    parquet.write_table(arrow.table(arrays), tmp_path / "votes.parquet", row_group_size=size)

    def text(cell):
        return "" if cell is None else str(int(cell) if isinstance(cell, float) else cell)

    write(tmp_path / "votes.csv", {name: map(text, column) for name, column in columns.items()})
    from_csv = read_or_rejected(tmp_path / "votes.csv")
    from_parquet = read_or_rejected(tmp_path / "votes.parquet")
    assert (from_csv is None) == (from_parquet is None)
    if from_csv is not None:
        assert_equal(from_csv, from_parquet)
    wanted = {name: list(map(text, column)) for name, column in columns.items()}
    for ending in ("csv", "parquet"):
        assert read_columns(tmp_path / f"votes.{ending}", ["v1", "label"]) == {
            name: wanted[name] for name in ("v1", "label")
        }
        assert column_names(tmp_path / f"votes.{ending}") == ["label", "v0", "v1"]


@quick
@given(table=tables(words.filter(lambda word: word and {"\n", "\r", "\0"}.isdisjoint(word))))
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_predictions_without_labels_come_back_as_written(table, ending, tmp_path):
    path = tmp_path / f"votes.{ending}"
    # A blank line is not a row, so a single column would lose blank cells.
    columns = {f"v{i}": list(column) for i, column in enumerate([*table[1], *table[1]])}
    write(path, {"id": table[0], **columns})
    assert read_predictions(path, drop=["id", "other"]).tolist() == list(columns.values())
    columns["v1"][-1] = ""
    write(path, columns)
    with pytest.raises(VotesFileError, match="column 'v1' has empty cells"):
        read_predictions(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"\n \n", "is empty"),
        (b"label,v\n", "has no rows"),
        (b"label,v\na\n", "row 1 has 1 cells and the header 2"),
        (b"label,v\na,a\na,a,a\n", "row 2 has 3 cells"),
        (b"label,v,v\na,a,a\n", "has two columns 'v'"),
        (b"label\na\n", "has no voter"),
        (b"lable,v\na,a\n", "Did you mean 'lable'"),
        (b"label,v\n,a\n", "1 rows have no label"),
        (b"label,v\n\xff,a\n", "UTF-8"),
        (b'label,v\na,"a\na,a\n', "unexpected end of data"),
        (b'label,v\na,"a\na,a"\n', "line break"),
        (b'label,v\na,"a"a\n', "cannot be read as CSV"),
        (gzip.compress(b"label,v\na,a\n", mtime=0), "cannot be read as CSV .* without compression"),
    ],
)
def test_other_content_is_rejected(content, message, tmp_path):
    (tmp_path / "votes.csv").write_bytes(content)
    with pytest.raises(VotesFileError, match=message):
        read_votes(tmp_path / "votes.csv", target="label")


def test_csv_is_read_in_blocks(tmp_path, monkeypatch):
    """The vocabulary outgrows a byte in the second block."""
    labels = [f"c{i}" for i in range(600)]
    write(
        tmp_path / "votes.csv", {"id": labels, "label": labels, "v": [*labels[:500], *[""] * 100]}
    )
    monkeypatch.setattr(vote_tables, "BATCH_CELLS", 2 * 200 * vote_tables.CSV_SHARE)
    votes = read_votes(tmp_path / "votes.csv", target="label", drop=["id"], keep=None)
    assert votes.classes[votes.labels].tolist() == labels
    assert votes.errors.sum() == 0 and votes.held_out.sum() == 500


def test_a_table_without_labels_has_the_same_voters_in_the_same_order(tmp_path):
    write(tmp_path / "votes.csv", {"label": ["a", "b"], "v": ["a", "b"], "w": ["b", "b"]})
    write(tmp_path / "more.parquet", {"v": ["a"], "w": ["b"]})
    paths = {"path": tmp_path / "votes.csv", "unlabeled": tmp_path / "more.parquet"}
    assert read_votes(**paths, target="label").unlabeled.tolist() == [[0], [1]]
    write(tmp_path / "more.parquet", {"w": ["a"], "v": ["b"]})
    with pytest.raises(VotesFileError, match=r"'w', 'v', those of .* 'v', 'w'"):
        read_votes(**paths, target="label")


def test_columns_that_are_not_there_are_rejected(tmp_path):
    for ending in ("csv", "parquet"):
        write(tmp_path / f"votes.{ending}", {"label": ["a"], "v": ["a"]})
        with pytest.raises(
            VotesFileError, match=r"no column 'group'\. Its columns are 'label', 'v'"
        ):
            read_columns(tmp_path / f"votes.{ending}", ["group"])


def test_damaged_parquet_is_rejected(tmp_path):
    path = tmp_path / "votes.parquet"
    write(path, {"label": ["yes", "no"] * 9, "v": ["yes", "yes"] * 9, "w": [1, None] * 9})
    honest, rng = path.read_bytes(), np.random.default_rng(0)
    for _ in range(200):
        changed = bytearray(honest)
        for place in rng.integers(len(honest), size=3):
            changed[place] = rng.integers(256)
        path.write_bytes(bytes(changed))
        try:
            read_votes(path, target="label", keep=None)
        except VotesFileError as error:
            assert str(error).isprintable()
