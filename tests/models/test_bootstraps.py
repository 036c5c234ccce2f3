"""The audit accepts the data a model was trained on and rejects all other."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from tandemvote.models.trees import (
    BootstrapError,
    audited_predictions,
    out_of_bag_votes,
)

HONEST = [
    RandomForestClassifier(10, random_state=0),
    RandomForestClassifier(10, random_state=0, criterion="entropy", max_samples=0.5),
    RandomForestClassifier(10, random_state=0, max_depth=1),
    RandomForestClassifier(10, random_state=0, ccp_alpha=0.02, min_samples_leaf=4),
    RandomForestClassifier(10, random_state=0, class_weight="balanced_subsample", max_depth=4),
    ExtraTreesClassifier(10, bootstrap=True, random_state=0),
    BaggingClassifier(n_estimators=10, random_state=0),
    BaggingClassifier(n_estimators=10, max_features=0.5, max_samples=0.7, random_state=0),
    BaggingClassifier(n_estimators=10, bootstrap=False, max_samples=0.5, random_state=0),
]


@pytest.mark.parametrize("model", HONEST, ids=range(len(HONEST)))
def test_the_training_data_is_recognized_and_nothing_else(model, data, rng):
    X, y = data
    model.fit(X, y)
    assert out_of_bag_votes(model, X, y).n_voters == 10
    order = rng.permutation(len(y))
    for wrong_X, wrong_y in ((X[order], y[order]), (X[order], y), (X, (y + 1) % 3)):
        with pytest.raises(BootstrapError, match="of 10 trees hold other training samples"):
            out_of_bag_votes(model, wrong_X, wrong_y)


def test_one_changed_label_among_the_drawn_is_noticed(data):
    X, y = data
    model = RandomForestClassifier(10, random_state=0).fit(X, y)
    changed = y.copy()
    changed[17] = (y[17] + 1) % 3
    with pytest.raises(BootstrapError, match="trees hold other training samples"):
        out_of_bag_votes(model, X, changed)


def test_bootstraps_drawn_in_another_way_are_noticed(data):
    """As if another release of scikit-learn drew otherwise from the same seed."""
    X, y = data
    model = RandomForestClassifier(10, random_state=0).fit(X, y)
    for tree in model.estimators_:
        tree.random_state += 1
    with pytest.raises(BootstrapError, match="10 of 10 trees"):
        out_of_bag_votes(model, X, y)


@pytest.mark.parametrize(
    "model", [RandomForestClassifier(60, random_state=0), BaggingClassifier(n_estimators=60)]
)
def test_sample_weights_are_noticed_even_where_the_model_does_not_remember_them(model, data):
    X, y = data
    model.fit(X, y, sample_weight=np.where(y == 0, 3.0, 1.0))
    with pytest.raises(BootstrapError, match="sample_weight"):
        audited_predictions(model, X, y)
    with pytest.raises(ValueError, match="sample_weight"):
        out_of_bag_votes(model, X, y)


def test_trees_trained_on_more_data_by_warm_start_are_noticed(data):
    X, y = data
    model = RandomForestClassifier(5, warm_start=True, random_state=0).fit(X[::-1], y[::-1])
    model.set_params(n_estimators=10).fit(X, y)
    with pytest.raises(BootstrapError, match="5 of 10 trees"):
        out_of_bag_votes(model, X, y)


def test_class_weights_inside_bagging_are_noticed(data):
    X, y = data
    tree = DecisionTreeClassifier(class_weight={0: 5, 1: 1, 2: 1})
    model = BaggingClassifier(tree, n_estimators=5, random_state=0).fit(X, y)
    with pytest.raises(BootstrapError, match="5 of 5 trees hold other training samples"):
        out_of_bag_votes(model, X, y)


def test_sparse_and_missing_values_are_audited_too(data):
    X, y = data
    model = RandomForestClassifier(10, random_state=0)
    sparse = csr_matrix(np.where(np.abs(X) < 0.5, 0.0, X))
    assert out_of_bag_votes(model.fit(sparse, y), sparse, y).n_voters == 10
    holes = np.where(X > 1.5, np.nan, X)
    assert out_of_bag_votes(model.fit(holes, y), holes, y).n_voters == 10
    with pytest.raises(BootstrapError, match="10 of 10 trees"):
        out_of_bag_votes(model, holes[::-1], y[::-1])
