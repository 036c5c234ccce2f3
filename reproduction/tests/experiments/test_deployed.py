from collections import Counter

import numpy as np
import pytest

from reproduction.experiments.cells import DeployedCell, FoldsCell
from reproduction.experiments.deployed import agreements
from reproduction.experiments.forests import run_cell
from reproduction.experiments.protocol import UNLABELLED_SHARES


@pytest.fixture(scope="module")
def rows(small_source):
    return run_cell(DeployedCell("cells", "forest", 0), small_source.load("cells"))


def test_agreements_are_those_counted_point_by_point():
    rng = np.random.default_rng(0)
    deployed, voters = rng.integers(4, size=60), rng.integers(4, size=(5, 60))
    for point, word in enumerate(agreements(deployed, voters)):
        named = Counter(voters[:, point].tolist())
        agreeing = named.pop(int(deployed[point]), 0)
        assert word == f"{agreeing}/{max(named.values(), default=0)}"


def test_a_cell_gives_one_row_per_number_of_unlabelled_points(rows):
    assert [row.unlabelled_share for row in rows] == list(UNLABELLED_SHARES)
    for row in rows:
        counts = [int(word.split(":")[1]) for word in row.profile.split()]
        assert sum(counts) == row.n_unlabelled == int(row.unlabelled_share * row.n_labelled)


def test_labelled_and_unlabelled_points_share_the_training_part(rows):
    for row in rows:
        assert row.n_labelled + rows[-1].n_unlabelled <= row.n_train
        assert sum(map(int, row.fold_sizes.split())) == row.n_labelled
        assert row.n_hold_out == -(-row.n_labelled // 5)


def test_the_model_of_the_hold_out_differs_here_and_there_from_the_deployed_one(rows):
    differs = [row.hold_out_differs for row in rows]
    assert 0 < differs[-1] < rows[-1].n_unlabelled / 2
    assert differs == sorted(differs)  # the first of the same points


def test_folds_and_deployed_models_draw_different_seeds():
    same = ("Letter", "forest", 0)
    assert DeployedCell(*same).seed != FoldsCell(*same).seed
    assert DeployedCell(*same).split_seed == FoldsCell(*same).split_seed


def test_the_guarantee_lies_above_what_voters_and_disagreement_suggest(rows):
    for row in rows:
        errors, sizes = (np.array(text.split(), int) for text in (row.fold_errors, row.fold_sizes))
        words = [word.replace("/", ":").split(":") for word in row.profile.split()]
        others = sum(int(other) * int(count) for _, other, count in words)
        disagreement = others / (sizes.size * row.n_unlabelled)
        assert np.mean(errors / sizes) + disagreement < row.vote_profile <= 1.0


def test_more_unlabelled_points_tighten_the_guarantee(rows):
    assert rows[-1].vote_profile < rows[0].vote_profile
