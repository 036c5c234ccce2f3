"""Out-of-bag votes, against the predictions of each member of the ensemble."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csc_matrix
from sklearn.ensemble import (
    BaggingClassifier,
    ExtraTreesClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from tandemvote import certify, certify_oob
from tandemvote.models.trees import out_of_bag_votes, predict_members

MODELS = {
    "forest": RandomForestClassifier(12, random_state=0),
    "shallow forest, many ties": RandomForestClassifier(12, max_depth=2, random_state=1),
    "reduced bagging": RandomForestClassifier(12, max_samples=0.5, random_state=2, n_jobs=2),
    "balanced subsample": RandomForestClassifier(
        12, class_weight="balanced_subsample", max_depth=3, random_state=3
    ),
    "extra trees": ExtraTreesClassifier(12, bootstrap=True, random_state=4),
    "bagged trees": BaggingClassifier(n_estimators=12, random_state=5),
    "columns drawn too": BaggingClassifier(n_estimators=12, max_features=0.5, random_state=6),
    "without replacement": BaggingClassifier(
        n_estimators=8, bootstrap=False, max_samples=0.6, random_state=8
    ),
}


def members(model, X):
    """Return codes that every member predicts through its own public method."""
    columns = getattr(model, "estimators_features_", [slice(None)] * len(model.estimators_))
    return np.array(
        [
            each.predict(X[:, chosen])
            for each, chosen in zip(model.estimators_, columns, strict=True)
        ]
    ).astype(int)


@pytest.mark.parametrize("name", MODELS)
def test_every_voter_says_what_it_predicts_about_the_samples_it_did_not_draw(name, data):
    X, y = data
    model = MODELS[name].fit(X, y)
    votes = out_of_bag_votes(model, X, y)
    expected = members(model, X)
    assert np.array_equal(predict_members(model, X)[0], expected)
    for voter, drawn in enumerate(model.estimators_samples_):
        left_out = np.setdiff1d(np.arange(len(y)), drawn)
        assert np.flatnonzero(votes.held_out[voter]).tolist() == left_out.tolist()
        assert np.array_equal(votes.predictions[voter, left_out], expected[voter, left_out])
    assert np.array_equal(votes.classes[votes.labels], y)


def test_sparse_samples_frames_and_missing_values_pass(data):
    X, y = data
    X = np.where(np.abs(X) < 0.5, 0.0, X)
    model = RandomForestClassifier(12, random_state=0)
    dense = out_of_bag_votes(model.fit(X, y), X, y)
    sparse = out_of_bag_votes(model.fit(csc_matrix(X), y), csc_matrix(X), y)
    assert np.array_equal(dense.predictions, sparse.predictions)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    framed = out_of_bag_votes(model.fit(frame, pd.Series(y)), frame, pd.Series(y))
    assert np.array_equal(dense.predictions, framed.predictions)
    holes = np.where(X > 1.5, np.nan, X)
    votes = out_of_bag_votes(model.fit(holes, y), holes, y)
    expected = members(model, holes)
    assert np.array_equal(votes.predictions[votes.held_out], expected[votes.held_out])


def test_unlabeled_samples_are_voted_on_by_all(data):
    X, y = data
    model = RandomForestClassifier(12, random_state=0).fit(X[:200], y[:200])
    votes = certify_oob(model, X[:200], y[:200], X_unlabeled=X[200:]).votes
    assert np.array_equal(votes.unlabeled, members(model, X[200:]))


def test_held_out_samples_certify_ensembles_without_bootstrap_as_they_are(data):
    X, y = data
    forest = RandomForestClassifier(12, bootstrap=False, random_state=0).fit(X[:150], y[:150])
    votes = certify(forest, X[150:], y[150:]).votes
    assert votes.held_out.all()
    assert np.array_equal(votes.classes[votes.predictions], [forest.predict(X[150:])])


def test_a_class_that_a_model_knows_counts_even_if_the_hold_out_lacks_it(data):
    X, y = data
    tree = DecisionTreeClassifier(random_state=0).fit(X[:150], y[:150])
    certain = np.flatnonzero((y < 2) & (tree.predict(X) < 2))
    assert certify(tree, X[certain], y[certain]).votes.classes.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (RandomForestClassifier(5, bootstrap=False), "Refit with bootstrap=True"),
        (ExtraTreesClassifier(5), "Refit with bootstrap=True"),
        (BaggingClassifier(n_estimators=5, bootstrap=False), "Refit with bootstrap=True"),
    ],
)
def test_ensembles_without_independent_held_out_sets_are_rejected(model, message, data):
    X, y = data
    with pytest.raises(ValueError, match=message):
        out_of_bag_votes(model.fit(X, y), X, y)


def test_data_of_another_size_or_with_other_labels_is_rejected(data):
    X, y = data
    model = RandomForestClassifier(5, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="fitted on 300 samples and X, y have 299"):
        out_of_bag_votes(model, X[1:], y[1:])
    with pytest.raises(ValueError, match="is not among the labels"):
        out_of_bag_votes(model, X, np.where(y == 0, "cat", "dog"))


def test_regression_and_several_outputs_are_rejected(data):
    X, y = data
    with pytest.raises(ValueError, match="not a classifier"):
        certify(RandomForestRegressor(3).fit(X, y), X, y)
    both = RandomForestClassifier(3, random_state=0).fit(X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match="with one output"):
        certify(both, X, y)


def test_labels_that_no_model_predicts_are_rejected():
    X, y = np.arange(60)[:, None] % 2, np.arange(60) % 2
    model = KNeighborsClassifier(1).fit(X[:30], np.array(["cat", "dog"])[y[:30]])
    assert certify(model, X[30:], np.array(["cat", "dog"])[y[30:]]).votes.n_samples == 30
    with pytest.raises(ValueError, match="No prediction is a label"):
        certify(model, X[30:], np.array(["0", "1"])[y[30:]])
