"""Each scheme gives the bound of its own theorem."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import beta
from sklearn.ensemble import RandomForestClassifier

from tandemvote import CertifiedClassifier
from tandemvote.cli.app import run
from tandemvote.tables import read_table

N_ROWS = 300


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    rng = np.random.default_rng(0)
    kind = rng.choice(["good", "bad"], N_ROWS)
    features = rng.normal(size=(N_ROWS, 3)) + 1.5 * (kind == "good")[:, None]
    rows = [",".join(map(str, [*row, label])) for row, label in zip(features, kind, strict=True)]
    path = tmp_path_factory.mktemp("schemes") / "table.csv"
    path.write_text("\n".join(["a,b,c,kind", *rows]) + "\n")
    return str(path)


@pytest.fixture
def found(table, capsys):
    def certified(*options, code=0):
        assert run(["certify", table, "--target", "kind", "--json", *map(str, options)]) == code
        printed = json.loads(capsys.readouterr().out)
        return SimpleNamespace(**printed["certificates"][0] | printed)

    return certified


def clopper_pearson(n_errors, n_samples, delta):
    return beta.ppf(1 - delta, n_errors + 1, n_samples - n_errors)


def test_a_hold_out_gives_the_exact_binomial_limit_of_its_errors(found):
    size = ["--scheme", "holdout", "--test-size", 0.4]
    shown = found(*size, "--trees", 10, "--confidence", 0.9)
    n_errors, n_samples = shown.test["n_errors"], shown.test["n_samples"]
    assert n_samples == 0.4 * N_ROWS and len(shown.weights) == 1
    assert float.fromhex(shown.delta) == 0.1 and shown.observed == n_errors / n_samples
    limit = clopper_pearson(n_errors, n_samples, 0.1)
    assert shown.guaranteed == pytest.approx(limit, abs=1e-9) and shown.guaranteed >= limit


def test_a_committee_is_six_tested_models_and_a_referee(found):
    shown = found("--trees", 5, "--all-bounds")
    assert shown.bound == "test_set" and [*shown.bounds] == ["test_set"]
    assert len(shown.weights) == 6 and shown.test["n_samples"] == 0.2 * N_ROWS
    assert shown.guaranteed > shown.observed


def test_the_committee_is_that_of_the_library(found, table):
    data = read_table(table, target="kind")
    model = CertifiedClassifier(RandomForestClassifier(5), test_size=100, random_state=3)
    model._fit(data.X, data.y, None, {}, drawn_by=data.digests)
    shown = found("--trees", 5, "--test-size", 100, "--seed", 3)
    assert shown.guaranteed == model.certificate_.value
    assert shown.observed == model.certificate_.observed


def test_boosted_models_are_whole_voters(found):
    shown = found("--learner", "boosting")
    assert len(shown.weights) == 6 and shown.guaranteed < shown.baseline


@pytest.mark.parametrize("size", ["299", "300", "5000"])
def test_a_test_size_that_leaves_too_few_rows_ends_in_one_line(table, capsys, size):
    assert run(["certify", table, "--target", "kind", "--test-size", size]) == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith(f"Error: --test-size {size} takes ")
    assert last.endswith("Pass more samples, or another size.")


def test_a_training_part_of_one_class_ends_in_one_line(tmp_path, capsys):
    path, report = tmp_path / "table.csv", tmp_path / "r.html"
    path.write_text("a,kind\n" + "".join(f"{i % 9},{'x' if i == 7 else 'y'}\n" for i in range(40)))
    call = ["certify", str(path), "--target", "kind", "--report", str(report)]
    codes = set()
    for seed in range(20):
        codes.add(run([*call, "--test-size", "0.7", "--trees", "2", "--seed", str(seed)]))
        shown = capsys.readouterr().err.splitlines()[-1]
        if "1 class" in shown:
            assert "Pass more samples, or a smaller test set." in shown
            assert not report.exists()
            break
        report.unlink()
    assert 2 in codes


def test_a_gate_lets_through_what_is_guaranteed_and_nothing_else(found, table, capsys):
    value = found("--trees", 5).guaranteed
    assert found("--trees", 5, "--max-error", value).guaranteed == value
    found("--trees", 5, "--max-error", np.nextafter(value, 0), code=3)
    call = ["certify", table, "--target", "kind", "--trees", "5", "--max-error", "0.01"]
    assert run(call) == 3
    shown = capsys.readouterr()
    assert shown.err.splitlines()[-1].startswith("Not guaranteed: the error rate is at most ")
    assert "guaranteed error <= " in shown.out, "the certificate is shown all the same"


def test_advice_names_no_python(table, capsys):
    call = [
        "certify",
        table,
        "--target",
        "kind",
        "--scheme",
        "trees",
        "--confidence",
        "0.999999999",
    ]
    assert run([*call, "--trees", "20"]) == 0
    shown = capsys.readouterr().out
    assert "The bound is not below the majority-class baseline." in shown
    assert "a committee of whole models" in shown and "more unlabeled samples" in shown
    assert "CertifiedClassifier" not in shown and "X_unlabeled" not in shown
