"""What is read is what was written: votes as text, from a file to a certificate that is checked."""

import csv
import json
from functools import partial
from shlex import quote

import numpy as np
import pytest

from tandemvote import Votes, certify
from tandemvote.cli.app import run
from tandemvote.votes.reading import read_predictions
from tandemvote.votes.reading import read_votes as read_votes_with_target
from tandemvote.votes.vote_tables import VotesFileError

arrow = pytest.importorskip("pyarrow", reason="votes on disk need the data extra")
parquet = pytest.importorskip("pyarrow.parquet")

read_votes = partial(read_votes_with_target, target="label")

ENDINGS = ("csv", "parquet")
both_endings = pytest.mark.parametrize("ending", ENDINGS)


@pytest.fixture
def write(tmp_path):
    """Write columns of text, None where a cell is missing."""

    def write_columns(columns, ending, name="votes", types=None):
        path = tmp_path / f"{name}.{ending}"
        if ending == "parquet":
            kinds = types or {}
            arrays = {key: arrow.array(cells, kinds.get(key)) for key, cells in columns.items()}
            parquet.write_table(arrow.table(arrays), path)
        else:
            with path.open("w", newline="", encoding="utf-8") as file:
                writer = csv.writer(file)
                writer.writerow(columns)
                writer.writerows(zip(*columns.values(), strict=True))
        return path

    return write_columns


def certified(path, *options, capsys, code=0):
    """Certify predictions, and return the file, what was printed, and the mistake."""
    file = path.with_suffix(".json")
    command = ["certify-votes", str(path), "--json", "--all-bounds", "--certificate", str(file)]
    assert run([*command, *options]) == code
    return file, capsys.readouterr()


def rng():
    return np.random.default_rng(0)


def half_wrong(word, n=2000, n_voters=3):
    """Labels a and b, and voters that say them half of the time, and else another word."""
    labels = rng().choice(["a", "b"], n)
    right = np.random.default_rng(1).random((n_voters, n)) < 0.5
    predictions = np.where(right, labels, word)
    columns = {
        "label": labels.tolist(),
        **{f"v{i}": row.tolist() for i, row in enumerate(predictions)},
    }
    return columns, right


# The cells that are missing.

WORDS = ["None", "NA", "null", "nan", "N/A", " "]


@pytest.mark.parametrize("word", WORDS)
def test_a_word_for_nothing_is_a_prediction_like_any_other(word, write, capsys):
    columns, right = half_wrong(word)
    path, same = (write(columns, ending) for ending in ENDINGS)
    for table in (path, same):
        np.testing.assert_array_equal(read_votes(table).errors, ~right)
    file, shown = certified(path, capsys=capsys)
    assert json.loads(shown.out)["guaranteed"] >= 0.4
    assert run(["verify", str(file), "--rigorous", "--votes", str(same)]) == 0
    assert capsys.readouterr().out.count("not checked") == 1, "the assumptions"
    if word in ("None", "NA"):
        assert f"are '{word}', which is not a label. They count as errors" in shown.out


@both_endings
@pytest.mark.parametrize("word", WORDS)
def test_verify_does_not_take_a_word_for_nothing_either(word, ending, write, tmp_path, capsys):
    columns, right = half_wrong(word)
    path = write(columns, ending)
    labels = np.array(columns["label"])
    careless = certify(Votes.from_predictions(np.tile(labels, (3, 1)), labels, held_out=right))
    assert careless.value < 0.1
    file = careless.save(tmp_path / "careless.json")
    assert run(["verify", str(file), "--votes", str(path)]) == 1
    assert capsys.readouterr().out.startswith("wrong: ")


@pytest.mark.parametrize("empty", [None, ""])
@both_endings
def test_only_an_empty_cell_is_missing(ending, empty, write):
    columns = {"label": ["a", "b", "b"], "v": ["a", empty, "NA"]}
    path = write(columns, ending)
    votes = read_votes(path)
    assert votes.held_out.tolist() == [[True, False, True]]
    assert votes.errors.tolist() == [[False, False, True]]
    assert votes.classes.tolist() == ["NA", "a", "b"]
    with pytest.raises(VotesFileError, match="1 rows have no label"):
        read_votes(write({"label": ["a", empty], "v": ["a", "a"]}, ending))


# Labels that are alike.

ALIKE = [
    ("1", "01"),
    ("1.1", "1.10"),
    ("1", "1.0"),
    ("1", "1e0"),
    ("True", "TRUE"),
    ("cat", " cat"),
    ("cat", "cat\u00a0"),
    ("caf\u00e9", "cafe\u0301"),
    ("9007199254740992", "9007199254740993"),
]


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_labels_that_look_alike_are_two(one, other, write, capsys):
    columns = {"label": [one, other] * 300, "v": [one] * 600, "w": [one] * 600}
    path, same = (write(columns, ending) for ending in ENDINGS)
    for table in (path, same):
        votes = read_votes(table)
        assert votes.errors.mean() == 0.5
        assert sorted(votes.classes.tolist()) == sorted([one, other])
    file, shown = certified(same, capsys=capsys)
    assert json.loads(shown.out)["bounds"]["first_order"] >= 0.5
    assert run(["verify", str(file), "--rigorous", "--votes", str(path)]) == 0


@both_endings
def test_codes_next_to_names_are_rejected(ending, write, capsys):
    path = write({"label": ["bad", "good"] * 30, "v": ["0", "1"] * 30}, ending)
    _, shown = certified(path, capsys=capsys, code=2)
    assert "the labels are 'bad', 'good', the predictions '0', '1'" in shown.err


# The same table in another format.

N = 400


def table_of(kind):
    """Columns of one kind as Parquet holds them, and as they are written in CSV."""
    random = rng()
    codes = random.integers(2, 12, N)
    predictions = np.where(random.random((3, N)) < 0.7, codes, random.integers(2, 12, (3, N)))
    held_out = random.random((3, N)) < 0.8
    word = {
        "integers": str,
        "floats": str,
        "words": lambda code: f"class {code}",
        "categories": lambda code: f"class {code}",
        "booleans": lambda code: str(code > 6),
        "mixed": str,
    }[kind]
    value = {"booleans": lambda code: bool(code > 6), "integers": int, "floats": int, "mixed": int}
    typed = value.get(kind, word)
    written, stored = {"label": list(map(word, codes))}, {"label": list(map(typed, codes))}
    for voter in range(3):
        cells = list(zip(predictions[voter], held_out[voter], strict=True))
        written[f"v{voter}"] = [word(code) if loaded else None for code, loaded in cells]
        stored[f"v{voter}"] = [typed(code) if loaded else None for code, loaded in cells]
    types = {
        "floats": {"v0": arrow.float64(), "v1": arrow.float32(), "v2": arrow.float16()},
        "categories": dict.fromkeys(stored, arrow.dictionary(arrow.int8(), arrow.string())),
    }.get(kind, {})
    if kind == "floats":
        stored["v2"] = [None if cell is None else np.float16(cell) for cell in stored["v2"]]
    if kind == "mixed":
        stored["v1"] = written["v1"]
    return written, stored, types


@pytest.mark.parametrize("kind", ["integers", "floats", "words", "categories", "booleans", "mixed"])
def test_a_table_gives_the_same_certificate_in_every_format(kind, write, capsys):
    written, stored, types = table_of(kind)
    paths = write(written, "csv", "text"), write(stored, "parquet", "typed", types)
    files = [certified(path, capsys=capsys)[0] for path in paths]
    assert json.loads(files[0].read_text()) == json.loads(files[1].read_text())
    for file in files:
        for path in paths:
            assert run(["verify", str(file), "--votes", str(path)]) == 0


@both_endings
def test_tables_of_text_check_a_certificate_of_numbers(ending, write, tmp_path, capsys):
    labels = rng().choice([2, 10], 400)
    predictions = np.array([labels, np.where(labels == 2, 10, 2)])
    certificate = certify(Votes.from_predictions(predictions, labels), weights="uniform")
    file = certificate.save(tmp_path / "numbers.json")
    columns = {"label": labels, "v": predictions[0], "w": predictions[1]}
    path = write({name: list(map(str, cells)) for name, cells in columns.items()}, ending)
    assert run(["verify", str(file), "--votes", str(path)]) == 0


# Names of rows.


def voters(n=60):
    labels = rng().choice(["0", "1"], n)
    predictions = np.where(np.random.default_rng(1).random((3, n)) < 0.8, labels, "1")
    return {
        "label": labels.tolist(),
        **{f"v{i}": row.tolist() for i, row in enumerate(predictions)},
    }


@pytest.mark.parametrize(
    ("name", "ending"),
    [
        *(("", ending) for ending in ENDINGS),
        *((name, "csv") for name in ("Unnamed: 0", "rownames", "row.names", "Row Names", "...1")),
        *((name, "parquet") for name in ("id", "patient")),
    ],
)
def test_names_of_rows_are_not_voters(name, ending, write, capsys):
    columns = voters()
    plain, without = certified(write(columns, ending, "plain"), capsys=capsys)
    path = write({name: [str(i) for i in range(60)], **columns}, ending)
    _, shown = certified(path, capsys=capsys, code=2)
    assert shown.err.count("\n") == 1
    assert f"olumn {name!r}" in shown.err
    assert f"--drop {quote(name)}" in shown.err and "np.str_" not in shown.err
    with pytest.raises(VotesFileError, match="drop="):
        read_votes(path)
    file, shown = certified(path, "--drop", name, capsys=capsys)
    assert shown.out == without.out
    assert file.read_text() == plain.read_text()
    assert read_votes(path, drop=[name]).n_voters == 3
    checked = ["verify", str(file), "--votes", str(path)]
    assert run(checked) in (1, 2)
    shown = capsys.readouterr()
    assert "--drop" in shown.out + shown.err
    assert run([*checked, "--drop", name]) == 0


def test_names_of_rows_that_r_writes_are_not_voters(tmp_path, capsys):
    path = tmp_path / "votes.csv"
    rows = [f'"{i}","yes","{("yes", "no")[i % 3 == 0]}"' for i in range(1, 41)]
    path.write_text("\n".join(['"","label","tree"', *rows]) + "\n")
    _, shown = certified(path, capsys=capsys, code=2)
    assert "--drop ''" in shown.err
    certified(path, "--drop", "", capsys=capsys)


def test_names_of_rows_that_pandas_writes_are_not_voters(tmp_path, capsys):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(voters())
    frame.to_csv(tmp_path / "votes.csv")
    frame.to_parquet(tmp_path / "votes.parquet")
    assert "--drop ''" in certified(tmp_path / "votes.csv", capsys=capsys, code=2)[1].err
    pandas.read_csv(tmp_path / "votes.csv").to_csv(tmp_path / "again.csv", index=False)
    shown = certified(tmp_path / "again.csv", capsys=capsys, code=2)[1]
    assert "--drop 'Unnamed: 0'" in shown.err
    assert read_votes(tmp_path / "votes.parquet").n_voters == 3


@both_endings
def test_several_columns_are_ignored_with_unlabeled_samples_too(ending, write, capsys):
    columns, extra = voters(), voters(80)
    del extra["label"]
    path = write({"id": [f"p{i}" for i in range(60)], "day": ["x"] * 60, **columns}, ending)
    unlabeled = write({"id": [f"q{i}" for i in range(80)], **extra}, ending, "unlabeled")
    options = ["--drop", "id", "--drop", "day", "--unlabeled", str(unlabeled)]
    file, _ = certified(path, *options, capsys=capsys)
    assert run(["verify", str(file), "--votes", str(path), *options]) == 0
    assert read_predictions(unlabeled, drop=["id"]).shape == (3, 80)


def test_a_quotation_mark_that_is_not_closed_swallows_no_rows(tmp_path, capsys):
    path = tmp_path / "votes.csv"
    for swallowed in ('a,"a\na,b\n', 'a,"a\nb,a"\n'):
        path.write_text("label,v\n" + "a,a\n" * 50 + swallowed)
        error = certified(path, capsys=capsys, code=2)[1].err
        assert "line break" in error or "unexpected end of data" in error


@both_endings
def test_voters_of_unlabeled_samples_stand_in_the_same_order(ending, write, capsys):
    columns = voters()
    path = write(columns, ending)
    del columns["label"]
    turned = write(dict(reversed(columns.items())), ending, "unlabeled")
    _, shown = certified(path, "--unlabeled", str(turned), capsys=capsys, code=2)
    assert "'v2', 'v1', 'v0'" in shown.err
    assert "the same columns in the same order" in shown.err


@both_endings
def test_a_voter_that_never_predicts_a_known_class_without_labels_is_rejected(
    ending, write, capsys
):
    columns = voters()
    path = write(columns, ending)
    del columns["label"]
    columns["v1"] = [f" {cell}" for cell in columns["v1"]]
    spelled = write(columns, ending, "unlabeled")
    _, shown = certified(path, "--unlabeled", str(spelled), capsys=capsys, code=2)
    assert "No prediction is a label" in shown.err


def test_a_voter_of_many_classes_is_a_voter(write):
    """Two samples a class, and a voter that says something else at every one of them."""
    labels = [f"face {i // 2}" for i in range(200)]
    votes = read_votes(write({"label": labels, "v": [f"face {i}" for i in range(200)]}, "csv"))
    assert votes.errors.sum() == 199


def test_an_unknown_column_cannot_be_ignored(write, capsys):
    path = write(voters(), "csv")
    assert "no column 'di'" in certified(path, "--drop", "di", capsys=capsys, code=2)[1].err
