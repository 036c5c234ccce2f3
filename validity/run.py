"""Check every guarantee of the library by simulation and write the committed table.

Run as ``python validity/run.py``; an hour on two busy cores. The number of draws and of
processes may follow: ``python validity/run.py 2000 2``.
"""

import csv
import sys
from pathlib import Path

from joblib import Parallel, delayed

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests" / "theory"))

from finite_worlds import WORLDS  # noqa: E402
from guarantees import BROKEN, guarantees  # noqa: E402
from simulation import Outcome, merged, simulate  # noqa: E402

DRAWS = 2000
CHUNK = 100
COLUMNS = (
    "world", "guarantee", "delta", "draws", "failures", "share", "p_value", "consistent",
    "mean_bound", "mean_risk",
)  # fmt: skip


def run(draws: int, processes: int) -> list[Outcome]:
    """Simulate all worlds in chunks of draws; the seeds do not depend on the processes."""
    cells = [(world, guarantees(world)) for world in WORLDS]
    cells += [(world, {f"broken: {name}": broken}) for name, (world, broken) in BROKEN.items()]
    jobs = [
        (world, found, CHUNK, [index, chunk])
        for index, (world, found) in enumerate(cells)
        for chunk in range(-(-draws // CHUNK))
    ]
    work = Parallel(n_jobs=processes, verbose=5)
    parts = work(
        delayed(simulate)(world, found, draws=size, seed=seed) for world, found, size, seed in jobs
    )
    return merged(outcome for part in parts for outcome in part)


def write(outcomes: list[Outcome], path: Path) -> None:
    """Write one row a guarantee and world."""
    with path.open("w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(COLUMNS)
        for o in outcomes:
            rows.writerow(
                [o.world, o.guarantee, o.delta, o.draws, o.failures, f"{o.failures / o.draws:.4f}",
                 f"{o.p_value:.3g}", o.consistent, f"{o.mean_value:.4f}", f"{o.mean_risk:.4f}"]
            )  # fmt: skip


def surprises(outcomes: list[Outcome]) -> int:
    """Print what was not to be expected; 1 if there is any, the exit code."""
    wrong = [o for o in outcomes if o.consistent == o.guarantee.startswith("broken: ")]
    for o in wrong:
        print(f"{o.world}: {o.guarantee} failed {o.failures} of {o.draws} times at {o.delta}")
    print(f"{len(outcomes)} rows, {len(wrong)} surprises")
    return 1 if wrong else 0


def main() -> int:
    """Return 1 if a guarantee fails too often, or a broken one is not caught."""
    words = sys.argv[1:]
    draws = int(words[0]) if words else DRAWS
    processes = int(words[1]) if len(words) > 1 else 2
    outcomes = run(draws, processes)
    write(outcomes, HERE / "table.csv")
    return surprises(outcomes)


if __name__ == "__main__":
    sys.exit(main())
