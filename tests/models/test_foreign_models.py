"""Models that are not scikit-learn estimators, and predictions that are not labels."""

from threading import Lock

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from tandemvote import certify

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(200, 1)), RNG.integers(3, size=200)


class Foreign:
    """An object whose predict returns what it is given."""

    def __init__(self, predict):
        self.table = {"predict": predict}

    def predict(self, X):
        return self.table["predict"](X)


def test_a_change_of_the_object_does_not_change_the_certified_classifier():
    model = Foreign(lambda X: np.zeros(len(X), int))
    certificate = certify(model, X, Y)
    model.table["predict"] = lambda X: np.ones(len(X), int)
    assert (certificate.predict(X) == 0).all()


def test_an_object_that_cannot_be_copied_is_rejected():
    model = Foreign(lambda X: np.zeros(len(X), int))
    model.lock = Lock()
    with pytest.raises(ValueError, match=r"Foreign cannot be copied .*Votes.from_predictions"):
        certify(model, X, Y)


def test_a_column_of_labels_is_one_label_per_sample():
    column = certify(Foreign(lambda X: np.zeros((len(X), 1), int)), X, Y)
    assert column.value == certify(Foreign(lambda X: np.zeros(len(X), int)), X, Y).value


def test_probabilities_of_all_classes_are_rejected():
    with pytest.raises(ValueError, match=r"shape \(200, 3\).*argmax"):
        certify(Foreign(lambda X: np.full((len(X), 3), 1 / 3)), X, Y)


def test_probabilities_of_one_class_are_rejected():
    with pytest.raises(ValueError, match=r"contain 0.8, .* probabilities"):
        certify(Foreign(lambda X: np.full(len(X), 0.8)), X, Y % 2)


def test_a_deployed_classifier_may_predict_a_column():
    voter = Foreign(lambda X: np.zeros(len(X), int))
    column = NearestMean().fit(X, Y)
    found = certify([voter], X[:100], Y[:100], X_unlabeled=X[100:], deployed=column)
    assert found.predict(X).shape == (200,)


class NearestMean(ClassifierMixin, BaseEstimator):
    """Accepts the labels 0, 1, ... only, as XGBoost does; predicts a column, as CatBoost does."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        if not np.array_equal(self.classes_, np.arange(self.classes_.size)):
            raise ValueError(f"Invalid classes inferred from unique values of `y`: {self.classes_}")
        self.means_ = np.array([X[y == label].mean(axis=0) for label in self.classes_])
        return self

    def predict(self, X):
        return np.abs(X[:, None, 0] - self.means_[None, :, 0]).argmin(axis=1)[:, None]
