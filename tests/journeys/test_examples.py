"""Every example of the gallery runs and draws."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").rglob("plot_*.py"))
SLOW = {"plot_csv_to_ci", "plot_tuning_inside", "plot_more_labels", "plot_leaky_encoder"}
SLOW |= {"plot_committee"}
"""`make docs` runs them, too."""


def test_the_gallery_has_tutorials_three_levels_and_at_least_twelve_examples():
    if EXAMPLES:
        levels = {path.parent.name for path in EXAMPLES}
        assert levels == {"tutorials", "quickstart", "understand", "paper"}
        assert len(EXAMPLES) >= 12


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=[pytest.mark.slow] if path.stem in SLOW else [], id=path.stem)
        for path in EXAMPLES
    ],
)
def test_an_example_runs_and_draws(path, monkeypatch):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    pyplot.close("all")
    monkeypatch.setattr(pyplot, "show", lambda: None)
    runpy.run_path(str(path))
    assert pyplot.get_fignums()
    for number in pyplot.get_fignums():
        pyplot.figure(number).canvas.draw()
    pyplot.close("all")
