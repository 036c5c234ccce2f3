import pytest

from reproduction.experiments.cells import ForestCell
from reproduction.experiments.forests import run_cell
from reproduction.experiments.rows import TABLES, WEIGHTS, as_text
from reproduction.experiments.store import RowStore, StoreError


@pytest.fixture(scope="module")
def finished(small_source, few_trees_of_a_module):
    cells = [ForestCell("flowers", "full", repetition) for repetition in (2, 1, 10)]
    return {cell: run_cell(cell, small_source.load("flowers")) for cell in cells}


def _fill(store, finished):
    for cell, rows in finished.items():
        store.add(cell, rows)


def test_rows_are_the_same_before_and_after_gathering(tmp_path, finished):
    store = RowStore(tmp_path)
    _fill(store, finished)
    before, cells = store.rows("forests"), store.done()
    store.gather()
    assert store.rows("forests") == before
    assert store.done() == cells == {cell: cell.seed for cell in finished}
    assert not list(store.cell_folder.glob("*.json"))


def test_rows_survive_the_file_to_the_last_bit(tmp_path, finished):
    store = RowStore(tmp_path)
    _fill(store, finished)
    store.gather()
    for row in store.rows("forests"):
        (cell,) = [known for known in finished if known.repetition == int(row["repetition"])]
        (made,) = [made for made in finished[cell] if made.weighting == row["weighting"]]
        assert float(row["tandem"]) == made.tandem
        assert row == as_text(made)


def test_a_cell_stored_twice_counts_once(tmp_path, finished):
    store = RowStore(tmp_path)
    _fill(store, finished)
    store.gather()
    _fill(store, finished)  # as if a run was killed between writing the table and tidying up
    assert len(store.rows("forests")) == 9
    store.gather()
    assert len(store.table_path("forests").read_text().splitlines()) == 10


def test_repetitions_are_sorted_as_numbers(tmp_path, finished):
    store = RowStore(tmp_path)
    _fill(store, finished)
    assert [row["repetition"] for row in store.rows("forests")[::3]] == ["1", "2", "10"]


def test_columns_are_those_the_reader_was_promised():
    promised = (
        "dataset,bagging,repetition,weighting,test_risk,first_order,c1,c2,c_tandem,tandem,"
        "disagreement_bound,gibbs_loss,tandem_loss,disagreement,n_min,n_min_pairs,kl_divergence,"
        "seed,versions,"
    )
    assert ",".join(TABLES["forests"].columns).startswith(promised)


def test_a_torn_file_of_a_killed_run_is_no_row(tmp_path, finished):
    store = RowStore(tmp_path)
    _fill(store, finished)
    torn = store.cell_folder / ".forest-flowers-full-03.json.999.part"
    torn.write_text('{"forests": [{"data')
    assert set(store.done()) == set(finished)
    with store.writing():
        assert not torn.exists()


def test_a_damaged_file_is_named(tmp_path):
    store = RowStore(tmp_path)
    store.cell_folder.mkdir(parents=True)
    (store.cell_folder / "forest-flowers-full-03.json").write_text("{")
    with pytest.raises(StoreError, match=r"forest-flowers-full-03\.json is damaged"):
        store.done()


def test_two_runs_cannot_write_to_one_folder(tmp_path):
    with (
        RowStore(tmp_path).writing(),
        pytest.raises(StoreError, match="Another run"),
        RowStore(tmp_path).writing(),
    ):
        pass
    with RowStore(tmp_path).writing():  # free again
        pass


def test_names_of_data_sets_cannot_leave_the_folder(tmp_path):
    store = RowStore(tmp_path)
    cell = ForestCell("../out", "full", 0)
    row = WEIGHTS.row(**cell.columns, tree=0, gibbs_loss=0.0, first_order=1.0, tandem=1.0)
    store.add(cell, [row])
    assert len(list(store.cell_folder.glob("*.json"))) == 1
