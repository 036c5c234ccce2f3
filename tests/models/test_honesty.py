"""No certificate may promise less error than the labels themselves contain."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

from tandemvote import CertifiedForestClassifier, certify_oob

NOISE = 0.2


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
    ],
)
def test_voters_that_know_their_samples_by_heart_are_not_tested_on_them(estimator, noisy):
    X, y = noisy
    fitted = estimator.fit(X, y)
    assert fitted.certificate_.value >= NOISE
    assert all(value >= NOISE for value in fitted.certificate_.bounds.values())
    assert (fitted.certificate_.counts.gibbs_losses > NOISE / 2).all()
    assert fitted.certificate_.observed > 0.75 * NOISE


def test_a_forest_without_a_mistake_in_training_gets_no_small_number(noisy):
    X, y = noisy
    forest = RandomForestClassifier(50, random_state=0).fit(X, y)
    assert forest.score(X, y) > 0.99
    assert all(value >= NOISE for value in certify_oob(forest, X, y).bounds.values())


@pytest.mark.parametrize("y", [["a"], ["a"] * 20])
def test_one_sample_or_one_class_is_rejected_before_training(y):
    with pytest.raises(ValueError, match=r"y has 1 class, 'a'; at least 2 are required"):
        CertifiedForestClassifier(5).fit(np.arange(len(y))[:, None], y)
