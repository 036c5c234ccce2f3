"""The voters: their weights, and how often they are wrong together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from tandemvote.bounds.estimates import check_distribution
from tandemvote.certificate.certificate import Certificate
from tandemvote.counts import FloatArray, VoteCounts
from tandemvote.displays.display import ACCENT, MUTED, SECOND, Axes, Display
from tandemvote.extras import import_extra
from tandemvote.votes import Votes
from tandemvote.voting import exact_weights

OPTIMAL_LEAVES = 300
"""With more voters the best order of leaves takes seconds and makes no visible difference."""

N_BINS = 40
"""Even, so that 1/2 lies between two bins."""

EDGES = np.arange(N_BINS + 1) / N_BINS


@dataclass(eq=False, kw_only=True)
class WeightsDisplay(Display):
    """The weights from largest to smallest, compared with equal ones.

    Attributes
    ----------
    weights : ndarray of shape (n_voters,)
        The vote's weights, in the order of the voters.
    gibbs_losses : ndarray of shape (n_voters,) or None
        Error rate of each voter on its held-out samples, if known.

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
        """Show the weights of a certificate and the error rates of its voters."""
        return cls(weights=certificate.weights, gibbs_losses=certificate.counts.gibbs_losses)

    @property
    def order(self) -> np.ndarray:
        """Voters by decreasing weight; equal ones by their number."""
        return np.argsort(-self.weights, kind="stable")

    @property
    def n_for_half(self) -> int:
        """Smallest number of voters that have half of the weight."""
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
            f" {1 / self.weights.size:.3g}. The first {self.n_for_half} have half of the weight."
        )

    def _draw(self, ax: Axes) -> None:
        n_voters = self.weights.size
        edges = np.arange(n_voters + 1)
        ax.stairs(self.weights[self.order], edges, fill=True, color=ACCENT)
        ax.axhline(1 / n_voters, color=SECOND, linestyle="--", label=f"equal weights, 1/{n_voters}")
        ax.legend(frameon=False, loc="upper right")
        ax.set(xlim=(0, n_voters), ylim=(0, 1.25 * max(self.weights.max(), 1 / n_voters)))
        words = f"voters by weight (the first {self.n_for_half} have half of it)"
        ax.set(xlabel=words, ylabel="weight")


@dataclass(eq=False, kw_only=True)
class TandemDisplay(Display):
    """The matrix of tandem losses, clustered.

    Voters are ordered by average-linkage clustering with optimal leaf order under the distance
    L^(h) + L^(h') - 2 L^(h, h'): the rate at which exactly one of the two is wrong.

    Attributes
    ----------
    tandem_losses : ndarray of shape (n_voters, n_voters)
        Rate at which both are wrong, NaN for pairs without common samples; the diagonal has the
        voters' own error rates.
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
            f"Heat map of the rates at which two of {self.order.size} voters are wrong together."
            f" Their own error rates are {alone.min():.3f} to {alone.max():.3f}"
        )
        span = self._span()
        return (
            f"{words}, those of two together {span[0]:.3f} to {span[1]:.3f}."
            if span
            else f"{words}."
        )

    def _span(self) -> tuple[float, float] | None:
        """Lowest and highest rate of two different voters, if any two share samples."""
        rates = self.tandem_losses[~np.eye(self.order.size, dtype=bool)]
        rates = rates[~np.isnan(rates)]
        return (float(rates.min()), float(rates.max())) if rates.size else None

    def _ordered(self) -> FloatArray:
        return np.asarray(self.tandem_losses[np.ix_(self.order, self.order)])

    def _draw(self, ax: Axes) -> None:
        # Even in lightness, from dark blue to yellow: also for the color-blind.
        maps = import_extra("matplotlib", "report").colormaps
        colors = maps["cividis"].with_extremes(bad=MUTED)
        # Colors span the pairs; the diagonal, always the largest, would leave them no contrast.
        lowest, highest = self._span() or (0.0, 1.0)
        # Without interpolation the file holds one pixel per pair, sharp at every size.
        picture = ax.imshow(
            self._ordered(), cmap=colors, interpolation="none", vmin=lowest, vmax=highest
        )
        words = "rate at which both are wrong"
        bar = ax.figure.colorbar(picture, ax=ax, label=words, shrink=0.9, extend="max")
        bar.outline.set_visible(False)
        ax.set(xlabel="voters, similar ones next to each other", xticks=[])
        ax.set(ylabel="the same voters", yticks=[])
        ax.spines[:].set_visible(False)


@dataclass(eq=False, kw_only=True)
class ProfileDisplay(Display):
    """Histogram of the weight Z that is wrong, over samples.

    A vote is wrong only where voters with at least half of the weight are wrong. Every bound of the
    paper counts at least 1 for such a sample: 2 z in the first order, 4 z^2 in the second.

    Attributes
    ----------
    erring_weights : ndarray of shape (n_samples,)
        Z: the share of the weight whose voters misclassify the sample.
    normalized : bool
        True if Z is taken over the voters that were not trained on the sample, with weights
        rescaled to sum to 1. Averages of such a Z are close to the losses in the bounds, not equal.
    n_skipped : int
        Samples that every voter was trained on, so that Z is unknown.
    """

    erring_weights: FloatArray
    normalized: bool = False
    n_skipped: int = 0

    @classmethod
    def from_votes(cls, votes: Votes, weights: ArrayLike | None = None) -> ProfileDisplay:
        """Compute Z at each labeled sample from the voters that were not trained on it.

        Where some voters were trained on a sample, the weights of the others, equal by default, are
        rescaled to sum to 1.
        """
        # Whole numbers, so that a tie is exactly one half.
        units = exact_weights(check_distribution(weights, votes.n_voters, "weights"))
        present = units @ votes.held_out
        known = present > 0
        erring = (units @ votes.errors)[known] / present[known]
        return cls(
            erring_weights=erring,
            normalized=not bool(votes.held_out[units > 0].all()),
            n_skipped=int((~known).sum()),
        )

    @property
    def half_rate(self) -> float:
        """Share of samples where at least half of the weight is wrong: what is bounded."""
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
        """Share of the samples in each of the bins [0, 1/40), ..., [39/40, 1]."""
        # Scaled to whole bins, because multiples of 1/40 are not exact.
        counts, _ = np.histogram(self.erring_weights * N_BINS, bins=N_BINS, range=(0, N_BINS))
        return counts / max(self.erring_weights.size, 1)

    def _columns(self) -> dict[Any, Any]:
        bins = range(N_BINS)
        return {"bin": bins, "from": EDGES[:-1], "to": EDGES[1:], "share": self.shares}

    def _words(self) -> str:
        words = (
            f"Histogram of the weight Z that is wrong, over {self.erring_weights.size} samples:"
            f" Z >= 1/2 at {100 * self.half_rate:.3g}% of them, mean of 2 Z"
            f" {2 * self.gibbs_loss:.3g}, mean of 4 Z^2 {4 * self.tandem_loss:.3g}."
        )
        if not self.normalized:
            return words
        return (
            f"{words} At each sample only the voters that were not trained on it count, with their"
            " weights rescaled."
        )

    def _draw(self, ax: Axes) -> None:
        half = N_BINS // 2
        ax.stairs(self.shares[:half], EDGES[: half + 1], fill=True, color=MUTED)
        ax.stairs(self.shares[half:], EDGES[half:], fill=True, color=SECOND)
        ax.axvline(0.5, color=ax.xaxis.label.get_color(), linewidth=1)
        ax.set_yscale("symlog", linthresh=0.01)
        ax.set(xlim=(0, 1), ylim=(0, 1), ylabel="share of samples, log scale")
        ax.set_yticks([0, 0.01, 0.1, 1], ["0", "1%", "10%", "100%"])
        ax.minorticks_off()
        source = "\namong the voters not trained on the sample" if self.normalized else ""
        ax.set_xlabel(f"weight Z that is wrong{source}")


def _cluster(losses: FloatArray) -> np.ndarray:
    """Order of the voters; a pair without common samples counts as far apart."""
    if len(losses) < 3:
        return np.arange(len(losses))
    alone = np.diag(losses)
    # On overlaps of different sizes the estimate can fall below zero; a distance cannot.
    distances = np.clip(np.nan_to_num(alone[:, None] + alone - 2 * losses, nan=1.0), 0, None)
    np.fill_diagonal(distances, 0.0)
    condensed, best = squareform(distances, checks=False), len(losses) <= OPTIMAL_LEAVES
    return np.asarray(leaves_list(linkage(condensed, "average", optimal_ordering=best)))
