"""Certificates for models people already have."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta
from sklearn.base import BaseEstimator, ClassifierMixin
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
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from tandemvote import (
    Certificate,
    CertifiedClassifier,
    CertifiedForestClassifier,
    VoteCounts,
    Votes,
    certify,
)
from tandemvote.bounds import RequirementError
from tandemvote.ensembles import AuditError, voter_predictions
from tandemvote.hard_vote import weighted_vote


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
    certificate = certify(model.fit(X, y), X, y)
    columns = getattr(model, "estimators_features_", [slice(None)] * 25)
    pairs = zip(model.estimators_, columns, strict=True)
    predictions = np.array([tree.predict(X[:, chosen]) for tree, chosen in pairs]).astype(int)
    held_out = np.array([~np.isin(np.arange(len(y)), drawn) for drawn in model.estimators_samples_])
    votes = Votes.from_predictions(predictions, y, held_out)
    assert certificate.value == Certificate.from_counts(VoteCounts.from_votes(votes)).value
    assert "leaves of all 25 trees" in " ".join(certificate.notes)
    assert "none was set aside" in " ".join(certificate.notes)


def test_the_certificate_says_how_far_the_own_prediction_is_from_the_vote(forest, data):
    X, y = data
    certificate = certify(forest, X[:500], y[:500], X_test=X[500:], y_test=y[500:])
    trees = np.array([tree.predict(X[500:]) for tree in forest.estimators_])
    share = np.mean(forest.predict(X[500:]) != (trees.mean(axis=0) > 0.5))
    assert share > 0
    note = next(note for note in certificate.notes if "hard weighted vote" in note)
    assert f"another label on {100 * share:.2g} % of the 400 test points" in note
    seen = certify(forest, X[:500], y[:500])
    assert "expect more on new points" in " ".join(seen.notes)
    unlabelled = certify(forest, X[:500], y[:500], X_unlabelled=X[500:])
    assert "of the 400 unlabelled points" in " ".join(unlabelled.notes)


def test_a_test_set_adds_the_exact_bound_of_the_hard_vote_and_says_what_it_cost(forest, data):
    X, y = data
    test = {"X_test": X[500:], "y_test": y[500:]}
    certificate = certify(
        forest, X[:500], y[:500], **test, weights="tandem", bound="tandem", delta=0.1
    )
    codes = weighted_vote(voter_predictions(forest, X[500:]), certificate.weights, 2)
    errors = int((codes != y[500:]).sum())
    exact = beta.ppf(0.9, errors + 1, 400 - errors)
    assert certificate.bounds["test_set"].value == pytest.approx(exact)
    assert certificate.bound == "tandem"
    assert "Test-set labels: 400 used for nothing else" in " ".join(certificate.notes)
    assert certify(forest, X[:500], y[:500], **test, bound="test_set").bound == "test_set"
    assert certify(forest, X[:500], y[:500], **test).bound == "test_set"


@pytest.mark.parametrize("weights", ["first_order", "tandem", "disagreement"])
def test_chosen_weights_lower_the_bound_they_minimise(weights, forest, data):
    X, y = data
    uniform = certify(forest, X[:500], y[:500], bound=weights)
    chosen = certify(forest, X[:500], y[:500], bound=weights, weights=weights)
    assert chosen.value <= uniform.value
    assert chosen.delta == uniform.delta == chosen.bounds[weights].delta


def test_unlabelled_points_sharpen_the_disagreement_bound(forest, data):
    X, y = data
    without = certify(forest, X[:500], y[:500])
    with_them = certify(forest, X[:500], y[:500], X_unlabelled=X[500:])
    assert with_them.counts.n_min_disagreement == without.counts.n_min_disagreement + 400
    assert with_them.bounds["tandem"].value == without.bounds["tandem"].value


def test_fitted_classifiers_are_certified_on_a_hold_out(data):
    X, y = data
    labels = np.array(["no", "yes"])[y]
    models = [m.fit(X[:300], labels[:300]) for m in (GaussianNB(), SVC(), KNeighborsClassifier())]
    test = {"X_test": X[700:], "y_test": labels[700:]}
    certificate = certify(models, X[300:700], labels[300:700], **test, bound="tandem")
    votes = Votes.from_predictions([m.predict(X[300:700]) for m in models], labels[300:700])
    counts = VoteCounts.from_votes(votes)
    assert certificate.value == Certificate.from_counts(counts, bound="tandem").value
    majority = np.sum([m.predict(X[700:]) == "yes" for m in models], axis=0) >= 2
    errors = (majority != y[700:]).sum()
    assert certificate.bounds["test_set"].terms["n_errors"] == errors
    assert "a hold-out of 400" in " ".join(certificate.notes)
    frame = pd.DataFrame(X, columns=[f"column {i}" for i in range(8)])
    named = [m.fit(frame[:300], labels[:300]) for m in models]
    again = certify(named, frame[300:700], labels[300:700], bound="tandem")
    assert again.value == certificate.value
    # Equal weights and a common hold-out: by default the vote is tested on it.
    tested = certify(named, frame[300:700], labels[300:700])
    assert tested.bound == "test_set" and tested.value < again.value


def test_votes_from_anywhere_are_certified():
    rng = np.random.default_rng(0)
    labels = rng.integers(2, size=3000)
    votes = Votes.from_predictions(labels ^ (rng.random((9, 3000)) < 0.1), labels)
    certificate = certify(votes, weights="tandem", bound="best", delta=0.01)
    assert 0 < certificate.value < 0.2
    with pytest.raises(ValueError, match="Pass no X and y with them"):
        certify(votes, labels[:, None], labels)
    with pytest.raises(ValueError, match="cannot predict X_test"):
        certify(votes, X_test=labels[:, None], y_test=labels)


def test_other_data_than_the_model_was_trained_on_is_refused(forest, data):
    X, y = data
    with pytest.raises(AuditError, match="30 of 30 trees hold other training points"):
        certify(forest, X[400:900], y[400:900])
    with pytest.raises(AuditError, match="in the same order"):
        certify(forest, X[499::-1], y[499::-1])
    with pytest.raises(ValueError, match="fitted on 500 points and X, y have 900"):
        certify(forest, X, y)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (SVC(), r"pass points it never saw: certify\(\[model\]"),
        (VotingClassifier([("bayes", GaussianNB())]), "CertifiedClassifier"),
        (RandomForestRegressor(5), "is not a classifier"),
        (RandomForestClassifier(5, bootstrap=False), "hold_out_votes"),
        (CertifiedForestClassifier(5, bound="first_order"), "see its certificate_"),
    ],
)
def test_models_without_a_way_to_a_certificate_are_refused_with_the_way_out(model, message, data):
    X, y = data
    with pytest.raises(ValueError, match=message):
        certify(model.fit(X, y), X, y)


def test_several_outputs_and_unfitted_models_are_refused(data):
    X, y = data
    both = RandomForestClassifier(5).fit(X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match="2 outputs"):
        certify(both, X, y)
    with pytest.raises(NotFittedError):
        certify(RandomForestClassifier(), X, y)


@pytest.mark.parametrize(
    ("terms", "message"),
    [
        ({"delta": 0.0}, "delta"),
        ({"delta": 1.5}, "delta"),
        ({"prior": np.full(30, 0.1)}, "prior sums to 3"),
        ({"weights": np.full(29, 1 / 29)}, "weights has shape"),
        ({"bound": "test_set"}, "Pass a test set"),
        ({"X_test": np.zeros((5, 8))}, "belong together"),
    ],
)
def test_impossible_terms_are_refused(terms, message, forest, data):
    X, y = data
    with pytest.raises(ValueError, match=message):
        certify(forest, X[:500], y[:500], **terms)


def test_missing_data_and_a_hold_out_of_one_are_refused(forest, data):
    X, y = data
    with pytest.raises(ValueError, match="X or y is missing"):
        certify(forest)
    with pytest.raises(ValueError, match="at least 2 are needed"):
        certify([forest], X[500:501], y[500:501])


@pytest.mark.parametrize("name", ["disagreement", "c1", "c2"])
def test_two_class_bounds_are_refused_for_three_classes(name):
    X, y = make_classification(200, 6, n_informative=4, n_classes=3, random_state=0)
    model = RandomForestClassifier(10, random_state=0).fit(X, y)
    with pytest.raises(RequirementError, match="two classes only and the votes have 3"):
        certify(model, X, y, bound=name)


def test_networks_are_classifiers_of_one_label(data):
    X, _ = data
    network = MLPClassifier((4,), max_iter=5, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        network.fit(X[:300], np.arange(300) % 3)
    assert network.n_outputs_ == 3
    assert certify([network], X[300:], np.arange(len(X) - 300) % 3, bound="first_order").value <= 1


class IgnoresWeights(ClassifierMixin, BaseEstimator):
    """A wrapper with a common mistake: it takes sample weights and does nothing with them."""

    def fit(self, X, y, sample_weight=None):
        self.tree_ = DecisionTreeClassifier(random_state=0).fit(X, y)
        self.classes_ = self.tree_.classes_
        return self

    def predict(self, X):
        return self.tree_.predict(X)


def test_that_bagged_voters_heed_weights_is_an_assumption(data):
    X, y = data
    bagging = BaggingClassifier(IgnoresWeights(), 5, random_state=0).fit(X, y)
    certificate = certify(bagging, X, y, bound="first_order")
    assert any("ignore samples of sample weight 0" in text for text in certificate.assumptions)
    trees = BaggingClassifier(n_estimators=5, random_state=0).fit(X, y)
    assert not any("sample weight" in text for text in certify(trees, X, y).assumptions)


def test_a_frozen_part_is_refused_with_the_way_out(data):
    X, y = data
    frozen = make_pipeline(StandardScaler(), FrozenEstimator(DecisionTreeClassifier().fit(X, y)))
    for estimator in (frozen, FrozenEstimator(frozen), BaggingClassifier(frozen)):
        with pytest.raises(ValueError, match=r"keeps what it learnt.*Pass the estimator unfitted"):
            CertifiedClassifier(estimator).fit(X, y)
    with pytest.raises(ValueError, match="keeps what it learnt"):
        certify(BaggingClassifier(frozen).fit(X, y), X, y)


def test_a_certificate_of_models_predicts_by_the_certified_vote(data):
    X, y = data
    forest = RandomForestClassifier(15, random_state=0).fit(X[:500], y[:500])
    certificate = certify(forest, X[:500], y[:500], weights="tandem")
    expected = weighted_vote(voter_predictions(forest, X), certificate.weights, 2)
    assert np.array_equal(certificate.predict(X), forest.classes_[expected])
    with pytest.raises(ValueError, match="certify the models themselves"):
        certify(Votes.from_predictions([y], y)).predict(X)


def test_test_points_are_among_the_assumptions(data):
    X, y = data
    forest = RandomForestClassifier(15, random_state=0).fit(X[:500], y[:500])
    plain = certify(forest, X[:500], y[:500])
    tested = certify(forest, X[:500], y[:500], X_test=X[500:], y_test=y[500:])
    (about_test,) = set(tested.assumptions) - set(plain.assumptions)
    assert "test points" in about_test
