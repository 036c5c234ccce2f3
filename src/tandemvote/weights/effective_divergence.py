r"""The divergence that weights pay for, also where held-out sets differ in size.

With harmonic sample sizes both the size and the divergence of an average depend on the weights. Let
n be the harmonic size at the prior, m_p = n / n_p the share of a set, w the weights over
voters or pairs, and S = sum_p w_p m_p = n / n_H. The allowed divergence per point is then exactly
(K + nats) / n with the effective divergence

.. math:: K = \sum_p w_p m_p \ln(w_p m_p / \pi_p) - S \ln S + (S - 1)\, nats.

Where all sets are equally large, m = S = 1 and K is KL(w‖pi). So solvers use K and
its gradient in place of KL, and nothing else changes. Over voters it is convex: a
relative entropy of m o w, which is homogeneous, plus a linear function.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from tandemvote.counting.counts import IntArray
from tandemvote.inequalities.outward import FloatArray


class Divergence(NamedTuple):
    """Value at some weights, and gradient in rho up to a constant."""

    value: float
    slope: FloatArray


@dataclass(frozen=True)
class PlainDivergence:
    """KL(rho‖pi), times 2 for pairs, where all sets have the same size.

    Examples
    --------
    >>> float(PlainDivergence(2).at(np.array([1.0, 0.0]), np.array([0.5, -9.0])).value)
    1.0
    """

    voters: int

    def at(self, weights: FloatArray, log_ratio: FloatArray) -> Divergence:
        """Evaluate at weights rho with log_ratio = ln(rho / pi)."""
        return Divergence(
            self.voters * max(float(log_ratio @ weights), 0.0), self.voters * log_ratio
        )

    def restrict(self, kept: IntArray) -> PlainDivergence:
        """Return itself: weights elsewhere do not matter."""
        return self


@dataclass(frozen=True, eq=False, kw_only=True)
class UnequalDivergence:
    """Effective divergence where sets differ in size; of voters, or of pairs of them.

    `shares` and `entropies` are m and m ln m of each set relative to the largest one, as in
    `UnequalSets`; `scale` is the harmonic size at the prior over the largest size, and `nats` is
    ln(mean moment / delta).

    Examples
    --------
    >>> equal = UnequalDivergence(shares=np.ones(2), entropies=np.zeros(2), scale=1.0, nats=5.0)
    >>> float(equal.at(np.array([0.5, 0.5]), np.log([1.0, 1.0])).value)
    0.0
    """

    shares: FloatArray
    entropies: FloatArray
    scale: float
    nats: float

    def at(self, weights: FloatArray, log_ratio: FloatArray) -> Divergence:
        """Evaluate at weights rho; for pairs, three products with matrices."""
        voters, weighted_ratio = self.shares.ndim, weights * log_ratio
        in_pairs = voters == 2
        mass = self.scale * (self.shares @ weights if in_pairs else self.shares)
        total = float(mass @ weights)
        stretch = self.scale * (self.entropies @ weights if in_pairs else self.entropies)
        stretch += np.log(self.scale) * mass
        tilt = self.nats - np.log(total)
        value = float(voters * (mass @ weighted_ratio) + stretch @ weights)
        value += total * tilt - self.nats
        slope = mass * (log_ratio + tilt) + stretch
        if in_pairs:
            slope += self.scale * (self.shares @ weighted_ratio)
        return Divergence(value, voters * slope)

    def restrict(self, kept: IntArray) -> UnequalDivergence:
        """Leave out the sets of other voters."""
        some = np.ix_(*[kept] * self.shares.ndim)
        return replace(self, shares=self.shares[some], entropies=self.entropies[some])


EffectiveDivergence = PlainDivergence | UnequalDivergence
"""A function of the weights in place of KL(rho‖pi), or of twice that for pairs."""
