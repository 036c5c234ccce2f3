"""The command compare."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer

from tandemvote import Votes, certify
from tandemvote.cli.app import run


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    y = np.array(["no", "yes"])[rng.integers(2, size=600)]
    other = np.where(y == "no", "yes", "no")

    def model(rate):
        return np.where(rng.random(600) < rate, other, y)

    table = {"label": y, "old": model(0.12), "new": model(0.03), "third": model(0.12)}
    pd.DataFrame({**table, "patient": np.arange(600) // 3}).to_csv("p.csv", index=False)
    certify(Votes.from_predictions([table["new"]], y)).save("c.json")
    return tmp_path


def test_compare_reads_predictions(folder, capsys):
    call = ["compare", "p.csv", "--predictions", "--drop", "patient"]
    assert run([*call, "--picture", "c.svg"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("new is better than old by at least ")
    assert "old is better than third by at least" in shown
    assert (folder / "c.svg").read_text().startswith("<?xml")
    assert run([*call[:3], "--groups", "patient", "--json"]) == 0
    first = json.loads(capsys.readouterr().out.splitlines()[0])
    assert (first["n_samples"], first["one_row_per_group"]) == (200, True)
    assert first["delta"] == 0.025


def test_compare_trains_learners_on_the_same_rows(folder, capsys):
    data = load_breast_cancer(as_frame=True).frame
    data["target"] = np.where(data["target"], "benign", "malignant")
    data.to_csv("data.csv", index=False)
    learners = ["--learner", "forest", "--learner", "boosting", "--trees", "20"]
    assert run(["compare", "data.csv", "--target", "target", *learners]) == 0
    shown, progress = capsys.readouterr()
    assert "Training forest with scheme holdout.\nTraining boosting with" in progress
    assert "(forest)" in shown
    assert "(boosting) on 113 test samples" in shown  # 0.2 of 569 rows


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (["p.csv"], "--predictions, or at least two different --learner"),
        (["p.csv", "--learner", "forest"], "at least two different --learner"),
        (["p.csv", "--predictions", "--drop", "old", "--drop", "new", "--drop", "patient"],
         "compare requires labels, and two models"),
        (["p.csv", "--predictions", "--picture", "c.txt"], "--picture c.txt"),
    ],
)  # fmt: skip
def test_compare_rejects_what_cannot_be_compared(folder, capsys, call, message):
    assert run(["compare", *call]) == 2
    assert message in capsys.readouterr().err


def test_compare_names_an_empty_cell(folder, capsys):
    (folder / "e.csv").write_text("label,a,b\nx,x,x\ny,,y\n")
    assert run(["compare", "e.csv", "--predictions"]) == 2
    assert "Row 2 of column 'a' is empty" in capsys.readouterr().err


def test_a_closed_gate_ends_with_the_number_of_labels(folder, capsys):
    votes = [
        "certify-votes",
        "p.csv",
        "--drop",
        "patient",
        "--drop",
        "old",
        "--drop",
        "third",
    ]
    assert run([*votes, "--max-error", "0.05"]) == 3
    assert "a test set of" in capsys.readouterr().err.splitlines()[-1]
    assert run([*votes, "--max-error", "0.01"]) == 3
    assert "No number of test samples will show at most 1%" in capsys.readouterr().err
