"""Files are checked before the work, and are whole or not there."""

import csv
import sys

import numpy as np
import pandas as pd
import pytest

from tandemvote.cli import outputs
from tandemvote.cli.app import run


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--report nowhere/r.html", "--report nowhere/r.html cannot be written (No such"),
        ("--report r.txt", "--report r.txt ends in '.txt'; expected .html or .htm"),
        ("--certificate c.html", "expected .json"),
        ("--model m.pickle", "expected .skops or .joblib"),
        ("--votes v.json", "expected .csv or .parquet"),
        ("--votes table.csv", "--votes table.csv is also the file that is read"),
        ("--votes ./table.csv", "is also the file that is read"),
        ("--report /proc/r.html", "cannot be written"),
    ],
)
def test_a_bad_place_is_rejected_before_anything_is_read(
    tmp_path, monkeypatch, capsys, options, message
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tandemvote.cli.training.read_table", None)
    (tmp_path / "table.csv").write_text("a,kind\n1,x\n2,y\n")
    assert run(["certify", "table.csv", "--target", "kind", *options.split()]) == 2
    shown = capsys.readouterr()
    assert message in shown.err and shown.err.count("\n") == 1 and not shown.out


def test_two_outputs_never_share_a_place(tmp_path):
    paths = {"votes": tmp_path / "same.csv", "output": tmp_path / "." / "same.csv"}
    with pytest.raises(Exception, match="is also the file of --votes"):
        outputs.check_outputs(paths, inputs=[])


def test_a_missing_package_is_named_before_anything_is_read(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "skops", None)
    assert run(["certify", "t.csv", "--target", "a", "--model", str(tmp_path / "m.skops")]) == 2
    shown = capsys.readouterr().err
    assert "'skops', which is not installed" in shown and shown.count("\n") == 1
    assert 'pip install "tandemvote[skops]"' in shown


def test_formulas_get_an_apostrophe_and_numbers_do_not():
    cells = ["=1+1", "-2", "+3.5", "-x", "@a", "\tb", "c=d", "", 7, -1.5]
    safe = outputs.without_formulas({"=name": cells})
    assert safe == {"'=name": ["'=1+1", "-2", "+3.5", "'-x", "'@a", "'\tb", "c=d", "", 7, -1.5]}


def test_predicted_formulas_are_not_run_by_spreadsheets(tmp_path, monkeypatch, capsys):
    rows = [f"{number * 7 % 10},{('=cmd', 'b')[number % 2]}" for number in range(60)]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.csv").write_text("\n".join(["a,kind", *rows]))
    call = ["certify", "data.csv", "--target", "kind", "--trees", "5", "--model", "m.joblib"]
    assert run(call) == 0
    capsys.readouterr()

    def predicted(place, *options):
        call = ["predict", "m.joblib", "data.csv", "--trusted", *options]
        if place == "standard output":
            assert run(call) == 0
            return set(capsys.readouterr().out.splitlines()[1:])
        assert run([*call, "--output", place]) == 0
        read = pd.read_csv if place.endswith("csv") else pd.read_parquet
        return {*read(place)["prediction"]}

    for place in ("standard output", "predictions.csv", "predictions.parquet"):
        safe = "=cmd" if place.endswith("parquet") else "'=cmd"
        assert safe in predicted(place) <= {safe, "b"}
        assert predicted(place, "--formulas") <= {"=cmd", "b"}


def test_formulas_in_written_votes_are_not_run_by_spreadsheets_and_are_verified(
    tmp_path, monkeypatch
):
    rng = np.random.default_rng(0)
    kinds = rng.choice(["=cmd|' /C calc'!A0", "b"], 80)
    rows = [
        f"{x:.3f},{kind},{site}"
        for x, kind, site in zip(
            rng.normal(kinds == "b"), kinds, rng.choice(["@x", "y"], 80), strict=True
        )
    ]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.csv").write_text("\n".join(["a,kind,=site", *rows]))
    call = ["certify", "data.csv", "--target", "kind", "--trees", "5", "--by", "=site"]
    for votes in ("votes.csv", "votes.parquet"):
        assert run([*call, "--certificate", "c.json", "--votes", votes]) == 0
        assert run(["verify", "c.json", "--votes", votes]) == 0
    cells = [
        cell
        for row in csv.reader((tmp_path / "votes.csv").read_text().splitlines())
        for cell in row
    ]
    assert not [cell for cell in cells if cell.startswith(("=", "@"))]
    assert {"'=site", "'@x", "'=cmd|' /C calc'!A0"} <= {*cells}


def test_a_report_with_groups_describes_the_classifier_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"{i * 7 % 10},{'ab'[i % 2]},{'xy'[i % 3 > 0]}" for i in range(60)]
    (tmp_path / "data.csv").write_text("\n".join(["a,kind,site", *rows]))
    call = ["certify", "data.csv", "--target", "kind", "--trees", "5", "--report", "r.html"]
    assert run([*call, "--by", "site"]) == 0
    page = (tmp_path / "r.html").read_text()
    assert "<h2>Classifier</h2>" in page and 'id="groups-table"' in page
