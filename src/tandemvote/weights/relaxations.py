r"""PAC-Bayes-lambda bounds with lambda and gamma at their best, as functions of four averages.

Every bound that weights can minimize sees the weights only through four numbers: the Gibbs loss,
the average of a pair matrix, and the divergences of voters and pairs. As a minimum of linear
functions of them (one for each lambda and gamma) it is concave in the four, and its tangent is the
bound with lambda and gamma fixed at their best.

Where all held-out sets are equally large the divergences are KL(rho‖pi) and twice that. Otherwise
let n be the harmonic size at the prior, m_p = n / n_p the share of a set, w the weights over voters
or pairs, and S = sum_p w_p m_p. The effective divergence (``docs/theory``), convex over voters,

.. math:: K = \sum_p w_p m_p \ln(w_p m_p / \pi_p) - S \ln S + (S - 1)\, nats

takes their place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tandemvote.bounds.estimates import published_size
from tandemvote.inequalities.harmonic import UnequalSets
from tandemvote.inequalities.outward import FloatArray
from tandemvote.inequalities.pac_bayes import (
    lambda_lower,
    lambda_upper,
    optimal_gamma,
    optimal_lambda,
)
from tandemvote.votes.set_sizes import SetSizes

SMALLEST_DISAGREEMENT = 1e-32  # below, the slope of sqrt(D) is frozen, so that it stays finite


class WeightedAverages(NamedTuple):
    """Averages over the weights rho that enter a bound; arrays for many weights at once."""

    gibbs_loss: Any
    pair_average: Any
    divergence: Any
    pair_divergence: Any


@dataclass(frozen=True, eq=False)
class Estimate:
    """An average over voters or pairs that is estimated from their held-out sets."""

    order: int  # 1 for voters, 2 for pairs
    n: float  # sample size, at the prior
    nats: float  # ln(moment / delta), the moment being 2 sqrt(n) in the paper
    unequal: UnequalSets | None = None  # the sets, if they differ in size

    @classmethod
    def of(cls, sets: SetSizes, prior: FloatArray, delta: float, published: bool) -> Estimate:
        """Take the sample size at the prior; the divergence accounts for other weights."""
        smallest = published_size(sets.n_min(prior), 0.0)
        size = smallest if published else sets.harmonic(prior).at(prior)
        nats = float(size.log_moment() - np.log(delta))
        differ = size.sizes[0] != size.sizes[-1]
        return cls(sets.order, size.n, nats, sets.harmonic(prior) if differ else None)

    def at(self, averages: WeightedAverages) -> tuple[Any, Any]:
        """Average on the sample, and the allowed divergence from the truth per sample."""
        return averages[self.order - 1], (averages[self.order + 1] + self.nats) / self.n

    def gradient(self, in_average: float, in_divergence: float) -> FloatArray:
        """Place derivatives in average and divergence among those in the four averages."""
        slopes = np.zeros(4)
        slopes[self.order - 1] = in_average
        slopes[self.order + 1] = in_divergence
        return slopes

    def divergence(self, weights: FloatArray, log_ratio: FloatArray) -> tuple[float, FloatArray]:
        """Divergence of the weights rho, and its gradient."""
        if self.unequal is None:
            value = self.order * max(float(log_ratio @ weights), 0.0)
            return value, self.order * (log_ratio + 1.0)
        shares, entropies, in_pairs = self.unequal.shares, self.unequal.entropies, self.order == 2
        scale = self.n / float(self.unequal.sizes[-1])  # shares are relative to the largest set
        weighted_ratio = weights * log_ratio
        mass = scale * (shares @ weights if in_pairs else shares)
        total = float(mass @ weights)
        stretch = scale * (entropies @ weights if in_pairs else entropies)
        stretch += np.log(scale) * mass
        tilt = self.nats - np.log(total)
        value = float(self.order * (mass @ weighted_ratio) + stretch @ weights)
        value += total * tilt - self.nats
        slope = mass * (log_ratio + tilt) + stretch
        if in_pairs:
            slope += scale * (shares @ weighted_ratio)
        return value, self.order * slope


@dataclass(frozen=True, eq=False)
class Relaxation:
    r"""A multiple of an upper bound, less twice a lower bound on disagreement if there is one.

    .. math::
        f \cdot (q + k + \sqrt{k^2 + 2 q k}) - 2 (D - \sqrt{2 b D})

    where q and k are the average and complexity of `upper` (Gibbs or tandem loss), D and b those of
    `lower` (disagreement), and f is 2 for the first order, 4 for the second. It bounds the vote's
    error and is not clipped.
    """

    factor: float
    upper: Estimate
    lower: Estimate | None = None

    @property
    def estimates(self) -> list[Estimate]:
        """The upper estimate, and the lower one if there is one."""
        return [self.upper] if self.lower is None else [self.upper, self.lower]

    def value(self, averages: WeightedAverages) -> Any:
        """Bound at the best lambda and gamma; an array where the averages are arrays."""
        bound = self.factor * lambda_upper(*self.upper.at(averages))
        if self.lower is None:
            return bound
        return bound - 2.0 * lambda_lower(*self.lower.at(averages))

    def parameters(self, averages: WeightedAverages) -> tuple[float, float | None]:
        """Return the best lambda, and the best gamma if there is a lower bound."""
        lam = float(optimal_lambda(*self.upper.at(averages)))
        if self.lower is None:
            return lam, None
        disagreement, b = self.lower.at(averages)
        return lam, float(optimal_gamma(max(disagreement, SMALLEST_DISAGREEMENT), b))

    def slopes(self, averages: WeightedAverages) -> FloatArray:
        """Gradient, shape (4,): the weights of the averages at the best lambda and gamma."""
        return self.slopes_at(*self.parameters(averages))

    def slopes_at(self, lam: float, gamma: float | None) -> FloatArray:
        """Weights of the averages in the bound, which is linear in them, at lambda and gamma."""
        slope = self.factor / (1.0 - lam / 2.0)
        slopes = self.upper.gradient(slope, slope / (lam * self.upper.n))
        if self.lower is None or gamma is None:
            return slopes
        return slopes + self.lower.gradient(gamma - 2.0, 2.0 / (gamma * self.lower.n))

    def curvature(self, averages: WeightedAverages) -> FloatArray:
        """Hessian, shape (4, 4): each bound is homogeneous and takes off a matrix of rank one."""
        q, k = self.upper.at(averages)
        scale = (k * (k + 2.0 * q)) ** -0.75
        bend = self.upper.gradient(k * scale, -q * scale / self.upper.n)
        curvature = -self.factor * np.outer(bend, bend)
        if self.lower is None:
            return np.asarray(curvature)
        disagreement, b = self.lower.at(averages)
        disagreement = max(disagreement, SMALLEST_DISAGREEMENT)
        bend = self.lower.gradient(b, -disagreement / self.lower.n)
        bend /= (2.0 * b * disagreement) ** 0.75
        return np.asarray(curvature - 2.0 * np.outer(bend, bend))
