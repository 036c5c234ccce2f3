"""The voters: their weights, how the solver found them, and which of them err together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from tandemvote.bounds import get_bound
from tandemvote.certificate.certificate import Certificate
from tandemvote.counting.counts import FloatArray, VoteCounts
from tandemvote.displays.display import ACCENT, MUTED, SECOND, Axes, Display
from tandemvote.extras import import_extra
from tandemvote.weights import WeightSolution

OPTIMAL_LEAVES = 300
"""With more voters the best order of leaves takes seconds and makes no visible difference."""


@dataclass(eq=False, kw_only=True)
class WeightsDisplay(Display):
    """The weights from largest to smallest, against equal ones.

    Attributes
    ----------
    weights : ndarray of shape (n_voters,)
        The vote's weights, in the order of the voters.
    gibbs_losses : ndarray of shape (n_voters,) or None
        Error rate of each voter on its held-out points, if known.

    Examples
    --------
    >>> display = WeightsDisplay(weights=np.array([0.1, 0.6, 0.3]))
    >>> display.frame()
           weight
    voter
    1         0.6
    2         0.3
    0         0.1
    >>> display.n_for_half
    1
    """

    weights: FloatArray
    gibbs_losses: FloatArray | None = None

    @classmethod
    def from_certificate(cls, certificate: Certificate) -> WeightsDisplay:
        """Take the weights of a certificate, with the voters' error rates."""
        return cls(weights=certificate.weights, gibbs_losses=certificate.counts.gibbs_losses)

    @property
    def order(self) -> np.ndarray:
        """Voters by decreasing weight; equal ones by their number."""
        return np.argsort(-self.weights, kind="stable")

    @property
    def n_for_half(self) -> int:
        """Fewest voters that carry half of the weight."""
        # Slightly below one half, because sums of equal weights are rounded.
        reached = np.cumsum(self.weights[self.order]) >= 0.5 * self.weights.sum() - 1e-12
        return int(reached.argmax()) + 1

    def _columns(self) -> dict[Any, Any]:
        columns = {"voter": self.order, "weight": self.weights[self.order]}
        if self.gibbs_losses is not None:
            columns["gibbs_loss"] = self.gibbs_losses[self.order]
        return columns

    def _words(self) -> str:
        return (
            f"Weights of {self.weights.size} voters from largest ({self.weights.max():.3g}) to"
            f" smallest ({self.weights.min():.3g}); equal weights would be"
            f" {1 / self.weights.size:.3g}. The first {self.n_for_half} carry half of the vote."
        )

    def _draw(self, ax: Axes) -> None:
        n_voters = self.weights.size
        edges = np.arange(n_voters + 1)
        ax.stairs(self.weights[self.order], edges, fill=True, color=ACCENT)
        ax.axhline(1 / n_voters, color=SECOND, linestyle="--", label=f"equal weights, 1/{n_voters}")
        ax.legend(frameon=False, loc="upper right")
        ax.set(xlim=(0, n_voters), ylim=(0, 1.25 * max(self.weights.max(), 1 / n_voters)))
        words = f"voters by weight (the first {self.n_for_half} carry half of it)"
        ax.set(xlabel=words, ylabel="weight")


@dataclass(eq=False, kw_only=True)
class HistoryDisplay(Display):
    """The relaxed bound at the start and after every iteration of the solver.

    Attributes
    ----------
    values : ndarray of shape (n_iterations + 1,)
        The PAC-Bayes-lambda form, which the solver minimises; it may exceed 1. Empty if there was
        nothing to minimise.
    value : float
        The PAC-Bayes-kl form at the final weights, which is reported.
    bound : str
        Name of the bound.
    """

    values: FloatArray
    value: float
    bound: str

    @classmethod
    def from_solution(cls, solution: WeightSolution) -> HistoryDisplay:
        """Take the history of a `WeightSolution`."""
        history = np.asarray(solution.history, float)
        return cls(values=history, value=solution.value, bound=solution.bound)

    def _words(self) -> str:
        label = get_bound(self.bound).label
        if not self.values.size:
            return f"No path: there was no {label} bound to minimise."
        return (
            f"The relaxed {label} bound falls from {self.values[0]:.4g} to {self.values[-1]:.4g} in"
            f" {self.values.size - 1} iterations; {self.value:.4g} is reported."
        )

    def _columns(self) -> dict[Any, Any]:
        return {"iteration": range(self.values.size), "relaxed_bound": self.values}

    def _draw(self, ax: Axes) -> None:
        label = get_bound(self.bound).label
        ax.plot(self.values, color=ACCENT, linewidth=2, label=f"{label}, relaxed to be minimised")
        ax.axhline(self.value, color=SECOND, linestyle="--", label=f"{label}, as reported")
        ticker = import_extra("matplotlib.ticker", "report")
        ax.xaxis.set_major_locator(ticker.MaxNLocator(integer=True))
        ax.set(xlabel="iteration", ylabel="bound")
        ax.legend(frameon=False)


@dataclass(eq=False, kw_only=True)
class TandemDisplay(Display):
    """The matrix of tandem losses, clustered.

    Voters are ordered by average-linkage clustering with optimal leaf order under the distance
    L^(h) + L^(h') - 2 L^(h, h'): the rate at which exactly one of the two errs.

    Attributes
    ----------
    tandem_losses : ndarray of shape (n_voters, n_voters)
        Rate at which both err, NaN for pairs without common points; the diagonal holds the voters'
        own error rates.
    order : ndarray of shape (n_voters,)
        The voters in the order of the picture.
    """

    tandem_losses: FloatArray
    order: np.ndarray

    def _size(self) -> tuple[float, float]:
        return 5.0, 4.2

    @classmethod
    def from_counts(cls, counts: VoteCounts) -> TandemDisplay:
        """Compute the matrix from counts."""
        losses = np.where(counts.overlaps > 0, counts.tandem_losses, np.nan)
        return cls(tandem_losses=losses, order=_cluster(losses))

    def _columns(self) -> dict[Any, Any]:
        return {"voter": self.order, **dict(zip(self.order, self._ordered(), strict=True))}

    def _words(self) -> str:
        alone = np.diag(self.tandem_losses)
        words = (
            f"Heat map of the rates at which two of {self.order.size} voters err together. Alone"
            f" they err at rates from {alone.min():.3f} to {alone.max():.3f}"
        )
        together = self._together()
        if not together.size:
            return f"{words}."
        return f"{words}, two together from {together.min():.3f} to {together.max():.3f}."

    def _together(self) -> FloatArray:
        """Rates of all pairs of two different voters that share points."""
        rates = self.tandem_losses[~np.eye(self.order.size, dtype=bool)]
        return np.asarray(rates[~np.isnan(rates)])

    def _ordered(self) -> FloatArray:
        return np.asarray(self.tandem_losses[np.ix_(self.order, self.order)])

    def _draw(self, ax: Axes) -> None:
        # Even in lightness, from dark blue to yellow: the same to the colour-blind.
        maps = import_extra("matplotlib", "report").colormaps
        colours = maps["cividis"].with_extremes(bad=MUTED)
        together = self._together()
        # Colours span the pairs; the diagonal, always the largest, would leave them no contrast.
        lowest, highest = (together.min(), together.max()) if together.size else (0.0, 1.0)
        # Without interpolation the file holds one pixel per pair, sharp at every size.
        span: dict[str, Any] = {"vmin": lowest, "vmax": highest}
        picture = ax.imshow(self._ordered(), cmap=colours, interpolation="none", **span)
        words = "rate at which both err"
        bar = ax.figure.colorbar(picture, ax=ax, label=words, shrink=0.9, extend="max")
        bar.outline.set_visible(False)
        names = {"xlabel": "voters, similar ones side by side", "ylabel": "the same voters"}
        ax.set(**names, xticks=[], yticks=[])
        ax.spines[:].set_visible(False)


def _cluster(losses: FloatArray) -> np.ndarray:
    """Order of the voters; a pair without common points counts as far apart."""
    if len(losses) < 3:
        return np.arange(len(losses))
    alone = np.diag(losses)
    # On overlaps of different sizes the estimate can fall below zero; a distance cannot.
    distances = np.clip(np.nan_to_num(alone[:, None] + alone - 2 * losses, nan=1.0), 0, None)
    np.fill_diagonal(distances, 0.0)
    condensed, best = squareform(distances, checks=False), len(losses) <= OPTIMAL_LEAVES
    return np.asarray(leaves_list(linkage(condensed, "average", optimal_ordering=best)))
