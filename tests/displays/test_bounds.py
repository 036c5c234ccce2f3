from tandemvote import certify
from tandemvote.displays import BoundsDisplay


def test_the_observed_error_is_marked(certificate):
    display = BoundsDisplay(certificate).plot()
    marked = [line for line in display.ax_.lines if line.get_label() == "observed"]
    assert list(marked[0].get_xdata()) == [certificate.observed] * 2
    assert "Observed error" in display.description


def test_a_bound_of_one_is_drawn_as_no_guarantee(votes):
    hopeless = certify(votes, bound="c_tandem", confidence=1 - 1e-16)
    assert hopeless.value == 1.0
    ax = BoundsDisplay(hopeless).plot().ax_
    assert "no guarantee" in [text.get_text() for text in ax.texts]


def test_numbers_in_the_picture_are_never_below_the_bounds(certificate):
    display = BoundsDisplay(certificate).plot()
    shown = [text.get_text() for text in display.ax_.texts]
    for text, value in zip(shown, certificate.bounds.values(), strict=True):
        percents = float(text.removesuffix("%")) if text != "no guarantee" else 100
        assert 100 * value <= percents <= 100 * value + 0.1
