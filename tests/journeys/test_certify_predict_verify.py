"""The whole way on the command line: certify, keep the model, predict new rows, verify."""

import io
import json

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import Pipeline

from tandemvote.cli.app import run
from tandemvote.model_files.model_file import load_model

N_ROWS = 500


def rows_of(seed, n_rows=N_ROWS):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "customer": [f"c{seed}-{i}" for i in range(n_rows)],
            "shop": [f"s{i % 150}" for i in range(n_rows)],
            "size": rng.normal(size=n_rows).round(6),
            "zip": rng.choice(["01001", "90210", "33333"], n_rows),
            "color": rng.choice(["red", "blue", None], n_rows),
            "since": pd.to_datetime(15000 + rng.integers(999, size=n_rows), unit="D"),
        }
    )
    frame["since"] = frame["since"].dt.strftime("%Y/%m/%d")
    score = frame["size"] + (frame["color"] == "red") + 0.2 * rng.normal(size=n_rows)
    frame["kind"] = np.where(score > 0.3, "good", "bad")
    frame.loc[rng.random(n_rows) < 0.1, "size"] = np.nan
    return frame


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows_of(0).to_csv("data.csv", index=False)
    rows_of(1).drop(columns="kind").to_csv("more.csv", index=False)
    rows_of(2).to_csv("new.csv", index=False)
    return tmp_path


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A small model for tests of what it rejects."""
    folder = tmp_path_factory.mktemp("model")
    rows_of(0).to_csv(folder / "data.csv", index=False)
    path = str(folder / "model.joblib")
    call = ["certify", str(folder / "data.csv"), *CALL[2:], "--trees", "3"]
    assert run([*call, "--model", path]) == 0
    return path


CALL = ["certify", "data.csv", "--target", "kind", "--drop", "customer", "--category", "zip"]
FILES = ["--model", "model.skops", "--certificate", "c.json", "--votes", "votes.csv"]


@pytest.mark.parametrize(
    ("scheme", "checks"),
    [
        ([], ["--votes", "votes.csv"]),
        (["--groups", "shop"], ["--votes", "votes.csv"]),
        (["--scheme", "holdout"], ["--votes", "votes.csv"]),
        (
            ["--scheme", "trees", "--trees", "3", "--unlabeled", "more.csv"],
            ["--votes", "votes.csv", "--unlabeled", "votes.unlabeled.csv"],
        ),
    ],
)
def test_from_a_table_to_predictions_with_a_guarantee_that_can_be_checked(
    files, capsys, scheme, checks
):
    pytest.importorskip("skops")
    assert run([*CALL, "--trees", "5", *scheme, *FILES, "--json"]) == 0
    shown = capsys.readouterr()
    value = json.loads(shown.out)["guaranteed"]
    assert f"Check it: tandemvote verify c.json {' '.join(checks)}" in shown.err
    assert run(["verify", "c.json", *checks]) == 0
    assert capsys.readouterr().out.count("not checked") == 1, "the assumptions"

    predict = ["predict", "model.skops", "new.csv", "--keep", "customer", "--keep", "zip"]
    assert run([*predict, "--output", "predictions.csv"]) == 0
    assert "With 95% confidence, the error rate of" in capsys.readouterr().err
    written = pd.read_csv("predictions.csv", dtype=str)
    new, loaded = rows_of(2), load_model("model.skops")
    assert written.drop(columns="prediction").equals(new[["customer", "zip"]])
    predicted = written["prediction"]
    assert isinstance(loaded, Pipeline) and loaded[-1].certificate_.value == value
    assert predicted.tolist() == loaded.predict(new).tolist()
    assert (predicted != new["kind"]).mean() < value


def test_new_rows_are_matched_by_name_and_may_hold_what_was_never_seen(files, capsys):
    assert run([*CALL, "--trees", "9", "--model", "model.joblib"]) == 0
    predict = ["predict", "model.joblib", "--trusted"]
    assert run([*predict, "new.csv"]) == 0
    expected = capsys.readouterr().out.splitlines()[-N_ROWS:]
    turned = rows_of(2).iloc[:, ::-1].assign(extra=1).drop(columns="kind")
    turned.to_csv("turned.csv", index=False, sep=";")
    assert run([*predict, "turned.csv"]) == 0
    assert capsys.readouterr().out.splitlines() == ["prediction", *expected]
    written = {"sep": "|", "encoding": "utf-16"}
    rows_of(2).assign(name="Zoë; #1").to_csv("named.csv", index=False, **written)
    options = ["--keep", "name"]
    assert run([*predict, "named.csv", *options]) == 0
    named = pd.read_csv(io.StringIO(capsys.readouterr().out), dtype=str)
    assert {*named["name"]} == {"Zoë; #1"} and named["prediction"].tolist() == expected
    for kind in ("csv", "parquet"):
        getattr(rows_of(2), f"to_{kind}")("new.data", index=False)
        assert run([*predict, "new.data", "--keep", "customer"]) == 0
        copied = pd.read_csv(io.StringIO(capsys.readouterr().out), dtype=str)["customer"]
        assert copied.tolist() == rows_of(2)["customer"].tolist()
    strange = rows_of(3, 20).assign(zip="99999", color="violet", size=np.nan)
    strange.to_csv("strange.csv", index=False)
    assert run([*predict, "strange.csv"]) == 0
    shown = capsys.readouterr()
    assert len(shown.out.splitlines()) == 21
    for words in ("'color' holds 'violet' in 20 of 20 rows", "'zip' holds '99999' in 20"):
        assert shown.err.count(words) == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda new: new.drop(columns="size"), "no column 'size'"),
        (lambda new: new.assign(size="big"), "'size' holds 'big', which is not a number"),
        (lambda new: new.assign(size="64,71"), "; --decimal , reads decimal commas"),
        (lambda new: new.head(0), "no rows"),
    ],
)
def test_rows_that_do_not_fit_are_rejected_by_the_name_of_the_column(
    model, tmp_path, capsys, change, message
):
    change(rows_of(2)).to_csv(tmp_path / "wrong.csv", index=False)
    capsys.readouterr()
    assert run(["predict", model, str(tmp_path / "wrong.csv"), "--trusted"]) == 2
    shown = capsys.readouterr()
    assert message in shown.err and "wrong.csv" in shown.err and shown.err.count("\n") == 1
    assert not shown.out


def test_a_joblib_file_is_opened_only_if_its_maker_is_trusted(model, files, capsys):
    assert run(["predict", model, "new.csv"]) == 2
    assert "--trusted" in capsys.readouterr().err.splitlines()[-1]


def test_rows_without_a_label_are_named_or_dropped(files, capsys):
    data = rows_of(0)
    data.loc[::4, "kind"] = None
    data.to_csv("data.csv", index=False)
    assert run(CALL) == 2
    assert "[missing_target]" in capsys.readouterr().err
    assert run([*CALL, "--trees", "5", "--allow", "missing_target"]) == 0
    assert f"{N_ROWS // 4} of {N_ROWS} labels are missing" in capsys.readouterr().out


def test_row_numbers_and_copies_of_rows_are_named(files, capsys):
    data = pd.concat([rows_of(0), rows_of(0).head(15)])
    data.to_csv("data.csv", index_label="Unnamed: 0")
    assert run([*CALL, "--trees", "5"]) == 2
    assert "'Unnamed: 0'" in capsys.readouterr().err
    call = [*CALL, "--trees", "5", "--drop", "Unnamed: 0"]
    assert run(call) == 0
    printed = capsys.readouterr()
    shown = printed.err
    assert "[copied_rows]" in printed.out
    assert f"Read {len(data)} rows" in shown
    for words in ("Unnamed: 0 (not a feature", "since (date", "zip (category)"):
        assert words in shown


def test_copies_of_customers_are_reported_or_grouped(files, capsys):
    pd.concat([rows_of(0), rows_of(0).head(40)]).to_csv("data.csv", index=False)
    assert run([*CALL, "--trees", "5"]) == 0
    assert "40 of 540 rows" in capsys.readouterr().out
    call = [word for word in CALL if word not in ("--drop", "customer")]
    assert run([*call, "--trees", "5", "--groups", "customer"]) == 0
    shown = capsys.readouterr()
    assert "customer (not a feature)" in shown.err
    assert "one random row per group" in shown.out


def test_all_errors_of_the_audit_come_at_once_with_a_command_that_works(files, capsys):
    data = rows_of(0).drop(columns="shop")
    data["patient"] = np.arange(N_ROWS) // 5
    kinds = np.random.default_rng(3).choice(["good", "bad"], N_ROWS)
    data["kind"] = kinds[data["patient"]]
    data.sample(frac=1, random_state=0).to_csv("data.csv", index=False)
    call = ["certify", "data.csv", "--target", "kind", "--category", "zip", "--trees", "5"]
    for hidden in ([], ["--drop", "patient"]):
        assert run([*call, *hidden]) == 2
        shown = capsys.readouterr()
        assert "[identifier]" in shown.err and "[grouped_rows]" in shown.err and not shown.out
        assert "found 2 errors" in shown.err
        suggested = shown.err.splitlines()[-1].partition("tandemvote ")[2].split()
        assert {"--groups", "patient", "--drop", "customer"} <= {*suggested}
        assert run(suggested) == 0
        assert "one random row per group" in capsys.readouterr().out
    allowed = [*call, "--groups", "patient", "--allow", "identifier"]
    assert run(allowed) == 0
    assert "overridden error: Columns that identify rows" in capsys.readouterr().out
    assert run([*call, "--allow", "identifer"]) == 2
    assert "Invalid --allow identifer." in capsys.readouterr().err
