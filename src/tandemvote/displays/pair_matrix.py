"""How often two voters err together, with similar voters side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from tandemvote.counting.counts import FloatArray, VoteCounts
from tandemvote.displays.display import HEAT, MUTED, Display, Table
from tandemvote.extras import import_extra

if TYPE_CHECKING:
    from matplotlib.axes import Axes

OPTIMAL_LEAVES = 300
"""With more voters the best order of leaves takes seconds and makes no visible difference."""


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

    Examples
    --------
    >>> from tandemvote import Votes
    >>> labels = np.zeros(6, int)
    >>> says = [[1, 1, 0, 0, 0, 0], [0, 0, 0, 0, 1, 1], [1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1]]
    >>> counts = VoteCounts.from_votes(Votes.from_predictions(says, labels))
    >>> TandemDisplay.from_counts(counts).order.tolist()
    [0, 2, 3, 1]
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

    def _table(self) -> Table:
        return Table(dict(zip(self.order, self._ordered(), strict=True)), self.order, "voter")

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
        colours = import_extra("matplotlib", "report").colormaps[HEAT].with_extremes(bad=MUTED)
        together = self._together()
        # Colours span the pairs; the diagonal, always the largest, would leave them no contrast.
        lowest, highest = (together.min(), together.max()) if together.size else (0.0, 1.0)
        # Without interpolation the file holds one pixel per pair, sharp at every size.
        picture = ax.imshow(
            self._ordered(), cmap=colours, interpolation="none", vmin=lowest, vmax=highest
        )
        bar = ax.figure.colorbar(
            picture, ax=ax, label="rate at which both err", shrink=0.9, extend="max"
        )
        bar.outline.set_visible(False)
        ax.set_xlabel("voters, similar ones side by side")
        ax.set_ylabel("the same voters")
        ax.set_xticks([])
        ax.set_yticks([])
        ax.spines[:].set_visible(False)


def _cluster(losses: FloatArray) -> np.ndarray:
    """Order of the voters; a pair without common points counts as far apart."""
    if len(losses) < 3:
        return np.arange(len(losses))
    alone = np.diag(losses)
    # On overlaps of different sizes the estimate can fall below zero; a distance cannot.
    distances = np.clip(np.nan_to_num(alone[:, None] + alone - 2 * losses, nan=1.0), 0, None)
    np.fill_diagonal(distances, 0.0)
    tree = linkage(
        squareform(distances, checks=False),
        method="average",
        optimal_ordering=len(losses) <= OPTIMAL_LEAVES,
    )
    return np.asarray(leaves_list(tree))
