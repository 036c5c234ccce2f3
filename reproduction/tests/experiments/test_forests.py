import os

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from reproduction.datasets import Dataset
from reproduction.datasets.catalog import paper_csv
from reproduction.experiments import protocol
from reproduction.experiments.cells import ForestCell, UnlabeledCell
from reproduction.experiments.forests import run_cell
from reproduction.experiments.rows import FORESTS, as_text
from reproduction.experiments.sources import DataSource
from tandemvote.tables import DatasetError

with_data = pytest.mark.skipif(
    not os.environ.get("TANDEMVOTE_DATA"), reason="TANDEMVOTE_DATA names no folder of data sets"
)


def _apart_from_time(rows):
    return [{**as_text(row), "seconds": ""} for row in rows]


@pytest.mark.usefixtures("few_trees")
def test_a_cell_run_twice_gives_the_same_rows(small_source):
    cell = ForestCell("cells", "reduced", 0)
    runs = [run_cell(cell, small_source.load("cells")) for _ in range(2)]
    assert _apart_from_time(runs[0]) == _apart_from_time(runs[1])


@pytest.mark.usefixtures("few_trees")
def test_one_forest_yields_a_row_for_every_weighting(small_source):
    binary = run_cell(ForestCell("cells", "full", 1), small_source.load("cells"))
    multiclass = run_cell(ForestCell("flowers", "full", 1), small_source.load("flowers"))
    assert [row.weighting for row in binary] == [
        "uniform",
        "first_order",
        "tandem",
        "disagreement",
    ]
    assert [row.weighting for row in multiclass] == ["uniform", "first_order", "tandem"]
    assert all(row.c1 is row.c2 is row.disagreement_bound is None for row in multiclass)
    assert as_text(multiclass[0])["c1"] == ""


def test_optimized_weights_are_kept_for_repetition_zero_only(small_source):
    dataset = small_source.load("flowers")
    weights = [
        row for row in run_cell(ForestCell("flowers", "full", 0), dataset) if row.table == "weights"
    ]
    assert len(weights) == 100
    assert sum(row.tandem for row in weights) == pytest.approx(1)
    later = run_cell(ForestCell("flowers", "full", 1), dataset)
    assert all(row.table == "forests" for row in later)


@pytest.mark.usefixtures("few_trees")
def test_uniform_row_agrees_with_a_plain_count_over_trees(small_source):
    cell, dataset = ForestCell("cells", "full", 2), small_source.load("cells")
    row = run_cell(cell, dataset)[0]
    X, X_test, y, y_test = train_test_split(
        dataset.X, dataset.y, test_size=0.2, stratify=dataset.y, random_state=cell.split_seed
    )
    forest = RandomForestClassifier(protocol.N_TREES, random_state=cell.seed).fit(X, y)
    votes = np.mean([tree.predict(X_test) for tree in forest.estimators_], axis=0)
    assert row.test_risk == np.mean((votes > 0.5) != y_test)
    out = [np.setdiff1d(np.arange(len(y)), drawn) for drawn in forest.estimators_samples_]
    wrong = [
        set(samples[tree.predict(X[samples]) != y[samples]])
        for tree, samples in zip(forest.estimators_, out, strict=True)
    ]
    losses = [len(errors) / len(samples) for errors, samples in zip(wrong, out, strict=True)]
    assert row.gibbs_loss == pytest.approx(np.mean(losses))
    pairs = [
        (len(first & second), len(np.intersect1d(one, other)))
        for first, one in zip(wrong, out, strict=True)
        for second, other in zip(wrong, out, strict=True)
    ]
    assert row.tandem_loss == pytest.approx(np.mean([both / size for both, size in pairs]))
    assert row.n_min_pairs == min(size for _, size in pairs)


def test_unlabeled_samples_sharpen_only_the_disagreement(small_source):
    (row,) = run_cell(UnlabeledCell("cells", 0.25, 0), small_source.load("cells"))
    assert row.table == "unlabeled"
    assert row.n_train + row.n_unlabeled + row.n_test == 569
    assert row.n_train == int(0.25 * (569 - row.n_test))
    assert row.n_min_disagreement == row.n_min_pairs + row.n_unlabeled


def test_a_row_has_all_columns_and_no_other():
    cell = ForestCell("cells", "full", 0)
    with pytest.raises(TypeError, match="weighting"):
        FORESTS.row(**cell.columns)


def test_too_small_a_set_is_rejected_with_the_way_out(small_source):
    dataset = small_source.load("flowers")
    two_classes = Dataset("few", X=dataset.X[:100], y=dataset.y[:100])
    with pytest.raises(DatasetError, match=r"leaves 4 samples .* families A, B and C only"):
        run_cell(UnlabeledCell("few", 0.05, 0), two_classes)
    with pytest.raises(DatasetError, match="class 1 has a single sample"):
        run_cell(ForestCell("few", "full", 0), Dataset("few", X=dataset.X[:51], y=dataset.y[:51]))


@with_data
@pytest.mark.parametrize("bagging", ["full", "reduced"])
def test_splice_lies_where_the_paper_puts_it(bagging):
    row = run_cell(ForestCell("Splice", bagging, 0), DataSource().load("Splice"))[0]
    (paper,) = [
        line for line in paper_csv(f"uniform_{bagging}_bounds") if line["dataset"] == "Splice"
    ]
    for label, column in (("test_risk", "test_risk"), ("FO", "first_order"), ("TND", "tandem")):
        distance = abs(getattr(row, column) - float(paper[label]))
        assert distance < 4.5 * float(paper[f"{label}_sd"])
