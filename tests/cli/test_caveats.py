"""Findings about the rows of a table are reported wherever the bound is."""

import json

import numpy as np
import pandas as pd
import pytest

from tandemvote import Certificate
from tandemvote.cli.app import run
from tandemvote.model_files.model_file import load_model

N_ROWS = 200
RNG = np.random.default_rng(0)
SIZE = RNG.normal(size=N_ROWS)
NOISY = SIZE + 0.3 * RNG.normal(size=N_ROWS) > 0
PLAIN = pd.DataFrame({"size": SIZE, "kind": np.where(NOISY, "yes", "no")})


def days(n_rows):
    return pd.Timestamp("2020-02-01") + pd.to_timedelta(np.arange(n_rows), unit="D")


CASES = {
    "gaps": (
        PLAIN.assign(size=PLAIN["size"].where(PLAIN.index > 6)),
        "7 rows with missing entries included",
    ),
    "dates": (
        PLAIN.assign(day=days(N_ROWS).strftime("%d.%m.%Y")),
        "Rows are in the order of time: 'day'",
    ),
    "seconds": (PLAIN.assign(t=-0.5 * np.arange(N_ROWS)), "Rows are sorted by column: 't'"),
    "label": (PLAIN.assign(b=NOISY), "'b' ("),
}


CALL = ["certify", "data.csv", "--target", "kind", "--trees", "5", "--allow", "leak"]


@pytest.mark.parametrize("case", CASES)
def test_it_is_found_once(case, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    frame, caveat = CASES[case]
    frame.to_csv("data.csv", index=False)
    assert run([*CALL, "--json"]) == 0
    assert sum(caveat in each for each in findings_in(capsys)) == 1


@pytest.mark.parametrize("case", ["label"])
def test_it_is_in_the_output_the_file_the_report_and_the_model(case, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    frame, caveat = CASES[case]
    frame.to_csv("data.csv", index=False)
    files = ["--certificate", "c.json", "--report", "r.html", "--model", "m.skops"]
    assert run([*CALL, *files, "--by", "class"]) == 0
    shown = capsys.readouterr()
    assert shown.out.count(caveat) == 1 and caveat not in shown.err
    findings = Certificate.load("c.json").findings
    assert sum(caveat in each.message for each in findings) == 1
    assert (tmp_path / "r.html").read_text().count(caveat.replace("'", "&#39;")) == 1
    assert load_model("m.skops")[-1].certificate_.findings == findings
    assert run(["verify", "c.json"]) == 0
    capsys.readouterr()
    assert run(["predict", "m.skops", "data.csv"]) == 0
    assert caveat in capsys.readouterr().err


def findings_in(capsys):
    """The messages of a certificate in JSON."""
    printed = json.loads(capsys.readouterr().out)["certificates"][0]["findings"]
    return [each["message"] for each in printed]


@pytest.mark.parametrize("form", ["%d.%m.%Y", "%Y-%m-%d", "%b %d, %Y"])
def test_the_order_of_dates_is_reported_even_if_no_model_uses_them(
    form, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    texts = PLAIN.assign(day=days(N_ROWS).strftime(form), number=np.arange(N_ROWS))
    texts.assign(other=RNG.permutation(texts["day"])).to_csv("data.csv", index=False)
    drop = ["--drop", "day", "--drop", "number", "--drop", "other"]
    call = ["certify", "data.csv", "--target", "kind", "--trees", "5"]
    assert run([*call, *drop, "--json"]) == 0
    assert any("in the order of time: 'day'" in each for each in findings_in(capsys))


def test_copies_are_reported_once(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    PLAIN.iloc[[*range(N_ROWS), 0, 1, 2]].to_csv("data.csv", index=False)
    call = ["data.csv", "--target", "kind", "--trees", "5", "--json"]
    assert run(["certify", *call]) == 0
    [message] = findings_in(capsys)
    assert message.startswith("3 of 203 rows repeat an earlier one")


def test_a_table_without_any_has_no_finding(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    PLAIN.to_csv("data.csv", index=False)
    call = ["certify", "data.csv", "--target", "kind", "--trees", "5", "--json"]
    assert run([*call, "--scheme", "trees"]) == 0
    assert findings_in(capsys) == []
