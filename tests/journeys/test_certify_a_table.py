"""From a messy table, or from predictions, to a guarantee; and what happens on a mistake."""

import json
import re

import numpy as np
import pandas
import pytest

from tandemvote.cli.app import run
from tandemvote.model_files.model_file import load_model

ROWS = 400
TREES = ["--scheme", "trees"]


@pytest.fixture
def messy(tmp_path):
    """A byte-order mark, semicolons, text, missing cells, numbers with text among them."""
    rng = np.random.default_rng(0)
    size = rng.normal(size=ROWS)
    color = rng.choice(["red", "blue", "", "dark green"], ROWS)
    kind = np.where(size + (color == "red") + 0.1 * rng.normal(size=ROWS) > 0, "good", "bad")
    lines = ['size;color;"the note";quality']
    for i in range(ROWS):
        shown = "" if i % 17 == 0 else f"{size[i]:.4f}"
        note = "n/a" if i % 3 else "12"
        lines.append(f"{shown};{color[i]};{note};{kind[i]}")
    path = tmp_path / "messy.csv"
    path.write_text("\ufeff" + "\r\n".join(lines) + "\r\n", encoding="utf-8")
    return path


@pytest.fixture
def votes(tmp_path):
    rng = np.random.default_rng(1)
    labels = rng.choice(["yes", "no"], 300)
    lines = ["label,first,second,third"]
    for label in labels:
        other = "no" if label == "yes" else "yes"
        cells = [
            "" if rng.random() < 0.3 else other if rng.random() < 0.1 else label for _ in "abc"
        ]
        lines.append(",".join([label, *cells]))
    path = tmp_path / "votes.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_messy_table_becomes_a_certificate_and_a_report(messy, tmp_path, capsys):
    report = tmp_path / "report.html"
    code = run(
        ["certify", str(messy), "--target", "quality", "--trees", "10", "--report", str(report)]
    )
    shown = capsys.readouterr()
    assert code == 0
    headline = (
        r"observed error \S+%, guaranteed error <= \S+% \(95% confidence\), majority-class ba"
    )
    assert re.match(headline, shown.out)
    assert str(report) in shown.err
    page = report.read_text(encoding="utf-8")
    assert "messy" in page


def test_rows_with_missing_cells_are_mentioned(messy, capsys):
    options = ["certify", str(messy), "--target", "quality", "--trees", "5"]
    lines = messy.read_text(encoding="utf-8-sig").splitlines()[1:]
    gaps = sum(any(cell in ("", "n/a") for cell in line.split(";")) for line in lines)
    assert run(options) == 0
    assert f"note: {gaps} rows with missing entries included." in capsys.readouterr().out


def test_a_bare_table_with_marks_of_its_own_is_read_by_options(tmp_path, capsys):
    path, extra = tmp_path / "bare.csv", tmp_path / "more.csv"
    rows = [f"{i * 37 % 200}.5,{i % 7},{'ab'[i * i % 7 % 2]}" for i in range(200, 0, -1)]
    rows[7] = "unknown,3+,a"
    path.write_text("size,grade,kind\n" + "\n".join(rows) + "\n")
    more = [f"{i}.25,0" for i in range(300, 0, -1)]
    extra.write_text("size,grade\n" + "\n".join(more) + "\nunknown,3+\n")
    options = ["certify", str(path), "--target", "kind", "--trees", "10", "--scheme", "trees"]
    assert run(options) == 2
    shown = capsys.readouterr().err
    assert "'size' ('unknown' in row 8)" in shown and "'grade' ('3+' in row 8)" in shown
    cures = ["--missing", "unknown", "--category", "grade"]
    assert shown.rstrip().endswith(" ".join(cures))
    options += cures
    options += ["--allow", "leak", "--unlabeled", str(extra)]
    assert run(options) == 0
    assert "note: 1 row with missing entries included." in capsys.readouterr().out


def test_a_table_from_an_office_in_the_old_world_is_read_by_options(tmp_path, capsys):
    """Decimal commas and Latin-1: rejected with the way out, which is then taken."""
    rng = np.random.default_rng(0)
    size = rng.normal(size=ROWS)
    lines = ["größe;urteil", *(f"{s:.3f};{'gut' if s > 0 else 'übel'}" for s in size)]
    path = tmp_path / "amt.csv"
    path.write_bytes("\n".join(lines).replace(".", ",").encode("latin-1"))
    call = ["certify", str(path), "--target", "urteil", "--trees", "10"]
    assert run(call) == 2
    assert "Pass --decimal , (reads 3,14 as a number)" in capsys.readouterr().err
    assert run([*call, "--decimal", ","]) == 0
    shown = capsys.readouterr().out
    assert "guaranteed error <=" in shown and "it was read as Windows-1252" in shown


def test_machines_get_json_with_the_same_number(messy, capsys):
    options = ["--target", "quality", "--trees", "9", "--confidence", "0.9", "--json"]
    for scheme, n_voters in (("trees", 9), ("committee", 6), ("holdout", 1)):
        assert run(["certify", str(messy), *options, "--scheme", *scheme.split()]) == 0
        printed = json.loads(capsys.readouterr().out)
        [certificate] = printed["certificates"]
        values = [float.fromhex(value) for value in certificate["candidates"].values()]
        assert float.fromhex(certificate["delta"]) == 0.1
        assert printed["guaranteed"] == float.fromhex(certificate["value"]) == min(values)
        assert 0 <= printed["observed"] < printed["baseline"] < 1
        assert len(certificate["weights"]) == n_voters and certificate["assumptions"]


@pytest.fixture
def more(tmp_path):
    """Further unlabeled samples, of the same source."""
    rng = np.random.default_rng(2)
    colors = rng.choice(["red", "blue", "", "dark green"], 5 * ROWS)
    sizes = rng.normal(size=5 * ROWS)
    lines = [f"{size:.9f};{color};12" for size, color in zip(sizes, colors, strict=True)]
    path = tmp_path / "more.csv"
    path.write_text("\n".join(['size;color;"the note"', *lines]) + "\n")
    return path


def test_unlabeled_samples_sharpen_the_disagreement_bound(messy, more, capsys):
    options = ["certify", str(messy), "--target", "quality", "--trees", "10", "--json", *TREES]
    options += ["--all-bounds"]
    assert run(options) == 0
    without = json.loads(capsys.readouterr().out)["bounds"]["disagreement"]
    assert run([*options, "--unlabeled", str(more)]) == 0
    assert json.loads(capsys.readouterr().out)["bounds"]["disagreement"] < without


def test_unlabeled_samples_give_a_bound_of_their_own(messy, more, capsys):
    options = ["certify", str(messy), "--target", "quality", "--trees", "10", "--json", *TREES]
    options += ["--all-bounds"]
    assert run([*options, "--unlabeled", str(more)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["certificates"][0]["bound"] == "vote_profile"
    bounds = found["bounds"]
    assert found["guaranteed"] < 0.8 * min(bounds[name] for name in ("first_order", "tandem"))


def test_predictions_on_unlabeled_samples_do_the_same(votes, tmp_path, capsys):
    rng = np.random.default_rng(3)
    labels = rng.choice(["yes", "no"], 800)
    predictions = [np.where(rng.random(800) < 0.9, labels, "no") for _ in "abc"]
    unlabeled = tmp_path / "unlabeled.csv"
    rows = [",".join(row) for row in zip(*predictions, strict=True)]
    unlabeled.write_text("\n".join(["first,second,third", *rows]) + "\n")
    options = ["--unlabeled", str(unlabeled), "--bound", "vote_profile"]
    certificate = tmp_path / "certificate.json"
    code = run(["certify-votes", str(votes), *options, "--certificate", str(certificate)])
    assert code == 0
    assert "800 unlabeled samples" in capsys.readouterr().out
    checked = ["verify", str(certificate), "--votes", str(votes), "--unlabeled", str(unlabeled)]
    assert run(checked) == 0


def test_training_samples_do_not_pass_for_unlabeled_ones(messy, tmp_path, capsys):
    lines = messy.read_text(encoding="utf-8-sig").splitlines()
    again = tmp_path / "again.csv"
    again.write_text("\n".join(line.rsplit(";", 1)[0] for line in lines) + "\n")
    options = ["--target", "quality", "--trees", "5", "--unlabeled", str(again), *TREES]
    assert run(["certify", str(messy), *options]) != 0
    assert "shared_rows" in capsys.readouterr().err


def test_every_class_gets_a_guarantee_of_its_own(messy, capsys):
    options = ["certify", str(messy), "--target", "quality", "--trees", "5", "--by", "class"]
    for scheme in ([], TREES):
        assert run([*options, *scheme]) == 0
        assert "error rates by class, all valid at once" in capsys.readouterr().out
        assert run([*options, *scheme, "--json"]) == 0
        printed = json.loads(capsys.readouterr().out)
        groups = printed["certificates"][1:]
        labels = [each["group"]["label"] for each in groups]
        assert json.dumps(labels).count("bad") == json.dumps(labels).count("good") == 1
        assert all(float.fromhex(each["value"]) > printed["observed"] / 2 for each in groups)


def test_the_forest_can_be_kept_and_used(messy, tmp_path, capsys):
    path = tmp_path / "forest.joblib"
    assert (
        run(["certify", str(messy), "--target", "quality", "--trees", "10", "--model", str(path)])
        == 0
    )
    assert "can run their code" in capsys.readouterr().err
    loaded = load_model(path, trusted=True)
    rows = pandas.DataFrame({"size": [0.3], "color": ["violet"], "the note": [12.0]})
    assert set(loaded.predict(rows)) <= {"good", "bad"}


def test_the_forest_can_be_handed_to_strangers(messy, tmp_path, capsys):
    pytest.importorskip("skops")
    path = tmp_path / "forest.skops"
    options = ["certify", str(messy), "--target", "quality", "--trees", "3", "--json"]
    assert run([*options, "--model", str(path)]) == 0
    printed = capsys.readouterr()
    assert "can run their code" not in printed.err
    assert load_model(path)[-1].certificate_.value == json.loads(printed.out)["guaranteed"]


def test_an_unknown_kind_of_model_file_is_rejected_before_the_work(messy, tmp_path, capsys):
    path = tmp_path / "forest.pickle"
    assert run(["certify", str(messy), "--target", "quality", "--model", str(path)]) == 2
    assert ".skops" in capsys.readouterr().err


def test_predictions_from_anywhere_are_certified(votes, capsys):
    assert run(["certify-votes", str(votes), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert len(printed["certificates"][0]["weights"]) == 3
    assert 0 < printed["guaranteed"] <= 1


def test_the_same_seed_gives_the_same_certificate(messy, capsys):
    call = ["certify", str(messy), "--target", "quality", "--trees", "5", "--json"]
    texts = []
    for _ in range(2):
        assert run(call) == 0
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1]


GOOD = "size,kind\n" + "".join(f"{i}.5,{i % 2}\n" for i in range(40))
KIND = ["--target", "kind"]


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (GOOD, ["--target", "kin"], "no column 'kin'. Did you mean 'kind'"),
        ("size,kind\n" + "1,x\n" * 40, KIND, "holds one class at most"),
        ("", KIND, "is empty"),
        ("size,kind\n1,0\n2,1\n3,0\n4,1\n", KIND, "4 rows; at least 20 are required"),
        (GOOD, [*KIND, "--category", "sise"], "no column 'sise'. Did you mean 'size'"),
        (GOOD, [], "The label column is not named. Pass it, such as --target"),
        (GOOD, [*KIND, "--confidence", "0.05"], "--confidence 0.05 is not valid; expected at"),
        (GOOD, [*KIND, "--trees", "ten"], "Invalid value for '--trees'"),
    ],
)
def test_a_mistake_gets_one_line_and_exit_code_two(tmp_path, capsys, text, options, message):
    path = tmp_path / "table.csv"
    path.write_text(text)
    assert run(["certify", str(path), *options]) == 2
    assert_one_line(capsys.readouterr(), message)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["certify"], "Missing argument"),
        (["certify-votes"], "Missing argument"),
        (["certify", "nowhere.csv", "--target", "kind"], "nowhere.csv cannot be read"),
        (["certify", "Letter"], "Letter cannot be read"),
        (["certify-votes", "nowhere.csv"], "No file matches nowhere.csv"),
        (
            ["certify", "http://example.org/t.csv", "--target", "kind"],
            "http://example.org/t.csv is",
        ),
        (["bounds"], "no bound can be computed"),
        (["bounds", "--gibbs-loss", "1.2", "--n", "10"], "Invalid value for '--gibbs-loss'"),
        (["bounds", "--errors", "7", "--samples", "5"], "--errors/--samples 7/5 is not valid"),
        (["bounds", "--gibbs-loss", "high"], "Invalid value for '--gibbs-loss'"),
        (["certfy"], "certfy"),
    ],
)
def test_a_mistake_in_the_call_gets_one_line_and_exit_code_two(capsys, arguments, message):
    assert run(arguments) == 2
    assert_one_line(capsys.readouterr(), message)


def assert_one_line(shown, message):
    assert shown.out == ""
    assert message in shown.err
    assert shown.err.startswith("Error: ")
    assert shown.err.count("\n") == 1
