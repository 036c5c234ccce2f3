"""One person certifies, another checks: what they type, what they read, how it ends."""

import json
import subprocess
import sys

import numpy as np
import pytest

from tandemvote import Certificate, Votes, certify
from tandemvote.cli.app import run
from tandemvote.record.document import digest_of


@pytest.fixture
def votes(tmp_path):
    rng = np.random.default_rng(1)
    labels = rng.choice(["yes", "no"], 600)
    lines = ["answer,first,second,third"]
    for label in labels:
        other = "no" if label == "yes" else "yes"
        cells = [
            "" if rng.random() < 0.2 else other if rng.random() < 0.1 else label for _ in "abc"
        ]
        lines.append(",".join([label, *cells]))
    path = tmp_path / "votes.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def file(votes, tmp_path, capsys):
    path = tmp_path / "certificate.json"
    options = ["--target", "answer", "--bound", "tandem", "--certificate", str(path)]
    assert run(["certify-votes", str(votes), *options]) == 0
    assert f"Certificate: {path}" in capsys.readouterr().err
    return path


def test_a_certificate_is_valid_for_anyone_who_checks_it(file, capsys):
    assert run(["verify", str(file)]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("valid: observed error ")
    assert "not checked: the counts of the labeled votes (give --votes)\n" in shown
    assert "not checked: the 6 assumptions\n" in shown


def test_a_limit_of_another_metric_is_not_shown_as_an_error_bound(tmp_path, capsys):
    labels = np.array(["no", "yes"] * 100)
    votes = Votes.from_predictions([np.where(np.arange(200) % 9, labels, "no")], labels)
    path = certify(votes, metric="recall", positive="yes").save(tmp_path / "recall.json")
    assert run(["verify", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "guaranteed recall >= 8" in shown and "for recall for class 'yes'" in shown


def test_it_can_be_proven(file, capsys):
    assert run(["verify", str(file), "--rigorous"]) == 0
    assert "proven in ball arithmetic" in capsys.readouterr().out


def test_the_votes_can_be_counted_again(file, votes, capsys):
    options = ["--votes", str(votes), "--target", "answer"]
    assert run(["verify", str(file), *options]) == 0
    assert "(give --votes)" not in capsys.readouterr().out
    lines = votes.read_text().splitlines()
    votes.write_text("\n".join([lines[0], *lines[2:]]) + "\n")
    assert run(["verify", str(file), *options]) == 1
    assert "in the votes" in capsys.readouterr().out


@pytest.fixture
def complete(tmp_path):
    """A certificate with unlabeled samples, and the tables of all its votes."""
    rng = np.random.default_rng(2)
    labels = rng.choice(["yes", "no"], 900)
    flip = {"yes": "no", "no": "yes"}
    predictions = np.array(
        [[flip[label] if rng.random() < 0.15 else label for label in labels] for _ in "abc"]
    )
    parts = {"votes": slice(0, 500), "unlabeled": slice(500, 900)}
    votes = Votes.from_predictions(
        predictions[:, parts["votes"]],
        labels[parts["votes"]],
        unlabeled=predictions[:, parts["unlabeled"]],
    )
    paths = {"certificate": certify(votes, bound="best").save(tmp_path / "certificate.json")}
    for name, part in parts.items():
        labeled = name == "votes"
        columns = [*(["label"] if labeled else []), *"abc"]
        rows = np.vstack([labels[part], predictions[:, part]]) if labeled else predictions[:, part]
        paths[name] = tmp_path / f"{name}.csv"
        paths[name].write_text("\n".join(map(",".join, [columns, *rows.T.tolist()])) + "\n")
    return paths


def test_everything_in_a_certificate_can_be_counted_again(complete, capsys):
    command = ["verify", str(complete["certificate"])]
    assert run(command) == 0
    shown = capsys.readouterr().out
    assert all(f"(give --{name})" in shown for name in ("votes", "unlabeled"))
    for name in ("votes", "unlabeled"):
        command += [f"--{name}", str(complete[name])]
    assert run(command) == 0
    shown = capsys.readouterr().out
    assert "not checked: the 8 assumptions" in shown and shown.count("not checked") == 1


def test_programs_read_the_verdict_as_json(complete, capsys):
    command = ["verify", str(complete["certificate"]), "--votes", str(complete["votes"]), "--json"]
    assert run(command) == 0
    shown = json.loads(capsys.readouterr().out)
    value = Certificate.load(complete["certificate"]).value
    assert shown["valid"] and shown["problem"] is None and shown["guaranteed"] == value
    assert shown["unchecked"][0] == "the counts of unlabeled samples (give --unlabeled)"
    lines = complete["votes"].read_text().splitlines()
    complete["votes"].write_text("\n".join(lines[:-1]) + "\n")
    assert run(command) == 1
    shown = json.loads(capsys.readouterr().out)
    assert not shown["valid"] and "in the votes" in shown["problem"]


@pytest.mark.parametrize("name", ["votes", "unlabeled"])
def test_a_table_of_other_votes_is_named_and_an_unreadable_one_rejected(complete, name, capsys):
    command = ["verify", str(complete["certificate"]), f"--{name}", str(complete[name])]
    lines = complete[name].read_text().splitlines()
    complete[name].write_text("\n".join(lines[:-1]) + "\n")
    assert run(command) == 1
    assert capsys.readouterr().out.startswith("wrong: ")
    for text in ("", lines[0], "\n".join([*lines, "yes," * 9]), "\0"):
        complete[name].write_text(text)
        assert run(command) == 2
        assert_one_line(capsys.readouterr())


def test_a_better_number_than_the_counts_give_is_named(file, capsys):
    document = json.loads(file.read_text())
    whole = document["certificates"][0]
    whole["value"] = whole["candidates"]["tandem"] = (0.125).hex()
    whole["printed"] = "0.125"
    document["digest"] = digest_of(document)
    file.write_text(json.dumps(document))
    assert run(["verify", str(file)]) == 1
    shown = capsys.readouterr()
    assert shown.out.startswith("wrong: the tandem bound is 0.125 in the file and at least 0.")
    assert shown.out.count("\n") == 1


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"PK\x03\x04",
        b"\x80\x04\x95",
        b"[" * 50_000,
        b" " * 10**8,
        b'{"schema": NaN}',
        b'{"schema": "tandemvote/certificates/9"}',
    ],
    ids=["empty", "zip", "pickle", "nested", "spaces", "nan", "future"],
)
def test_what_cannot_be_read_gets_one_line_and_exit_code_two(tmp_path, capsys, data):
    path = tmp_path / "hostile.json"
    path.write_bytes(data)
    assert run(["verify", str(path)]) == 2
    assert_one_line(capsys.readouterr())


def test_a_truncated_file_gets_one_line_and_exit_code_two(file, capsys):
    data = file.read_bytes()
    for length in range(0, len(data) - 1, 97):
        file.write_bytes(data[:length])
        assert run(["verify", str(file)]) == 2
        assert_one_line(capsys.readouterr())


def test_a_check_that_fails_is_no_verdict(file, capsys, monkeypatch):
    def fail(*_):
        raise ZeroDivisionError("division by\nzero")

    monkeypatch.setattr("tandemvote.verify.verdict.Quantities", fail)
    assert run(["verify", str(file)]) == 70
    shown = capsys.readouterr()
    assert not shown.out
    assert "Traceback" in shown.err and "ZeroDivisionError" in shown.err


HOSTILE = "two\nlines \x1b[31mred \u202edrawkcab \x9b2J [bold]rich[/bold] \u2028 \x07"
ESCAPED = r"two\nlines \x1b[31mred \u202edrawkcab \x9b2J [bold]rich[/bold] \u2028 \x07"


def test_words_of_a_file_move_no_cursor_and_reverse_nothing(file, capsys):
    document = json.loads(file.read_text())
    finding = {"code": "x", "severity": "note", "message": HOSTILE, "advice": "", "columns": []}
    finding |= {"evidence": {}, "overridden": False}
    document["certificates"][0]["findings"] = [finding]
    document["certificates"][0]["assumptions"].append(HOSTILE)
    document["digest"] = digest_of(document)
    file.write_text(json.dumps(document))
    assert run(["verify", str(file)]) == 0
    shown = capsys.readouterr().out
    certificate = Certificate.load(file)
    assert certificate.findings[0].message == HOSTILE
    assert f"note: {ESCAPED}" in repr(certificate)
    for text in (shown, repr(certificate)):
        assert not set(HOSTILE) - set(" \n") & {c for c in text if not c.isprintable()}
    document["certificates"][0]["bound"] = HOSTILE
    document["certificates"][0]["candidates"] = {HOSTILE: (1.0).hex()}
    file.write_text(json.dumps(document))
    assert run(["verify", str(file)]) == 2
    assert_one_line(capsys.readouterr())


@pytest.mark.parametrize("path", ["nowhere.json", ".", "\0"])
def test_a_file_that_is_not_there_gets_one_line_and_exit_code_two(capsys, path):
    assert run(["verify", path]) == 2
    assert_one_line(capsys.readouterr())


def test_rigour_without_its_extra_names_the_extra(file, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "flint", None)
    assert run(["verify", str(file), "--rigorous"]) == 2
    shown = capsys.readouterr()
    assert_one_line(shown)
    assert "tandemvote[verify]" in shown.err


def test_verifying_loads_none_of_the_formulas_it_checks(file):
    """The package alone loads not even numpy."""
    script = (
        "import sys, tandemvote; assert 'numpy' not in sys.modules;"
        "from tandemvote.verify import verify_file;"
        f"assert verify_file({str(file)!r}, rigorous=True).valid;"
        "loaded = [m for m in sys.modules if m.startswith(('tandemvote.bounds', 'sklearn',"
        " 'tandemvote.inequalities', 'tandemvote.weights', 'tandemvote.votes.counts', 'pickle.',"
        " 'joblib'))];"
        "assert not loaded, loaded"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def assert_one_line(shown):
    assert shown.out == ""
    assert shown.err.startswith("Error: ")
    assert shown.err.count("\n") == 1
    assert len(shown.err) < 300
