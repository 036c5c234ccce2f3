"""The solver's path: how the bound fell while the weights were found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tandemvote.bounds import get_bound
from tandemvote.counting.counts import FloatArray
from tandemvote.displays.display import Display, open_frame
from tandemvote.displays.palette import ACCENT, SECOND
from tandemvote.extras import import_extra
from tandemvote.weights import WeightSolution

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes


@dataclass(eq=False, kw_only=True)
class HistoryDisplay(Display):
    """The relaxed bound at the start and after every iteration.

    Attributes
    ----------
    values : ndarray of shape (n_iterations + 1,)
        The PAC-Bayes-lambda form, which the solver minimises; it may exceed 1. Empty if there was
        nothing to minimise.
    value : float
        The PAC-Bayes-kl form at the final weights, which is reported.
    bound : str
        Which bound it is.

    Examples
    --------
    >>> from tandemvote import VoteCounts, Votes
    >>> from tandemvote.weights import minimise
    >>> predictions = np.zeros((3, 300), int)
    >>> predictions[0, :30] = predictions[1, 20:50] = predictions[2, 150:240] = 1
    >>> votes = Votes.from_predictions(predictions, np.zeros(300, int))
    >>> display = HistoryDisplay.from_solution(minimise(VoteCounts.from_votes(votes)))
    >>> bool(display.frame()["relaxed_bound"].is_monotonic_decreasing)
    True
    """

    values: FloatArray
    value: float
    bound: str

    @classmethod
    def from_solution(cls, solution: WeightSolution) -> HistoryDisplay:
        """Take the path of a `WeightSolution`."""
        return cls(
            values=np.asarray(solution.history, float),
            value=solution.value,
            bound=solution.bound,
        )

    def frame(self) -> pandas.DataFrame:
        """One row an iteration, the start being iteration 0."""
        pandas = import_extra("pandas", "report")
        iterations = pandas.RangeIndex(self.values.size, name="iteration")
        return pandas.DataFrame({"relaxed_bound": self.values}, index=iterations)

    @property
    def description(self) -> str:
        """The picture in words."""
        label = get_bound(self.bound).label
        if not self.values.size:
            return f"No path: there was no {label} bound to minimise."
        return (
            f"The relaxed {label} bound falls from {self.values[0]:.4g} to {self.values[-1]:.4g} in"
            f" {self.values.size - 1} iterations; {self.value:.4g} is reported."
        )

    def _draw(self, ax: Axes) -> None:
        label = get_bound(self.bound).label
        ax.plot(self.values, color=ACCENT, linewidth=2, label=f"{label}, relaxed to be minimised")
        ax.axhline(self.value, color=SECOND, linestyle="--", label=f"{label}, as reported")
        ticker = import_extra("matplotlib.ticker", "report")
        ax.xaxis.set_major_locator(ticker.MaxNLocator(integer=True))
        ax.set_xlabel("iteration")
        ax.set_ylabel("bound")
        ax.legend(frameon=False)
        open_frame(ax)
