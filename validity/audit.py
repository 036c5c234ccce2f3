"""How often the audit reports independent data, and how often it sees what it should.

``python validity/audit.py`` writes ``audit.csv``; ``--draws 20`` is a quick look, which writes
nothing. Data sets of the paper are read from the folder in TANDEMVOTE_DATA, if it is given.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
import time
from itertools import chain
from pathlib import Path

import numpy as np
from sklearn import datasets
from sklearn.ensemble import RandomForestClassifier

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests" / "auditing"))

from tables import CASES, INDEPENDENT, N_ROWS, is_reported  # noqa: E402
from tandemvote import audit  # noqa: E402

COLUMNS = ("kind", "data", "draws", "errors", "warnings", "share_found", "seconds", "of_one_forest")


DRAWS, DRAWS_OF_CASE = 1000, 200
MOST_CELLS = 5_000_000
"""Larger data sets are audited, but no forest is trained on them."""


def simulated(draws: int, draws_of_case: int):
    """Yield rows about tables of independent rows, and about cases with something to find."""
    for name, draw in INDEPENDENT.items():
        actual = [audit(*draw(np.random.default_rng(seed), N_ROWS)) for seed in range(draws)]
        errors = sum(bool(each.errors) for each in actual)
        warned = sum(any(finding.severity == "warning" for finding in each) for each in actual)
        yield {
            "kind": "independent",
            "data": name,
            "draws": draws,
            "errors": errors,
            "warnings": warned,
        }
    for name, (code, draw) in CASES.items():
        seeds = range(draws_of_case)
        actual = [audit(*draw(np.random.default_rng(seed), N_ROWS)) for seed in seeds]
        share = np.mean([is_reported(each, code) for each in actual])
        yield {"kind": "case", "data": name, "draws": draws_of_case, "share_found": f"{share:.3f}"}


def real():
    """Yield rows about data sets, with the time of the audit and of one forest of 100 trees."""
    sets = {
        name: getattr(datasets, f"load_{name}")(return_X_y=True)
        for name in ("iris", "wine", "breast_cancer", "digits")
    }
    for path in sorted(Path(os.environ.get("TANDEMVOTE_DATA", "no folder")).glob("*.npz")):
        with np.load(path) as arrays:
            sets[path.stem] = arrays["X"], arrays["y"]
    for name, (X, y) in sets.items():
        audit(X[:20], y[:20])
        started = time.process_time()
        findings = audit(X, y)
        seconds = time.process_time() - started
        started = time.process_time()
        if X.size <= MOST_CELLS:
            RandomForestClassifier(100, random_state=0).fit(X, y)
        forest = time.process_time() - started
        codes = [each.code for each in findings if each.severity == "warning"]
        yield {
            "kind": "data set",
            "data": name,
            "draws": 1,
            "errors": len(findings.errors),
            "warnings": " ".join(codes) or 0,
            "seconds": f"{seconds:.3f}",
            "of_one_forest": f"{seconds / forest:.3f}" if X.size <= MOST_CELLS else "",
        }


def main() -> None:
    """Measure, print, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=None)
    draws = parser.parse_args().draws
    path = HERE / "audit.csv" if draws is None else Path(os.devnull)
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        table.writeheader()
        for row in chain(simulated(draws or DRAWS, draws or DRAWS_OF_CASE), real()):
            table.writerow(row)
            file.flush()
            print(row, flush=True)


if __name__ == "__main__":
    main()
