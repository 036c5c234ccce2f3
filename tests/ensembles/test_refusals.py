"""What an estimator learnt before is found behind the functions among its parameters."""

from functools import partial

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest, mutual_info_classif
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, Normalizer, StandardScaler, TargetEncoder
from sklearn.svm import SVC

from tandemvote import CertifiedClassifier, certify
from tandemvote.ensembles.refusals import refuse_frozen

RNG = np.random.default_rng(0)
X, Y = RNG.integers(300, size=(400, 3)), RNG.integers(2, size=400)  # coin flips
ENCODER = TargetEncoder().fit(X, Y)


def encoded(X, encoder=None):
    return encoder.transform(X)


def encoded_by_a_global(X):
    return np.vstack([ENCODER.transform(part) for part in [X]])


class Encode:
    def __init__(self, encoder):
        self.encoder = encoder

    def __call__(self, X):
        return self.encoder.transform(X)


def closing_over(encoder):
    return lambda X: encoder.transform(X) + 1


def closing_over_a_list(*encoders):
    return lambda X: np.hstack([encoder.transform(X) for encoder in encoders])


FUNCTIONS = {
    "method": ENCODER.transform,
    "partial": partial(encoded, encoder=ENCODER),
    "partial method": partial(ENCODER.transform),
    "closure": closing_over(ENCODER),
    "closure over a list": closing_over_a_list(ENCODER, ENCODER),
    "default": lambda X, encoder=ENCODER: encoder.transform(X),
    "global": encoded_by_a_global,
    "function that calls it": lambda X: encoded_by_a_global(X) + 1,
    "object": Encode(ENCODER),
    "pipeline": make_pipeline(Normalizer(), StandardScaler().fit(X)).transform,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_that_reach_a_fitted_estimator_are_refused(name):
    step = FunctionTransformer(FUNCTIONS[name])
    pipeline = make_pipeline(step, RandomForestClassifier(10, random_state=0))
    with pytest.raises(ValueError, match="keeps what it learnt before"):
        CertifiedClassifier(pipeline).fit(X, Y)
    with pytest.raises(ValueError, match="keeps what it learnt before"):
        certify(pipeline.fit(X, Y), X, Y)


@pytest.mark.parametrize(
    "estimator",
    [
        FunctionTransformer(np.log1p),
        FunctionTransformer(lambda X: X.ENCODER),  # an attribute, no global variable
        FunctionTransformer(Normalizer().fit(X).transform),
        FunctionTransformer(FunctionTransformer(np.abs).fit(X).transform),
        FunctionTransformer(partial(np.clip, a_min=0, a_max=1)),
        SVC(kernel=rbf_kernel),
        make_pipeline(SelectKBest(mutual_info_classif), LogisticRegression()),
        make_pipeline(StandardScaler().fit(X), LogisticRegression()),  # cloned, so unfitted
    ],
)
def test_functions_that_reach_none_are_not(estimator):
    refuse_frozen(estimator)
