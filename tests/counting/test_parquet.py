"""Votes on disk give the integers of a loop over their rows, however they are stored."""

import pickle

import numpy as np
import pyarrow as arrow
import pytest
from pyarrow import parquet as arrow_parquet

from tandemvote import VoteCounts, Votes, certify
from tandemvote.counting import parquet
from tandemvote.counting.parquet import ParquetVotes
from tandemvote.counting.shards import count_shards
from tandemvote.tables import DatasetError, read_votes

WORDS = ("no", "perhaps", "yes")


@pytest.mark.parametrize(
    ("row_group_size", "batch_cells"), [(100, 1), (100, 7 * 5), (899, 7 * 5), (899, 2**24)]
)
def test_counts_are_those_of_a_loop(
    rows, write, assert_counts, monkeypatch, *, row_group_size, batch_cells
):
    monkeypatch.setattr(parquet, "BATCH_CELLS", batch_cells)
    votes = ParquetVotes(write(rows, row_group_size=row_group_size))
    counts = count_shards(votes)
    assert_counts(counts, rows)
    assert counts.classes.tolist() == ["0", "1", "2"]
    assert votes.n_points == 900
    assert max(part.n_samples for part in votes) <= max(1, batch_cells // 5)


@pytest.mark.parametrize(
    "kind",
    [
        arrow.int8(),
        arrow.uint8(),
        arrow.int16(),
        arrow.uint32(),
        arrow.uint64(),
        arrow.float32(),
        arrow.float64(),
        arrow.dictionary(arrow.int8(), arrow.int64()),
    ],
    ids=str,
)
def test_numbers_of_any_width_count_alike(rows, write, assert_counts, kind):
    path = write(rows, types={"voter 1": kind, "voter 2": kind})
    assert_counts(count_shards(ParquetVotes(path)), rows)


@pytest.mark.parametrize(
    "kind",
    [arrow.string(), arrow.large_string(), arrow.dictionary(arrow.int16(), arrow.string())],
    ids=str,
)
def test_text_counts_like_numbers(rows, write, assert_counts, kind):
    said = {
        name: [None if cell is None else WORDS[cell] for cell in cells]
        for name, cells in rows.items()
    }
    path = write(said, types=dict.fromkeys(said, kind), row_group_size=250)
    counts = count_shards(ParquetVotes(path))
    assert_counts(counts, rows)
    assert counts.classes.tolist() == sorted(WORDS)


def test_a_word_of_the_dictionary_that_nobody_says_is_no_class(write):
    unused = arrow.DictionaryArray.from_arrays(
        arrow.array([0, 2, None], arrow.int8()), arrow.array(["a", "never", "c"])
    )
    votes = ParquetVotes(write({"label": ["a", "c", "a"], "voter": unused}))
    assert count_shards(votes).classes.tolist() == ["a", "c"]


def test_labels_minus_one_and_one_are_two_classes(write):
    path = write({"label": [-1, 1, 1], "voter": [-1, None, -1]}, types={"label": arrow.int8()})
    counts = count_shards(ParquetVotes(path))
    assert counts.classes.tolist() == ["-1", "1"]
    assert (counts.errors.tolist(), counts.sizes.tolist()) == ([1], [2])


def test_true_and_false_are_two_classes(write):
    path = write({"label": [True, False], "voter": [True, True]})
    assert count_shards(ParquetVotes(path)).errors.tolist() == [1]


def test_numbers_and_booleans_are_the_text_they_are_written_as(write):
    votes = read_votes(
        write({"label": ["2", "10", "True"], "a": [2.0, 10.0, None], "b": [True, None, True]})
    )
    assert votes.classes.tolist() == ["10", "2", "True"]
    assert votes.errors.tolist() == [[False, False, False], [True, False, False]]
    assert votes.held_out.tolist() == [[True, True, False], [True, False, True]]


def test_ten_is_written_before_two(write, assert_counts):
    columns = {"label": [2, 10, 9, 11], "a": [10, 10, 2, None], "b": [2, 9, 9, 11]}
    counts = count_shards(ParquetVotes(write(columns)))
    assert counts.classes.tolist() == ["10", "11", "2", "9"]
    assert_counts(counts, columns)


def test_a_label_of_another_batch_is_a_label(write, monkeypatch):
    """No batch of 20 rows has its predictions among its own labels."""
    monkeypatch.setattr(parquet, "BATCH_CELLS", 20)
    columns = {"label": ["x"] * 20 + ["y", "z"] * 10, "a": ["y", "z"] * 10 + ["x"] * 20}
    votes = ParquetVotes(write(columns, row_group_size=20))
    assert count_shards(votes).errors.tolist() == [40]
    codes = {"label": ["x", "y"] * 20, "a": ["0", "1"] * 20}
    with pytest.raises(ValueError, match="No prediction is a label"):
        count_shards(ParquetVotes(write(codes, row_group_size=20)))


def test_row_names_are_refused_in_parts_too(rows, write):
    numbered = {"id": list(range(900)), **rows}
    with pytest.raises(ValueError, match=r"column 'id' holds 900 different .*--ignore 'id'"):
        count_shards(ParquetVotes(write(numbered)))
    assert ParquetVotes(write(numbered), ignore=["id"]).n_voters == 5
    with pytest.raises(ValueError, match="no column 'di' to ignore"):
        ParquetVotes(write(numbered), ignore=["di"])


def test_shards_of_two_classes_know_nothing_of_a_third_and_need_not(write, assert_counts):
    """Two-class shortcuts in one shard, a matrix product a class in the other."""
    two = {"label": [0, 1, 0, 1], "a": [0, 0, 1, None], "b": [1, 0, 1, 0]}
    other = {"label": [1, 2, 2, 1], "a": [2, 1, 2, 1], "b": [1, 2, None, 2]}
    three = {"label": [0, 1, 2, 1], "a": [2, 0, 1, 1], "b": [1, 0, 0, 2]}
    whole = {name: two[name] + other[name] + three[name] for name in two}
    for part, columns in enumerate((two, other, three)):
        write(columns, f"parts/{part}.parquet")
    folder = write(two, "parts/0.parquet").parent
    counts = count_shards(ParquetVotes(folder))
    assert_counts(counts, whole)
    assert counts.classes.tolist() == ["0", "1", "2"]
    at_once = count_shards(ParquetVotes(write(whole)))
    assert np.array_equal(at_once.disagreements, counts.disagreements)


def test_a_voter_may_hold_out_nothing_in_a_shard_but_something_in_another(write):
    write({"label": [0, 1], "a": [0, 1], "b": [None, None]}, "parts/0.parquet")
    folder = write({"label": [0, 1], "a": [None, 1], "b": [1, 0]}, "parts/1.parquet").parent
    assert count_shards(ParquetVotes(folder)).sizes.tolist() == [3, 2]
    assert count_shards(ParquetVotes(folder / "0.parquet")).sizes.tolist() == [2, 0]  # untested
    empty = write({"label": [0, 1], "a": [None, None], "b": [None, None]})
    with pytest.raises(ValueError, match="None of the 2 voters has a held-out sample"):
        count_shards(ParquetVotes(empty))


def test_a_point_that_every_voter_saw_counts_for_none(write):
    counts = count_shards(ParquetVotes(write({"label": [5, 0], "a": [None, 0], "b": [None, 1]})))
    assert counts.overlaps.tolist() == [[1, 1], [1, 1]]
    assert counts.classes.tolist() == ["0", "1", "5"]


def test_empty_row_groups_and_files_are_passed_over(rows, tmp_path, assert_counts):
    table = arrow.table(rows)
    with arrow_parquet.ParquetWriter(tmp_path / "a.parquet", table.schema) as writer:
        for part in (table[:0], table[:300], table[:0], table[300:], table[:0]):
            writer.write_table(part)
    arrow_parquet.write_table(table[:0], tmp_path / "b.parquet")
    votes = ParquetVotes(tmp_path)
    assert votes.n_points == 900
    assert_counts(count_shards(votes), rows)


def test_columns_are_told_by_name_not_by_place(rows, write, assert_counts):
    write(rows, "parts/0.parquet")
    folder = write(dict(reversed(rows.items())), "parts/1.parquet").parent
    twice = {name: 2 * cells for name, cells in rows.items()}
    assert_counts(count_shards(ParquetVotes(folder)), twice)


def test_row_numbers_stored_by_pandas_are_no_voter(rows, tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(rows).astype("Int8").iloc[[0, 1, 7]]
    frame.to_parquet(tmp_path / "votes.parquet")
    assert "__index_level_0__" in arrow_parquet.read_schema(tmp_path / "votes.parquet").names
    assert ParquetVotes(tmp_path).columns.voters == tuple(f"voter {i}" for i in range(5))


def test_the_reader_of_whole_tables_gives_the_same_votes(rows, write, assert_counts):
    write(rows, "parts/0.parquet", row_group_size=100)
    more = {"label": 7, "voter 1": 9}
    path = write({name: [more.get(name)] for name in rows}, "parts/1.pq")
    votes = read_votes(path.parent)
    assert votes.classes.tolist() == ["0", "1", "2", "7", "9"]
    assert votes.classes[votes.labels].tolist() == [*map(str, rows["label"]), "7"]
    assert_counts(
        VoteCounts.from_votes(votes), {name: [*rows[name], more.get(name)] for name in rows}
    )


def test_the_reader_of_whole_tables_refuses_the_same(write):
    with pytest.raises(DatasetError, match=r"votes\.parquet: column 'a': .*0\.5"):
        read_votes(write({"label": [0, 1], "a": [0.0, 0.5]}))
    with pytest.raises(DatasetError, match="None of the 1 voters has a held-out sample"):
        read_votes(write({"label": [0, 1], "a": [None, None]}))


def test_an_untested_voter_is_rejected_only_where_no_bound_covers_it(write):
    labels = [0, 1] * 100
    votes = read_votes(write({"label": labels, **dict.fromkeys("abc", labels), "d": [None] * 200}))
    assert votes.untested.tolist() == [False, False, False, True]
    assert certify(votes).bound == "test_set"
    with pytest.raises(ValueError, match="'first_order' does not cover voters without held-out"):
        certify(votes, bound="first_order")
    with pytest.raises(ValueError, match="Voter 3 has no held-out samples"):
        certify(votes, weights="tandem")


def test_reading_twice_gives_the_same(rows, write):
    votes = ParquetVotes(write(rows, row_group_size=200))
    assert [part.labels.tolist() for part in votes] == [part.labels.tolist() for part in votes]


@pytest.mark.parametrize("n_pieces", [1, 2, 3, 8, 9, 50])
def test_pieces_hold_every_row_group_once_and_travel_light(rows, write, n_pieces):
    write(rows, "parts/0.parquet", row_group_size=100)
    folder = write(rows, "parts/1.parquet", row_group_size=300).parent
    votes = ParquetVotes(folder)
    pieces = [pickle.loads(pickle.dumps(piece)) for piece in votes.split(n_pieces)]
    assert [group for piece in pieces for group in piece.row_groups] == list(votes.row_groups)
    assert len(pieces) <= n_pieces
    assert max(piece.n_points for piece in pieces) < 1800 / n_pieces + 300
    assert max(len(pickle.dumps(piece)) for piece in pieces) < 2000
    assert sum(part.n_samples for piece in pieces for part in piece) == 1800


def test_progress_is_told_of_every_point(rows, write):
    told = []
    count_shards(ParquetVotes(write(rows, row_group_size=400)), progress=told.append)
    assert sum(told) == 900


def test_no_shards_are_refused():
    with pytest.raises(ValueError, match="no votes in the shards"):
        count_shards([])


def test_shards_may_themselves_be_in_parts(rows, write, assert_counts):
    votes = ParquetVotes(write(rows, row_group_size=100))
    assert_counts(count_shards(votes.split(4)), rows)
    assert all(isinstance(part, Votes) for part in votes)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"lable": [0], "a": [0]}, r"no label column 'label'. Did you mean 'lable'\?"),
        ({"label": [0]}, "no column besides 'label'"),
        ({"label": [0, None], "a": [0, 0]}, "column 'label': 1 of 2 labels are missing"),
        ({"label": ["x", ""], "a": ["x", "x"]}, "column 'label': 1 of 2 labels are missing"),
        ({"label": [0.0, float("nan")], "a": [0, 0]}, "column 'label': NaN is no label"),
        ({"label": [0, 1], "a": [0.0, float("nan")]}, "column 'a': NaN is no label"),
        ({"label": ["x", "y"], "a": [0.0, float("nan")]}, "column 'a': NaN is no label"),
        ({"label": [0, 1], "a": [0.0, 0.25]}, r"column 'a': .*0\.25.* whole numbers"),
        ({"label": [0, 1], "a": [0.0, 2.0**53]}, "column 'a': .*9007199254740992 is a float"),
        ({"label": [0, 1], "a": np.float32([0, -(2**24)])}, "column 'a': 16777216 is a float"),
        ({"label": [0, 1], "a": np.array([0, 2**64 - 1], "u8")}, r"column 'a': .*15.* 2\^63"),
        ({"label": [True, False] * 20, "a": [1, 0] * 20}, "No prediction is a label"),
        ({"label": ["x" * 1001], "a": ["x"]}, "has 1001 characters"),
        ({"label": ["x"], "a": ["x\0"]}, "ends in a null character"),
        ({"label": [0], "a": [[0]]}, r"'a' of .* has the type list<"),
        ({"label": [], "a": []}, "holds no rows"),
    ],
)
def test_what_cannot_be_votes_is_refused_with_a_way_out(write, columns, message):
    with pytest.raises(ValueError, match=message) as caught:
        count_shards(ParquetVotes(write(columns)))
    assert "votes.parquet" in str(caught.value)


def test_files_of_other_voters_do_not_mix(write):
    write({"label": [0], "a": [0], "b": [0]}, "parts/0.parquet")
    folder = write({"label": [0], "a": [0], "c": [0]}, "parts/1.parquet").parent
    with pytest.raises(ValueError, match=r"1\.parquet lacks 'b' and adds 'c' compared with .*0"):
        ParquetVotes(folder)


def test_a_column_named_twice_is_refused(tmp_path):
    table = arrow.table([[0], [0], [0]], names=["label", "a", "a"])
    arrow_parquet.write_table(table, tmp_path / "votes.parquet")
    with pytest.raises(ValueError, match="column 'a' twice"):
        ParquetVotes(tmp_path)


def test_other_bytes_are_no_parquet(tmp_path):
    (tmp_path / "votes.parquet").write_bytes(b"label,a\n0,1\n")
    with pytest.raises(ValueError, match="cannot be read as Parquet"):
        ParquetVotes(tmp_path)


def test_a_file_that_changes_meanwhile_is_noticed(rows, write):
    votes = ParquetVotes(write(rows))
    write({name: cells[:-1] for name, cells in rows.items()})
    with pytest.raises(ValueError, match="gave 899 rows where 900 were announced"):
        count_shards(votes)
