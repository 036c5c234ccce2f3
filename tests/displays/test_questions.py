"""Pictures of comparisons and monitors."""

import numpy as np
import pytest

from tandemvote import Monitor, compare
from tandemvote.displays import ComparisonDisplay, MonitorDisplay


@pytest.fixture
def comparisons():
    rng = np.random.default_rng(0)
    y = np.zeros(300, int)
    models = [(rng.random(300) < rate).astype(int) for rate in (0.2, 0.05, 0.2)]
    return compare(models[0], models[1:], y=y)


def test_a_comparison_shows_limits_and_the_observed_difference(comparisons):
    display = ComparisonDisplay(comparisons).plot()
    assert [line.get_text() for line in display.ax_.get_yticklabels()] == ["B1", "B2"]
    assert display.description == " ".join(each.verdict for each in comparisons)
    xs = [line.get_xdata()[0] for line in display.ax_.get_lines()[::2]]
    assert xs[:2] == pytest.approx([100 * each.lower for each in comparisons])


@pytest.mark.parametrize("rate", [0.02, 0.3])
def test_a_monitor_shows_evidence_and_threshold(rate, tmp_path):
    errors = (np.random.default_rng(0).random(400) < rate).astype(int)
    monitor = Monitor(0.05)
    path = monitor.update_evidence(np.zeros(400, int), errors)
    display = MonitorDisplay(monitor, path).plot()
    curve, threshold = display.ax_.get_lines()[:2]
    assert len(curve.get_xdata()) == 400
    assert threshold.get_ydata()[0] == pytest.approx(20)
    reached = "after" if rate > 0.05 else "never"
    assert reached in display.description
    display.save(tmp_path / "m.png")
    assert (tmp_path / "m.png").stat().st_size > 1000
