"""Check guarantees by group and for accepted points, and write their committed table.

Run as ``python validity/finer.py``; an hour on one busy core. The number of draws and of
processes may follow: ``python validity/finer.py 2000 2``.
"""

import sys
from pathlib import Path

from joblib import Parallel, delayed
from run import CHUNK, DRAWS, surprises, write

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests" / "theory"))

from finer_guarantees import BROKEN_FINER, FINER_WORLDS, finer_guarantees  # noqa: E402
from simulation import merged, simulate  # noqa: E402


def main() -> int:
    """Return 1 if a guarantee fails too often, or a broken one is not caught."""
    words = sys.argv[1:]
    draws = int(words[0]) if words else DRAWS
    processes = int(words[1]) if len(words) > 1 else 2
    cells = [(world, finer_guarantees(world)) for world in FINER_WORLDS]
    cells += [(world, {f"broken: {name}": bad}) for name, (world, bad) in BROKEN_FINER.items()]
    work = Parallel(n_jobs=processes, verbose=5)
    parts = work(
        delayed(simulate)(world, found, draws=CHUNK, seed=[index, chunk])
        for index, (world, found) in enumerate(cells)
        for chunk in range(-(-draws // CHUNK))
    )
    outcomes = merged(outcome for part in parts for outcome in part)
    write(outcomes, HERE / "finer.csv")
    return surprises(outcomes)


if __name__ == "__main__":
    sys.exit(main())
