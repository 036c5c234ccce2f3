"""Tables that behave like real ones: the command to paste does no harm, and one is enough."""

import json
import shlex

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from tandemvote import Certificate
from tandemvote.cli.app import run
from tandemvote.model_files.model_file import load_model

N = 600
RNG = np.random.default_rng(0)
SCORE = RNG.normal(size=N)
LABEL = np.where(SCORE + 0.7 * RNG.normal(size=N) > 0, "yes", "no")
SICK = np.repeat(RNG.integers(2, size=N // 3), 3)
WEIGHT = np.repeat(RNG.normal(80, 10, N // 3), 3) + 0.01 * RNG.normal(size=N)
PRICES = np.round(RNG.uniform(100, 900, N // 4), 2)
PAID = np.repeat(PRICES, 4)


def amounts(values):
    return [f"${value:,.2f}" for value in values]


def shuffled(frame):
    return frame.sample(frac=1, random_state=0)


TABLES = {
    # name: table, options that are pasted, and columns that the model must keep
    "row numbers": (
        pd.DataFrame({"rownames": np.arange(1, N + 1), "score": SCORE, "y": LABEL}), "", {"score"}),
    "a category with 3+": (
        pd.DataFrame({"livch": RNG.choice(["0", "1", "2", "3+"], N), "score": SCORE, "y": LABEL}),
        "--category livch", {"livch", "score"}),
    "a stray text": (
        pd.DataFrame({"size": ["n.d.", *np.round(SCORE[1:], 3).astype(str)], "b": WEIGHT,
                      "y": LABEL}),
        "--missing n.d.", {"size", "b"}),
    "money": (
        pd.DataFrame({"customer": [f"C{place * 7919 % 9973:05d}" for place in range(N)],
                      "total": amounts(1000 * np.exp(SCORE)), "y": LABEL}),
        "--drop customer", {"total"}),
    "repeated prices": (
        shuffled(pd.DataFrame({"paid_total": PAID, "rate": RNG.normal(size=N),
                               "y": np.repeat(RNG.integers(2, size=N // 4), 4)})),
        "", {"paid_total", "rate"}),
    "visits": (
        shuffled(pd.DataFrame({"visit": [f"PAT-{i // 3:04d}/visit{i % 3}" for i in range(N)],
                               "weight": WEIGHT, "y": SICK})),
        "--groups visit --groups-until /", {"weight"}),
    "a leak": (
        pd.DataFrame({"closed": np.where(LABEL == "yes", 1, 0), "score": SCORE, "y": LABEL}),
        "--drop closed", {"score"}),
}  # fmt: skip


def pasted(capsys):
    """Return the words of the command that a message ends with, without the program."""
    last = capsys.readouterr().err.splitlines()[-1]
    return shlex.split(last.removeprefix("Correct the data, or decide: "))[1:]


@pytest.mark.parametrize("name", TABLES)
def test_one_command_to_paste_is_enough_and_keeps_the_features(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    frame, cure, features = TABLES[name]
    frame.to_csv("t.csv", index=False)
    call = ["certify", "t.csv", "--target", "y", "--trees", "8", "--model", "m.skops"]
    call += ["--report", "r.html"]
    if cure:
        assert run(call) == 2
        assert not (tmp_path / "m.skops").exists()
        call += cure.split()
        assert pasted(capsys) == call
    assert run(call) == 0
    assert {*load_model("m.skops")[0].kinds} == features
    same = cure.split() if "--missing" in cure else []
    assert run(["predict", "m.skops", "t.csv", "-o", "p.csv", *same]) == 0
    assert len(pd.read_csv("p.csv")) == N


def test_following_the_advice_for_visits_does_not_make_the_leak_silent(tmp_path, capsys):
    frame, cure, _ = TABLES["visits"]
    path = tmp_path / "t.csv"
    frame.to_csv(path, index=False)
    call = ["certify", str(path), "--target", "y", "--trees", "8", "--json"]
    assert run([*call, "--drop", "visit"]) == 2
    capsys.readouterr()
    assert run([*call, *cure.split()]) == 0
    assert json.loads(capsys.readouterr().out)["guaranteed"] > 0.5


def test_rows_in_the_order_of_time_are_offered_the_order_by_name(tmp_path, capsys):
    days = pd.date_range("2020-01-01", periods=N).strftime("%Y-%m-%d")
    path = tmp_path / "t.csv"
    pd.DataFrame({"day": days, "score": SCORE, "y": LABEL}).to_csv(path, index=False)
    assert run(["audit", str(path), "--target", "y"]) == 0
    assert "Pass --order day (tests the latest rows" in capsys.readouterr().out
    assert run(["audit", str(path), "--target", "y", "--order", "day"]) == 0
    assert "time_order" not in capsys.readouterr().out


def test_findings_about_a_dropped_column_vanish(tmp_path, capsys):
    path = tmp_path / "t.csv"
    frame = pd.DataFrame({"nr": 3 * np.arange(N), "score": SCORE, "y": LABEL})
    frame.to_csv(path, index=False)
    assert run(["audit", str(path), "--target", "y", "--allow", "identifier"]) == 0
    assert "sorted_rows" in capsys.readouterr().out
    assert run(["audit", str(path), "--target", "y", "--drop", "nr"]) == 0
    assert "nr" not in capsys.readouterr().out


def noise(rng, n):
    """Draw coin flips, ids of rows, noise, and in some tables a copy of the label with flips."""
    y = rng.integers(2, size=n)
    frame = pd.DataFrame(rng.normal(size=(n, 2)).round(2), columns=["a", "b"])
    frame["key"] = [f"k{place:05d}" for place in rng.permutation(10**5)[:n]]
    frame["nr"] = np.arange(1, n + 1)
    frame["livch"] = rng.choice(["0", "1", "2+"], n)
    flips = rng.choice([0, 0.02, 0.5])
    frame["closed"] = y ^ (rng.random(n) < flips)
    return frame.assign(y=np.where(y, "yes", "no")), flips


def follow(frame, path, capsys, *options):
    """Paste commands until there is a guarantee and no leak; drop what is reported as one."""
    file = path.with_suffix(".json")
    frame.to_csv(path, index=False)
    call = ["certify", str(path), "--target", "y", "--scheme", "holdout", *options]
    call += ["--certificate", str(file)]
    for _ in range(4):
        code, shown = run(call), capsys.readouterr()
        if code:
            last = shown.err.splitlines()[-1].removeprefix("Correct the data, or decide: ")
            call = shlex.split(last)[1:]
            continue
        certificate = Certificate.load(file)
        leaks = [each for each in certificate.findings if each.code == "leak"]
        if not leaks:
            return certificate.value, "closed" not in call
        call += [word for each in leaks for name in each.columns for word in ("--drop", name)]
    raise AssertionError(shown)


def is_false(seed, path, capsys):
    """Return whether the guarantee is below the least error that the columns in use allow."""
    options = ["--trees", "1", "--confidence", "0.8", "--test-size", "0.5"]
    frame, flips = noise(np.random.default_rng(seed), 60)
    value, uses_copy = follow(frame, path, capsys, *options)
    return value < (flips if uses_copy else 0.5)


@pytest.mark.parametrize("n_tables", [25, pytest.param(1000, marks=pytest.mark.slow)])
def test_whoever_pastes_every_command_keeps_the_guarantee(n_tables, tmp_path, capsys):
    """At a failure probability of 0.2; without the copy, the error of any model is 1/2."""
    most = int(binom.isf(1e-4, n_tables, 0.2))
    # Twice the failure probability would be found with this probability.
    assert n_tables < 1000 or binom.sf(most, n_tables, 0.4) > 0.999
    n_false = sum(is_false(seed, tmp_path / "t.csv", capsys) for seed in range(n_tables))
    assert n_false <= most, n_false
