"""From a table as messy as real ones to an answer; nothing half-written if it is stopped."""

import io
import sys

import numpy as np
import pandas as pd
import pytest

from tandemvote.cli.app import run

N_ROWS = 900


@pytest.fixture
def table(tmp_path, monkeypatch):
    """Gaps, text, dates, identifiers, a rare class and groups, in a table of semicolons."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "id": [f"A{place:06d}" for place in range(N_ROWS)],
            "age": rng.integers(18, 90, N_ROWS).astype(float),
            "income": rng.lognormal(10, 1, N_ROWS).round(2),
            "city": [f"city {place}" for place in rng.integers(60, size=N_ROWS)],
            "color": rng.choice(["red", "blue", "green"], N_ROWS),
            "household": rng.integers(N_ROWS // 2, size=N_ROWS),
        }
    )
    days = pd.to_datetime(15000 + rng.integers(2000, size=N_ROWS), unit="D")
    frame["since"] = days.strftime("%d.%m.%Y")
    score = (frame["age"] - 50) / 10 + 2 * (frame["color"] == "red") + 0.3 * rng.normal(size=N_ROWS)
    labels = np.where(score > 0.3, "yes", "no")
    frame["kind"] = np.where(np.arange(N_ROWS) % 300 == 7, "rare", labels)
    gaps = rng.random(frame.shape) < 0.02
    gaps[:, frame.columns.isin(["id", "household", "kind"])] = False
    frame.mask(gaps).to_csv("messy.csv", index=False, sep=";", decimal=",", encoding="utf-16")
    return frame


CALL = ["certify", "messy.csv", "--target", "kind", "--trees", "3"]
READ = ["--decimal", ",", "--groups", "household", "--drop", "id"]
FILES = ["--model", "m.skops", "--certificate", "c.json", "--votes", "v.csv", "--report", "r.html"]


@pytest.mark.parametrize("scheme", ["committee", pytest.param("holdout", marks=pytest.mark.slow)])
def test_a_messy_table_gives_an_answer_that_holds_together(table, tmp_path, capsys, scheme):
    assert run([*CALL, *READ, *FILES, "--scheme", scheme]) == 0
    first, second, *_ = capsys.readouterr().out.splitlines()
    assert first.startswith("observed error ") and "guaranteed error <= " in first
    assert "one random row per group" in second
    assert run(["verify", "c.json", "--votes", "v.csv"]) == 0
    assert (
        run(["predict", "m.skops", "messy.csv", "--decimal", ",", "--keep", "id", "-o", "p.csv"])
        == 0
    )
    assert pd.read_csv("p.csv")["id"].tolist() == table["id"].tolist()


def test_what_a_first_call_gets_wrong_is_named_with_the_fix(table, capsys):
    assert run(CALL) == 2
    shown = capsys.readouterr().err
    assert "[decimal_comma]" in shown and "[identifier]" in shown
    assert "--drop id" in shown and "--decimal ," in shown


def test_a_pipe_gives_the_same_answer(table, tmp_path, capsys, monkeypatch):
    assert run([*CALL, *READ, "--json"]) == 0
    expected = capsys.readouterr().out
    content = io.BytesIO((tmp_path / "messy.csv").read_bytes())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(content))
    assert run(["certify", "-", *CALL[2:], *READ, "--json"]) == 0
    assert capsys.readouterr().out == expected


@pytest.mark.parametrize(
    "step", ["tandemvote.model_files.model_file.save_model", "tandemvote.cli.training.train"]
)
def test_nothing_is_half_written_when_it_is_stopped(table, tmp_path, capsys, monkeypatch, step):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(step, stop)
    assert run([*CALL, *READ, "--model", "m.skops", "--by", "class"]) == 130
    shown = capsys.readouterr()
    assert not shown.out and "Traceback" not in shown.err
    assert [path.name for path in tmp_path.iterdir()] == ["messy.csv"]
