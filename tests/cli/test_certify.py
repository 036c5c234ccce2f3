"""How often the command computes what is expensive, and what its options mean together."""

import json
import sys
from contextlib import contextmanager

import numpy as np
import pytest

from tandemvote import CertifiedForestClassifier, VoteCounts, certify_by_group
from tandemvote.cli.app import run
from tandemvote.ensembles.voters import left_out_votes
from tandemvote.report import write_report
from tandemvote.weights import minimise

CALL = ["certify", "--target", "quality", "--scheme", "trees"]
N_VOTERS, N_GOOD, N_BAD = 12, 130, 70


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    y = rng.permutation(np.repeat(["good", "bad"], [N_GOOD, N_BAD]))
    return rng.normal(size=(y.size, 3)) + 2.0 * (y == "good")[:, None], y


@pytest.fixture
def table(tmp_path, data):
    rows = [",".join(map(str, [*point, label])) for point, label in zip(*data, strict=True)]
    path = tmp_path / "table.csv"
    path.write_text("\n".join(["a,b,c,quality", *rows]) + "\n")
    return path


@contextmanager
def calls_watched():
    """Note every call of the expensive steps, under whatever name they were imported."""
    passes, solved, counted = [], [], []
    count = VoteCounts.from_votes.__func__.__code__

    def watch(frame, event, _):
        if event != "call":
            return
        if frame.f_code is left_out_votes.__code__:
            passes.append("pass")
        elif frame.f_code is minimise.__code__:
            solved.append("run")
        elif frame.f_code is count and frame.f_locals["votes"].n_voters == N_VOTERS:
            counted.append(frame.f_locals["votes"].n_samples)

    sys.setprofile(watch)
    try:
        yield passes, solved, counted
    finally:
        sys.setprofile(None)


def test_report_table_by_class_and_file_cost_one_pass_one_count_and_one_solver_run(
    table, tmp_path, capsys
):
    report, file = tmp_path / "r.html", tmp_path / "c.json"
    call = [*CALL, str(table), "--trees", str(N_VOTERS)]
    with calls_watched() as (passes, solved, counted):
        code = run([*call, "--by", "class", "--report", str(report), "--certificate", str(file)])
    assert code == 0
    assert len(passes) == len(solved) == 1
    assert sorted(counted) == [N_BAD, N_GOOD, N_BAD + N_GOOD]
    shown = capsys.readouterr().out
    assert "errors by true class" in shown
    assert 'id="classes-table"' in report.read_text(encoding="utf-8")
    assert run(["verify", str(file)]) == 0


def test_a_fitted_forest_is_reported_and_saved_without_computing_anything_again(data, tmp_path):
    forest = CertifiedForestClassifier(N_VOTERS, weights="tandem", random_state=0)
    with calls_watched() as (passes, solved, counted):
        found = forest.fit(*data).certification_
        write_report(
            tmp_path / "r.html", found.certificate, votes=found.votes, solution=found.solution
        )
        found.certificate.save(tmp_path / "c.json")
    assert len(passes) == len(solved) == 1
    assert counted == [N_BAD + N_GOOD]


def test_the_table_by_class_is_that_of_certify_by_group(table, data, capsys):
    call = [*CALL, str(table), "--trees", "50", "--by", "class", "--json"]
    assert run([*call, "--bound", "first_order"]) == 0
    groups = json.loads(capsys.readouterr().out)["groups"]
    shown = {each["group"]: each["value"] for each in groups}
    forest = CertifiedForestClassifier(50, weights="tandem", max_samples=0.5, random_state=0)
    found = certify_by_group(forest.fit(*data), groups="class", bound="first_order")
    assert shown == dict(found.values)
    assert max(shown.values()) < 1
