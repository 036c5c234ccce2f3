import numpy as np
import pytest

from tandemvote import certify
from tandemvote.displays import BoundsDisplay, WeightsDisplay


def test_bounds_frame_is_the_certificates_own(certificate):
    frame = BoundsDisplay.from_certificate(certificate).frame()
    expected = certificate.to_frame()
    for column in ("label", "value"):
        assert frame[column].to_dict() == expected[column].to_dict()
    assert frame.index[frame["chosen"]].tolist() == [certificate.bound]


def test_the_observed_error_is_marked(certificate):
    display = BoundsDisplay.from_certificate(certificate).plot()
    marked = [line for line in display.ax_.lines if line.get_label() == "observed"]
    assert list(marked[0].get_xdata()) == [certificate.observed] * 2
    assert "Observed error" in display.description
    alone = BoundsDisplay(bounds=certificate.bounds, chosen=certificate.bound).plot()
    assert not any(line.get_label() == "observed" for line in alone.ax_.lines)


def test_a_bound_of_one_is_drawn_as_no_guarantee(votes):
    hopeless = certify(votes, bound="c_tandem", confidence=1 - 1e-16)
    assert hopeless.value == 1.0
    ax = BoundsDisplay.from_certificate(hopeless).plot().ax_
    assert "no guarantee" in [text.get_text() for text in ax.texts]


def test_numbers_in_the_picture_are_never_below_the_bounds(certificate):
    display = BoundsDisplay.from_certificate(certificate).plot()
    shown = [text.get_text() for text in display.ax_.texts]
    for text, value in zip(shown, certificate.bounds.values(), strict=True):
        percents = float(text.removesuffix("%")) if text != "no guarantee" else 100
        assert 100 * value <= percents <= 100 * value + 0.1


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
