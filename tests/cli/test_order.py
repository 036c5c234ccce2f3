"""--order: the latest rows of a table test the models, and the column of times is not a feature."""

import json

import numpy as np
import pytest

from tandemvote.cli.app import run


@pytest.fixture
def table(tmp_path):
    def write(times):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(len(times), 2))
        y = np.where(X[:, 0] + 0.3 * rng.normal(size=len(times)) > 0, "up", "down")
        rows = [
            f"{a:.4f},{b:.4f},{t},{label}" for (a, b), t, label in zip(X, times, y, strict=True)
        ]
        path = tmp_path / "storms.csv"
        path.write_text("\n".join(["a,b,day,sign", *rows]) + "\n")
        return ["certify", str(path), "--target", "sign", "--trees", "5"]

    return write


DAYS = [str(np.datetime64("2024-01-01") + each) for each in range(200)]
SHUFFLED = [str(day) for day in np.random.default_rng(1).permutation(DAYS)]


def test_the_latest_rows_of_a_table_are_tested(table, tmp_path, capsys):
    file = tmp_path / "certificate.json"
    assert run([*table(SHUFFLED), "--order", "day", "--certificate", str(file)]) == 0
    shown = capsys.readouterr()
    assert "a test set of 40 samples, the latest, from 2024-06-09 on" in shown.out
    assert "day (not a feature)" in shown.err
    assert "time_order" not in shown.out
    assert json.loads(file.read_text())["certificates"][0]["latest"] == "2024-06-09"


def test_rows_in_the_order_of_time_are_reported_with_the_option(table, capsys):
    assert run(["audit", *table(DAYS)[1:4]]) == 0
    assert (
        "Pass --order day (tests the latest rows, if new rows will be later)"
        in capsys.readouterr().out
    )


@pytest.mark.parametrize(
    ("times", "options", "message"),
    [
        (["12/31/2023", "01/02/2024"] * 100, [], "order has values such as '12/31/2023'"),
        (["2024-01-01", ""] * 100, [], "100 of 200 values of order are missing"),
        (["2024-01-01", "2024-01-02"] * 100, [], "latest value in 100 samples"),
        (DAYS, ["--scheme", "trees"], "--order requires --scheme committee or holdout"),
        (DAYS, ["--order", "hour"], "'hour'"),
    ],
)
def test_bad_orders_are_rejected(table, capsys, times, options, message):
    assert run([*table(times), "--order", "day", *options]) == 2
    assert message in capsys.readouterr().err
