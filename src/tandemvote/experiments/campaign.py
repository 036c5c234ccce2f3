"""Run many cells: what is left to do, on all processors or a cluster, one stored at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from time import monotonic

from joblib import Parallel, delayed, parallel_config
from threadpoolctl import threadpool_limits

from tandemvote.experiments.cells import Cell, schedule
from tandemvote.experiments.rows import Row
from tandemvote.experiments.running import run_cell
from tandemvote.experiments.sources import DataSource
from tandemvote.experiments.store import RowStore, StoreError

GATHER_SECONDS = 300.0
"""How often finished cells are gathered into the tables while the run goes on."""


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
    """Run the cells that the store does not have yet.

    Parameters
    ----------
    cells : iterable of cells
    store : RowStore
        Takes each cell's rows as soon as they are there. A kill loses only cells in flight.
    source : DataSource
        Loads data sets, in the workers.
    n_jobs : int
        Processes; each forest is grown on one thread.
    dask_address : str, optional
        Scheduler of a Dask cluster to send the cells to instead.
    on_start : callable
        Told how many of the cells are left and how many were done before.
    on_cell : callable
        Told of each cell after it is stored.

    Returns
    -------
    int
        Number of cells run.

    Raises
    ------
    StoreError
        If the folder holds rows of another root of seeds, or another run writes to it.
    """
    cells = list(cells)
    with store.writing():
        store.gather()
        done = store.done()
        _refuse_another_root(cells, done, store)
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


def _refuse_another_root(cells: list[Cell], done: dict[Cell, int], store: RowStore) -> None:
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
