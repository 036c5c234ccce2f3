"""What all pictures do alike: they draw where told, and need no more than the extra."""

import sys

import pytest
from matplotlib import pyplot

from tandemvote.displays import BoundsDisplay, ProfileDisplay, TandemDisplay


@pytest.fixture(params=["bounds", "tandem", "profile"])
def display(request, certificate, votes, weights):
    return {
        "bounds": lambda: BoundsDisplay(certificate),
        "tandem": lambda: TandemDisplay(certificate.counts),
        "profile": lambda: ProfileDisplay(votes, weights),
    }[request.param]()


def test_a_picture_is_drawn_into_the_axes_given(display):
    figure, ax = pyplot.subplots()
    assert display.plot(ax) is display
    assert display.ax_ is ax
    assert display.figure_ is figure
    assert ax.has_data()
    figure.canvas.draw()


def test_a_picture_makes_its_own_figure_otherwise(display):
    before = set(pyplot.get_fignums())
    display.plot().figure_.canvas.draw()
    assert len(set(pyplot.get_fignums()) - before) == 1


def test_text_follows_the_readers_style(display):
    with pyplot.style.context("dark_background"):
        label = display.plot().ax_.xaxis.label
    assert label.get_color() == "white"


def test_a_picture_says_in_words_what_it_shows(display):
    assert any(character.isdigit() for character in display.description)


def test_without_matplotlib_the_error_names_the_extra(display, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r'pip install "tandemvote\[report\]"'):
        display.plot()


@pytest.mark.slow  # `make dist` tests it without the packages
def test_displays_import_without_the_report_extra():
    import subprocess

    code = (
        "import sys; sys.modules['matplotlib'] = sys.modules['pandas'] = sys.modules['jinja2'] ="
        " None; import tandemvote.displays, tandemvote.report"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
