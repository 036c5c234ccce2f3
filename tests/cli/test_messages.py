"""Messages name parameters as options, and repeat what the user typed letter by letter."""

import pickle

import numpy as np
import pandas as pd
import pytest

from tandemvote.auditing import Finding, Findings
from tandemvote.cli.app import run
from tandemvote.cli.messages import as_text, describe
from tandemvote.votes.parameter_error import ParameterError

WORDS = ["max_error", "test_size", "missing_values", "CertifiedClassifier_version", "groups has"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, len(WORDS))), columns=WORDS)
    frame.assign(y=rng.choice(["weights=heavy", "drop=['a']"], 60)).to_csv("t.csv", index=False)
    return tmp_path


def test_columns_and_labels_are_named_as_in_the_table(folder, capsys):
    assert run(["certify", "t.csv", "--target", "z"]) == 2
    listed = ", ".join(map(repr, [*WORDS, "y"]))
    assert f"Its columns are {listed}." in capsys.readouterr().err
    assert run(["audit", "t.csv"]) == 2
    shown = capsys.readouterr().err
    assert "Pass it, such as --target y, out of " in shown and listed in shown
    assert run(["certify", "t.csv", "--target", "y", "--trees", "5", "--by", "class"]) == 0
    shown = capsys.readouterr()
    assert "\"drop=['a']\", 'weights=heavy'" in shown.err, "as it was read"
    assert "weights=heavy" in shown.out and "--" not in shown.out


def test_a_column_that_is_no_voter_gets_an_option_to_paste(folder, capsys):
    votes = pd.DataFrame(
        {"label": ["a", "b"] * 30, "v": "a", "the split=2": ["train", "test"] * 30}
    )
    votes.to_csv("votes.csv", index=False)
    assert run(["certify-votes", "votes.csv"]) == 2
    shown = capsys.readouterr().err
    assert "with --drop 'the split=2', or confirm that it is a voter with --keep 'the" in shown
    assert run(["certify-votes", "votes.csv", "--drop", "the split=2"]) == 0


def test_texts_among_numbers_are_typed_as_they_stand_in_the_cell(tmp_path, capsys):
    cells = [*map(str, range(100, 158)), "'o' in row 7 in row ", "'o' in row 7 in row "]
    path = tmp_path / "t.csv"
    rng = np.random.default_rng(0)
    pd.DataFrame({"a": rng.permutation(cells), "y": ["x", "z"] * 30}).to_csv(path, index=False)
    assert run(["audit", str(path), "--target", "y"]) == 2
    shown = capsys.readouterr().err.splitlines()
    assert shown[-1].endswith("""--missing ''"'"'o'"'"' in row 7 in row'""")


def test_findings_that_cannot_be_cured_by_an_option_are_overridden_by_name():
    finding = Finding(code="copied_rows", severity="error", message="Drop=['a'].", columns=("a",))
    *_, last = describe(Findings([finding]), ["audit", "a table.csv"])
    assert last == "Correct the data, or decide: tandemvote audit 'a table.csv' --allow copied_rows"


def test_only_the_parameters_of_an_error_become_options():
    error = ParameterError(
        "error=0.1 and max_error=0.1: label 'power=2', column 'max_error=0.10', error=0.2.",
        error=0.1,
        max_error=0.1,
    )
    assert as_text(error) == (
        "--error 0.1 and --max-error 0.1: label 'power=2', column 'max_error=0.10', error=0.2."
    )
    assert as_text(pickle.loads(pickle.dumps(error))) == as_text(error)
    assert as_text(ParameterError("groups=3 is not valid.\n")) == "groups=3 is not valid."
