"""One repetition of the committed rows, computed again: the mathematics has not moved.

Run by ``make recompute``, or with all other slow tests by ``make test-slow``.
"""

import math

import pytest

from reproduction.command_line import RESULTS
from reproduction.experiments.campaign import plan_cells
from reproduction.experiments.cells import PAPER_FAMILIES
from reproduction.experiments.forests import run_cell
from reproduction.experiments.rows import TABLES, WEIGHTS, as_text, versions
from reproduction.experiments.sources import DataSource
from reproduction.experiments.store import RowStore
from tandemvote.tables import DatasetError

FAMILIES = (*PAPER_FAMILIES, "beyond")
DATASETS = ("Splice", "SatImage", "Mushroom", "Phishing")
"""Two and six classes, with and without errors; the last two have unlabeled rows."""

RELATIVE = 1e-9
MINIMIZED = 1e-7  # absolute, for rates and bounds at weights that minimize a bound
MINIMIZED_KL = 1e-6  # the same for KL(rho, pi), which reaches log 100
CLOSE_TO_THE_MINIMUM = 1e-15

NOT_COMPARED = {"seconds", "versions"}


@pytest.fixture(scope="module")
def committed(committed_rows):
    store = RowStore(RESULTS)
    return {name: {TABLES[name].key(row): row for row in store.rows(name)} for name in TABLES}


def sklearn_version(text):
    return next(part for part in text.split() if part.startswith("scikit-learn="))


def is_same(row, stored, column):
    """Return True if a number agrees with the committed one; text must be equal."""
    if row[column] == stored[column]:
        return True
    minimized = row.get("weighting", "uniform") != "uniform" or column.startswith("weighted_")
    try:
        again, before = float(row[column]), float(stored[column])
    except ValueError:  # text, or an empty cell
        return False
    absolute = 0.0
    if minimized:
        absolute = MINIMIZED_KL if column == "kl_divergence" else MINIMIZED
    return math.isclose(again, before, rel_tol=RELATIVE, abs_tol=absolute)


@pytest.mark.slow
@pytest.mark.parametrize("dataset", DATASETS)
def test_one_repetition_of_the_committed_rows_is_computed_again(dataset, committed, monkeypatch):
    source = DataSource()
    try:
        data = source.load(dataset)
    except DatasetError as error:
        pytest.skip(str(error))
    # The usual gap of 1e-10 leaves weights free by its square root. The committed rows were made by
    # Newton steps that ended closer to the minimum, so they are compared with the minimum.
    monkeypatch.setattr("tandemvote.weights.solvers.GAP_TOLERANCE", CLOSE_TO_THE_MINIMUM)
    cells = plan_cells([dataset], source=source, families=FAMILIES, repetitions=1)
    compared, changed = set(), {}
    for row in (row for cell in cells for row in run_cell(cell, data)):
        table, text = TABLES[row.table], as_text(row)
        if table is WEIGHTS:  # the rows of forests depend on them
            continue
        stored = committed[table.name][table.key(text)]
        if sklearn_version(stored["versions"]) != sklearn_version(versions()):
            pytest.skip(f"The rows were made with {sklearn_version(stored['versions'])}.")
        compared.add(table.name)
        for column in text.keys() - NOT_COMPARED:
            if not is_same(text, stored, column):
                changed[(table.name, *table.key(text), column)] = text[column], stored[column]
    assert changed == {}
    assert compared >= {"forests", "beyond"}
