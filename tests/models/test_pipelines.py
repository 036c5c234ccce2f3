"""Fitted pipelines and other compositions are certified on held-out samples alone."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier, StackingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from tandemvote import (
    CertifiedClassifier,
    certify,
    certify_oob,
)

RECIPES = r"CertifiedClassifier\(.*certify\(model"


X_ALL, Y_ALL = make_classification(1200, 6, class_sep=2.0, random_state=0)


@pytest.fixture
def data():
    return X_ALL[:500], Y_ALL[:500]


def forest():
    return RandomForestClassifier(20, random_state=0)


COMPOSED = [
    VotingClassifier([("a", LogisticRegression()), ("b", DecisionTreeClassifier())]),
    StackingClassifier([("a", LogisticRegression()), ("b", DecisionTreeClassifier())]),
    make_pipeline(StandardScaler(), LogisticRegression()),
    make_pipeline(StandardScaler(), RandomForestClassifier(10, random_state=0)),
]


@pytest.mark.parametrize("model", COMPOSED)
def test_other_compositions_are_rejected_with_recipes_that_work(data, model):
    X, y = data
    with pytest.raises(ValueError, match=f"{type(model).__name__}.*{RECIPES}"):
        certify_oob(model.fit(X, y), X, y)
    assert CertifiedClassifier(model, random_state=0).fit(X, y).certificate_.value < 0.5
    assert certify(model.fit(X[:250], y[:250]), X[250:], y[250:]).bound == "test_set"


def test_subclasses_that_may_draw_samples_in_another_way_are_rejected(data):
    X, y = data
    kind = type("BalancedRandomForestClassifier", (RandomForestClassifier,), {})
    with pytest.raises(ValueError, match=r"BalancedRandomForestClassifier.*CertifiedClassifier"):
        certify_oob(kind(10).fit(X, y), X, y)


@pytest.mark.parametrize("method", ["predict", "predict_proba"])
def test_columns_in_another_order_are_rejected_whatever_the_estimator_checks(method):
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(300, 3)), columns=["a", "b", "c"])
    blind = make_pipeline(FunctionTransformer(np.asarray), LogisticRegression())
    model = CertifiedClassifier(blind, random_state=0).fit(X, X["a"].to_numpy() > 0)
    with pytest.raises(ValueError, match="feature names should match"):
        getattr(model, method)(X[["c", "b", "a"]])
