"""Estimators that stay fitted when they are cloned are rejected."""

import numpy as np
import pytest
from sklearn.feature_selection import SelectKBest, mutual_info_classif
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from tandemvote.models.model_checks import check_not_frozen


def scaler():
    return StandardScaler().fit(np.eye(3))


def frozen():
    return FrozenEstimator(scaler())


@pytest.mark.parametrize(
    "make",
    [
        frozen,
        lambda: make_pipeline(frozen(), LogisticRegression()),
        lambda: make_pipeline(make_union(frozen())),
    ],
)
def test_frozen_estimators_are_rejected_at_any_depth(make):
    with pytest.raises(ValueError, match="stays fitted when it is cloned"):
        check_not_frozen(make())


@pytest.mark.parametrize(
    "make",
    [
        lambda: make_pipeline(SelectKBest(mutual_info_classif), LogisticRegression()),
        lambda: make_pipeline(scaler(), LogisticRegression()),  # cloned: unfitted
        lambda: FunctionTransformer(scaler().transform),  # functions: not examined
    ],
)
def test_other_estimators_are_accepted(make):
    check_not_frozen(make())
