"""Groups of rows with --by, from columns that are features or not."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta

from tandemvote import Certificate, Votes, certify
from tandemvote.cli.app import run
from tandemvote.model_files.model_file import load_model

N_ROWS = 400
REGIONS = ["north", "south", None]


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"size": rng.normal(size=N_ROWS), "region": rng.choice(REGIONS, N_ROWS)})
    frame["age"] = rng.integers(3, size=N_ROWS)
    frame["kind"] = np.where(frame["size"] + 0.3 * rng.normal(size=N_ROWS) > 0, "yes", "no")
    frame.to_csv("data.csv", index=False)
    return frame


def groups_of(capsys, *options):
    call = ["certify", "data.csv", "--target", "kind", "--trees", "4", *options]
    assert run([*call, "--certificate", "groups.json"]) == 0
    capsys.readouterr()
    return values(Certificate.load("groups.json").groups)


def values(groups):
    return {(each.group.by, each.group.label): each.value for each in groups}


@pytest.mark.parametrize("options", [[], ["--drop", "region"]])
def test_a_column_groups_rows_whether_models_use_it_or_not(table, capsys, options):
    by = ["--by", "region", "--by", "class", "--by", "age"]
    shown = groups_of(capsys, *by, *options, "--votes", "votes.csv")
    votes = pd.read_csv("votes.csv", dtype=str, keep_default_na=False)
    right = votes.filter(like="voter").eq(votes["label"], axis=0).sum(axis=1)
    assert len(shown) == 3 + 2 + 3
    for (name, label), value in shown.items():
        column = votes["label" if name == "class" else name]
        wrong = right[column == ("" if label is None else str(label))] < 4
        n_groups = 2 if name == "class" else 3
        limit = beta.ppf(1 - 0.05 / 3 / n_groups, wrong.sum() + 1, len(wrong) - wrong.sum())
        assert value == pytest.approx(limit, abs=1e-9)


@pytest.mark.parametrize("scheme", ["committee", "holdout"])
def test_rows_that_test_are_grouped_by_their_own_values(table, capsys, scheme):
    shown = groups_of(capsys, "--scheme", scheme, "--by", "region", "--votes", "votes.csv")
    votes = pd.read_csv("votes.csv", dtype=str, keep_default_na=False)
    assert len(votes) == 0.2 * N_ROWS
    voters = votes.filter(like="voter")
    assert voters.shape[1] == (6 if scheme == "committee" else 1)
    right = (voters.eq(votes["label"], axis=0)).sum(axis=1)
    wrong = right < (4 if scheme == "committee" else 1)
    for (_, region), value in shown.items():
        inside = wrong[votes["region"] == (region or "")]
        limit = beta.ppf(1 - 0.05 / 3, inside.sum() + 1, len(inside) - inside.sum())
        assert value == pytest.approx(limit, abs=1e-9)


def test_the_true_class_may_be_named_as_the_target(table, capsys):
    assert groups_of(capsys, "--by", "kind") == groups_of(capsys, "--by", "class")


def test_a_column_of_predictions_is_no_voter_but_a_group(tmp_path, capsys):
    rng = np.random.default_rng(0)
    labels, region = rng.choice(["a", "b"], 300), rng.choice(["north", "south"], 300)
    predictions = {f"v{i}": np.where(rng.random(300) < 0.1, "a", labels) for i in range(3)}
    path = tmp_path / "votes.csv"
    pd.DataFrame({"label": labels, **predictions, "region": region}).to_csv(path, index=False)
    file = str(tmp_path / "c.json")
    assert run(["certify-votes", str(path), "--by", "region", "--certificate", file]) == 0
    expected = certify(Votes.from_predictions(list(predictions.values()), labels))
    assert values(Certificate.load(file).groups) == values(expected.by_group({"region": region}))
    capsys.readouterr()
    assert run(["verify", file, "--votes", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "on the samples where region = 'north'" in shown
    assert "not checked: the 6 assumptions" in shown and shown.count("not checked") == 1


@pytest.mark.parametrize("word", ["class", "predicted"])
def test_a_word_that_is_also_a_column_is_rejected(table, capsys, word):
    table.rename(columns={"region": word}).to_csv("data.csv", index=False)
    for options in ([], ["--drop", word]):
        call = ["certify", "data.csv", "--target", "kind", "--by", word, "--scheme", "holdout"]
        assert run([*call, *options]) == 2
        assert f"or the column {word!r}. Rename the column." in capsys.readouterr().err
    labels = table["kind"]
    for ending in ("csv", "parquet"):
        votes = pd.DataFrame({"label": labels, "v1": labels[::-1].to_numpy(), word: labels})
        getattr(votes, f"to_{ending}")(f"votes.{ending}", index=False)
        assert run(["certify-votes", f"votes.{ending}", "--by", word]) == 2
        assert "Rename the column." in capsys.readouterr().err
    votes = votes.drop(columns="label")[[word, "v1"]]
    votes.to_csv("votes.csv", index=False)
    call = ["certify-votes", "votes.csv", "--target", word, "--by", word]
    assert run(call) == 0, "the target itself"


@pytest.mark.parametrize(
    ("column", "message"),
    [("regoin", "Did you mean 'region'"), ("size", "--by size has 400 distinct values")],
)
def test_a_column_that_is_no_group_is_rejected_before_training(
    table, capsys, monkeypatch, column, message
):
    monkeypatch.setattr("tandemvote.cli.training.train", None)
    assert run(["certify", "data.csv", "--target", "kind", "--by", column]) == 2
    assert message in capsys.readouterr().err


def test_missing_entries_do_not_count_among_the_100_values_of_a_column(table, capsys, monkeypatch):
    def train(*_, **__):
        raise ValueError("the training begins")

    monkeypatch.setattr("tandemvote.cli.training.train", train)
    table["shop"] = np.where(np.arange(N_ROWS) < 4, None, np.arange(N_ROWS) % 100)
    table.to_csv("data.csv", index=False)
    assert run(["certify", "data.csv", "--target", "kind", "--by", "shop"]) == 2
    assert "the training begins" in capsys.readouterr().err


def certified(scheme, *options):
    call = ["certify", "data.csv", "--target", "kind", "--trees", "3", "--scheme", scheme]
    assert run([*call, "--certificate", "c.json", "--votes", "votes.csv", *options]) == 0


@pytest.mark.parametrize("scheme", [pytest.param("trees", marks=pytest.mark.slow), "holdout"])
def test_groups_are_kept_in_the_certificate_verified_and_counted_again(table, capsys, scheme):
    by = ["--by", "region", "--by", "class", "--by", "age"]
    certified(scheme, *by, *(["--by", "predicted"] if scheme == "holdout" else []))
    capsys.readouterr()
    assert run(["verify", "c.json"]) == 0
    output = capsys.readouterr().out
    for region in ("= 'north'", "= 'south'", "is missing"):
        assert f" on the samples where region {region}\n" in output
    assert "not checked: whether 'region' has other values than the 3 in the file" in output
    assert ("where predicted = 'yes'" in output) == (scheme == "holdout")
    tables = ["--votes", "votes.csv"]
    assert run(["verify", "c.json", *tables]) == 0
    assert capsys.readouterr().out.count("not checked") == 1, "the assumptions"
    votes = pd.read_csv("votes.csv", dtype=str, keep_default_na=False)
    votes.drop(columns="age").to_csv("votes.csv", index=False)
    assert run(["verify", "c.json", *tables]) == 0
    assert "not checked: whether 'age' has other values" in capsys.readouterr().out
    votes.loc[votes["region"] == "north", "region"] = "south"
    votes.to_csv("votes.csv", index=False)
    assert run(["verify", "c.json", *tables]) == 1
    assert "wrong: on the samples where region = 'north'" in capsys.readouterr().out


def test_dates_of_a_parquet_file_are_groups_that_verify_finds_again(table, capsys):
    table["since"] = np.tile(pd.to_datetime(["2018-02-01", "2019-03-15"]), N_ROWS // 2)
    table.to_parquet("data.parquet")
    call = ["certify", "data.parquet", "--target", "kind", "--trees", "4", "--by", "since"]
    for votes in ("votes.csv", "votes.parquet"):
        assert run([*call, "--certificate", "c.json", "--votes", votes]) == 0
        capsys.readouterr()
        assert run(["verify", "c.json", "--votes", votes]) == 0
        output = capsys.readouterr().out
        assert "where since = '2018-02-01 00:00:00'" in output and output.count("not checked") == 1


def test_groups_are_named_as_the_table_writes_them(table, capsys):
    table["tame"] = np.tile([True, False], N_ROWS // 2)
    table["since"] = np.tile(["01.02.2018", "15.03.2019"], N_ROWS // 2)
    table["level"] = np.where(table["region"].isna(), np.nan, table["age"])
    table.to_csv("data.csv", index=False)
    shown = groups_of(capsys, "--by", "tame", "--by", "since", "--by", "level")
    assert {by: {name for each, name in shown if each == by} for by, _ in shown} == {
        "tame": {"True", "False"},
        "since": {"01.02.2018", "15.03.2019"},
        "level": {0, 1, 2, None},
    }


def test_the_column_of_groups_is_not_a_feature_and_decides_the_split(table, capsys):
    table["owner"] = np.arange(N_ROWS) // 4
    table.to_csv("data.csv", index=False)
    options = ["--groups", "owner", "--by", "class", "--votes", "v.csv", "--model", "m.joblib"]
    shown = groups_of(capsys, *options)
    columns, model = load_model("m.joblib", trusted=True)
    owners = table["owner"].iloc[model.test_indices_]
    assert len(owners) == 20 == owners.nunique()
    assert [*columns.kinds] == ["size", "region", "age"]
    assert model.certificate_.one_row_per_group and len(shown) == 2
    assert run(["verify", "groups.json", "--votes", "v.csv"]) == 0
    table.drop(columns=["owner", "kind"]).to_csv("new.csv", index=False)
    capsys.readouterr()
    assert run(["predict", "m.joblib", "new.csv", "--trusted"]) == 0
    assert "on a random row of a random new group is at most" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.arange(N_ROWS) % 9, "groups has 9 distinct values; at least 10 are required"),
        (np.where(np.arange(N_ROWS) == 7, None, 1), "1 of 400 values of groups are missing"),
    ],
)
def test_groups_that_cannot_be_tested_end_in_one_line(table, capsys, values, message):
    table.assign(owner=values).to_csv("data.csv", index=False)
    call = ["certify", "data.csv", "--target", "kind", "--groups", "owner", "--report", "r.html"]
    assert run(call) == 2
    shown = capsys.readouterr()
    assert message in shown.err.splitlines()[-1] and not shown.out
    assert [path.name for path in Path().iterdir()] == ["data.csv"]


def test_groups_that_are_numbers_are_sorted_as_numbers(table, capsys):
    table.assign(
        week=np.where(np.arange(N_ROWS) % 7, 2 + 8 * (np.arange(N_ROWS) % 3), np.nan)
    ).to_csv("data.csv", index=False)
    assert run(["certify", "data.csv", "--target", "kind", "--trees", "5", "--by", "week"]) == 0
    rows = capsys.readouterr().out.split("error rates by week")[1].splitlines()[2:]
    assert [row.split()[0] for row in rows] == ["2", "10", "18", "missing"]


def test_a_model_that_is_not_better_than_the_majority_class_is_called_that(table, capsys):
    kinds = np.random.default_rng(0).permutation(table["kind"])
    table[["age"]].assign(kind=kinds).to_csv("data.csv", index=False)
    assert run(["certify", "data.csv", "--target", "kind", "--trees", "5"]) == 0
    assert "not better than always predicting the most frequent class" in capsys.readouterr().out


def test_the_same_rows_are_tested_in_any_order_and_without_a_column(table):
    table = table.assign(row=np.random.default_rng(0).normal(size=len(table)))
    tested = []
    for rows, more in ((table, []), (table[::-1], []), (table, ["--drop", "age"])):
        rows.to_csv("data.csv", index=False)
        call = ["certify", "data.csv", "--target", "kind", "--trees", "2", "--model", "m.joblib"]
        assert run([*call, *more]) == 0
        model = load_model("m.joblib", trusted=True)[-1]
        tested.append(set(rows["row"].iloc[model.test_indices_]))
    assert tested[0] == tested[1] == tested[2]
