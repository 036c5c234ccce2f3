from dataclasses import replace

import numpy as np
import pytest

from reproduction.experiments.campaign import plan_cells, unlabeled_obstacle
from reproduction.experiments.cells import (
    BeyondCell,
    ForestCell,
    Shape,
    UnlabeledCell,
    cells_of,
    cost,
    schedule,
)
from reproduction.experiments.forests import run_cell
from reproduction.experiments.sources import DataSource, own_files


def test_every_cell_has_a_seed_of_its_own():
    cells = [*cells_of(ForestCell, ["Letter", "Adult"]), *cells_of(UnlabeledCell, ["Adult"])]
    assert len({cell.seed for cell in cells}) == len(cells) == 400


def test_seeds_are_those_of_the_committed_rows():
    # Python salts its own hash of a string differently in every process; these must never move.
    assert ForestCell("Letter", "full", 7).seed == 1574389032


def test_another_root_gives_other_seeds_to_the_same_cells():
    cells = [
        *cells_of(ForestCell, ["Adult"], repetitions=2),
        *cells_of(UnlabeledCell, ["Adult"], repetitions=2),
        *cells_of(BeyondCell, ["Adult"], repetitions=2),
    ]
    others = [replace(cell, root=1) for cell in cells]
    assert others == cells
    assert not {cell.seed for cell in cells} & {cell.seed for cell in others}
    assert not {cell.split_seed for cell in cells} & {cell.split_seed for cell in others}
    planned = plan_cells(["Adult"], source=DataSource(), repetitions=2, root=1)
    assert {cell.root for cell in planned} == {1}


def test_full_and_reduced_bagging_share_the_split_but_not_the_forest():
    full, reduced = ForestCell("Letter", "full", 3), ForestCell("Letter", "reduced", 3)
    assert full.split_seed == reduced.split_seed
    assert full.seed != reduced.seed
    assert UnlabeledCell("Letter", 0.1, 3).split_seed == full.split_seed


def test_every_set_is_seen_before_any_is_finished_and_cheap_cells_come_first():
    shapes = {
        "small": Shape(3000, 4, 2),
        "middle": Shape(20000, 16, 2),
        "big": Shape(70000, 780, 2),
    }
    ordered = schedule(
        [*cells_of(ForestCell, shapes), *cells_of(UnlabeledCell, ["middle"])], shapes
    )
    first_late = next(i for i, cell in enumerate(ordered) if cell.repetition >= 2)
    assert {cell.dataset for cell in ordered[:first_late]} == set(shapes)
    assert all(cell.repetition >= 2 for cell in ordered[first_late:])
    costs = [cost(cell, shapes[cell.dataset]) for cell in ordered[first_late:]]
    assert costs == sorted(costs)
    assert ordered[-1].dataset == "big"


def test_families_need_the_cells_of_the_paper_and_no_more():
    source = DataSource()
    both = plan_cells(["Letter", "Mushroom"], source=source)
    assert len(both) == 2 * 2 * 50 + 10 * 20
    assert {cell.bagging for cell in plan_cells(["Letter"], source=source, families=["A"])} == {
        "full"
    }
    assert plan_cells(["Letter", "Splice"], source=source, families=["unlabeled"]) == []


@pytest.mark.parametrize(("n_samples", "enough"), [(120, False), (499, False), (500, True)])
def test_a_set_enters_the_unlabeled_family_if_its_smallest_fraction_can_run(
    tmp_path, n_samples, enough
):
    X = np.random.default_rng(0).normal(size=(n_samples, 2))
    np.savez(tmp_path / "mine.npz", X=X, y=(X[:, 0] > 0).astype(int))
    source = DataSource(files=own_files([tmp_path / "mine.npz"]))
    obstacle = unlabeled_obstacle("mine", source)
    cells = plan_cells(["mine"], source=source, families=["unlabeled"], repetitions=1)
    assert len(cells) == 10 * enough
    if enough:
        assert obstacle is None
        assert run_cell(cells[0], source.load("mine"))[0].n_train >= 20
    else:
        assert f"of its {n_samples} samples" in obstacle
