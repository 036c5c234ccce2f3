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
most (KL(w‖pi) + ln((mean xi + delta) / delta)) / n_min. With a cap that keeps mean xi + delta below
2 sqrt(n_min) this is at most the published (KL(w‖pi) + ln(2 sqrt(n_min) / delta)) / n_min.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import rel_entr

from tandemvote.inequalities.moments import two_sqrt, xi
from tandemvote.inequalities.outward import ARITHMETIC_MARGIN
from tandemvote.inequalities.pac_bayes_kl import check_delta


class HarmonicSize(NamedTuple):
    """What replaces the smallest size, KL(rho‖pi) and the logarithm of the moment.

    Attributes
    ----------
    n : float
        Harmonic size n_H, 0 if some weight lies on an empty set; rounded down.
    kl_divergence : float
        KL(R‖pi), rounded up.
    log_moment : float
        Logarithm of the prior mean of xi(n_p), rounded up.
    """

    n: float
    kl_divergence: float
    log_moment: float

    def complexity(self, delta: float) -> float:
        """Allowed divergence per point, (KL(R‖pi) + ln(mean xi / delta)) / n_H.

        Examples
        --------
        >>> size = harmonic_size([0.5, 0.5], [100, 300], [0.5, 0.5])
        >>> round(size.complexity(0.05), 5)
        0.04004
        """
        check_delta(delta)
        if self.n == 0.0:
            return float("inf")
        nats = self.kl_divergence + self.log_moment - float(np.log(delta))
        return nats * (1.0 + ARITHMETIC_MARGIN) / self.n


def harmonic_size(
    weights: ArrayLike, sizes: ArrayLike, prior: ArrayLike, *, cap: float = np.inf
) -> HarmonicSize:
    """Sample size, divergence and moment of an average over sets of different sizes.

    Parameters
    ----------
    weights : array_like
        Distribution w over voters, or over pairs (the outer product of rho with itself).
    sizes : array_like of the same shape
        Points behind each, n_p.
    prior : array_like of the same shape
        Distribution fixed before seeing the data.
    cap : float >= 1
        Larger sets count as this large. It must not depend on the data; see `harmonic_cap`.

    Examples
    --------
    >>> size = harmonic_size([0.5, 0.5], [100, 300], [0.5, 0.5])
    >>> round(size.n, 6), round(size.kl_divergence, 6)
    (150.0, 0.130812)
    """
    w, n, pi = (np.ravel(np.asarray(a, float)) for a in (weights, sizes, prior))
    n = np.minimum(n, cap)
    log_moment = float(np.log(pi @ xi(np.maximum(n, 1.0)))) * (1.0 + ARITHMETIC_MARGIN)
    if (n[w > 0] == 0).any():
        return HarmonicSize(0.0, 0.0, log_moment)
    share = np.divide(w, n, out=np.zeros_like(w), where=w > 0)
    n_harmonic = 1.0 / float(share.sum())
    divergence = float(rel_entr(share * n_harmonic, pi).sum())
    margin = ARITHMETIC_MARGIN * (1.0 + abs(divergence))
    return HarmonicSize(
        n=n_harmonic * (1.0 - ARITHMETIC_MARGIN),
        kl_divergence=max(divergence + margin, 0.0),
        log_moment=log_moment,
    )


def harmonic_cap(sizes: ArrayLike, prior: ArrayLike, *, delta: float = 0.05) -> float:
    """Largest cap for which the harmonic form is never looser than the published one.

    It keeps the prior mean of xi plus delta at or below 2 sqrt(n_min), and depends on nothing but
    sizes, prior and delta. Where even equal sizes leave no room, it is the smallest size, and the
    form is the published one with xi in place of 2 sqrt(n).

    Parameters
    ----------
    sizes, prior
        As in `harmonic_size`.
    delta : float
        Failure probability the bound will be given.

    Examples
    --------
    >>> harmonic_cap([100, 130, 120], [1 / 3] * 3)
    130.0
    >>> harmonic_cap([10, 10_000], [0.5, 0.5])
    33.0
    """
    check_delta(delta)
    n, pi = (np.ravel(np.asarray(a, float)) for a in (sizes, prior))
    n, pi = n[pi > 0], pi[pi > 0]
    smallest, largest = max(float(n.min()), 1.0), max(float(n.max()), 1.0)
    room = float(two_sqrt(smallest)) - delta

    def fits(cap: float) -> bool:
        return float(pi @ xi(np.clip(n, 1.0, cap))) <= room

    if fits(largest):
        return largest
    while largest - smallest > 1.0:
        middle = float(np.floor(0.5 * (smallest + largest)))
        smallest, largest = (middle, largest) if fits(middle) else (smallest, middle)
    return smallest
