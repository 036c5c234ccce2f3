import numpy as np
import pytest

from tandemvote.displays import WeightsDisplay


def test_the_picture_holds_the_weights_of_every_bound():
    weights = {"FO": [0.9, 0.1, 0.0], "TND": [0.5, 0.25, 0.25]}
    display = WeightsDisplay(weights).plot()
    drawn = [patch.get_data().values for patch in display.ax_.patches]
    np.testing.assert_array_equal(drawn, list(weights.values()))
    names = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert names == ["FO (1.22 effective)", "TND (2.67 effective)"]


def test_the_effective_number_of_voters_lies_between_1_and_all_of_them():
    display = WeightsDisplay({"one": [0.0, 1.0, 0.0, 0.0], "all": [0.25] * 4})
    assert display.n_effective == {"one": 1.0, "all": 4.0}
    assert "Weights of 4 voters. one: largest weight 1, 1 effective" in display.description


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ({}, "has 0 weightings; expected 1 to 3"),
        ({name: [1.0] for name in "abcd"}, "has 4 weightings"),
        ({"FO": [0.5, 0.6]}, "sums to 1.1"),
        ({"FO": [0.5, 0.5], "TND": [1.0]}, r"weights\['TND'\] has shape \(1,\)"),
    ],
)
def test_weights_that_are_no_distribution_are_rejected(weights, words):
    with pytest.raises(ValueError, match=words):
        WeightsDisplay(weights)
