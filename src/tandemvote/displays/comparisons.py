"""The difference between models, and the evidence against a certificate."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from tandemvote.displays.display import ACCENT, MUTED, SECOND, Axes, Display, draw_names
from tandemvote.monitoring.comparison import Comparison
from tandemvote.monitoring.monitor import Monitor


class ComparisonDisplay(Display):
    """Observed difference of error rates and its limits, one row per candidate.

    Parameters
    ----------
    comparisons : sequence of Comparison
        Results of `compare`, all with the same first model.

    Examples
    --------
    >>> from tandemvote import compare
    >>> result = compare([0, 1, 1, 0] * 50, [0, 1, 1, 1] * 50, y=[0, 1, 1, 1] * 50)
    >>> ComparisonDisplay([result]).description
    'B is better than A by at least 14.4 percentage points.'
    """

    def __init__(self, comparisons: Sequence[Comparison]) -> None:
        self.comparisons = comparisons
        self.height = 1.3 + 0.4 * len(comparisons)
        self.description = " ".join(each.verdict for each in comparisons)

    def _draw(self, ax: Axes) -> None:
        for row, each in enumerate(self.comparisons):
            shown = each.lower > 0 or each.upper < 0
            color, limits = ACCENT if shown else MUTED, [100 * each.lower, 100 * each.upper]
            ax.plot(limits, [row, row], color=color, linewidth=2, marker="|", markersize=11)
            ax.plot(100 * each.difference, row, "s", color=SECOND)
        ax.axvline(0, color=MUTED, linestyle=":", zorder=0)
        draw_names(ax, [each.names[1] for each in self.comparisons])
        first = self.comparisons[0].names[0]
        ax.set_xlabel(f"percentage points fewer errors than {first}: limits and observed")


class MonitorDisplay(Display):
    """Evidence against a certificate after each sample, and the threshold of the alarm.

    Parameters
    ----------
    monitor : Monitor
        The monitor, after all samples.
    log_evidence : array_like of shape (n_samples,)
        What `Monitor.update_evidence` returned: the logarithm of the evidence after each sample, or
        after each group.

    Examples
    --------
    >>> from tandemvote import Monitor
    >>> monitor = Monitor(0.1)
    >>> path = monitor.update_evidence([0] * 50, [1] * 50)
    >>> MonitorDisplay(monitor, path).description
    'Evidence after each of 50 samples. It reaches 20 after 4 samples.'
    """

    def __init__(self, monitor: Monitor, log_evidence: ArrayLike) -> None:
        self.threshold, self.alarm_at = monitor.threshold, monitor.alarm_at
        self.unit = "groups" if monitor.by_group else "samples"
        self.log_evidence = np.asarray(log_evidence, float)
        reached = f"It never reaches {self.threshold:.4g}, the threshold."
        if self.alarm_at is not None:
            reached = f"It reaches {self.threshold:.4g} after {self.alarm_at} {self.unit}."
        n = self.log_evidence.size
        self.description = f"Evidence after each of {n} {self.unit}. {reached}"

    def _draw(self, ax: Axes) -> None:
        top = math.log(1e12 * self.threshold)  # more would squeeze the rest
        evidence = np.exp(np.minimum(self.log_evidence, top))
        ax.plot(np.arange(1, evidence.size + 1), evidence, color=ACCENT)
        words = f"threshold {self.threshold:.4g}"
        ax.axhline(self.threshold, color=SECOND, linestyle="--", label=words)
        if self.alarm_at is not None:
            words = f"reached after {self.alarm_at} {self.unit}"
            ax.axvline(self.alarm_at, color=MUTED, linestyle=":", label=words)
        ax.set(yscale="log", xlabel=self.unit, ylabel="evidence")
        ax.legend(frameon=False)
