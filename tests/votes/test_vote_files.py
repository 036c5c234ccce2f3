"""Votes on disk give the integers of a loop over their rows, however they are stored."""

import pickle
from functools import partial

import numpy as np
import pyarrow as arrow
import pytest
from pyarrow import parquet as arrow_parquet

from tandemvote import VoteCounts, certify
from tandemvote.tables.files import read_frame
from tandemvote.votes import vote_tables
from tandemvote.votes.counting import count_votes
from tandemvote.votes.reading import VoteFiles, read_predictions
from tandemvote.votes.reading import read_votes as read_votes_with_target
from tandemvote.votes.vote_tables import VotesFileError, read_columns

read_votes = partial(read_votes_with_target, target="label")
files_of = partial(VoteFiles, target="label")

INT8 = {"label": arrow.int8(), **{f"voter {i}": arrow.int8() for i in range(5)}}
WORDS = ("no", "perhaps", "yes")


@pytest.mark.parametrize(
    ("row_group_size", "batch_cells"), [(100, 1), (100, 7 * 5), (899, 7 * 5), (899, 2**24)]
)
def test_counts_are_those_of_a_loop(
    rows, write, assert_counts, monkeypatch, *, row_group_size, batch_cells
):
    monkeypatch.setattr(vote_tables, "BATCH_CELLS", batch_cells * 6 // 5)
    votes = files_of(write(rows, row_group_size=row_group_size))
    counts = count_votes(votes).counts
    assert_counts(counts, rows)
    assert counts.classes.tolist() == ["0", "1", "2"]
    assert votes.n_samples == 900
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
    assert_counts(count_votes(files_of(path)).counts, rows)


@pytest.mark.parametrize(
    "kind",
    [arrow.string(), arrow.large_string(), arrow.dictionary(arrow.int16(), arrow.string())],
    ids=str,
)
def test_text_counts_like_numbers(rows, write, assert_counts, kind):
    predictions = {
        name: [None if cell is None else WORDS[cell] for cell in cells]
        for name, cells in rows.items()
    }
    path = write(predictions, types=dict.fromkeys(predictions, kind), row_group_size=250)
    counts = count_votes(files_of(path)).counts
    assert_counts(counts, rows)
    assert counts.classes.tolist() == sorted(WORDS)


def test_a_word_of_the_dictionary_that_nobody_says_is_not_a_class(write):
    unused = arrow.DictionaryArray.from_arrays(
        arrow.array([0, 2, None], arrow.int8()), arrow.array(["a", "never", "c"])
    )
    votes = files_of(write({"label": ["a", "c", "a"], "voter": unused}))
    assert count_votes(votes).counts.classes.tolist() == ["a", "c"]


def test_labels_minus_one_and_one_are_two_classes(write):
    path = write({"label": [-1, 1, 1], "voter": [-1, None, -1]}, types={"label": arrow.int8()})
    counts = count_votes(files_of(path)).counts
    assert counts.classes.tolist() == ["-1", "1"]
    assert (counts.errors.tolist(), counts.sizes.tolist()) == ([1], [2])


def test_numbers_and_booleans_are_the_text_they_are_written_as(write):
    votes = read_votes(
        write({"label": ["2", "10", "True"], "a": [2.0, 10.0, None], "b": [True, None, True]})
    )
    assert votes.classes.tolist() == ["10", "2", "True"]
    assert votes.errors.tolist() == [[False, False, False], [True, False, False]]
    assert votes.held_out.tolist() == [[True, True, False], [True, False, True]]


def test_row_names_are_rejected_in_parts_too(rows, write):
    numbered = {"id": list(range(900)), **rows}
    with pytest.raises(
        VotesFileError,
        match=r"Column 'id' holds '0', '1', '10', ...: a label in .* of 900 rows.*drop=\['id'\]",
    ):
        read_votes(write(numbered))
    assert files_of(write(numbered), drop=["id"]).n_voters == 5
    with pytest.raises(ValueError, match=r"no column 'di'\. Its columns are 'id'"):
        files_of(write(numbered), drop=["di"])


def test_shards_of_two_classes_know_nothing_of_a_third_and_need_not(write, assert_counts):
    """Two-class shortcuts in one shard, a matrix product a class in the other."""
    two = {"label": [0, 1, 0, 1], "a": [0, 0, 1, None], "b": [1, 0, 1, 0]}
    other = {"label": [1, 2, 2, 1], "a": [2, 1, 2, 1], "b": [1, 2, None, 2]}
    three = {"label": [0, 1, 2, 1], "a": [2, 0, 1, 1], "b": [1, 0, 0, 2]}
    whole = {name: two[name] + other[name] + three[name] for name in two}
    for part, columns in enumerate((two, other, three)):
        write(columns, f"parts/{part}.parquet")
    folder = write(two, "parts/0.parquet").parent
    counts = count_votes(files_of(folder)).counts
    assert_counts(counts, whole)
    assert counts.classes.tolist() == ["0", "1", "2"]
    at_once = count_votes(files_of(write(whole))).counts
    assert np.array_equal(at_once.disagreements, counts.disagreements)


def test_a_voter_may_hold_out_nothing_in_a_shard_but_something_in_another(write):
    write({"label": [0, 1], "a": [0, 1], "b": [None, None]}, "parts/0.parquet")
    folder = write({"label": [0, 1], "a": [None, 1], "b": [1, 0]}, "parts/1.parquet").parent
    assert count_votes(files_of(folder)).counts.sizes.tolist() == [3, 2]
    (shard,) = files_of(folder / "0.parquet")
    assert VoteCounts.from_votes(shard).sizes.tolist() == [2, 0]


def test_a_sample_that_every_voter_saw_counts_for_none(write):
    counts = count_votes(files_of(write({"label": [5, 0], "a": [None, 0], "b": [None, 1]}))).counts
    assert counts.overlaps.tolist() == [[1, 1], [1, 1]]
    assert counts.classes.tolist() == ["0", "1", "5"]


def test_empty_row_groups_and_files_are_passed_over(rows, tmp_path, assert_counts):
    table = arrow.table(rows)
    with arrow_parquet.ParquetWriter(tmp_path / "a.parquet", table.schema) as writer:
        for part in (table[:0], table[:300], table[:0], table[300:], table[:0]):
            writer.write_table(part)
    arrow_parquet.write_table(table[:0], tmp_path / "b.parquet")
    votes = files_of(tmp_path)
    assert votes.n_samples == 900
    assert_counts(count_votes(votes).counts, rows)


def test_columns_are_matched_by_name_not_by_position(rows, write, assert_counts):
    write(rows, "parts/0.parquet")
    backwards = {name: cells[::-1] for name, cells in rows.items()}
    folder = write(dict(reversed(backwards.items())), "parts/1.parquet").parent
    twice = {name: 2 * cells for name, cells in rows.items()}
    assert_counts(count_votes(files_of(folder)).counts, twice)


def test_row_numbers_stored_by_pandas_are_not_voters(rows, tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(rows).astype("Int8").iloc[[0, 1, 7]]
    frame.to_parquet(tmp_path / "votes.parquet")
    assert "__index_level_0__" in arrow_parquet.read_schema(tmp_path / "votes.parquet").names
    assert files_of(tmp_path).voters == [f"voter {i}" for i in range(5)]


def test_the_reader_of_whole_tables_gives_the_same_votes(rows, write, assert_counts):
    write(rows, "parts/0.parquet", row_group_size=100)
    options = {"label": 7, "voter 1": 9}
    path = write({name: [options.get(name)] for name in rows}, "parts/1.parquet", types=INT8)
    votes = read_votes(path.parent)
    assert votes.classes.tolist() == ["0", "1", "2", "7", "9"]
    assert votes.classes[votes.labels].tolist() == [*map(str, rows["label"]), "7"]
    assert_counts(
        VoteCounts.from_votes(votes), {name: [*rows[name], options.get(name)] for name in rows}
    )


def test_a_column_without_any_cell_is_rejected_with_a_way_out(write):
    path = write({"label": [0, 1], "a": [0, 1], "b": [None, None]})
    with pytest.raises(VotesFileError, match=r"Column 'b' .* drop=\['b'\].* ties='referee'"):
        read_votes(path)
    with pytest.raises(ValueError, match="Voter 1 has no held-out predictions"):
        count_votes(files_of(path))


@pytest.mark.parametrize("large", [False, True])
def test_ties_of_a_table_count_as_errors_if_a_referee_breaks_them(write, large):
    path = write({"label": [0, 1, 2] * 20, "a": [0, 1, 0] * 20, "b": [0, 2, 0] * 20})
    read = files_of if large else read_votes
    assert certify(read(path, ties="smallest")).evidence.vote.n_test_errors == 20
    certificate = certify(read(path, ties="referee"))
    assert (certificate.evidence.vote.n_test_errors, certificate.ties) == (40, "referee")


def test_numbers_that_are_not_whole_are_text_and_nan_is_empty(write):
    votes = read_votes(write({"label": [0.5, 1.0, 2.0], "a": [0.5, float("nan"), 1.0]}))
    assert votes.classes.tolist() == ["0.5", "1", "2"]
    assert votes.errors.tolist() == [[False, False, True]]
    assert votes.held_out.tolist() == [[True, False, True]]


def test_reading_twice_gives_the_same(rows, write):
    votes = files_of(write(rows, row_group_size=200))
    assert [part.labels.tolist() for part in votes] == [part.labels.tolist() for part in votes]


@pytest.mark.parametrize("n_pieces", [1, 2, 3, 8, 9, 50])
def test_pieces_hold_every_row_group_once_and_travel_light(rows, write, n_pieces):
    write(rows, "parts/0.parquet", row_group_size=100)
    backwards = {name: cells[::-1] for name, cells in rows.items()}
    folder = write(backwards, "parts/1.parquet", row_group_size=300).parent
    votes = files_of(folder)
    pieces = [pickle.loads(pickle.dumps(piece)) for piece in votes.split(n_pieces)]
    groups = [group for piece in pieces for group in piece.row_groups]
    assert sorted(groups) == votes.row_groups
    assert len(pieces) <= n_pieces
    assert max(piece.n_samples for piece in pieces) < 1800 / n_pieces + 300
    assert max(len(pickle.dumps(piece)) for piece in pieces) < 2000
    assert sum(part.n_samples for piece in pieces for part in piece) == 1800


def test_progress_counts_every_sample(rows, write):
    progress = []
    count_votes(files_of(write(rows, row_group_size=400)), progress=progress.append)
    assert sum(progress) == 900


def test_no_shards_are_rejected():
    with pytest.raises(ValueError, match="no votes to count"):
        count_votes([])


def test_counts_of_pieces_add_up(rows, write, assert_counts):
    pieces = files_of(write(rows, row_group_size=100)).split(4)
    assert_counts(sum(map(count_votes, pieces[1:]), count_votes(pieces[0])).counts, rows)
    with pytest.raises(TypeError, match="of type VoteFiles was given; expected Votes"):
        count_votes(pieces)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"lable": [0], "a": [0]}, r"no column 'label'. Did you mean 'lable'\?"),
        ({"label": [0]}, "has no voter"),
        ({"label": [0, None], "a": [0, 0]}, "1 rows have no label"),
        ({"label": ["x", ""], "a": ["x", "x"]}, "1 rows have no label"),
        ({"label": [0.0, float("nan")], "a": [0, 0]}, "1 rows have no label"),
        ({"label": [0, 1] * 20, "a": [0.5, 0.25] * 20}, "No prediction is a label"),
        ({"label": [True, False] * 20, "a": [1, 0] * 20}, "No prediction is a label"),
        ({"label": ["x"], "a": ["x\0"]}, "null character"),
        ({"label": ["x"], "a": ["x\n"]}, "line break"),
        ({"label": [0], "a": [[0]]}, "cannot be read as Parquet .*a.* with text, whole"),
        ({"label": [], "a": []}, "has no rows"),
    ],
)
def test_what_cannot_be_votes_is_rejected_with_a_way_out(write, columns, message):
    with pytest.raises(VotesFileError, match=message) as caught:
        read_votes(write(columns))
    assert "votes.parquet" in str(caught.value)


def test_files_of_other_voters_do_not_mix(write):
    write({"label": [0], "a": [0], "b": [0]}, "parts/0.parquet")
    folder = write({"label": [0], "a": [0], "c": [0]}, "parts/1.parquet").parent
    with pytest.raises(
        ValueError, match=r"1\.parquet has no voter, or other columns than .*0\.parquet: 'b', 'c'"
    ):
        files_of(folder)


def test_a_column_named_twice_is_rejected(tmp_path):
    table = arrow.table([[0], [0], [0]], names=["label", "a", "a"])
    arrow_parquet.write_table(table, tmp_path / "votes.parquet")
    with pytest.raises(ValueError, match="has two columns 'a'"):
        files_of(tmp_path)


def test_other_bytes_are_no_parquet(tmp_path):
    (tmp_path / "votes.parquet").write_bytes(b"label,a\n0,1\n")
    with pytest.raises(ValueError, match="cannot be read as Parquet"):
        files_of(tmp_path)


@pytest.mark.parametrize(
    "options", [{"compression": "zstd"}, {"row_group_size": 100}, {"use_dictionary": False}]
)
def test_a_copy_that_is_stored_in_another_way_is_rejected(rows, tmp_path, options):
    table = arrow.table({**rows, "when": [{"day": i} for i in range(len(rows["label"]))]})
    arrow_parquet.write_table(table, tmp_path / "0.parquet")
    arrow_parquet.write_table(
        table.select(table.column_names[::-1]), tmp_path / "1.parquet", **options
    )
    with pytest.raises(VotesFileError, match=r"1\.parquet is a copy of .*0\.parquet"):
        files_of(tmp_path, drop=["when"])


def test_shards_that_differ_late_or_in_a_dropped_column_only_are_distinct(tmp_path):
    for number in range(3):
        label = np.zeros(1000, int)
        label[700:] = number == 1
        columns = {"label": label, "row": np.full(1000, number // 2), "tree": np.zeros(1000, int)}
        arrow_parquet.write_table(arrow.table(columns), tmp_path / f"{number}.parquet")
    assert files_of(tmp_path, drop=["row"]).n_samples == 3000


def test_rows_that_do_not_fit_in_memory_are_rejected_before_they_are_read(tmp_path, monkeypatch):
    """A file of 4 MB can have 400 million rows."""
    monkeypatch.setattr(vote_tables, "MAX_CELLS", 1000)
    path = tmp_path / "v.parquet"
    for n_rows, fits in ((1000, True), (1001, False)):
        arrow_parquet.write_table(arrow.table({"tree": ["a"] * n_rows}), path)
        for read in (
            read_predictions,
            read_frame,
            partial(read_columns, names=["tree"]),
        ):
            if fits:
                assert len(read(path))
                continue
            with pytest.raises(
                ValueError, match="has 1,001 rows of 1 columns; at most 1,000 cells"
            ):
                read(path)
    arrow_parquet.write_table(arrow.table({"label": ["a"] * 501, "tree": ["a"] * 501}), path)
    with pytest.raises(VotesFileError, match="has 501 rows of 2 columns; at most 1,000 cells are"):
        read_votes(path)
    assert files_of(path).n_samples == 501  # which are counted in parts


def test_a_copy_of_a_shard_is_rejected(rows, write):
    write(rows, "parts/0.parquet")
    folder = write(rows, "parts/1.parquet").parent
    with pytest.raises(VotesFileError, match=r"1\.parquet is a copy of .*0\.parquet"):
        files_of(folder)
    for twice in ([folder / "0.parquet"] * 2, [folder / "0.parquet", folder / "*0.parquet"]):
        with pytest.raises(VotesFileError, match=r"0\.parquet is a copy of .*0\.parquet"):
            files_of(twice)
    write({name: cells[::-1] for name, cells in rows.items()}, "parts/1.parquet")
    assert files_of(folder).n_samples == 1800


def test_equal_files_without_rows_are_not_copies(rows, tmp_path):
    table = arrow.table(rows)
    for part in "ab":
        arrow_parquet.write_table(table[:0], tmp_path / f"{part}.parquet")
    arrow_parquet.write_table(table, tmp_path / "c.parquet")
    assert files_of(tmp_path).n_samples == 900


YES_NO = ["yes", "no", "yes"]


@pytest.mark.parametrize(
    ("column", "cells", "kinds"),
    [
        ("label", [1, 0, 1], "text in .* and numbers"),
        ("label", [True, False, True], "text in .* and booleans"),
        ("a", [1.0, None, 0.0], "text in .* and numbers"),
        ("a", arrow.array([1, 0, 1]).dictionary_encode(), "text in .* and numbers"),
    ],
)
def test_text_in_one_shard_and_numbers_in_another_are_rejected(write, column, cells, kinds):
    whole = {"label": YES_NO, "a": YES_NO, "b": YES_NO}
    write(whole, "parts/1.parquet")
    folder = write({**whole, column: cells}, "parts/2.parquet").parent
    message = rf"Column '{column}' has {kinds} in .*2\.parquet"
    for read in (read_votes, files_of):
        with pytest.raises(VotesFileError, match=message) as caught:
            read(folder)
        assert "1.parquet" in str(caught.value)
    if column == "a":
        assert files_of(folder, drop=["a"]).n_voters == 1


def test_shards_may_differ_in_the_types_of_numbers_and_of_text(write):
    write({"label": [0, 1], "a": [0, 1], "b": [None, None]}, "parts/0.parquet")
    folder = write({"label": [0, 1, 1], "a": [0.0, None, 1.0], "b": [0, 1, 1]}, "parts/1.parquet")
    assert count_votes(files_of(folder.parent)).counts.sizes.tolist() == [4, 3]
    categories = arrow.array(YES_NO).dictionary_encode()
    write({"label": categories, "a": [None] * 3, "b": categories}, "parts/0.parquet")
    write({"label": YES_NO, "a": YES_NO, "b": YES_NO[::-1]}, "parts/1.parquet")
    assert count_votes(files_of(folder.parent)).counts.sizes.tolist() == [3, 6]


def test_whole_numbers_far_apart_are_labels_too(write, assert_counts):
    large, small = 2**64 - 1, 2**63
    columns = {"label": [large, small, 7], "a": [large, 7, None], "b": [small, small, 7]}
    types = dict.fromkeys(columns, arrow.uint64())
    counts = count_votes(files_of(write(columns, types=types))).counts
    assert counts.classes.tolist() == sorted(map(str, (large, small, 7)))
    assert_counts(counts, columns)


def test_int8_from_end_to_end(write, assert_counts):
    columns = {"label": [-128, 127, 0], "a": [127, None, 0], "b": [-128, 126, 1]}
    counts = count_votes(
        files_of(write(columns, types=dict.fromkeys(columns, arrow.int8())))
    ).counts
    assert counts.classes.tolist() == sorted(map(str, (-128, 127, 0, 126, 1)))
    assert_counts(counts, columns)


def test_more_than_255_classes(write, assert_counts):
    rng = np.random.default_rng(0)
    labels, others = rng.integers(400, size=(2, 600)).tolist()
    mixed = [
        label if i % 3 else other
        for i, (label, other) in enumerate(zip(labels, others, strict=True))
    ]
    columns = {"label": labels, "a": mixed, "b": [None, *labels[1:]]}
    assert_counts(count_votes(files_of(write(columns))).counts, columns)
    text = {
        name: [None if cell is None else f"c{cell}" for cell in cells]
        for name, cells in columns.items()
    }
    assert_counts(count_votes(files_of(write(text))).counts, columns)


def test_every_file_is_opened_once_to_survey_it_and_once_to_read_it(rows, tmp_path, monkeypatch):
    for number in range(3):  # of different lengths, so that none is compared with another one
        part = {name: values[: 100 + number] for name, values in rows.items()}
        arrow_parquet.write_table(arrow.table(part), tmp_path / f"{number}.parquet")
    opened, real = [], arrow_parquet.ParquetFile
    monkeypatch.setattr(
        arrow_parquet, "ParquetFile", lambda path, **kw: opened.append(path) or real(path, **kw)
    )
    *voters, last = (name for name in rows if name != "label")
    votes, columns = files_of(tmp_path, drop=[last]).read(columns=[last], keep=None)
    assert votes.n_voters == len(voters)
    assert votes.n_samples == len(columns[last]) == 303
    assert sorted(opened) == sorted(2 * [tmp_path / f"{number}.parquet" for number in range(3)])
