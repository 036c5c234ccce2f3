r"""Harmonic sample size: held-out sets of different sizes, each used in full.

PAC-Bayes-kl with sets of different sizes n_p is usually stated with the smallest one. Let w be the
weights over voters (or pairs), pi their prior, and

.. math:: n_H = 1 \Big/ \sum_p \frac{w_p}{n_p}, \qquad R_p = w_p \frac{n_H}{n_p}.

R is a distribution, so Donsker and Varadhan's formula for f(p) = n_p kl(L^_p‖L_p) gives

.. math::
    n_H\, kl(\hat L_w‖L_w) \le n_H \sum_p w_p\, kl(\hat L_p‖L_p) = \sum_p R_p f(p)
    \le KL(R‖\pi) + \ln \sum_p \pi_p e^{f(p)}

and the expectation of the last sum is at most the prior mean of xi(n_p): with probability at least
1 - delta, for all weights at once, kl(L^_w‖L_w) <= (KL(R‖pi) + ln(mean xi / delta)) / n_H.

**It can be made never looser than the published form.** A set may count as smaller than it is (a
mean over n_p points is the average of the means over its subsets, and exp(n kl) is convex), so
sizes may be capped at any number that does not depend on the data. Let s = n_min / n_H. The chain
rule of the divergence, for a coin that falls with probability n_min / n_p, gives

.. math:: s\, KL(R‖\pi) \le KL(w‖\pi) + H(s), \qquad H(s) = -s \ln s - (1 - s) \ln(1 - s),

and H(s) + s B <= ln(1 + e^B) for B = ln(mean xi / delta), so that the right-hand side above is at
most (KL(w‖pi) + ln((mean xi + delta) / delta)) / n_min. Now xi(n) <= sqrt(pi n / 2) + 1. So if
sizes are capped at (8 / pi) (sqrt(n_min) - 1)^2, about two and a half times the smallest, then
mean xi + delta <= 2 sqrt(n_min), and this is at most the published
(KL(w‖pi) + ln(2 sqrt(n_min) / delta)) / n_min.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandemvote.inequalities.moments import Moment, exact, two_sqrt
from tandemvote.inequalities.outward import ARITHMETIC_MARGIN, FloatArray
from tandemvote.inequalities.pac_bayes_kl import check_delta


@dataclass(frozen=True, eq=False)
class HarmonicSize:
    """What replaces the smallest size, KL(rho‖pi) and the moment of one sample.

    Attributes
    ----------
    n : float
        Harmonic size n_H, 0 if some weight lies on an empty set; rounded down.
    kl_divergence : float
        KL(R‖pi), rounded up.
    sizes, masses : ndarray
        Sizes n_p in ascending order, and the prior's mass on each.
    margin : float
        Relative error that summing over all voters or pairs may have caused.
    """

    n: float
    kl_divergence: float
    sizes: FloatArray
    masses: FloatArray
    margin: float

    def log_moment(self, moment: Moment = two_sqrt) -> float:
        """Logarithm of the prior mean of a moment, rounded up; xi stands in for 2 sqrt(n)."""
        mean = float(self.masses @ exact(moment)(np.maximum(self.sizes, 1.0)))
        return float(np.log(mean)) + self.margin

    def complexity(self, delta: float, moment: Moment = two_sqrt) -> float:
        """Allowed divergence per point, (KL(R‖pi) + ln(mean moment / delta)) / n_H.

        Examples
        --------
        >>> size = harmonic_size([0.5, 0.5], [100, 300], [0.5, 0.5])
        >>> round(size.complexity(0.05), 5)
        0.04004
        """
        check_delta(delta)
        if self.n == 0.0:
            return float("inf")
        nats = self.kl_divergence + self.log_moment(moment) - float(np.log(delta))
        return nats * (1.0 + ARITHMETIC_MARGIN) / self.n


def harmonic_size(
    posterior: ArrayLike, sizes: ArrayLike, prior: ArrayLike, *, cap: float = np.inf
) -> HarmonicSize:
    """Sample size, divergence and moment of an average over sets of different sizes.

    Parameters
    ----------
    posterior : array_like of shape (n_voters,)
        Weights rho of the voters.
    sizes : array_like of shape (n_voters,) or (n_voters, n_voters)
        Points behind each voter, or behind each pair; a pair has weight rho_h rho_h'.
    prior : array_like of shape (n_voters,)
        Weights fixed before seeing the data.
    cap : float
        Larger sets count as this large. It must not depend on the data; see `harmonic_cap`.

    Examples
    --------
    >>> size = harmonic_size([0.5, 0.5], [100, 300], [0.5, 0.5])
    >>> round(size.n, 6), round(size.kl_divergence, 6)
    (150.0, 0.130812)
    """
    rho, pi = np.asarray(posterior, float), np.asarray(prior, float)
    n = np.asarray(sizes) if cap == np.inf else np.minimum(sizes, cap)
    weights, before = (rho, pi) if n.ndim == 1 else (np.outer(rho, rho), np.outer(pi, pi))
    margin = ARITHMETIC_MARGIN + n.size * 2.0**-53
    different, places = _sizes_and_places(n)
    masses: FloatArray = np.bincount(places, weights=before.ravel()).astype(float)
    if (n[weights > 0] == 0).any():
        return HarmonicSize(0.0, 0.0, different, masses, margin)
    share = np.divide(weights, n, out=np.zeros_like(weights), where=weights > 0)
    n_harmonic = 1.0 / float(share.sum())
    share *= n_harmonic
    # ln(R / pi) is a sum: what the voters' weights gain on their prior, and ln(n_H / n_p).
    by_voter = share if n.ndim == 1 else share.sum(axis=0) + share.sum(axis=1)
    by_size = np.bincount(places, weights=share.ravel())
    held = rho > 0
    parts = np.concatenate(
        [
            by_voter[held] * (np.log(rho[held]) - np.log(pi[held])),
            by_size * np.log(n_harmonic / np.maximum(different, 1.0)),
        ]
    )
    divergence = float(parts.sum() + margin * (1.0 + abs(parts).sum()))
    return HarmonicSize(
        n=n_harmonic * (1.0 - ARITHMETIC_MARGIN),
        kl_divergence=max(divergence, 0.0),
        sizes=different,
        masses=masses,
        margin=margin,
    )


def _sizes_and_places(n: NDArray[Any]) -> tuple[FloatArray, NDArray[np.intp]]:
    """List sizes in ascending order, and the place of each set's size among them.

    Many pairs have sizes from a narrow range. Then all sizes of that range are listed, as nothing
    needs to be sorted.
    """
    smallest, largest = n.min(), n.max()
    if n.dtype.kind not in "iu" or largest - smallest > n.size:
        different, places = np.unique(n, return_inverse=True)
        return different.astype(float), places.ravel()
    return np.arange(smallest, largest + 1, dtype=float), (n - smallest).ravel()


def harmonic_cap(n_min: int) -> int:
    """Size above which sets count as no larger, so that the published form is never tighter.

    Examples
    --------
    >>> [harmonic_cap(n_min) for n_min in (0, 5, 10, 60, 1000)]
    [0, 5, 11, 115, 2387]
    """
    return max(n_min, int(8.0 / np.pi * (np.sqrt(max(n_min, 1)) - 1.0) ** 2))
