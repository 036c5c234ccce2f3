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

import joblib
from joblib import Memory, Parallel, delayed

HERE = Path(__file__).parent
LIBRARY, WORLDS_AND_GUARANTEES = HERE.parent / "src", HERE.parent / "tests" / "theory"
sys.path.insert(0, str(WORLDS_AND_GUARANTEES))

from committee_guarantees import BROKEN_COMMITTEE, COMMITTEES  # noqa: E402
from finer_guarantees import BROKEN_FINER, FINER_WORLDS, finer_guarantees  # noqa: E402
from finite_worlds import REFITTED, THREE_VOTERS, WORLDS, World  # noqa: E402
from guarantees import BROKEN, Guarantee, deployed_in_place, guarantees  # noqa: E402
from question_guarantees import BROKEN_QUESTIONS, QUESTIONS  # noqa: E402
from simulation import Outcome, draws_needed, merged, simulate  # noqa: E402

TABLES = ("table.csv", "finer.csv")
COLUMNS = (
    "world", "guarantee", "delta", "draws", "failures", "share", "p_value", "consistent",
    "mean_bound", "mean_risk", "version", "first_bound",
)  # fmt: skip
FEWEST_DRAWS = 200
CHUNK = 100
FIRST = 5
"""Draws whose mean bound a row keeps, so that a test can tell whether the code still gives it."""

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
        cells.append((THREE_VOTERS, guarantees(THREE_VOTERS)))
        cells += COMMITTEES
        cells += [(w, {f"broken: {name}": bad}) for name, (w, bad) in BROKEN_COMMITTEE.items()]
        cells += QUESTIONS
        cells += [(w, {f"broken: {name}": bad}) for name, (w, bad) in BROKEN_QUESTIONS.items()]
    return cells


def rows_expected(cells: Cells) -> list[Key]:
    """Return what the rows of a complete table are about, in order."""
    return [Key(world.name, name) for world, promises in cells for name in promises]


def first_bounds(cells: Cells) -> dict[Key, float]:
    """Return the mean bound of the first draws of every row."""
    return {
        Key(o.world, o.guarantee): o.mean_value
        for index, (world, promises) in enumerate(cells)
        for o in simulate(world, promises, draws=FIRST, seed=[index, 0])
    }


def chunk(
    world: World, found: dict[str, Guarantee], size: int, seed: list[int], code: str
) -> list[Outcome]:
    """Simulate some draws; `code` is there so that a kept result is of this code."""
    return simulate(world, found, draws=size, seed=seed)


def code_as_it_is() -> str:
    """Return a digest of the library, the worlds and the guarantees."""
    files = [*LIBRARY.rglob("*.py"), *WORLDS_AND_GUARANTEES.glob("*.py")]
    return str(joblib.hash([path.read_bytes() for path in sorted(files)]))


def draws_in(world: World) -> int:
    """Return enough draws to catch a guarantee that fails twice as often as it may."""
    return max(draws_needed(world.delta, at_least=0.99, times=2.0), FEWEST_DRAWS)


def run(cells: Cells, *, draws: int | None, processes: int) -> list[Outcome]:
    """Simulate in chunks of draws, which are kept; their seeds follow from world and chunk."""
    cached, code = Memory(HERE / ".parts", verbose=0).cache(chunk), code_as_it_is()
    jobs = []
    for index, (world, promises) in enumerate(cells):
        total = (draws or draws_in(world)) if promises else 0
        for start in range(0, total, CHUNK):
            seed = [index, start // CHUNK]
            jobs.append(delayed(cached)(world, promises, min(CHUNK, total - start), seed, code))
    outcomes = Parallel(n_jobs=processes, verbose=5)(jobs)
    return merged(outcome for part in outcomes for outcome in part)


def row(outcome: Outcome, first_bound: float) -> dict[str, str]:
    """Return an outcome as a line of the table."""
    o = outcome
    values = (
        o.world, o.guarantee, o.delta, o.draws, o.failures, f"{o.failures / o.draws:.4f}",
        f"{o.p_value:.3g}", o.consistent, f"{o.mean_value:.4f}", f"{o.mean_risk:.4f}",
        version("tandemvote"), f"{first_bound:.9g}",
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


def update(path: Path, cells: Cells, simulated: Cells, outcomes: list[Outcome]) -> None:
    """Replace the rows that were simulated; drop those of guarantees that are no more."""
    first, rows = first_bounds(simulated), read(path)
    for outcome in outcomes:
        key = Key(outcome.world, outcome.guarantee)
        rows[key] = row(outcome, first[key])
    write(path, [rows[key] for key in rows_expected(cells) if key in rows])


def main(arguments: list[str] | None = None) -> int:
    """Return 1 if a guarantee fails too often, or a broken one is not caught."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", metavar="LABEL", help="part of a guarantee's name")
    parser.add_argument("--draws", type=int, help="in each world; nothing is written then")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args(arguments)
    code_of_exit = 0
    for table in TABLES:
        cells = cells_of(table)
        some = [
            (world, {name: promise for name, promise in promises.items() if options.only in name})
            for world, promises in cells
        ]
        outcomes = run(some, draws=options.draws, processes=options.processes)
        if options.draws is None:
            update(HERE / table, cells, some, outcomes)
        code_of_exit |= surprises(outcomes)
    return code_of_exit


if __name__ == "__main__":
    sys.exit(main())
