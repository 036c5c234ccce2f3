from dataclasses import replace

import pytest

from reproduction.experiments.campaign import run_campaign
from reproduction.experiments.cells import CommitteeCell, DeployedCell, ForestCell, cells_of
from reproduction.experiments.store import RowStore, StoreError


def _rows(store):
    return [{**row, "seconds": ""} for row in store.rows("forests")]


@pytest.mark.usefixtures("few_trees")
def test_a_second_run_has_nothing_to_do(tmp_path, small_source):
    cells, store = cells_of(ForestCell, ["flowers"], repetitions=2), RowStore(tmp_path)
    assert run_campaign(cells, store=store, source=small_source) == 4
    before = store.table_path("forests").read_bytes()
    assert run_campaign(cells, store=store, source=small_source) == 0
    assert store.table_path("forests").read_bytes() == before


@pytest.mark.usefixtures("few_trees")
def test_finished_cells_of_learners_are_not_run_again(small_source, tmp_path):
    store = RowStore(tmp_path)
    cells = [CommitteeCell("flowers", "forest", 0), DeployedCell("flowers", "forest", 0)]
    assert run_campaign(cells, store=store, source=small_source) == 2
    assert run_campaign(cells, store=store, source=small_source) == 0


@pytest.mark.usefixtures("few_trees")
def test_more_repetitions_add_rows_and_change_none(tmp_path, small_source):
    store = RowStore(tmp_path)
    run_campaign(cells_of(ForestCell, ["flowers"], repetitions=1), store=store, source=small_source)
    first = store.rows("forests")
    run_campaign(cells_of(ForestCell, ["flowers"], repetitions=2), store=store, source=small_source)
    assert len(store.rows("forests")) == 2 * len(first)
    assert [row for row in store.rows("forests") if row["repetition"] == "0"] == first


@pytest.mark.usefixtures("few_trees")
def test_another_root_gives_other_rows_and_is_not_mixed_in(tmp_path, small_source):
    cells = cells_of(ForestCell, ["flowers"], repetitions=1)
    others = [replace(cell, root=1) for cell in cells_of(ForestCell, ["cells"], repetitions=1)]
    store = RowStore(tmp_path)
    run_campaign(cells, store=store, source=small_source)
    before = store.rows("forests")
    with pytest.raises(StoreError, match="another --seed"):
        run_campaign(others, store=store, source=small_source)
    assert store.rows("forests") == before
    apart = RowStore(tmp_path / "apart")
    run_campaign([replace(cell, root=1) for cell in cells], store=apart, source=small_source)
    assert not {row["seed"] for row in apart.rows("forests")} & {row["seed"] for row in before}


@pytest.mark.parametrize("n_jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_processes_and_order_do_not_change_a_row(tmp_path, small_source, n_jobs):
    cells = cells_of(ForestCell, ["flowers"], repetitions=1)
    alone, together = RowStore(tmp_path / "alone"), RowStore(tmp_path / "together")
    for cell in reversed(cells):
        run_campaign([cell], store=alone, source=small_source)
    run_campaign(cells, store=together, source=small_source, n_jobs=n_jobs)
    assert _rows(alone) == _rows(together)


@pytest.mark.slow
def test_a_cluster_gives_the_same_rows(tmp_path, small_source):
    distributed = pytest.importorskip("distributed")
    cells = cells_of(ForestCell, ["flowers"], repetitions=1)
    here, there = RowStore(tmp_path / "here"), RowStore(tmp_path / "there")
    run_campaign(cells, store=here, source=small_source)
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0"
    ) as cluster:
        run_campaign(
            cells, store=there, source=small_source, dask_address=cluster.scheduler_address
        )
    assert _rows(here) == _rows(there)
