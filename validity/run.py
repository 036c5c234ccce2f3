"""Check every guarantee of the library by simulation and write the committed tables.

``python validity/run.py`` takes hours. Stopped and started again, it goes on where it was.
``--only coalition`` simulates the guarantees whose name has this in it, and leaves the other rows
as they are. ``--draws 100`` takes so many in each world, for a quick look, and writes nothing.
"""

from __future__ import annotations

import argparse
import csv
import sys
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from code_digest import code_digest
from joblib import Memory, Parallel, delayed

HERE = Path(__file__).parent
TESTS = HERE.parent / "tests"
sys.path.insert(0, str(TESTS / "theory"))

from finer_guarantees import BROKEN_FINER, FINER_WORLDS, finer_guarantees  # noqa: E402
from finite_worlds import REFITTED, WORLDS, World  # noqa: E402
from guarantees import BROKEN, Guarantee, deployed_in_place, guarantees  # noqa: E402
from simulation import Outcome, draws_needed, merged, simulate  # noqa: E402

FEWEST_DRAWS = 200
CHUNK = 100
COLUMNS = (
    "world", "guarantee", "delta", "draws", "failures", "share", "p_value", "consistent",
    "mean_bound", "mean_risk", "version", "code",
)  # fmt: skip
MATHEMATICS = (
    "inequalities", "votes", "counting", "hard_vote", "bounds", "weights",
    "certification",
)  # fmt: skip
TABLES = {"table.csv": MATHEMATICS, "finer.csv": (*MATHEMATICS, "api", "certificate")}
"""The tables, and the rooms of the library whose changes make them old."""

Cells = list[tuple[World, dict[str, Guarantee]]]


class Key(NamedTuple):
    """What a row is about."""

    world: str
    guarantee: str


def cells_of(table: str) -> Cells:
    """Return the worlds of a table and what is promised there, and then broken promises."""
    worlds, promises, broken = (
        (WORLDS, guarantees, BROKEN)
        if table == "table.csv"
        else (FINER_WORLDS, finer_guarantees, BROKEN_FINER)
    )
    cells: Cells = [(world, promises(world)) for world in worlds]
    cells += [(world, {f"broken: {name}": bad}) for name, (world, bad) in broken.items()]
    # At the end, because the seeds of the others follow from their places.
    if worlds is WORLDS:
        cells += [(world, {"deployed classifier": deployed_in_place}) for world in REFITTED]
    return cells


def rows_expected(cells: Cells) -> list[Key]:
    """Return what the rows of a complete table are about, in order."""
    return [Key(world.name, name) for world, found in cells for name in found]


def chunk(
    world: World, found: dict[str, Guarantee], size: int, seed: list[int], code: str
) -> list[Outcome]:
    """Simulate some draws; `code` is there so that a kept result is of this code."""
    return simulate(world, found, draws=size, seed=seed)


def draws_in(world: World) -> int:
    """Return enough draws to catch a guarantee that fails twice as often as it may."""
    return max(draws_needed(world.delta, at_least=0.99, times=2.0), FEWEST_DRAWS)


def run(
    cells: Cells, *, draws: int | None, processes: int, code: str, parts: Path
) -> list[Outcome]:
    """Simulate in chunks of draws, which are kept; their seeds follow from world and chunk."""
    kept = Memory(parts, verbose=0).cache(chunk)
    jobs = []
    for index, (world, found) in enumerate(cells):
        total = (draws or draws_in(world)) if found else 0
        for start in range(0, total, CHUNK):
            seed = [index, start // CHUNK]
            jobs.append(delayed(kept)(world, found, min(CHUNK, total - start), seed, code))
    outcomes = Parallel(n_jobs=processes, verbose=5)(jobs)
    return merged(outcome for part in outcomes for outcome in part)


def row(outcome: Outcome, code: str) -> dict[str, str]:
    """Return an outcome as a line of the table, with what it was made by."""
    o = outcome
    values = (
        o.world, o.guarantee, o.delta, o.draws, o.failures, f"{o.failures / o.draws:.4f}",
        f"{o.p_value:.3g}", o.consistent, f"{o.mean_value:.4f}", f"{o.mean_risk:.4f}",
        version("tandemvote"), code,
    )  # fmt: skip
    return dict(zip(COLUMNS, map(str, values), strict=True))


def read(path: Path) -> dict[Key, dict[str, str]]:
    """Read the rows of a table by what they are about."""
    if not path.exists():
        return {}
    with path.open(newline="", encoding="utf-8") as file:
        return {Key(line["world"], line["guarantee"]): line for line in csv.DictReader(file)}


def write(path: Path, rows: list[dict[str, str]]) -> None:
    """Write the rows of a table."""
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        table.writeheader()
        table.writerows(rows)


def surprises(outcomes: list[Outcome]) -> int:
    """Print what was not to be expected; 1 if there is any, the exit code."""
    wrong = [o for o in outcomes if o.consistent == o.guarantee.startswith("broken: ")]
    for o in wrong:
        print(f"{o.world}: {o.guarantee} failed {o.failures} of {o.draws} times at {o.delta}")
    print(f"{len(outcomes)} rows, {len(wrong)} surprises")
    return 1 if wrong else 0


def update(path: Path, cells: Cells, outcomes: list[Outcome], code: str) -> None:
    """Replace the rows that were simulated; drop those of guarantees that are no more."""
    rows = read(path) | {Key(o.world, o.guarantee): row(o, code) for o in outcomes}
    write(path, [rows[key] for key in rows_expected(cells) if key in rows])


def main(arguments: list[str] | None = None) -> int:
    """Return 1 if a guarantee fails too often, or a broken one is not caught."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", metavar="LABEL", help="part of a guarantee's name")
    parser.add_argument("--draws", type=int, help="in each world; nothing is written then")
    parser.add_argument("--processes", type=int, default=2)
    asked = parser.parse_args(arguments)
    code_of_exit = 0
    for table, rooms in TABLES.items():
        cells, code = cells_of(table), code_digest(*rooms)
        some = [
            (world, {name: promise for name, promise in found.items() if asked.only in name})
            for world, found in cells
        ]
        # What is kept depends on the worlds and guarantees too, and on the faces of the library.
        key = "".join(
            [code, code_digest("api", "certificate"), code_digest("theory", source=TESTS)]
        )
        outcomes = run(
            some, draws=asked.draws, processes=asked.processes, code=key, parts=HERE / ".parts"
        )
        if asked.draws is None:
            update(HERE / table, cells, outcomes, code)
        code_of_exit |= surprises(outcomes)
    return code_of_exit


if __name__ == "__main__":
    sys.exit(main())
