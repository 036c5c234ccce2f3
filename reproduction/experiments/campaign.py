"""From families and data sets to cells, and from cells to stored rows, here or on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from time import monotonic

from joblib import Parallel, delayed, parallel_config
from threadpoolctl import threadpool_limits

from reproduction.datasets import CATALOG
from reproduction.experiments.cells import (
    PAPER_FAMILIES,
    BeyondCell,
    Cell,
    CommitteeCell,
    DeployedCell,
    ForestCell,
    UnlabeledCell,
    cells_of,
    schedule,
)
from reproduction.experiments.forests import run_cell
from reproduction.experiments.protocol import (
    LABELED_FRACTIONS,
    LARGE_BINARY,
    LEAST_LABELED,
    ROOT,
    TEST_FRACTION,
)
from reproduction.experiments.rows import Row
from reproduction.experiments.sources import DataSource
from reproduction.experiments.store import RowStore, StoreError

GATHER_SECONDS = 300.0
"""How often finished cells are gathered into the tables while the run goes on."""

FAMILY_BAGGINGS = {"A": ("full",), "B": ("full", "reduced"), "C": ("full", "reduced")}


def plan_cells(
    datasets: Iterable[str],
    *,
    source: DataSource,
    families: Iterable[str] = PAPER_FAMILIES,
    repetitions: int | None = None,
    root: int = ROOT,
) -> list[Cell]:
    """List the cells that the families need, each once.

    If `repetitions` is not given, they are the paper's 50, its 20 for the unlabeled experiment,
    and 10 beyond that. Another `root` of all seeds gives an independent reproduction.

    Examples
    --------
    >>> cells = plan_cells(["Letter", "Splice", "Adult"], source=DataSource(), repetitions=2)
    >>> len(cells), {cell.dataset for cell in cells if cell.name.startswith("unlabeled")}
    (32, {'Adult'})
    """
    datasets, families = list(datasets), set(families)
    baggings = {bagging for family in families for bagging in FAMILY_BAGGINGS.get(family, ())}
    cells = cells_of(ForestCell, datasets, repetitions=repetitions, among=sorted(baggings))
    if "unlabeled" in families:
        chosen = [name for name in datasets if unlabeled_obstacle(name, source) is None]
        cells += cells_of(UnlabeledCell, chosen, repetitions=repetitions)
    for kind in (BeyondCell, CommitteeCell, DeployedCell):
        if kind.family in families:
            cells += cells_of(kind, datasets, repetitions=repetitions)
    return [replace(cell, root=root) for cell in cells]


def unlabeled_obstacle(name: str, source: DataSource) -> str | None:
    """Say why a data set does not enter the unlabeled experiment, or None if it does.

    The paper takes its large binary sets; any other set needs two classes, and enough samples
    for its smallest labeled fraction.

    Examples
    --------
    >>> [name for name in CATALOG if unlabeled_obstacle(name, DataSource()) is None]
    ['Adult', 'Cod-RNA', 'Mushroom', 'Phishing', 'w1a']
    >>> unlabeled_obstacle("Letter", DataSource())
    'it has 26 classes, and the disagreement bound is for two'
    """
    shape = source.shape(name)
    if shape.n_classes != 2:
        return f"it has {shape.n_classes} classes, and the disagreement bound is for two"
    if name in CATALOG:
        large = shape.n_samples > LARGE_BINARY
        return None if large else f"the paper takes sets of more than {LARGE_BINARY} samples only"
    n_labeled = int(min(LABELED_FRACTIONS) * (1 - TEST_FRACTION) * shape.n_samples)
    if n_labeled < LEAST_LABELED:
        return (
            f"of its {shape.n_samples} samples the smallest labeled fraction, "
            f"{min(LABELED_FRACTIONS):g} of the training part, leaves {n_labeled}, and at least "
            f"{LEAST_LABELED} are needed"
        )
    return None


def run_campaign(
    cells: Iterable[Cell],
    *,
    store: RowStore,
    source: DataSource,
    n_jobs: int = 1,
    dask_address: str | None = None,
    on_start: Callable[[int, int], None] = lambda n_left, n_done: None,
    on_cell: Callable[[Cell], None] = lambda cell: None,
) -> int:
    """Run the cells that the store does not have yet, and return how many.

    The store takes each cell's rows as soon as they are there, so a kill loses only cells in
    flight. Each forest is grown on one thread, in one of `n_jobs` processes or on a Dask cluster.
    `on_start` is told how many of the cells are left and how many were done before, `on_cell` of
    each cell after it is stored.
    """
    cells = list(cells)
    with store.writing():
        store.gather()
        done = store.done()
        _check_same_root(cells, done, store)
        left = [cell for cell in cells if cell not in done]
        shapes = {name: source.shape(name) for name in {cell.dataset for cell in left}}
        on_start(len(left), len(cells) - len(left))
        gathered = monotonic()
        with _workers(n_jobs, dask_address) as parallel:
            results = parallel(delayed(_work)(cell, source) for cell in schedule(left, shapes))
            for cell, rows in results:
                store.add(cell, rows)
                on_cell(cell)
                if monotonic() - gathered > GATHER_SECONDS:
                    store.gather()
                    gathered = monotonic()
        store.gather()
    return len(left)


def _check_same_root(cells: list[Cell], done: dict[Cell, int], store: RowStore) -> None:
    roots = {cell.root for cell in cells}
    if any(replace(cell, root=root).seed != seed for cell, seed in done.items() for root in roots):
        raise StoreError(
            f"The rows in {store.folder} were drawn by another --seed, and repetitions of two must "
            "not be mixed. Give that one, or another folder."
        )


def _work(cell: Cell, source: DataSource) -> tuple[Cell, list[Row]]:
    # Two cores growing two forests must not each start two threads of linear algebra.
    with threadpool_limits(1):
        return cell, run_cell(cell, source.load(cell.dataset))


@contextmanager
def _workers(n_jobs: int, dask_address: str | None) -> Iterator[Parallel]:
    if dask_address is None:
        yield Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1)
        return
    from dask.distributed import Client  # noqa: PLC0415  an optional dependency

    with Client(dask_address), parallel_config("dask"):  # type: ignore[no-untyped-call]
        yield Parallel(n_jobs=-1, return_as="generator_unordered", batch_size=1)
