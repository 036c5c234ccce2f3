"""Voters are trained on their own points, and nobody looked at the data to choose them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from tandemvote.ensembles.training import bootstrap, seeded, split, train


def test_bootstraps_leave_out_the_share_that_theory_says():
    rows = bootstrap(100_000, None, np.random.RandomState(0))
    assert len(rows) == 100_000
    assert abs(1 - len(set(rows)) / 100_000 - np.exp(-1)) < 0.005
    rows = bootstrap(100_000, 0.5, np.random.RandomState(0))
    assert abs(1 - len(set(rows)) / 100_000 - np.exp(-0.5)) < 0.005


@pytest.mark.parametrize("max_samples", [0, -1, 11, 0.0, 1.5, -0.5])
def test_impossible_numbers_of_draws_are_refused(max_samples):
    with pytest.raises(ValueError, match="expected None, a whole number"):
        bootstrap(10, max_samples, np.random.RandomState(0))


def test_random_halves_overlap_and_folds_do_not():
    halves = split(100, 4, np.random.RandomState(0))
    assert [len(rows) for rows in halves] == [50] * 4
    left_out = [set(range(100)) - set(rows) for rows in halves]
    assert all(a & b for a in left_out for b in left_out)
    folds = split(100, KFold(4, shuffle=True), np.random.RandomState(0))
    left_out = [set(range(100)) - set(rows) for rows in folds]
    assert set.union(*left_out) == set(range(100))
    assert sum(map(len, left_out)) == 100


@pytest.mark.parametrize("n", [6, 7, 100, 1797, 50_000])
def test_of_pairs_every_two_leave_out_a_fold_that_trains_the_third(n):
    trained = [set(rows) for rows in split(n, "pairs", np.random.RandomState(0))]
    everything = set(range(n))
    size = int(min(n / 6, 2 * n ** (2 / 3)))
    for third in range(3):
        one, other = (trained[k] for k in range(3) if k != third)
        neither = everything - one - other
        assert len(neither) == size >= 1
        assert neither <= trained[third]
    assert set.union(*trained) == everything
    assert len(set.intersection(*trained)) == n - 3 * size


def test_pairs_are_drawn_evenly_and_by_the_seed_alone():
    left_out = np.zeros(60)
    for seed in range(2000):
        for rows in split(60, "pairs", np.random.RandomState(seed)):
            left_out += ~np.isin(np.arange(60), rows)
    # Binomial: 2,000 draws, each point in one of the folds with probability one half, twice.
    assert np.abs(left_out - 2000).max() < 5 * 2 * np.sqrt(2000 / 4)
    again = (split(60, "pairs", np.random.RandomState(7)) for _ in range(2))
    assert all(np.array_equal(*rows) for rows in zip(*again, strict=True))


def test_too_few_points_for_pairs_are_refused():
    with pytest.raises(ValueError, match=r"splits='pairs' needs at least 6 points.*n_samples=5"):
        split(5, "pairs", np.random.RandomState(0))


@pytest.mark.parametrize("splits", ["pair", "PAIRS", None, 3.0, [1, 2]])
def test_what_is_no_way_to_split_is_refused_with_the_ways_there_are(splits):
    with pytest.raises(ValueError, match=r"is no way to split points. Pass 'pairs', a number"):
        split(30, splits, np.random.RandomState(0))


@pytest.mark.parametrize("splits", [StratifiedKFold(3), GroupKFold(3)])
def test_splits_that_need_labels_or_groups_are_refused(splits):
    with pytest.raises(ValueError, match="may look at the data"):
        split(30, splits, np.random.RandomState(0))


def test_a_voter_knows_its_rows_alone(rng):
    X, y = rng.standard_normal((40, 2)), rng.integers(2, size=40)
    rows = np.array([3, 3, 7, 8, 20, 21])
    labels = y.copy()
    labels[rows] = [0, 0, 1, 0, 1, 1]
    trained = train([KNeighborsClassifier(1)], X, labels, [rows], np.random.RandomState(0))[0]
    assert trained.n_samples_fit_ == len(rows)


def test_a_bootstrap_of_one_class_makes_a_constant_voter_and_is_not_drawn_again():
    X, y = np.zeros((6, 1)), np.array(["rare", *["common"] * 5])
    rows = np.array([1, 2, 2, 4])
    voter = train([LogisticRegression()], X, y, [rows], np.random.RandomState(0))[0]
    assert isinstance(voter, DummyClassifier)
    assert voter.predict([[0.0], [9.0]]).tolist() == ["common", "common"]


class ColumnReader(DecisionTreeClassifier):
    """Needs a frame: it reads columns by name."""

    def fit(self, X, y):
        return super().fit(X[["b"]], y)

    def predict(self, X):
        return super().predict(X[["b"]])


def test_frames_arrive_untouched(rng):
    frame = pd.DataFrame({"a": list("xy") * 20, "b": rng.standard_normal(40)})
    labels = rng.integers(2, size=40)
    rows = np.arange(0, 40, 3)
    voter = train([ColumnReader()], frame, labels, [rows], np.random.RandomState(0))[0]
    assert np.array_equal(voter.predict(frame.iloc[rows]), labels[rows])


def test_every_random_state_inside_is_seeded():
    pipeline = make_pipeline(KNeighborsClassifier(), DecisionTreeClassifier())
    first = seeded(pipeline, np.random.RandomState(4)).get_params()
    assert isinstance(first["decisiontreeclassifier__random_state"], int)


def test_a_random_state_that_scikit_learn_deprecates_is_left_alone():
    tree = DecisionTreeClassifier(random_state="deprecated")
    assert seeded(tree, np.random.RandomState(4)).random_state == "deprecated"


def test_folds_in_the_order_of_the_rows_are_refused():
    with pytest.raises(ValueError, match="shuffle=True"):
        split(100, KFold(4), np.random.RandomState(0))
