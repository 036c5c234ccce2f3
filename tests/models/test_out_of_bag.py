"""certify_oob: fitted ensembles on the samples that the bootstraps of their members left out."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import (
    BaggingClassifier,
    ExtraTreesClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    VotingClassifier,
)
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from tandemvote import (
    CertifiedForestClassifier,
    Votes,
    certify,
    certify_oob,
)
from tandemvote.models.trees import BootstrapError, predict_members
from tandemvote.record.assumptions import BOOTSTRAPS_UNCHECKED
from tandemvote.votes.weighted_vote import weighted_vote

FITTED = DecisionTreeClassifier().fit(np.eye(8), np.arange(8) % 2)


@pytest.fixture(scope="module")
def data():
    return make_classification(900, 8, n_informative=4, flip_y=0.15, random_state=1)


@pytest.fixture(scope="module")
def forest(data):
    X, y = data
    return RandomForestClassifier(30, max_depth=3, max_samples=0.5, random_state=0).fit(
        X[:500], y[:500]
    )


@pytest.mark.parametrize(
    "model",
    [
        RandomForestClassifier(25, random_state=0),
        ExtraTreesClassifier(25, bootstrap=True, random_state=0),
        BaggingClassifier(n_estimators=25, max_features=0.6, random_state=0),
    ],
)
def test_a_fitted_ensemble_is_certified_out_of_bag(model, data):
    X, y = data
    certificate = certify_oob(model.fit(X, y), X, y)
    columns = getattr(model, "estimators_features_", [slice(None)] * 25)
    pairs = zip(model.estimators_, columns, strict=True)
    predictions = np.array([tree.predict(X[:, chosen]) for tree, chosen in pairs]).astype(int)
    held_out = np.array([~np.isin(np.arange(len(y)), drawn) for drawn in model.estimators_samples_])
    expected = certify(Votes.from_predictions(predictions, y, held_out))
    assert certificate.value == expected.value
    assert certificate.observed == expected.observed
    by_class, expected_by_class = certificate.by_group("class"), expected.by_group("class")
    assert [each.value for each in by_class] == [each.value for each in expected_by_class]


def test_bounds_by_group_of_an_ensemble_align_with_its_training_samples(forest, data):
    X, y = data
    site = np.arange(500) % 3
    groups = certify_oob(forest, X[:500], y[:500], bound="first_order").by_group(
        pd.DataFrame({"site": site})
    )
    assert [each.counts.n_samples for each in groups] == np.bincount(site).tolist()
    assert all(each.delta == 0.05 / 3 for each in groups)


@pytest.mark.parametrize("weights", ["first_order", "tandem", "disagreement"])
def test_chosen_weights_lower_the_bound_they_minimize(weights, forest, data):
    X, y = data
    uniform = certify_oob(forest, X[:500], y[:500], bound=weights)
    chosen = certify_oob(forest, X[:500], y[:500], bound=weights, weights=weights)
    assert chosen.value <= uniform.value
    assert (chosen.fitted, uniform.fitted) == (weights, None)


def test_unlabeled_samples_sharpen_the_disagreement_bound(forest, data):
    X, y = data
    without = certify_oob(forest, X[:500], y[:500])
    with_them = certify_oob(forest, X[:500], y[:500], X_unlabeled=X[500:])
    assert with_them.counts.n_min_disagreement == without.counts.n_min_disagreement + 400
    assert with_them.bounds["tandem"] == without.bounds["tandem"]
    assert list(with_them.candidates) == ["vote_profile"]
    with pytest.raises(ValueError, match="unlabeled samples are labeled samples"):
        certify_oob(forest, X[:500], y[:500], X_unlabeled=X[:500])


def test_other_data_than_the_model_was_trained_on_is_rejected(forest, data):
    X, y = data
    with pytest.raises(BootstrapError, match="of 30 trees hold other training samples"):
        certify_oob(forest, X[400:900], y[400:900])
    with pytest.raises(BootstrapError, match="in the same order"):
        certify_oob(forest, X[499::-1], y[499::-1])
    with pytest.raises(ValueError, match="fitted on 500 samples and X, y have 900"):
        certify_oob(forest, X, y)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (
            BaggingClassifier(FrozenEstimator(FITTED)),
            "stays fitted when it is cloned",
        ),
        (SVC(), r"use held-out samples: certify\(model"),
        (VotingClassifier([("bayes", GaussianNB())]), "CertifiedClassifier"),
        (RandomForestRegressor(5), "is not a classifier"),
        (RandomForestClassifier(5, bootstrap=False), r"certify\(model, X_held_out, y_held_out\)"),
        (CertifiedForestClassifier(5, bound="first_order"), "Use CertifiedClassifier"),
    ],
)
def test_models_without_out_of_bag_samples_are_rejected_with_the_way_out(model, message, data):
    X, y = data
    with pytest.raises(ValueError, match=message):
        certify_oob(model.fit(X, y), X, y)


def test_a_prior_in_words_is_rejected(forest, data):
    X, y = data
    with pytest.raises(ValueError, match="prior='uniform' is not valid; expected one number"):
        certify_oob(forest, X[:500], y[:500], prior="uniform")


def test_a_list_of_ensembles_is_rejected(forest, data):
    with pytest.raises(ValueError, match="list is not a RandomForest"):
        certify_oob([forest], *data)


def test_several_outputs_and_unfitted_models_are_rejected(data):
    X, y = data
    both = RandomForestClassifier(5).fit(X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match="with one output"):
        certify_oob(both, X, y)
    with pytest.raises(NotFittedError):
        certify_oob(RandomForestClassifier(), X, y)


@pytest.mark.parametrize(
    ("terms", "message"),
    [
        ({"confidence": 0.0}, "confidence"),
        ({"confidence": 1.0}, "confidence"),
        ({"prior": np.full(30, 0.1)}, "prior sums to 3"),
        ({"weights": np.full(29, 1 / 29)}, "29 weights for 30 voters"),
        ({"bound": "test_set"}, "samples that no voter was trained on"),
        ({"bound": "vote_profile"}, "requires unlabeled samples"),
    ],
)
def test_impossible_terms_are_rejected(terms, message, forest, data):
    X, y = data
    with pytest.raises(ValueError, match=message):
        certify_oob(forest, X[:500], y[:500], **terms)


def test_the_certificate_predicts_by_the_certified_vote(data):
    X, y = data
    forest = RandomForestClassifier(15, random_state=0).fit(X[:500], y[:500])
    certificate = certify_oob(forest, X[:500], y[:500], weights="tandem")
    expected = weighted_vote(predict_members(forest, X)[0], certificate.weights, 2)
    assert np.array_equal(certificate.predict(X), forest.classes_[expected])


def test_times_in_the_index_are_a_finding(data):
    X, y = data
    frame = pd.DataFrame(
        X, index=pd.date_range("2020-01-01", periods=900), columns=list("abcdefgh")
    )
    plain = RandomForestClassifier(5, random_state=0).fit(frame, y)
    assert [each.code for each in certify_oob(plain, frame, y).findings] == ["time_order"]


@pytest.mark.parametrize("features", [1.0, 0.6])
@pytest.mark.parametrize("learner", [GaussianNB(), SVC(), make_pipeline(StandardScaler(), SVC())])
def test_bagging_of_any_classifier_is_tested_on_what_each_bootstrap_left_out(
    learner, features, data
):
    X, y = data
    X, names = X[:400], np.array(["no", "yes"])[(y[:400] > 0).astype(int)]
    model = BaggingClassifier(learner, 12, max_samples=0.5, max_features=features, random_state=3)
    certificate = certify_oob(model.fit(X, names), X, names)
    errors = []
    pairs = zip(model.estimators_, model.estimators_samples_, strict=True)
    for place, (estimator, drawn) in enumerate(pairs):
        left_out = np.setdiff1d(np.arange(400), drawn)
        columns = model.estimators_features_[place]
        codes = estimator.predict(X[np.ix_(left_out, columns)]).astype(int)
        errors.append((model.classes_[codes] != names[left_out]).sum())
    assert certificate.counts.errors.tolist() == errors
    assert BOOTSTRAPS_UNCHECKED in certificate.assumptions
    assert set(certificate.predict(X)) <= {"no", "yes"}


def test_bagged_trees_are_audited_and_assume_nothing_about_their_bootstraps(data):
    X, y = data
    model = BaggingClassifier(n_estimators=10, random_state=0).fit(X[:300], y[:300])
    assert BOOTSTRAPS_UNCHECKED not in certify_oob(model, X[:300], y[:300]).assumptions
