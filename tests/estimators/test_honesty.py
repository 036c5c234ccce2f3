"""No certificate may promise less error than the labels themselves contain."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from tandemvote import (
    CertifiedBaggingClassifier,
    CertifiedClassifierCV,
    CertifiedForestClassifier,
    CertifiedVotingClassifier,
    certify,
)

NOISE = 0.2
PAIR = [("tree", DecisionTreeClassifier()), ("nearest", KNeighborsClassifier(1))]


@pytest.fixture(scope="module")
def noisy():
    """A simple rule, and one label in five flipped: no vote errs less often than that."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((3000, 3))
    return X, (X[:, 0] > 0) ^ (rng.random(3000) < NOISE)


@pytest.mark.parametrize(
    "estimator",
    [
        CertifiedForestClassifier(20, weights="tandem", bound="best", random_state=0),
        CertifiedForestClassifier(20, bound="c1", max_depth=2, max_samples=0.3, random_state=0),
        CertifiedBaggingClassifier(KNeighborsClassifier(1), 10, bound="c1", random_state=0),
        CertifiedVotingClassifier(PAIR, splits=3, bound="first_order", random_state=0),
        CertifiedVotingClassifier(
            PAIR, splits=KFold(3, shuffle=True), bound="first_order", random_state=0
        ),
    ],
)
def test_voters_that_know_their_points_by_heart_are_not_judged_on_them(estimator, noisy):
    X, y = noisy
    fitted = estimator.fit(X, y)
    assert fitted.certificate_.value >= NOISE
    assert all(value.value >= NOISE for value in fitted.bounds_.values())
    assert (fitted.counts_.gibbs_losses > NOISE / 2).all()
    assert 1 - fitted.oob_score_ > 0.75 * NOISE


def test_a_forest_without_a_mistake_in_training_gets_no_small_number(noisy):
    X, y = noisy
    forest = RandomForestClassifier(50, random_state=0).fit(X, y)
    assert forest.score(X, y) > 0.99
    assert all(value.value >= NOISE for value in certify(forest, X, y).bounds.values())


@pytest.mark.parametrize(
    "model",
    [
        CertifiedForestClassifier(5),
        CertifiedClassifierCV(),
        CertifiedBaggingClassifier(n_estimators=5),
        CertifiedVotingClassifier([("tree", DecisionTreeClassifier())]),
    ],
)
def test_weights_of_points_are_refused(binary, model):
    X, y = binary
    with pytest.raises(TypeError, match=r"no sample_weight.*class_weight"):
        model.fit(X, y, sample_weight=np.ones(len(y)))
    with pytest.raises(TypeError, match="'groups' is unknown"):
        model.fit(X, y, groups=y)
