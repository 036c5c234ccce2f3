"""The voters: how often they are wrong together, and their weights."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from tandemvote.bounds.estimates import check_distribution
from tandemvote.displays.display import ACCENT, MUTED, SECOND, Axes, Display
from tandemvote.inequalities.outward import FloatArray
from tandemvote.votes.counts import VoteCounts
from tandemvote.votes.extras import import_extra
from tandemvote.votes.votes import Votes
from tandemvote.votes.weighted_vote import exact_weights

N_BINS = 40
"""Even, so that 1/2 lies between two bins."""

COLORS = (ACCENT, SECOND, MUTED)


class TandemDisplay(Display):
    """The matrix of tandem losses, with similar voters next to each other.

    Voters are ordered by average-linkage clustering under the distance
    L^(h) + L^(h') - 2 L^(h, h'): the rate at which exactly one of the two is wrong.

    Parameters
    ----------
    counts : VoteCounts
        Counts of the voters' errors, such as `Certificate.counts`.

    Attributes
    ----------
    tandem_losses : ndarray of shape (n_voters, n_voters)
        Rate at which both are wrong, NaN for pairs without common samples; the diagonal has the
        voters' own error rates.
    order : ndarray of shape (n_voters,)
        The voters in the order of the picture.

    Examples
    --------
    >>> votes = Votes.from_predictions([[0, 1, 1, 1], [0, 1, 0, 1], [1, 1, 0, 1]], [0, 1, 1, 1])
    >>> TandemDisplay(VoteCounts.from_votes(votes)).tandem_losses.tolist()
    [[0.0, 0.0, 0.0], [0.0, 0.25, 0.25], [0.0, 0.25, 0.5]]
    """

    height = 4.2

    def __init__(self, counts: VoteCounts) -> None:
        self.tandem_losses = np.where(counts.overlaps > 0, counts.tandem_losses, np.nan)
        self.order = _cluster(self.tandem_losses)
        rates = self.tandem_losses[~np.eye(self.order.size, dtype=bool)]  # of different voters
        self._span = lowest, highest = float(np.nanmin(rates)), float(np.nanmax(rates))
        alone = np.diag(self.tandem_losses)
        self.description = (
            f"Heat map of the rates at which two of {self.order.size} voters are wrong together:"
            f" {lowest:.3f} to {highest:.3f}. Their own error rates are {alone.min():.3f} to"
            f" {alone.max():.3f}."
        )

    def _draw(self, ax: Axes) -> None:
        # Even in lightness, from dark blue to yellow: also for the color-blind.
        colors = import_extra("matplotlib", "report").colormaps["cividis"].with_extremes(bad=MUTED)
        ordered = self.tandem_losses[np.ix_(self.order, self.order)]
        # Colors span the pairs; the diagonal, always the largest, would leave them no contrast.
        lowest, highest = self._span
        # Without interpolation the file holds one pixel per pair, sharp at every size.
        picture = ax.imshow(ordered, cmap=colors, interpolation="none", vmin=lowest, vmax=highest)
        words = "rate at which both are wrong"
        bar = ax.figure.colorbar(picture, ax=ax, label=words, shrink=0.9, extend="max")
        bar.outline.set_visible(False)
        ax.set(xlabel="models, similar ones next to each other", xticks=[])
        ax.set(ylabel="the same models", yticks=[])
        ax.spines[:].set_visible(False)


class ProfileDisplay(Display):
    """Histogram of the weight Z that is wrong, over samples.

    A vote is wrong only where voters with at least half of the weight are wrong. Every bound of the
    paper counts at least 1 for such a sample: 2 z in the first order, 4 z^2 in the second.

    Parameters
    ----------
    votes : Votes
        The votes. At each labeled sample, the voters that were not trained on it count, with their
        weights rescaled to sum to 1. Averages of such a Z are close to the losses in the bounds,
        and equal to them if no voter was trained on any sample.
    weights : array_like of shape (n_voters,), default=None
        Weights of the voters, equal by default.

    Attributes
    ----------
    erring_weights : ndarray of shape (n_known,)
        Z at each sample that some voter with weight was not trained on.
    half_rate : float
        Share of samples where at least half of the weight is wrong: what is bounded.
    gibbs_loss, tandem_loss : float
        Means of Z and of Z^2 (Lemma 2).
    shares : ndarray of shape (40,)
        Share of the samples in each of the bins [0, 1/40), ..., [39/40, 1].

    Examples
    --------
    >>> votes = Votes.from_predictions([[0, 1, 1, 1], [0, 1, 0, 1], [1, 1, 0, 1]], [0, 1, 1, 1])
    >>> display = ProfileDisplay(votes)
    >>> display.half_rate, display.gibbs_loss
    (0.25, 0.25)
    """

    def __init__(self, votes: Votes, weights: ArrayLike | None = None) -> None:
        # Whole numbers, so that a tie is exactly one half.
        units = exact_weights(check_distribution(weights, votes.n_voters, "weights"))
        present = units @ votes.held_out
        known = present > 0
        z: FloatArray = (units @ votes.errors)[known] / present[known]
        self.erring_weights, self.half_rate = z, float((z >= 0.5).mean())
        self.gibbs_loss, self.tandem_loss = float(z.mean()), float((z**2).mean())
        # Scaled to whole bins, because multiples of 1/40 are not exact.
        counts, _ = np.histogram(z * N_BINS, bins=N_BINS, range=(0, N_BINS))
        self.shares = counts / z.size
        self.description = (
            f"Histogram of the weight Z that is wrong, over {z.size} samples:"
            f" Z >= 1/2 at {100 * self.half_rate:.3g}% of them, mean of 2 Z"
            f" {2 * self.gibbs_loss:.3g}, mean of 4 Z^2 {4 * self.tandem_loss:.3g}."
        )

    def _draw(self, ax: Axes) -> None:
        half, edges = N_BINS // 2, np.arange(N_BINS + 1) / N_BINS
        ax.stairs(self.shares[:half], edges[: half + 1], fill=True, color=MUTED)
        ax.stairs(self.shares[half:], edges[half:], fill=True, color=SECOND)
        ax.axvline(0.5, color=ax.xaxis.label.get_color(), linewidth=1)
        ax.set_yscale("symlog", linthresh=0.01)
        ax.set(xlim=(0, 1), ylim=(0, 1), ylabel="share of samples, log scale")
        ax.set_yticks([0, 0.01, 0.1, 1], ["0", "1%", "10%", "100%"])
        ax.minorticks_off()
        ax.set_xlabel("weight Z that is wrong")


class WeightsDisplay(Display):
    """The weights of the voters that different bounds choose (Figure 2b of the paper).

    Parameters
    ----------
    weights : mapping of str to array_like of shape (n_voters,)
        Up to three weightings by name, such as those that minimize the first-order bound and the
        tandem bound.

    Attributes
    ----------
    weights : dict of str to ndarray of shape (n_voters,)
        The weightings.
    n_effective : dict of str to float
        Effective number of voters, 1 / sum(rho_h^2): 1 if one voter has all the weight, the number
        of voters if all weights are equal.

    Examples
    --------
    >>> display = WeightsDisplay({"FO": [0.96, 0.02, 0.02], "TND": [0.4, 0.3, 0.3]})
    >>> {name: round(n, 1) for name, n in display.n_effective.items()}
    {'FO': 1.1, 'TND': 2.9}
    """

    def __init__(self, weights: Mapping[str, ArrayLike]) -> None:
        if not 1 <= len(weights) <= len(COLORS):
            raise ValueError(
                f"weights has {len(weights)} weightings; expected 1 to {len(COLORS)}. Draw the"
                " others into a second picture."
            )
        n_voters = np.size(next(iter(weights.values())))
        self.weights = {
            name: check_distribution(rho, n_voters, f"weights[{name!r}]")
            for name, rho in weights.items()
        }
        self.n_effective = {name: float(1.0 / (rho @ rho)) for name, rho in self.weights.items()}
        each = "; ".join(
            f"{name}: largest weight {rho.max():.3g}, {self.n_effective[name]:.3g} effective voters"
            for name, rho in self.weights.items()
        )
        self.description = f"Weights of {n_voters} voters. {each}."

    def _draw(self, ax: Axes) -> None:
        for (name, rho), color in zip(self.weights.items(), COLORS, strict=False):
            label = f"{name} ({self.n_effective[name]:.3g} effective)"
            ax.stairs(rho, np.arange(rho.size + 1) + 0.5, color=color, label=label)
        ax.set(xlabel="voter", ylabel="weight", xlim=(0.5, rho.size + 0.5), ylim=(0, None))
        ax.legend(frameon=False)


def _cluster(losses: FloatArray) -> np.ndarray:
    """Order of the voters; a pair without common samples counts as far apart."""
    alone = np.diag(losses)
    # On overlaps of different sizes the estimate can fall below zero; a distance cannot.
    distances = np.clip(np.nan_to_num(alone[:, None] + alone - 2 * losses, nan=1.0), 0, None)
    np.fill_diagonal(distances, 0.0)
    # With more voters the best order of leaves takes seconds and makes no visible difference.
    condensed, few = squareform(distances, checks=False), len(losses) <= 300
    return np.asarray(leaves_list(linkage(condensed, "average", optimal_ordering=few)))
