import numpy as np
import pytest

from tandemvote import VoteCounts
from tandemvote.displays import BoundsDisplay, WeightsDisplay


def test_bounds_frame_is_the_certificates_own(certificate):
    frame = BoundsDisplay.from_certificate(certificate).frame()
    expected = certificate.to_frame()
    for column in ("label", "value", "delta", "labels_used"):
        assert frame[column].tolist() == expected[column].tolist()
    assert frame.index[frame["chosen"]].tolist() == [certificate.bound]


def test_test_risk_is_the_error_rate_behind_the_test_set_bound(certificate):
    assert BoundsDisplay.from_certificate(certificate).test_risk == 6 / 50
    assert BoundsDisplay.from_certificate(certificate, test_risk=0.5).test_risk == 0.5


def test_an_estimators_test_risk_is_its_error_on_the_points_given(certificate):
    class Vote:
        certificate_ = certificate

        def score(self, X, y):
            return 0.75

    assert BoundsDisplay.from_estimator(Vote(), [[0]], [0]).test_risk == 0.25


def test_a_bound_of_one_is_drawn_as_no_guarantee(votes):
    from tandemvote import Certificate

    hopeless = Certificate.from_counts(VoteCounts.from_votes(votes), delta=1e-300)
    assert hopeless.value == 1.0
    ax = BoundsDisplay.from_certificate(hopeless).plot().ax_
    assert "no guarantee" in [text.get_text() for text in ax.texts]


def test_numbers_in_the_picture_are_never_below_the_bounds(certificate):
    display = BoundsDisplay.from_certificate(certificate).plot()
    shown = [text.get_text() for text in display.ax_.texts]
    for text, value in zip(shown, certificate.bounds.values(), strict=True):
        assert text == "no guarantee" or value.value <= float(text) <= value.value + 0.001


def test_weights_frame_is_sorted_and_keeps_every_voter(certificate):
    frame = WeightsDisplay.from_certificate(certificate).frame()
    assert frame["weight"].is_monotonic_decreasing
    np.testing.assert_array_equal(frame["weight"], certificate.weights[frame.index])
    np.testing.assert_array_equal(frame["gibbs_loss"], certificate.counts.gibbs_losses[frame.index])
    assert sorted(frame.index) == list(range(certificate.counts.n_voters))


@pytest.mark.parametrize(
    ("weights", "n_for_half"),
    [([1.0], 1), ([0.1] * 10, 5), ([0.2, 0.5, 0.3], 1), ([0.3, 0.2, 0.3, 0.2], 2)],
)
def test_fewest_voters_with_half_of_the_weight(weights, n_for_half):
    assert WeightsDisplay(weights=np.array(weights)).n_for_half == n_for_half
