"""The committed tables of simulations are complete, and of the code as it is."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "validity"))

import run as validity  # noqa: E402
from finite_worlds import coin  # noqa: E402
from guarantees import BROKEN, guarantees  # noqa: E402
from simulation import power  # noqa: E402


def test_every_simulated_row_carries_its_version_and_first_bound_and_a_second_run_repeats_nothing(
    tmp_path, monkeypatch, capsys
):
    world = coin("tiny coin", 0.3, 10, 0.3)
    cells = [(world, guarantees(world, ("uniform",)))]
    name = "delta three times too large"
    cells.append((BROKEN[name][0], {f"broken: {name}": BROKEN[name][1]}))
    monkeypatch.setattr(validity, "HERE", tmp_path)
    monkeypatch.setattr(validity, "TABLES", ["table.csv"])
    monkeypatch.setattr(validity, "cells_of", lambda table: cells)
    monkeypatch.setattr(validity, "draws_in", lambda world: 20)
    options = ["--only", "coalition", "--processes", "1"]
    assert validity.main([*options, "--draws", "10"]) == 0
    assert not (tmp_path / "table.csv").exists()
    assert validity.main(options) == 0
    (key,), (row,) = zip(*validity.read(tmp_path / "table.csv").items(), strict=True)
    assert (key, row["draws"]) == (("tiny coin", "coalition, uniform weights"), "20")
    assert row["version"] == validity.version("tandemvote")
    first = validity.first_bounds(cells)
    assert float(row["first_bound"]) == pytest.approx(first[key])

    monkeypatch.setattr(validity, "first_bounds", lambda cells: first)
    monkeypatch.setattr(validity, "simulate", None)
    assert validity.main(options) == 0
    with pytest.raises(TypeError):
        validity.main(["--only", "test_set", "--processes", "1"])


@pytest.mark.parametrize("delta", [0.05, 0.2, 0.3])
def test_a_world_has_draws_enough_to_catch_a_guarantee_that_fails_with_probability_2_delta(delta):
    assert power(validity.draws_in(coin("coin", 0.3, 10, delta)), delta, times=2.0) >= 0.99


@pytest.mark.parametrize("table", validity.TABLES)
@pytest.mark.parametrize("every", [12, pytest.param(1, marks=pytest.mark.slow)])
def test_the_committed_tables_are_complete_and_their_first_draws_give_the_same_bounds_again(
    table, every
):
    cells, rows = validity.cells_of(table), validity.read(ROOT / "validity" / table)
    assert list(rows) == validity.rows_expected(cells), "run `make validity`"
    some = [(w, promises if i % every == 0 else {}) for i, (w, promises) in enumerate(cells)]
    loaded = {key: float(rows[key]["first_bound"]) for key in validity.rows_expected(some)}
    assert validity.first_bounds(some) == pytest.approx(loaded, rel=1e-6), "run `make validity`"
