"""Bagging of any classifier, each voter trained on drawn rows alone."""

import pickle

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from tandemvote import Certificate, CertifiedBaggingClassifier, VoteCounts, Votes


class Memory(ClassifierMixin, BaseEstimator):
    """Right on every point it was shown, wrong on every other; two classes."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.shown_ = {int(row): label for row, label in zip(X[:, 0], y, strict=True)}
        return self

    def predict(self, X):
        return np.array([self.shown_.get(int(row), -1) for row in X[:, 0]])


def test_held_out_points_are_exactly_those_a_voter_was_not_shown():
    X = np.arange(60.0)[:, None]
    y = np.where(np.arange(60) % 2, 0, -1)
    # Labels are -1 and 0: a voter that does not know a point says -1 and errs where it is 0.
    bagging = CertifiedBaggingClassifier(Memory(), 12, random_state=0, bound="first_order")
    bagging.fit(X, y)
    for voter, errors, size in zip(
        bagging.estimators_, bagging.counts_.errors, bagging.counts_.sizes, strict=True
    ):
        unseen = sorted(set(range(60)) - set(voter.shown_))
        assert size == len(unseen)
        assert errors == (y[unseen] == 0).sum()


def test_the_certificate_is_the_one_of_its_votes(three_classes):
    X, y = three_classes
    labels = np.array(["a", "b", "c"])[y]
    base = make_pipeline(StandardScaler(), SVC())
    bagging = CertifiedBaggingClassifier(base, 9, max_samples=0.5, random_state=0).fit(X, labels)
    random_state = np.random.RandomState(0)
    held_out = np.ones((9, len(y)), bool)
    for mask in held_out:
        mask[random_state.randint(len(y), size=len(y) // 2)] = False
    predictions = [voter.predict(X) for voter in bagging.estimators_]
    votes = Votes.from_predictions(predictions, labels, held_out)
    expected = Certificate.from_counts(VoteCounts.from_votes(votes))
    assert bagging.certificate_.value == expected.value
    assert np.array_equal(bagging.counts_.disagreements, expected.counts.disagreements)


@pytest.mark.parametrize("library", [pd, pl])
def test_pipelines_may_read_columns_of_a_frame_by_name(library, binary):
    X, y = binary
    sizes = np.where(X[:, 1] > 0, "large", "small")
    frame = library.DataFrame({"width": X[:, 0], "size": sizes, "height": X[:, 2]})
    columns = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), ["size"]), (StandardScaler(), ["width", "height"])
    )
    base = make_pipeline(columns, DecisionTreeClassifier(max_depth=3))
    if library is pl and not _reads_polars(base, frame, y):
        pytest.skip("this scikit-learn does not read columns of this polars by name")
    bagging = CertifiedBaggingClassifier(base, 10, random_state=0).fit(frame, y)
    assert bagging.score(frame, y) > 0.6
    assert bagging.n_features_in_ == 3


def _reads_polars(base, frame, y):
    try:
        base.fit(frame, y)
    except (TypeError, ValueError, AttributeError):
        return False
    return True


def test_texts_can_be_voted_on():
    from sklearn.feature_extraction.text import CountVectorizer

    texts = ["good fine", "bad poor", "fine day", "poor day"] * 20
    labels = ["praise", "blame"] * 40
    base = make_pipeline(CountVectorizer(), SVC())
    bagging = CertifiedBaggingClassifier(base, 10, random_state=0).fit(texts, labels)
    assert bagging.predict(["good day", "bad day"]).tolist() == ["praise", "blame"]


def test_the_result_does_not_depend_on_the_number_of_jobs(binary):
    X, y = binary
    base = DecisionTreeClassifier(max_features=2)
    one = CertifiedBaggingClassifier(base, 8, weights="tandem", random_state=1).fit(X, y)
    two = CertifiedBaggingClassifier(base, 8, weights="tandem", random_state=1, n_jobs=2)
    with joblib.parallel_config("threading"):
        two.fit(X, y)
    assert np.array_equal(one.weights_, two.weights_)
    assert np.array_equal(one.predict_proba(X), two.predict_proba(X))
    again = pickle.loads(pickle.dumps(one))
    assert np.array_equal(again.predict(X), one.predict(X))


def test_a_class_that_a_bootstrap_missed_is_no_obstacle():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 2))
    y = np.array(["rare"] + ["common"] * 29)
    bagging = CertifiedBaggingClassifier(SVC(), 20, bound="first_order")
    bagging.set_params(random_state=0).fit(X, y)
    kinds = {type(voter) for voter in bagging.estimators_}
    assert kinds == {DummyClassifier, SVC}
    assert bagging.classes_.tolist() == ["common", "rare"]


def test_parameters_of_the_base_can_be_searched(binary):
    X, y = binary
    grid = {"estimator__max_depth": [1, 5]}
    base = DecisionTreeClassifier()
    search = GridSearchCV(CertifiedBaggingClassifier(base, 5, random_state=0), grid, cv=2)
    assert search.fit(X, y).best_params_ == {"estimator__max_depth": 5}


def test_points_of_weight_zero_are_no_hidden_teachers(binary):
    """SVC(gamma="scale") looks at the spread of all points it gets, whatever their weights."""
    X, y = binary
    bagging = CertifiedBaggingClassifier(SVC(), 3, random_state=0).fit(X, y)
    random_state = np.random.RandomState(0)
    for voter in bagging.estimators_:
        rows = random_state.randint(len(y), size=len(y))
        assert voter._gamma == pytest.approx(1 / (X.shape[1] * X[rows].var()))
