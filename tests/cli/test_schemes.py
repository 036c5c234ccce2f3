"""Each design promises what its own theorem gives; compare promises all of them at once."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta

from tandemvote.cli.app import run

N_ROWS = 300


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    rng = np.random.default_rng(0)
    kind = rng.choice(["good", "bad"], N_ROWS)
    points = rng.normal(size=(N_ROWS, 3)) + 1.5 * (kind == "good")[:, None]
    rows = [",".join(map(str, [*point, label])) for point, label in zip(points, kind, strict=True)]
    path = tmp_path_factory.mktemp("designs") / "table.csv"
    path.write_text("\n".join(["a,b,c,kind", *rows]) + "\n")
    return str(path)


@pytest.fixture
def found(table, capsys):
    def certified(*options, command="certify", code=0):
        assert run([command, table, "--target", "kind", "--json", *map(str, options)]) == code
        return json.loads(capsys.readouterr().out)

    return certified


def clopper_pearson(n_errors, n_points, delta):
    return beta.ppf(1 - delta, n_errors + 1, n_points - n_errors)


def test_a_hold_out_gives_the_exact_binomial_limit_of_its_errors(found):
    shown = found("--design", "holdout", "--test-fraction", 0.4, "--trees", 10, "--delta", 0.1)
    n_points = shown["n_min"]
    assert n_points == 0.4 * N_ROWS and shown["n_voters"] == 1
    limit = clopper_pearson(round(shown["observed"] * n_points), n_points, 0.1)
    assert shown["value"] == pytest.approx(limit, abs=1e-9) and shown["value"] >= limit


@pytest.mark.parametrize("folds", [2, 4])
def test_folds_are_a_few_models_that_saw_each_others_points(found, folds):
    shown = found("--trees", 5, "--design", "folds", "--folds", folds)
    assert shown["bound"] == "coalition" and shown["n_voters"] == folds
    assert shown["n_min"] == N_ROWS // folds and shown["n_min_pairs"] == 0


def test_pairs_are_three_models_every_two_of_which_are_tested_on_what_trains_the_third(found):
    shown = found("--trees", 5)
    assert shown["bound"] == "winning_pair" and shown["n_voters"] == 3
    assert (shown["n_min"], shown["n_min_pairs"]) == (2 * (N_ROWS // 6), N_ROWS // 6)


def test_boosted_models_are_whole_voters(found):
    shown = found("--learner", "boosting")
    assert shown["n_voters"] == 3 and shown["value"] < shown["guessing"]


def test_a_test_file_tests_any_design(found, table, tmp_path):
    new, columns = tmp_path / "test.csv", ["kind", "c", "a", "b"]  # found by name
    moved = pd.read_csv(table)[columns]
    moved[["a", "b", "c"]] += 1e-3
    moved.to_csv(new, index=False)
    for design in ("pairs", "folds", "holdout"):
        shown = found("--design", design, "--test", new, "--trees", 5)
        assert shown["bound"] == "test_set"


@pytest.mark.parametrize("design", ["pairs", "folds", "holdout"])
def test_a_model_is_not_tested_by_the_rows_it_was_trained_on(table, capsys, design):
    call = ["certify", table, "--target", "kind", "--learner", "boosting", "--design", design]
    assert run([*call, "--test", table]) == 2
    shown = capsys.readouterr()
    assert f"{N_ROWS} test points are rows of the training data" in shown.err
    assert "Give points that were not trained on." in shown.err and not shown.out


def test_every_row_of_a_comparison_is_what_certify_gives_at_its_share_of_delta(found):
    shown = found("--trees", 8, "--delta", 0.06, command="compare")
    assert list(shown["designs"]) == ["pairs", "folds", "trees", "holdout"]
    assert 4 * shown["delta_each"] <= shown["delta"] == 0.06
    aside = {"pairs": 0, "folds": 0, "trees": 0, "holdout": 0.2 * N_ROWS}
    for design, row in shown["designs"].items():
        alone = found("--trees", 8, "--design", design, "--delta", shown["delta_each"])
        for key, name in (("guaranteed", "value"), ("observed", "observed")):
            assert row[key] == alone[name]
        assert row["set_aside"] == aside[design]


def test_a_comparison_is_one_table_that_says_how_to_keep_a_row(table, capsys):
    assert run(["compare", table, "--target", "kind", "--trees", "5"]) == 0
    header, *rows = capsys.readouterr().out.splitlines()
    assert header.split() == [
        "design",
        "observed",
        "guaranteed",
        "guessing",
        "labels",
        "set",
        "aside",
        "seconds",
    ]
    assert sum(row.startswith("  * ") for row in rows[:4]) == 1
    assert "delta / 4" in rows[5] and f"--delta {0.05 / 4}" in rows[6]


def test_a_gate_lets_through_what_is_guaranteed_and_nothing_else(found, table, capsys):
    value = found("--trees", 5)["value"]
    assert found("--trees", 5, "--max-error", value)["value"] == value
    found("--trees", 5, "--max-error", np.nextafter(value, 0), code=3)
    call = ["certify", table, "--target", "kind", "--trees", "5", "--max-error", "0.01"]
    assert run(call) == 3
    shown = capsys.readouterr()
    assert shown.err.splitlines()[-1].startswith("Not guaranteed: the error is at most 0.")
    assert "guaranteed at most" in shown.out, "the certificate is shown all the same"


def test_advice_speaks_of_options(table, capsys):
    call = ["certify", table, "--target", "kind", "--design", "trees", "--delta", "1e-9"]
    assert run([*call, "--trees", "20"]) == 0
    shown = capsys.readouterr().out
    assert "--design pairs" in shown and "--unlabelled" in shown
    assert "CertifiedClassifierCV" not in shown and "X_unlabelled" not in shown


def test_folds_are_told_of_pairs(table, capsys):
    call = ["certify", table, "--target", "kind", "--design", "folds", "--delta", "1e-30"]
    assert run([*call, "--trees", "20"]) == 0
    assert "three models, tested in pairs (--design pairs)" in capsys.readouterr().out


def test_a_bound_that_shows_nothing_does_not_speak_for_the_others(table, capsys):
    call = ["certify", table, "--target", "kind", "--design", "trees", "--trees", "20"]
    assert run([*call, "--delta", "1e-9", "--bound", "bernstein_cantelli"]) == 0
    shown = capsys.readouterr().out
    assert "the bound reported (bernstein_cantelli) shows nothing below" in shown
