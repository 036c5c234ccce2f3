"""verify reads votes by code of its own, and reads what was certified."""

import csv
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tandemvote import Votes, certify
from tandemvote.certificate.file import document_of
from tandemvote.certificate.file_record import CertificateRecord
from tandemvote.verify.recount import recount
from tandemvote.verify.votes_file import VotesFileError, read_predictions, read_votes

arrow = pytest.importorskip("pyarrow", reason="votes on disk need the data extra")
parquet = pytest.importorskip("pyarrow.parquet")

from tandemvote.tables import DatasetError  # noqa: E402
from tandemvote.tables import read_votes as certified_votes  # noqa: E402
from tandemvote.tables.votes_table import read_unlabelled  # noqa: E402

quick = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
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


REFUSED = ("null character", "line break", "has a held-out sample")


def tables(cell):
    return st.integers(1, 6).flatmap(
        lambda n: st.tuples(
            st.lists(cell.filter(lambda word: word != ""), min_size=n, max_size=n),
            st.lists(st.lists(cell, min_size=n, max_size=n), min_size=1, max_size=3),
        )
    )


def write(path, columns):
    if path.suffix == ".parquet":
        parquet.write_table(arrow.table(columns), path)
        return
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


def assert_same(found, expected):
    np.testing.assert_array_equal(found.held_out, expected.held_out)
    np.testing.assert_array_equal(found.errors, expected.errors)
    for votes in (found, expected):
        assert len(set(votes.classes.tolist())) == votes.classes.size
    said, wanted = (votes.classes[votes.predictions] for votes in (found, expected))
    assert said[found.held_out].tolist() == wanted[found.held_out].tolist()
    assert found.classes[found.labels].tolist() == expected.classes[expected.labels].tolist()


@quick
@given(table=tables(words))
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_both_readers_read_the_same_text(table, ending, tmp_path):
    labels, voters = table
    # A table in which no prediction is a label is rejected, so every prediction is one somewhere.
    used = sorted({cell for cells in voters for cell in cells} - {""})
    labels, voters = labels + used, [cells + [""] * len(used) for cells in voters]
    path = tmp_path / f"votes.{ending}"
    write(path, {"label": labels, **{f"v{i}": cells for i, cells in enumerate(voters)}})
    try:
        expected = certified_votes(path)
    except DatasetError as error:
        assert any(reason in str(error) for reason in REFUSED)
        return
    found = read_votes(path, target="label")
    assert_same(found, expected)
    assert found.held_out.tolist() == [[cell != "" for cell in cells] for cells in voters]
    assert found.classes[found.labels].tolist() == labels
    said = found.classes[found.predictions]
    assert said[found.held_out].tolist() == [cell for cells in voters for cell in cells if cell]


KINDS = {
    "integers": (st.integers(0, 12), [arrow.int8(), arrow.uint64(), arrow.int64()]),
    "floats": (st.integers(0, 12).map(float), [arrow.float64(), arrow.float32()]),
    "booleans": (st.booleans(), [arrow.bool_()]),
    "categories": (
        st.sampled_from(["a", "NA", "b"]),
        [arrow.dictionary(arrow.int8(), arrow.string())],
    ),
}


@quick
@given(data=st.data())
@pytest.mark.parametrize("kind", KINDS)
def test_both_readers_read_typed_columns_alike(kind, data, tmp_path):
    label, types = KINDS[kind]
    n = data.draw(st.integers(1, 6))
    columns = {"label": data.draw(st.lists(label, min_size=n, max_size=n))} | {
        f"v{i}": data.draw(st.lists(st.none() | label, min_size=n, max_size=n)) for i in range(2)
    }
    arrays = {
        name: arrow.array(cells, data.draw(st.sampled_from(types)))
        for name, cells in columns.items()
    }
    path = tmp_path / "votes.parquet"
    parquet.write_table(arrow.table(arrays), path)
    try:
        expected = certified_votes(path)
    except DatasetError as error:
        assert "has a held-out sample" in str(error)
        return
    assert_same(read_votes(path, target="label"), expected)


@quick
@given(table=tables(words.filter(lambda word: word != "")))
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_both_readers_read_unlabelled_points_alike(table, ending, tmp_path):
    path = tmp_path / f"votes.{ending}"
    # A blank line is no row, so a single column would lose blank cells.
    columns = {f"v{i}": cells for i, cells in enumerate([*table[1], *table[1]])}
    write(path, columns)
    try:
        expected, _ = read_unlabelled(path)
    except DatasetError as error:
        assert any(reason in str(error) for reason in REFUSED)
        return
    assert read_predictions(path).tolist() == expected.tolist() == list(columns.values())


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"label": ["a"], "v": [0.5]}, "neither a whole number nor text"),
        ({"label": ["a"], "v": [float("nan")]}, "neither a whole number nor text"),
        ({"label": ["1"], "v": [2.0**53]}, "neither a whole number nor text"),
        ({"label": ["a"], "v": [[0]]}, "neither a whole number nor text"),
        ({"label": ["a", None], "v": ["a", "a"]}, "row 2 has no label"),
        ({"lable": ["a"], "v": ["a"]}, "no label column 'label', only 'lable', 'v'"),
        ({"label": ["a"]}, "holds no vote"),
        ({"label": ["a"], "v": ["a\0"]}, "ends in a null character"),
        ({"label": ["a"], "v": ["a" * 1001]}, "longer than 1000 characters"),
        ({"label": ["a"], "v": ["a\nb"]}, "holds a line break"),
    ],
)
def test_what_cannot_be_votes_is_refused(columns, message, tmp_path):
    write(tmp_path / "votes.parquet", columns)
    with pytest.raises(VotesFileError, match=message):
        read_votes(tmp_path / "votes.parquet", target="label")
    with pytest.raises(DatasetError):
        certified_votes(tmp_path / "votes.parquet")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"\n \n", "names|label"),
        (b"label,v\na\n", "row 1 has 1 cells, the header has 2"),
        (b"label,v\na,a,a\n", "row 1 has 3 cells"),
        (b"label,v,v\na,a,a\n", "two columns alike"),
        (b"label,v\n\xff,a\n", "UTF-8"),
    ],
)
def test_what_is_no_table_is_refused(content, message, tmp_path):
    (tmp_path / "votes.csv").write_bytes(content)
    with pytest.raises(VotesFileError, match=message):
        read_votes(tmp_path / "votes.csv", target="label")


def test_files_of_one_folder_are_one_table(tmp_path):
    write(tmp_path / "0.parquet", {"label": ["a", "b"], "v": ["a", None], "w": ["b", "b"]})
    write(tmp_path / "1.parquet", {"w": [None], "v": ["a"], "label": ["b"]})
    assert_same(read_votes(tmp_path, target="label"), certified_votes(tmp_path))
    write(tmp_path / "2.parquet", {"label": ["b"], "v": ["a"]})
    with pytest.raises(VotesFileError, match="other columns"):
        read_votes(tmp_path, target="label")


def test_ties_on_a_test_set_end_as_the_labels_of_the_file_are_ordered(tmp_path):
    """Of integers 2 is before 10; as text it is not."""
    labels = np.array([2, 10] * 100)
    certificate = certify(Votes.from_predictions([labels, 12 - labels], labels), weights="uniform")
    record = CertificateRecord.from_document(document_of(certificate))
    for truth, n_errors in (("2", 0), ("10", 2)):
        write(
            tmp_path / "test.csv",
            {"label": [truth, truth], "v": ["2", "10"], "w": ["10", "2"]},
        )
        test = read_votes(tmp_path / "test.csv", target="label")
        assert not list(recount(replace(record, test=(n_errors, 2)), None, None, test))
