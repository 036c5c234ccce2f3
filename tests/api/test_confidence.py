"""A confidence passed as failure probability is refused by every way in."""

import numpy as np
import pytest

from tandemvote import (
    CertifiedForestClassifier,
    Votes,
    certify,
    certify_by_group,
    certify_selective,
)

VOTES = Votes.from_predictions([[0, 1] * 50] * 3, [0, 1] * 50)
X, Y = np.random.default_rng(0).normal(size=(100, 3)), np.arange(100) % 2


@pytest.mark.parametrize(
    "way",
    [
        lambda **delta: certify(VOTES, **delta),
        lambda **delta: certify_by_group(VOTES, groups="class", **delta),
        lambda **delta: certify_selective(VOTES, margin=0.1, **delta),
        lambda **delta: CertifiedForestClassifier(10, **delta).fit(X, Y),
    ],
)
def test_a_confidence_in_place_of_a_failure_probability_is_refused(way):
    way(delta=0.5)
    with pytest.raises(ValueError, match=r"delta is 0\.95, .* probability 0\.95, delta=0\.05"):
        way(delta=0.95)
