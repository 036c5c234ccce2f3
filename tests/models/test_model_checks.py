"""Estimators that stay fitted when they are cloned are rejected."""

import numpy as np
import pytest
from sklearn.feature_selection import SelectKBest, mutual_info_classif
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from tandemvote.models.model_checks import check_not_frozen

FROZEN = FrozenEstimator(StandardScaler().fit(np.eye(3)))


@pytest.mark.parametrize(
    "estimator",
    [FROZEN, make_pipeline(FROZEN, LogisticRegression()), make_pipeline(make_union(FROZEN))],
)
def test_frozen_estimators_are_rejected_at_any_depth(estimator):
    with pytest.raises(ValueError, match="keeps what it learned before"):
        check_not_frozen(estimator)


@pytest.mark.parametrize(
    "estimator",
    [
        make_pipeline(SelectKBest(mutual_info_classif), LogisticRegression()),
        make_pipeline(StandardScaler().fit(np.eye(3)), LogisticRegression()),  # cloned: unfitted
        FunctionTransformer(StandardScaler().fit(np.eye(3)).transform),  # functions: not examined
    ],
)
def test_other_estimators_are_accepted(estimator):
    check_not_frozen(estimator)
