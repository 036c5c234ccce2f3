r"""Harmonic sample size: held-out sets of different sizes, each used in full.

Let w be the weights over voters (or pairs), pi their prior, n_p the sizes of their sets, and

.. math:: n_H = 1 \Big/ \sum_p \frac{w_p}{n_p}, \qquad R_p = w_p \frac{n_H}{n_p}.

Then, with probability at least 1 - delta and for all weights at once,
kl(L^_w‖L_w) <= (KL(R‖pi) + ln(mean xi / delta)) / n_H with the prior mean of xi(n_p). With sizes
capped at (8 / pi) (sqrt(n_min) - 1)^2, above which they count as no larger, this is never looser
than the published form with the smallest set (proofs in ``docs/theory``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandemvote.inequalities.outward import ARITHMETIC_MARGIN, FloatArray
from tandemvote.inequalities.pac_bayes import Moment, check_delta, two_sqrt, xi


@dataclass(frozen=True, eq=False)
class SampleSize:
    """Sample size behind an average, with the divergence and the moment that its bound uses.

    Examples
    --------
    >>> size = harmonic_size([0.5, 0.5], [100, 300], [0.5, 0.5])
    >>> round(size.n, 6), round(size.complexity(0.05), 4)
    (150.0, 0.04)
    """

    n: float  # harmonic size n_H, rounded down; 0 if some weight lies on an empty set
    kl_divergence: float  # KL(R‖pi), rounded up
    sizes: FloatArray  # different sizes n_p, in ascending order
    masses: FloatArray  # the prior's mass on each
    margin: float  # relative error of the masses, each a sum over many voters or pairs
    as_printed: bool = False  # keep the moment 2 sqrt(n); else xi(n), never larger

    def log_moment(self, moment: Moment = two_sqrt) -> float:
        """Logarithm of the prior mean of a moment, rounded up."""
        if moment is two_sqrt and not self.as_printed:
            moment = xi
        mean = float(self.masses @ moment(np.maximum(self.sizes, 1.0)))
        return float(np.log(mean)) + self.margin

    def complexity(self, delta: float, moment: Moment = two_sqrt) -> float:
        """Allowed divergence per sample, (KL(R‖pi) + ln(mean moment / delta)) / n_H."""
        check_delta(delta)
        if self.n == 0.0:
            return float("inf")
        nats = self.kl_divergence + self.log_moment(moment) - float(np.log(delta))
        return nats * (1.0 + ARITHMETIC_MARGIN) / self.n


@dataclass(frozen=True, eq=False)
class UnequalSets:
    """Sets of different sizes under a prior: all of a harmonic size that weights do not change."""

    prior: FloatArray
    shares: FloatArray  # m = N / n_p of voters or pairs, for the largest size N; infinite if empty
    entropies: FloatArray  # m ln m
    sizes: FloatArray  # as in `SampleSize`
    masses: FloatArray

    @classmethod
    def of(cls, sizes: ArrayLike, prior: ArrayLike, *, cap: float = np.inf) -> UnequalSets:
        """Prepare sizes of voters or of pairs; those above `cap` count as that large."""
        n, pi = np.asarray(sizes), np.array(prior, float)
        different, places = _sizes_and_places(n)
        different = np.minimum(different, cap)
        shares = np.full_like(different, np.inf)
        np.divide(different[-1], different, out=shares, where=different > 0)
        if (pi == pi[0]).all():  # count instead of adding up
            masses: FloatArray = np.bincount(places.ravel()) * pi[0] ** n.ndim
        else:
            before = pi if n.ndim == 1 else np.outer(pi, pi)
            masses = np.bincount(places.ravel(), weights=before.ravel()).astype(float)
        entropies = shares * np.log(shares)
        return cls(pi, shares[places], entropies[places], different, masses)

    def at(self, posterior: ArrayLike) -> SampleSize:
        """Harmonic size, divergence and moment for some weights."""
        rho, pi = np.asarray(posterior, float), self.prior
        shares, entropies, order = self.shares, self.entropies, self.shares.ndim  # 2 for pairs
        margin = ARITHMETIC_MARGIN + 4 * rho.size * 2.0**-53  # of sums over voters, twice
        moment_margin = ARITHMETIC_MARGIN + shares.size * 2.0**-53
        voting = rho > 0
        if not voting.all():
            some = np.ix_(*[voting] * order)
            shares, entropies, rho, pi = shares[some], entropies[some], rho[voting], pi[voting]
        if self.sizes[0] == 0 and np.isinf(shares).any():  # an empty set with weight
            return SampleSize(0.0, 0.0, self.sizes, self.masses, moment_margin)
        if order == 2:  # average over one of the two voters
            shares, entropies = shares @ rho, entropies @ rho
        shrinkage = float(shares @ rho)
        # ln(R / pi) is a sum: what the voters' weights gain on their prior, and ln(n_H / n_p).
        by_voter = (order / shrinkage) * rho * shares
        parts = np.append(
            by_voter * (np.log(rho) - np.log(pi)),
            [float(entropies @ rho) / shrinkage, -np.log(shrinkage)],
        )
        divergence = max(float(parts.sum() + margin * (1.0 + abs(parts).sum())), 0.0)
        n = float(self.sizes[-1]) / shrinkage * (1.0 - margin)
        return SampleSize(n, divergence, self.sizes, self.masses, moment_margin)


def harmonic_size(
    posterior: ArrayLike, sizes: ArrayLike, prior: ArrayLike, *, cap: float = np.inf
) -> SampleSize:
    """Sample size, divergence and moment of an average over sets of different sizes.

    Parameters
    ----------
    posterior : array_like of shape (n_voters,)
        Weights of the voters, which sum to 1.
    sizes : array_like of int, shape (n_voters,) or (n_voters, n_voters)
        Number of held-out samples of each voter, or of each pair (a symmetric matrix). A pair has
        weight rho_h rho_h'.
    prior : array_like of shape (n_voters,)
        Weights that were fixed before seeing the samples.
    cap : float, default=inf
        Larger sets count as this large. It must be fixed without looking at the data.

    Returns
    -------
    SampleSize
        Harmonic size, divergence and moment.

    Examples
    --------
    >>> size = harmonic_size([0.5, 0.5], [100, 300], [0.5, 0.5])
    >>> round(size.n, 6), round(size.kl_divergence, 6)
    (150.0, 0.130812)
    """
    return UnequalSets.of(sizes, prior, cap=cap).at(posterior)


def _sizes_and_places(n: NDArray[Any]) -> tuple[FloatArray, NDArray[np.intp]]:
    """List sizes in ascending order, and the place of each set's size among them."""
    smallest, largest = n.min().item(), n.max().item()
    if n.dtype.kind not in "iu" or largest - smallest > n.size:
        different, places = np.unique(n, return_inverse=True)
        return different.astype(float), places.reshape(n.shape)
    # Many pairs, few sizes: list the whole range, as then nothing needs to be sorted.
    return np.arange(smallest, largest + 1, dtype=float), n - smallest


def harmonic_cap(n_min: int) -> int:
    """Size above which sets count as no larger, so that the published form is never tighter.

    Parameters
    ----------
    n_min : int
        Number of samples in the smallest held-out set.

    Returns
    -------
    int
        The cap for `harmonic_size`.

    Examples
    --------
    >>> harmonic_cap(100)
    206
    """
    return max(n_min, int(8.0 / np.pi * (np.sqrt(max(n_min, 1)) - 1.0) ** 2))
