"""Fitted models and rows of X among the parameters of an estimator are errors with an override."""

from functools import partial

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.ensemble import BaggingClassifier, StackingClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer, recall_score
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from tandemvote import CertifiedClassifier, Votes, certify_oob
from tandemvote.auditing import FindingsError

RNG = np.random.default_rng(0)
X, NEW = RNG.normal(size=(2, 300, 4))
Y = RNG.integers(2, size=300)
TREE = DecisionTreeClassifier().fit(X, Y)

ENCODER = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), [0]), remainder=PCA())


class Booster:
    def predict(self, X):
        return TREE.predict(X)


class Holder:
    def __init__(self, part):
        self.parts = {"one": [part]}

    def __call__(self, X):
        return X


class Continued(ClassifierMixin, BaseEstimator):
    """Takes anything as a parameter, and a model or further samples as fit parameters."""

    def __init__(self, held=None):
        self.held = held

    def fit(self, X, y, *, init_model=None, eval_set=None, sample_weight=None, extra=None):
        assert extra is None or len(extra) == len(X)
        self.model_ = GaussianNB().fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X):
        return self.model_.predict(X)


def proba(X, model):
    return model.predict_proba(X)


FITTED = {
    "method": FunctionTransformer(TREE.predict_proba),
    "partial": FunctionTransformer(partial(proba, model=TREE)),
    "object": FunctionTransformer(Holder(TREE)),
    "booster in an object": FunctionTransformer(Holder(Booster())),
    "transformer": FunctionTransformer(StandardScaler().fit(X).transform),
}


@pytest.mark.parametrize("name", FITTED)
def test_fitted_models_in_parameters_are_errors(name):
    model = CertifiedClassifier(make_pipeline(FITTED[name], GaussianNB()), random_state=0)
    with pytest.raises(FindingsError, match=r"'functiontransformer__.*holds a fitted .*\[fitted_p"):
        model.fit(X, Y)
    model.set_params(allow=["fitted_parameter"]).fit(X, Y)
    assert [each.overridden for each in model.certificate_.findings] == [True]


@pytest.mark.parametrize("name", FITTED)
def test_fitted_models_in_parameters_of_splits_and_bags_are_errors(name):
    model = make_pipeline(FITTED[name], GaussianNB())
    bag = BaggingClassifier(model, 5, random_state=0).fit(X, Y)
    for door in (
        partial(Votes.from_splits, model, X, Y, splits=KFold(3, shuffle=True, random_state=0)),
        partial(certify_oob, bag, X, Y),
    ):
        with pytest.raises(FindingsError, match=r"functiontransformer__.*holds a fitted .*\[fitt"):
            door()
    allowed = certify_oob(bag, X, Y, allow=["fitted_parameter"])
    assert [each.overridden for each in allowed.findings] == [True]


@pytest.mark.parametrize("value", [TREE, Booster(), [TREE.predict]])
def test_fitted_models_in_fit_parameters_are_errors(value):
    with pytest.raises(FindingsError, match="'init_model' holds a fitted"):
        CertifiedClassifier(Continued()).fit(X, Y, init_model=value)


@pytest.mark.parametrize("part", [X, X[:40], X[::-1].tolist(), csr_matrix(X), {"a": [(X, Y)]}])
def test_rows_of_the_samples_in_parameters_are_errors(part):
    part = np.array(part) if isinstance(part, list) else part
    for model, params in ((Continued(part), {}), (Continued(), {"eval_set": [(part, Y)]})):
        with pytest.raises(FindingsError, match=r"holds \d+ distinct rows of X.*rows_in_parameter"):
            CertifiedClassifier(model).fit(X, Y, **params)


@pytest.mark.parametrize(
    ("model", "params"),
    [
        (Continued(NEW), {"eval_set": [(NEW, Y)], "sample_weight": np.ones(300), "extra": X}),
        (TREE, {}),  # which is cloned
        (make_pipeline(StandardScaler().fit(X), PCA(2).fit(X), TREE), {}),
        (StackingClassifier([("a", TREE)]), {}),
        (
            GridSearchCV(
                make_pipeline(FunctionTransformer(np.tanh), TREE),
                {"decisiontreeclassifier__max_depth": [1, 2]},
                scoring=make_scorer(recall_score),
                cv=KFold(3),
            ),
            {},
        ),
        (GaussianProcessClassifier(RBF()), {}),
        (
            make_pipeline(
                make_column_transformer(
                    (OneHotEncoder(handle_unknown="ignore"), [0]), remainder=PCA()
                ),
                TREE,
            ),
            {},
        ),
    ],
    ids=range(7),
)
def test_honest_parameters_are_no_errors(model, params):
    classifier = CertifiedClassifier(model, n_tested=2).fit(np.round(X, 1), Y, **params)
    assert not classifier.certificate_.findings


def test_texts_are_searched_too():
    texts = np.array([" ".join(map(str, row)) for row in RNG.integers(50, size=(200, 6))])
    model = make_pipeline(CountVectorizer(vocabulary=[str(i) for i in range(50)]), TREE)
    assert CertifiedClassifier(model, n_tested=2).fit(texts, Y[:200]).certificate_
    held = make_pipeline(CountVectorizer(), FITTED["partial"], TREE)
    with pytest.raises(FindingsError, match="fitted_parameter"):
        CertifiedClassifier(held).fit(texts, Y[:200])


@pytest.mark.parametrize("fitted", [True, False])
def test_models_of_other_libraries_are_recognized(fitted):
    class Foreign:
        def fit(self, X, y):
            return self

        def is_fitted(self):
            return fitted

    model = CertifiedClassifier(Continued(Foreign()), n_tested=2)
    if fitted:
        with pytest.raises(FindingsError, match="holds a fitted Foreign"):
            model.fit(X, Y)
    else:
        model.fit(X, Y)


def test_linear_models_are_not_taken_for_parameters():
    assert CertifiedClassifier(LogisticRegression(), n_tested=2).fit(X, Y).certificate_
