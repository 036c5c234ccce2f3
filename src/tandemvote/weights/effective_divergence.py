r"""What weights cost where held-out sets differ in size.

With harmonic sample sizes both the size and the divergence of an average depend on the weights. Let
n be the harmonic size at the prior, m_p = n / n_p the relative weight of a set, w the weights over
voters or pairs, and S = sum_p w_p m_p = n / n_H. The allowed divergence per point is then exactly
(K + nats) / n with the effective divergence

.. math:: K = \sum_p w_p m_p \ln(w_p m_p / \pi_p) - S \ln S + (S - 1)\, nats.

Where all sets are equally large, m = S = 1 and K is KL(w‖pi). So solvers see one more function of
the weights in place of KL, with its gradient, and nothing else changes. Over voters it is convex: a
relative entropy of m o w, which is homogeneous, plus a linear function.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from tandemvote.counts import FloatArray, IntArray


class Divergence(NamedTuple):
    """Value at some weights, and gradient in rho up to a constant."""

    value: float
    slope: FloatArray


class EffectiveDivergence(Protocol):
    """A function of the weights that takes the place of KL(rho‖pi), or of twice that for pairs."""

    def at(self, weights: FloatArray, log_ratio: FloatArray) -> Divergence:
        """Evaluate at weights rho with log_ratio = ln(rho / pi)."""

    def restrict(self, kept: IntArray) -> EffectiveDivergence:
        """Give the same function of weights that vanish outside `kept` (positions)."""


@dataclass(frozen=True)
class PlainDivergence:
    """KL(rho‖pi), times 2 for pairs: what sets of the same size cost.

    Examples
    --------
    >>> float(PlainDivergence(2).at(np.array([1.0, 0.0]), np.array([0.5, -9.0])).value)
    1.0
    """

    voters: int

    def at(self, weights: FloatArray, log_ratio: FloatArray) -> Divergence:
        """Evaluate at weights rho."""
        return Divergence(
            self.voters * max(float(log_ratio @ weights), 0.0), self.voters * log_ratio
        )

    def restrict(self, kept: IntArray) -> PlainDivergence:
        """Weights elsewhere do not matter."""
        return self


@dataclass(frozen=True, eq=False)
class VoterDivergence:
    """Effective divergence of voters with held-out sets of different sizes.

    Parameters
    ----------
    shares : ndarray, shape (n_voters,)
        m, the harmonic size at the prior over the size of each set.
    nats : float
        ln(mean moment / delta).

    Examples
    --------
    >>> equal = VoterDivergence(np.ones(2), 5.0)
    >>> float(equal.at(np.array([0.5, 0.5]), np.log([1.0, 1.0])).value)
    0.0
    """

    shares: FloatArray
    nats: float

    def at(self, weights: FloatArray, log_ratio: FloatArray) -> Divergence:
        """Evaluate at weights rho."""
        mass = self.shares * weights
        total = float(mass.sum())
        log_tilted = log_ratio + np.log(self.shares) - np.log(total)
        value = float(mass @ log_tilted) + (total - 1.0) * self.nats
        return Divergence(value, self.shares * (log_tilted + self.nats))

    def restrict(self, kept: IntArray) -> VoterDivergence:
        """Leave out the other voters' sets."""
        return VoterDivergence(self.shares[kept], self.nats)


@dataclass(frozen=True, eq=False)
class PairDivergence:
    """Effective divergence of pairs with overlaps of different sizes.

    Parameters
    ----------
    shares : ndarray, shape (n_voters, n_voters)
        m, the harmonic size at the prior over each overlap.
    nats : float
        ln(mean moment / delta).
    entropies : ndarray, shape (n_voters, n_voters), optional
        m ln m, computed if not given.
    """

    shares: FloatArray
    nats: float
    entropies: FloatArray | None = None

    def at(self, weights: FloatArray, log_ratio: FloatArray) -> Divergence:
        """Evaluate at weights rho; three products with matrices of pairs."""
        entropies = self.shares * np.log(self.shares) if self.entropies is None else self.entropies
        weighted_ratio = weights * log_ratio
        mass = self.shares @ weights
        total = float(mass @ weights)
        stretch = entropies @ weights
        tilt = self.nats - np.log(total)
        value = float(2.0 * (mass @ weighted_ratio) + stretch @ weights)
        value += total * tilt - self.nats
        slope = 2.0 * (mass * (log_ratio + tilt) + self.shares @ weighted_ratio + stretch)
        return Divergence(value, slope)

    def restrict(self, kept: IntArray) -> PairDivergence:
        """Leave out the overlaps with other voters."""
        return PairDivergence(self.shares[np.ix_(kept, kept)], self.nats)
