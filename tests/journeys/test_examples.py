"""Every example of the gallery runs and draws."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").rglob("plot_*.py"))
QUICK = {"plot_certify_a_classifier", "plot_worst_best_independent"}
"""The others are slow; `make test-docs` and `make docs` run them all."""


def test_the_gallery_has_tutorials_three_levels_and_at_least_twelve_examples():
    if EXAMPLES:
        levels = {path.parent.name for path in EXAMPLES}
        assert levels == {"tutorials", "quickstart", "understand", "paper"}
        assert len(EXAMPLES) >= 12


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=[] if path.stem in QUICK else [pytest.mark.slow], id=path.stem)
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
