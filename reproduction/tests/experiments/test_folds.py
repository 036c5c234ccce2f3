"""A few whole models: what a cell of folds and one of pairs measure, and what is made of both."""

import pytest
from numpy.random import RandomState

from reproduction.experiments.cells import FoldsCell, PairsCell
from reproduction.experiments.folds import learner
from reproduction.experiments.forests import run_cell
from reproduction.experiments.rows import as_text
from reproduction.experiments.splits import Split
from reproduction.report.folds import findings, folds_means, folds_values
from reproduction.report.frames import row_frame
from tandemvote.ensembles.training import paired_folds


@pytest.fixture(scope="module")
def dataset(small_source):
    return small_source.load("cells")


@pytest.fixture(scope="module")
def folds(dataset):
    return run_cell(FoldsCell("cells", "forest", 0), dataset)


@pytest.fixture(scope="module")
def pairs(dataset):
    return run_cell(PairsCell("cells", "forest", 0), dataset)


def numbers(text):
    return [int(part) for part in text.split()]


def test_folds_test_every_point_once(folds):
    assert [row.n_folds for row in folds] == [3, 5]
    for row in folds:
        assert len(numbers(row.fold_errors)) == row.n_folds
        assert sum(numbers(row.fold_sizes)) == row.n_train


def test_pairs_are_tested_on_three_folds_of_the_same_training_part(pairs, folds):
    (row,) = pairs
    trained, *_ = paired_folds(row.n_train, RandomState(0))
    assert numbers(row.pair_sizes) == [(row.n_train - trained.size) // 2] * 3
    assert all(
        0 <= e <= n for e, n in zip(numbers(row.pair_errors), numbers(row.pair_sizes), strict=True)
    )
    assert (row.seed, row.split_seed) == (folds[0].seed, folds[0].split_seed)


def test_the_learner_on_the_whole_part_is_what_the_test_set_certifies(folds, dataset):
    cell = FoldsCell("cells", "forest", 0)
    split = Split.of(cell, dataset)
    whole = learner("forest", cell.seed).fit(split.X, split.y)
    errors = int((whole.predict(split.X_test) != split.y_test).sum())
    assert {row.whole_test_errors for row in folds} == {errors}


def test_all_designs_are_compared_with_the_same_test_set(folds, pairs):
    frames = [
        row_frame(name, map(as_text, rows)) for name, rows in (("folds", folds), ("pairs", pairs))
    ]
    means = folds_means(folds_values(*frames))
    assert {design for *_, design in means.index} == {"pairs", "3 folds", "5 folds"}
    assert means["test_set"].nunique() == means["whole_risk"].nunique() == 1
    assert (means["guarantee"] > means["vote_risk"].min()).all()
    lines = findings(folds_values(*frames))
    assert any("pairs against 3 folds" in line for line in lines) and len(lines) == 4
    without = findings(folds_values(frames[0], frames[1].head(0)))
    assert len(without) == 2
