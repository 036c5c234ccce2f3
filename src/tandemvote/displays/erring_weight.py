"""How much of the vote errs at each point, and what the bounds count for such a point.

A vote errs only where voters with at least half of the weight err. Every bound of the paper counts
at least 1 for such a point: 2 z in the first order, 4 z^2 in the second.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tandemvote.bounds.averages import distribution
from tandemvote.counting.counts import FloatArray
from tandemvote.displays.display import ACCENT, MUTED, SECOND, Axes, Display
from tandemvote.extras import import_extra
from tandemvote.hard_vote import exact_weights
from tandemvote.votes import Votes

N_BINS = 40
"""Even, so that 1/2 lies between two bins."""

EDGES = np.arange(N_BINS + 1) / N_BINS


@dataclass(eq=False, kw_only=True)
class ProfileDisplay(Display):
    """Distribution of the erring weight Z over points, below what the bounds count for each Z.

    Attributes
    ----------
    erring_weights : ndarray of shape (n_points,)
        Z: the share of the weight whose voters err at the point.
    normalised : bool
        True if Z was taken over the voters that never saw the point, whose weights were rescaled
        to sum to 1. The averages of such a Z are close to the losses in the bounds, not equal.
    n_skipped : int
        Points that every voter was trained on, about which nothing is known.
    """

    erring_weights: FloatArray
    normalised: bool = False
    n_skipped: int = 0

    def _size(self) -> tuple[float, float]:
        return 6.0, 4.4

    @classmethod
    def from_votes(cls, votes: Votes, weights: ArrayLike | None = None) -> ProfileDisplay:
        """Compute Z at each labelled point from the voters that never saw it.

        Where some voters saw a point, the weights of the others, uniform by default, are rescaled
        to sum to 1: each point then has a vote of its own, close to the whole vote.
        """
        # Whole numbers, so that a tie is exactly one half.
        units = exact_weights(distribution(weights, votes.n_voters, "weights"))
        present = units @ votes.held_out
        known = present > 0
        erring = (units @ votes.errors)[known] / present[known]
        return cls(
            erring_weights=erring,
            normalised=not bool(votes.held_out[units > 0].all()),
            n_skipped=int((~known).sum()),
        )

    @property
    def half_rate(self) -> float:
        """Share of points where at least half of the weight errs: what the bounds bound."""
        return float((self.erring_weights >= 0.5).mean())

    @property
    def gibbs_loss(self) -> float:
        """Mean of Z."""
        return float(self.erring_weights.mean())

    @property
    def tandem_loss(self) -> float:
        """Mean of Z^2 (Lemma 2)."""
        return float((self.erring_weights**2).mean())

    @property
    def shares(self) -> FloatArray:
        """Share of the points in each of the bins [0, 1/40), ..., [39/40, 1]."""
        # Scaled to whole bins, because multiples of 1/40 are not exact.
        counts, _ = np.histogram(self.erring_weights * N_BINS, bins=N_BINS, range=(0, N_BINS))
        return counts / max(self.erring_weights.size, 1)

    def _columns(self) -> dict[Any, Any]:
        bins = range(N_BINS)
        return {"bin": bins, "from": EDGES[:-1], "to": EDGES[1:], "share": self.shares}

    def _words(self) -> str:
        words = (
            f"Histogram of the erring weight Z over {self.erring_weights.size} points:"
            f" Z >= 1/2 at {100 * self.half_rate:.3g} % of them, mean of 2 Z"
            f" {2 * self.gibbs_loss:.3g}, mean of 4 Z^2 {4 * self.tandem_loss:.3g}."
        )
        if self.normalised:
            words += " At each point only the voters that never saw it count, with their weights"
            words += " rescaled."
        return words

    def _draw(self, ax: Axes) -> None:
        half = N_BINS // 2
        ax.stairs(self.shares[:half], EDGES[: half + 1], fill=True, color=MUTED)
        ax.stairs(self.shares[half:], EDGES[half:], fill=True, color=SECOND)
        ax.axvline(0.5, color=ax.xaxis.label.get_color(), linewidth=1)
        ax.set_yscale("symlog", linthresh=0.01)
        ax.set(xlim=(0, 1), ylim=(0, 1), ylabel="share of points, log scale")
        ax.set_yticks([0, 0.01, 0.1, 1], ["0", "1 %", "10 %", "100 %"])
        ax.minorticks_off()
        source = "\namong the voters that never saw the point" if self.normalised else ""
        ax.set_xlabel(f"erring weight Z{source}")
        self._draw_majorants(ax)

    def _draw_majorants(self, ax: Axes) -> None:
        """Indicator and majorants in a panel of their own, over the same z."""
        divider = import_extra("mpl_toolkits.axes_grid1", "report").make_axes_locatable(ax)
        upper = divider.append_axes("top", size="95%", pad=0.12, sharex=ax)
        z = np.linspace(0, 1, 201)
        errs = f"the vote may err: mean {self.half_rate:.3f}"
        first = f"first order, 2z: mean {2 * self.gibbs_loss:.3f}"
        second = f"second order, 4z²: mean {4 * self.tandem_loss:.3f}"
        upper.plot([0, 0.5, 0.5, 1], [0, 0, 1, 1], color=SECOND, linewidth=2.5, label=errs)
        upper.plot(z, 2 * z, color=MUTED, linestyle="--", linewidth=2, label=first)
        upper.plot(z, 4 * z**2, color=ACCENT, linewidth=2, label=second)
        upper.set(ylim=(0, 4), ylabel="counted per point")
        upper.tick_params(axis="x", labelbottom=False)
        upper.legend(frameon=False, loc="upper left")
        upper.spines[["top", "right"]].set_visible(False)
