"""A failure probability in place of the confidence is rejected by every way in."""

from functools import cache

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import GaussianNB

from tandemvote import (
    CertifiedClassifier,
    CertifiedForestClassifier,
    Votes,
    certify,
    certify_oob,
    certify_selective,
)

VOTES = Votes.from_predictions([[0, 1] * 50] * 3, [0, 1] * 50)
X, Y = np.random.default_rng(0).normal(size=(100, 3)), np.arange(100) % 2


@cache
def forest():
    return RandomForestClassifier(10, random_state=0).fit(X, Y)


@pytest.mark.parametrize(
    "way",
    [
        lambda **options: certify(VOTES, **options),
        lambda **options: certify_oob(forest(), X, Y, **options),
        lambda **options: certify_selective(VOTES, max_error=0.1, **options),
        lambda **options: CertifiedForestClassifier(10, **options).fit(X, Y),
        lambda **options: CertifiedClassifier(GaussianNB(), **options).fit(X, Y),
    ],
)
@pytest.mark.filterwarnings("ignore::tandemvote.bounds.VacuousBoundWarning")
def test_a_failure_probability_in_place_of_the_confidence_is_rejected(way):
    way(confidence=0.9)
    for confidence in (0.05, 1.0, 95):
        with pytest.raises(ValueError, match="confidence"):
            way(confidence=confidence)
    with pytest.raises(TypeError, match="delta"):
        way(delta=0.05)


def test_the_failure_probability_has_no_rounding_error():
    assert certify(VOTES, confidence=0.99).delta == 0.01
