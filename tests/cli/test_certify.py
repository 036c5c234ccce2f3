"""How often certify computes what is expensive, and in which order it hands things over."""

import subprocess
import sys
from contextlib import contextmanager

import numpy as np
import pytest

from tandemvote import Certificate, CertifiedForestClassifier, VoteCounts
from tandemvote.certificate import certify_votes
from tandemvote.cli.app import run
from tandemvote.models.trees import out_of_bag_votes
from tandemvote.weights import minimize_bound

CALL = ["certify", "--target", "quality"]
N_TREES, N_GOOD, N_BAD = 12, 130, 70


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    y = rng.permutation(np.repeat(["good", "bad"], [N_GOOD, N_BAD]))
    return rng.normal(size=(y.size, 3)) + 2.0 * (y == "good")[:, None], y


@pytest.fixture
def table(tmp_path, data):
    rows = [",".join(map(str, [*row, label])) for row, label in zip(*data, strict=True)]
    path = tmp_path / "table.csv"
    path.write_text("\n".join(["a,b,c,quality", *rows]) + "\n")
    return str(path)


WATCHED = {
    out_of_bag_votes.__code__: "out-of-bag votes",
    minimize_bound.__code__: "weights",
    certify_votes.__code__: "certificate",
    Certificate.by_group.__code__: "groups",
    VoteCounts.from_votes.__func__.__code__: "counts",
}


@contextmanager
def calls_watched():
    """Record every call of the expensive steps, under whatever name they were imported."""
    calls = []

    def watch(frame, event, _):
        if event == "call" and frame.f_code in WATCHED:
            calls.append(WATCHED[frame.f_code])

    sys.setprofile(watch)
    try:
        yield calls
    finally:
        sys.setprofile(None)


@pytest.mark.parametrize(
    ("scheme", "steps"),
    [
        pytest.param(
            "trees",
            ["out-of-bag votes", "certificate", "counts", "weights", "groups"],
            marks=pytest.mark.slow,
        ),
        ("committee", ["certificate", "counts", "groups"]),
    ],
)
def test_report_groups_file_votes_and_model_compute_nothing_again(table, tmp_path, scheme, steps):
    names = {"report": "r.html", "certificate": "c.json", "votes": "v.csv", "model": "m.joblib"}
    files = [word for kind, name in names.items() for word in (f"--{kind}", str(tmp_path / name))]
    call = [*CALL, table, "--trees", str(N_TREES), "--scheme", scheme, "--by", "class"]
    with calls_watched() as calls:
        assert run([*call, *files]) == 0
    assert calls == [*steps, "counts", "counts"], "then one count per class"
    assert run(["verify", str(tmp_path / "c.json"), "--votes", str(tmp_path / "v.csv")]) == 0


def test_the_certificate_is_that_of_the_library(table, data, tmp_path):
    file = str(tmp_path / "c.json")
    call = [*CALL, table, "--scheme", "trees", "--trees", "20", "--by", "class"]
    assert run([*call, "--certificate", file]) == 0
    forest = CertifiedForestClassifier(20, max_samples=0.5, random_state=0)
    expected = forest.fit(*data).certificate_
    certificate = Certificate.load(file)
    assert certificate.value == expected.value
    assert [each.value for each in certificate.groups] == [
        each.value for each in expected.by_group("class")
    ]


def test_quiet_prints_the_error_rates_and_keeps_the_gate(table, tmp_path, capsys):
    files = ["--certificate", str(tmp_path / "c.json")]
    call = [*CALL, table, "--trees", "3", "--quiet", *files]
    assert run(call) == 0
    printed = capsys.readouterr()
    assert printed.out.count("\n") == 1 and printed.out.startswith("observed error")
    assert not printed.err
    assert run([*call, "--max-error", "0.1%"]) == 3
    assert capsys.readouterr().err.startswith("Not guaranteed")


def test_files_are_written_before_anything_is_printed(table, tmp_path, capsys, monkeypatch):
    def fail(*_, **__):
        raise OSError("the disk is full")

    monkeypatch.setattr("tandemvote.model_files.model_file.save_model", fail)
    files = ["--certificate", str(tmp_path / "c.json"), "--model", str(tmp_path / "m.joblib")]
    assert run([*CALL, table, "--trees", "3", *files]) == 2
    shown = capsys.readouterr()
    assert not shown.out and "Certificate:" not in shown.err
    assert shown.err.splitlines()[-1] == "Error: the disk is full"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c.json", "table.csv"]


@pytest.mark.slow  # one that reads no table is in test_app.py
def test_a_closed_pipe_does_not_change_the_exit_code(table):
    words = [*CALL, table, "--trees", "3", "--max-error", "0.001"]
    code = f"from tandemvote.cli import main; main({words!r})"
    started = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    started.stdout.close()
    assert started.wait() == 3
