"""Committed measurements say which code they were made by, and are of the code as it is."""

import csv
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "validity"))

import run as validity  # noqa: E402
from code_digest import SOURCE, code_digest  # noqa: E402
from finite_worlds import coin  # noqa: E402
from guarantees import BROKEN, guarantees  # noqa: E402
from simulation import power  # noqa: E402

FACTOR = """
import math
def refuse_one(x):
    if x == 1:
        raise ValueError("one")
def twice(x):
    'Say it.'
    if x < 0:
        raise ValueError("no")
    refuse_one(x)
    print(f"{x} in a message", end="word")
    return 2 * x
"""


def written(folder, text):
    (folder / "room").mkdir(exist_ok=True)
    (folder / "room" / "factor.py").write_text(text)
    return code_digest("room", source=folder)


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("Say it.", "Say it otherwise.", True),
        ("return", "# twice\n    return", True),
        ('"no"', 'f"{x} is below 0"', True),
        ("in a message", "said otherwise", True),
        ("word", "other", False),
        ("2 * x", "3 * x", False),
        ("x < 0", "x <= 0", True),
        ("x == 1", "x in {0, 1}", True),
        ("    refuse_one(x)\n", "", True),
        ("import math", "import math, os", True),
        ("    if x < 0:\n        raise", "    if x < 0:\n        x = 0\n        raise", False),
        ("twice", "double", False),
    ],
)
def test_a_digest_follows_what_code_computes_not_what_it_says_or_refuses(old, new, same, tmp_path):
    before = written(tmp_path, FACTOR)
    assert (written(tmp_path, FACTOR.replace(old, new)) == before) is same


def test_a_room_may_be_a_module_or_a_package(tmp_path):
    written(tmp_path, FACTOR)
    (tmp_path / "alone.py").write_text(FACTOR)
    assert len({code_digest(*names, source=tmp_path) for names in (["room"], ["alone"])}) == 2
    with pytest.raises(FileNotFoundError):
        code_digest("no_such_room", source=tmp_path)


def test_every_simulated_row_carries_its_version_and_digest_and_a_second_run_repeats_nothing(
    tmp_path, monkeypatch, capsys
):
    world = coin("tiny coin", 0.3, 10, 0.3)
    cells = [(world, guarantees(world, ("uniform",)))]
    name = "delta three times too large"
    cells.append((BROKEN[name][0], {f"broken: {name}": BROKEN[name][1]}))
    monkeypatch.setattr(validity, "HERE", tmp_path)
    monkeypatch.setattr(validity, "TABLES", {"table.csv": ("bounds",)})
    monkeypatch.setattr(validity, "cells_of", lambda table: cells)
    monkeypatch.setattr(validity, "draws_in", lambda world: 20)
    asked = ["--only", "coalition", "--processes", "1"]
    assert validity.main([*asked, "--draws", "10"]) == 0
    assert not (tmp_path / "table.csv").exists()
    assert validity.main(asked) == 0
    (key,), (row,) = zip(*validity.read(tmp_path / "table.csv").items(), strict=True)
    assert (key, row["draws"]) == (("tiny coin", "coalition, uniform weights"), "20")
    assert (row["version"], row["code"]) == (validity.version("tandemvote"), code_digest("bounds"))

    monkeypatch.setattr(validity, "simulate", None)
    assert validity.main(asked) == 0
    with pytest.raises(TypeError):
        validity.main(["--only", "test_set", "--processes", "1"])


@pytest.mark.parametrize("delta", [0.05, 0.2, 0.3])
def test_a_world_has_draws_enough_to_catch_a_guarantee_that_fails_with_probability_2_delta(delta):
    assert power(validity.draws_in(coin("coin", 0.3, 10, delta)), delta, times=2.0) >= 0.99


@pytest.mark.slow
@pytest.mark.parametrize("table", validity.TABLES)
def test_the_validity_tables_are_complete_and_of_the_code_as_it_is(table):
    rows = validity.read(ROOT / "validity" / table)
    assert list(rows) == validity.rows_expected(validity.cells_of(table)), "run `make validity`"
    code = code_digest(*validity.TABLES[table])
    old = [key for key, row in rows.items() if row["code"] != code]
    assert not old, f"older than the code: {len(old)} of {len(rows)} rows; run `make validity`"


@pytest.mark.slow
def test_the_figures_in_the_documentation_are_of_the_code_as_it_is():
    with (ROOT / "benchmarks" / "measured.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        assert row["program"] in (ROOT / row["page"]).read_text("utf-8")
    old = [row["program"] for row in rows if row["code"] != code_digest(*row["rooms"].split())]
    assert not old, f"older than the code, see benchmarks/measured.csv: {', '.join(old)}"


def test_the_rooms_that_measurements_depend_on_are_there():
    for rooms in validity.TABLES.values():
        assert all((SOURCE / room).is_dir() or (SOURCE / f"{room}.py").exists() for room in rooms)
