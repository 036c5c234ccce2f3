"""Fitted pipelines are certified where their steps learned nothing, else rejected with a recipe."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import make_column_transformer
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier, StackingClassifier, VotingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, Normalizer, StandardScaler, TargetEncoder
from sklearn.tree import DecisionTreeClassifier

from tandemvote import (
    CertifiedClassifier,
    CertifiedForestClassifier,
    certify,
    certify_oob,
)

RECIPES = r"CertifiedClassifier\(.*certify\(model"


X_ALL, Y_ALL = make_classification(1200, 6, class_sep=2.0, random_state=0)


@pytest.fixture
def points():
    return X_ALL[:500], Y_ALL[:500]


def forest():
    return RandomForestClassifier(20, random_state=0)


STATELESS = [
    Normalizer(),
    FunctionTransformer(np.abs),
    make_column_transformer((Normalizer(), [0, 1]), remainder="passthrough"),
    "passthrough",
]


@pytest.mark.parametrize("step", STATELESS)
def test_steps_that_learn_nothing_leave_the_certificate_of_the_forest(points, step):
    X, y = points
    new = X_ALL[500:]
    pipeline = make_pipeline(step, forest()).fit(X, y)
    certificate = certify_oob(pipeline, X, y, X_unlabeled=new)
    seen, seen_new = (pipeline[:-1].transform(Z) for Z in (X, new))
    expected = certify_oob(pipeline[-1], seen, y, X_unlabeled=seen_new)
    assert certificate.bounds == expected.bounds
    assert np.array_equal(certificate.predict(new), expected.predict(seen_new))
    assert len(certificate.assumptions) - len(expected.assumptions) == (step != "passthrough")


def test_a_frozen_step_is_attested(points):
    X, y = points
    scaler = FrozenEstimator(StandardScaler().fit(X_ALL[500:]))
    certificate = certify_oob(make_pipeline(scaler, forest()).fit(X, y), X, y)
    assert any("to other samples than X" in text for text in certificate.assumptions)


class Memorizer(TransformerMixin, BaseEstimator):
    """Never sees a label: leaves the samples of `fit` as they are, and empties all others."""

    def fit(self, X, y=None):
        self.rows_ = {row.tobytes() for row in X}
        return self

    def transform(self, X):
        return np.array([row if row.tobytes() in self.rows_ else 0 * row for row in X])


@pytest.mark.parametrize("step", [TargetEncoder(), StandardScaler(), Memorizer()])
def test_steps_that_were_fitted_to_samples_left_out_are_rejected_with_a_recipe(points, step):
    X, y = points
    pipeline = make_pipeline(FunctionTransformer(), step, forest()).fit(X, y)
    with pytest.raises(ValueError, match=f"{type(step).__name__} was fitted.*{RECIPES}"):
        certify_oob(pipeline, X, y)


def test_what_a_step_memorizes_without_labels_would_have_made_a_false_promise(points):
    X, y = points
    pipeline = make_pipeline(Memorizer(), forest()).fit(X, y)
    promised = certify_oob(pipeline[-1], X, y, bound="first_order").value
    assert (pipeline.predict(X_ALL[500:]) != Y_ALL[500:]).mean() > 0.45 > promised


def test_held_out_samples_certify_any_pipeline_and_samples_it_knows_are_rejected(points):
    X, y = points
    pipeline = make_pipeline(StandardScaler(), forest()).fit(X[:250], y[:250])
    certificate = certify(pipeline, X[250:], y[250:])
    assert np.array_equal(certificate.votes.predictions, [pipeline.predict(X[250:])])
    assert np.array_equal(certificate.predict(X), pipeline.predict(X))
    with pytest.raises(ValueError, match="trained on"):
        certify(pipeline, X[:250], y[:250])


COMPOSED = [
    VotingClassifier([("a", LogisticRegression()), ("b", DecisionTreeClassifier())]),
    StackingClassifier([("a", LogisticRegression()), ("b", DecisionTreeClassifier())]),
    make_pipeline(StandardScaler(), LogisticRegression()),
]


@pytest.mark.parametrize("model", COMPOSED)
def test_other_compositions_are_rejected_with_recipes_that_work(points, model):
    X, y = points
    with pytest.raises(ValueError, match=f"{type(model).__name__}.*{RECIPES}"):
        certify_oob(model.fit(X, y), X, y)
    assert CertifiedClassifier(model, random_state=0).fit(X, y).certificate_.value < 0.5
    assert certify(model.fit(X[:250], y[:250]), X[250:], y[250:]).bound == "test_set"


def test_forests_of_imbalanced_learn_are_rejected(points):
    X, y = points
    kind = type("BalancedRandomForestClassifier", (RandomForestClassifier,), {})
    kind.__module__ = "imblearn.ensemble._forest"
    with pytest.raises(ValueError, match=r"draws samples by label.*CertifiedClassifier"):
        certify_oob(kind(10).fit(X, y), X, y)


def test_a_pipeline_that_ends_in_a_certified_classifier_has_a_certificate(points):
    X, y = points
    model = make_pipeline(Normalizer(), CertifiedForestClassifier(10, random_state=0)).fit(X, y)
    with pytest.raises(ValueError, match=r"see model\[-1\]\.certificate_"):
        certify_oob(model, X, y)
    assert len(model[-1].certificate_.by_group("class")) == 2
