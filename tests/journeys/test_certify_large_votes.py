"""Votes in many files, larger than memory for all the command knows, to a guarantee."""

import json

import numpy as np
import pytest

from tandemvote.cli.app import run
from tandemvote.votes import vote_tables
from tandemvote.votes.reading import VoteFiles

arrow = pytest.importorskip("pyarrow", reason="votes on disk need the data extra")
arrow_parquet = pytest.importorskip("pyarrow.parquet")


@pytest.fixture
def folder(tmp_path):
    """Three files of 1,000 rows, 20 voters with an error rate of 0.1."""
    rng = np.random.default_rng(0)
    (tmp_path / "votes").mkdir()
    for part in range(3):
        truth = rng.integers(2, size=1000)
        table = {"truth": truth.astype(np.int8)}
        for voter in range(20):
            predictions = (truth ^ (rng.random(1000) < 0.1)).astype(np.int8)
            table[f"tree {voter}"] = arrow.array(predictions, mask=rng.random(1000) < 0.3)
        arrow_parquet.write_table(
            arrow.table(table), tmp_path / "votes" / f"{part}.parquet", row_group_size=250
        )
    return tmp_path / "votes"


def certified(capsys, predictions, *options):
    arguments = ["certify-votes", str(predictions), "--target", "truth", "--json", "--all-bounds"]
    assert run([*arguments, *options]) == 0
    return json.loads(capsys.readouterr().out)


def test_a_folder_a_pattern_and_memory_give_the_same_certificate(folder, capsys, monkeypatch):
    at_once = certified(capsys, folder)
    assert 0 < at_once["observed"] < at_once["guaranteed"] < 0.2
    monkeypatch.setattr(vote_tables, "BATCH_CELLS", 300 * 20)
    assert certified(capsys, folder) == certified(capsys, folder / "*.parquet") == at_once


def test_a_report_of_streamed_votes_does_without_the_profile(folder, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(vote_tables, "BATCH_CELLS", 300 * 20)
    page = tmp_path / "report.html"
    certified(capsys, folder, "--report", str(page))
    assert "Predictions of 20 voters" in page.read_text(encoding="utf-8")


def test_a_log_gets_one_line_and_a_terminal_a_bar(folder, capsys, monkeypatch):
    monkeypatch.setattr(vote_tables, "BATCH_CELLS", 300 * 20)
    call = ["certify-votes", str(folder), "--target", "truth"]
    assert run(call) == 0
    assert capsys.readouterr().err == "Counting 3,000 rows.\n"
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert run(call) == 0
    assert "100%" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--target", "turth"], "Did you mean 'truth'?"),
        (["--target", "truth", "--bound", "TND"], "Invalid --bound TND"),
        (
            ["--target", "truth", "--confidence", "2"],
            "'--confidence': '2' is not a share",
        ),
    ],
)
def test_mistakes_are_reported_before_counting(folder, capsys, monkeypatch, options, message):
    monkeypatch.setattr(vote_tables, "BATCH_CELLS", 1)
    monkeypatch.setattr(VoteFiles, "__iter__", None)
    assert run(["certify-votes", str(folder), *options]) == 2
    shown = capsys.readouterr()
    assert message in shown.err
    assert shown.err.count("\n") == 1


def test_a_pattern_that_matches_nothing_is_a_mistake(tmp_path, capsys):
    assert run(["certify-votes", str(tmp_path / "*.parquet")]) == 2
    assert "No file matches" in capsys.readouterr().err
