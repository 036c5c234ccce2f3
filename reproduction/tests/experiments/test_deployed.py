import pytest

from reproduction.experiments.cells import DeployedCell
from reproduction.experiments.forests import run_cell
from reproduction.experiments.protocol import UNLABELED_SHARES


@pytest.fixture(scope="module")
def rows(small_source):
    return run_cell(DeployedCell("cells", "forest", 0), small_source.load("cells"))


def test_a_cell_gives_one_row_per_number_of_unlabeled_samples(rows):
    assert [row.unlabeled_share for row in rows] == list(UNLABELED_SHARES)
    for row in rows:
        assert row.n_unlabeled == int(row.unlabeled_share * row.n_labeled)


def test_labeled_and_unlabeled_samples_share_the_training_part(rows):
    for row in rows:
        assert row.n_labeled + rows[-1].n_unlabeled <= row.n_train
        assert row.n_hold_out == -(-row.n_labeled // 5)


def test_the_model_of_the_hold_out_differs_here_and_there_from_the_deployed_one(rows):
    differs = [row.hold_out_differs for row in rows]
    assert 0 < differs[-1] < rows[-1].n_unlabeled / 2
    assert differs == sorted(differs)  # the first of the same samples
