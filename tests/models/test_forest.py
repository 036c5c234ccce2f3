"""The certified forest is scikit-learn's forest with an honest vote and a certificate."""

import pickle

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tandemvote import CertifiedForestClassifier, certify_oob
from tandemvote.bounds import RequirementError
from tandemvote.weights import minimize_bound

FIELDS = ("errors", "sizes", "tandem_errors", "overlaps", "disagreements")


def same_counts(a, b):
    return all(np.array_equal(getattr(a, name), getattr(b, name)) for name in FIELDS)


@pytest.mark.parametrize(
    "parameters",
    [{}, {"max_samples": 0.5, "max_depth": 4}, {"criterion": "entropy", "min_samples_leaf": 3}],
)
def test_it_has_the_trees_and_the_counts_of_the_plain_forest(parameters, three_classes):
    X, y = three_classes
    plain = RandomForestClassifier(20, random_state=5, **parameters).fit(X, y)
    certified = CertifiedForestClassifier(20, random_state=5, **parameters).fit(X, y)
    expected = certify_oob(plain, X, y, weights="tandem")
    assert same_counts(expected.counts, certified.certificate_.counts)
    assert certified.certificate_.value == expected.value


@pytest.mark.parametrize("weights", ["uniform", "first_order", "tandem", "disagreement"])
def test_it_predicts_the_hard_weighted_vote(weights, binary):
    X, y = binary
    labels = np.array(["no", "yes"])[y]
    forest = CertifiedForestClassifier(15, weights=weights, max_depth=3, random_state=0)
    forest.fit(X[:400], labels[:400])
    shares = np.zeros((200, 2))
    for weight, tree in zip(forest.weights_, forest.estimators_, strict=True):
        shares[np.arange(200), tree.predict(X[400:]).astype(int)] += weight
    np.testing.assert_allclose(forest.predict_proba(X[400:]), shares, atol=1e-12)
    clear = np.abs(shares[:, 0] - 0.5) > 1e-9
    expected = forest.classes_[shares.argmax(axis=1)]
    assert np.array_equal(forest.predict(X[400:])[clear], expected[clear])
    proba = forest.predict_proba(X[400:])
    assert np.array_equal(forest.predict(X[400:]), forest.classes_[proba.argmax(axis=1)])
    if weights != "uniform":
        solution = minimize_bound(forest.certificate_.counts, weights).weights
        np.testing.assert_allclose(forest.weights_, solution, rtol=0, atol=1e-15)


def test_ties_between_trees_go_to_the_smallest_class(binary):
    X, y = binary
    forest = CertifiedForestClassifier(2, weights="uniform", random_state=0).fit(X, y)
    votes = np.array([tree.predict(X) for tree in forest.estimators_])
    tied = votes[0] != votes[1]
    assert tied.any()
    assert (forest.predict(X)[tied] == 0).all()


def test_given_weights_are_used_and_pay_their_divergence(binary):
    X, y = binary
    weights = np.array([0.5, 0.3, 0.1, 0.1])
    options = {"weights": weights, "bound": "first_order"}
    given = CertifiedForestClassifier(4, random_state=0, **options).fit(X, y)
    np.testing.assert_allclose(given.weights_, weights, rtol=0, atol=1e-15)
    as_prior = certify_oob(given.forest_, X.astype(np.float32), y, prior=weights, **options)
    assert as_prior.value < given.certificate_.value


def test_best_pays_for_its_choice_and_the_confidence_is_passed_on(binary):
    X, y = binary
    forest = CertifiedForestClassifier(20, bound="best", confidence=0.9, random_state=0).fit(X, y)
    certificate = forest.certificate_
    assert certificate.delta == 0.1
    assert certificate.value == min(certificate.candidates.values())
    name = certificate.bound
    assert certificate.value == certificate.evaluate(name, 0.1 / len(certificate.candidates))
    assert certificate.to_frame().shape[0] == len(certificate.bounds)


def test_the_observed_error_is_that_of_the_out_of_bag_vote(binary):
    X, y = binary
    weights = np.random.default_rng(0).dirichlet(np.ones(7))
    forest = CertifiedForestClassifier(7, weights=weights, random_state=0).fit(X, y)
    shares = np.zeros((len(y), 2))
    rows = zip(weights, forest.estimators_, forest.forest_.estimators_samples_, strict=True)
    for weight, tree, drawn in rows:
        unseen = np.setdiff1d(np.arange(len(y)), drawn)
        shares[unseen, tree.predict(X[unseen]).astype(int)] += weight
    tested = shares.any(axis=1)
    assert not tested.all()
    assert forest.certificate_.evidence.vote.n_voted == tested.sum()
    expected = np.mean(shares[tested].argmax(axis=1) != y[tested])
    assert forest.certificate_.observed == pytest.approx(expected)


def test_a_frame_that_holds_the_labels_is_rejected(binary):
    X, y = binary
    frame = pd.DataFrame(X, columns=list("abcdefgh")).assign(kind=y)
    forest = CertifiedForestClassifier(5, random_state=0)
    with pytest.raises(ValueError, match="X contains the labels: 'kind'"):
        forest.fit(frame, frame["kind"])
    named_alike = frame["a"].gt(0).astype(int).rename("b")
    assert forest.fit(frame, named_alike).certificate_.value < 1


def test_the_result_does_not_depend_on_the_number_of_jobs(binary):
    X, y = binary
    one = CertifiedForestClassifier(20, weights="tandem", random_state=3).fit(X, y)
    two = CertifiedForestClassifier(20, weights="tandem", random_state=3, n_jobs=2).fit(X, y)
    with joblib.parallel_config("threading", n_jobs=2):
        three = CertifiedForestClassifier(20, weights="tandem", random_state=3).fit(X, y)
    for other in (two, three):
        assert np.array_equal(one.weights_, other.weights_)
        assert one.certificate_.value == other.certificate_.value
        assert np.array_equal(one.predict_proba(X), other.predict_proba(X))


def test_clone_pickle_refit_and_set_params(binary):
    X, y = binary
    forest = CertifiedForestClassifier(10, weights="tandem", random_state=3).fit(X, y)
    loaded = pickle.loads(pickle.dumps(forest))
    assert repr(loaded.certificate_) == repr(forest.certificate_)
    assert np.array_equal(loaded.predict_proba(X), forest.predict_proba(X))
    value = forest.certificate_.value
    assert clone(forest).fit(X, y).certificate_.value == value
    assert forest.fit(X, y).certificate_.value == value
    forest.set_params(n_estimators=5, bound="first_order").fit(X, y)
    assert forest.certificate_.counts.n_voters == 5
    assert forest.certificate_.bound == "first_order"
    assert "CertifiedForestClassifier" in forest._repr_html_()


@pytest.mark.parametrize("parameters", [{"allow": ["nothing"]}, {"bound": "test_set"}])
def test_a_failed_fit_leaves_an_earlier_one_as_it_was(parameters, binary):
    X, y = binary
    forest = CertifiedForestClassifier(10, random_state=3).fit(X, y)
    before, value = forest.predict(X), forest.certificate_.value
    with pytest.raises(ValueError, match=r"'nothing'|no voter was trained on"):
        forest.set_params(**parameters).fit(X, np.array(["no", "yes"])[1 - y])
    assert np.array_equal(forest.predict(X), before)
    assert forest.certificate_.value == value


def test_it_can_be_searched_over_and_stands_in_a_pipeline(binary):
    X, y = binary
    grid = {"max_depth": [1, 4], "weights": ["uniform", "tandem"]}
    search = GridSearchCV(CertifiedForestClassifier(5, random_state=0), grid, cv=2).fit(X, y)
    assert search.best_params_["max_depth"] == 4
    make_pipeline(StandardScaler(), CertifiedForestClassifier(5, random_state=0)).fit(X, y)


def test_frames_sparse_samples_and_missing_values_give_what_arrays_give(binary):
    X, y = binary
    X = np.where(np.abs(X) < 0.3, 0.0, X).astype(np.float32)
    forest = CertifiedForestClassifier(10, random_state=0)
    expected = forest.fit(X, y).predict_proba(X)
    names = list("abcdefgh")
    for frame in (pd.DataFrame(X, columns=names), pl.DataFrame(X, schema=names)):
        assert np.array_equal(forest.fit(frame, y).predict_proba(frame), expected)
        plain = RandomForestClassifier(1).fit(frame, y)
        recognized = getattr(plain, "feature_names_in_", None)
        assert np.array_equal(getattr(forest, "feature_names_in_", None), recognized)
    assert forest.fit(pd.DataFrame(X, columns=names), y).feature_names_in_.tolist() == names
    sparse = csr_matrix(X)
    assert np.array_equal(forest.fit(sparse, y).predict_proba(sparse), expected)
    holes = np.where(X > 1, np.nan, X)
    assert forest.fit(holes, y).score(holes, y) > 0.8


@pytest.mark.parametrize("names", [["no", "yes"], [False, True], [-7, 3], [1.0, 5.0]])
def test_labels_of_any_type_come_back(names, binary):
    X, y = binary
    labels = np.array(names)[y]
    forest = CertifiedForestClassifier(10, random_state=0).fit(X, labels)
    plain = CertifiedForestClassifier(10, random_state=0).fit(X, y)
    assert forest.certificate_.value == plain.certificate_.value
    assert forest.predict(X).dtype == labels.dtype
    assert np.array_equal(forest.predict(X), np.array(names)[plain.predict(X)])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"confidence": 0.05}, "confidence"),
        ({"confidence": 1.0}, "confidence"),
        ({"max_depth": "deep"}, "'max_depth' parameter of CertifiedForestClassifier"),
        ({"weights": [1.0]}, "weights has shape"),
        ({"weights": [0.5, -0.5]}, "is -0.5 at voter 1"),
        ({"weights": "tandm"}, "Invalid weights='tandm'"),
        ({"bound": "tandm"}, "Invalid bound='tandm'"),
        ({"bound": []}, "bound is empty"),
        ({"bound": 3}, "'bound' parameter of CertifiedForestClassifier must be"),
        ({"weights": None}, "'weights' parameter of CertifiedForestClassifier must be"),
        ({"confidence": "0.95"}, "confidence='0.95' is not valid"),
        ({"allow": None}, "'allow' parameter of CertifiedForestClassifier must be"),
        ({"max_depth": 0}, "'max_depth' parameter of CertifiedForestClassifier must be"),
        ({"n_jobs": "all"}, "'n_jobs' parameter of CertifiedForestClassifier must be"),
    ],
)
def test_impossible_terms_are_rejected_before_any_tree_is_grown(parameters, message, binary):
    X, y = binary
    forest = CertifiedForestClassifier(2, **parameters)
    with pytest.raises(ValueError, match=message):
        forest.fit(X, y)
    assert not hasattr(forest, "forest_")


def test_unlabeled_samples_of_another_width_are_rejected_before_any_tree_is_grown(binary):
    X, y = binary
    forest = CertifiedForestClassifier(2)
    with pytest.raises(ValueError, match="X has 7 features, but CertifiedForestClassifier"):
        forest.fit(X, y, X_unlabeled=X[:, 1:])
    assert not hasattr(forest, "forest_")


@pytest.mark.parametrize("name", ["disagreement", "c1", "c2"])
def test_two_class_bounds_are_rejected_for_three_classes_before_training(name, three_classes):
    X, y = three_classes
    with pytest.raises(RequirementError, match="two classes only and the votes have 3"):
        CertifiedForestClassifier(bound=name).fit(X, y)
    with pytest.raises(RequirementError, match="two classes only"):
        CertifiedForestClassifier(weights="disagreement").fit(X, y)


def test_bounds_that_need_other_samples_are_rejected(binary):
    X, y = binary
    with pytest.raises(ValueError, match="samples that no voter was trained on"):
        CertifiedForestClassifier(5, bound="test_set").fit(X, y)
    with pytest.raises(ValueError, match="requires unlabeled samples"):
        CertifiedForestClassifier(5, bound="vote_profile").fit(X, y)
    with pytest.raises(ValueError, match="unlabeled samples are labeled samples"):
        CertifiedForestClassifier(5).fit(X, y, X_unlabeled=X)
