"""The objective of the solvers, a relaxed bound as a function of log-weights."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tandemvote.counts import VoteCounts
from tandemvote.inequalities.outward import FloatArray
from tandemvote.weights.relaxations import Estimate, Relaxation, WeightedAverages

MINIMIZABLE = ("first_order", "tandem", "disagreement")  # bounds that weights can minimize


class Iterate(NamedTuple):
    """Weights, and what the objective computed from them."""

    log_ratio: FloatArray  # ln(rho / pi); finite even where the weight itself underflows to 0
    weights: FloatArray  # rho, which sums to 1
    jacobian: FloatArray  # gradients of the four averages, up to constants, shape (4, n_voters)
    averages: WeightedAverages
    value: float  # the objective


class Descent(NamedTuple):
    """Result of a solver."""

    iterate: Iterate
    converged: bool  # whether it stopped before the limit of iterations
    met_negative_curvature: bool = False  # a sign that the objective has other minima


@dataclass(frozen=True, eq=False)
class Objective:
    """A relaxation of (L' rho, rho' Q rho, both divergences) over the simplex."""

    relaxation: Relaxation
    log_prior: FloatArray  # ln pi
    losses: FloatArray  # L, the Gibbs losses; zeros for a bound that does not use them
    pairs: FloatArray | None = None  # Q, tandem losses or disagreements; None for first order

    @classmethod
    def of(
        cls, bound: str, counts: VoteCounts, prior: FloatArray, delta: float, published: bool
    ) -> Objective:
        """Relax the bound of that name, one of `MINIMIZABLE`."""
        log_prior, losses = np.log(prior), counts.gibbs_losses
        if bound == "first_order":  # Theorems 1 and 8
            gibbs = Estimate.of(counts.voter_sets, prior, delta, published)
            return cls(Relaxation(2.0, gibbs), log_prior, losses)
        if bound == "tandem":  # Theorem 9
            tandem = Estimate.of(counts.pair_sets, prior, delta, published)
            no_losses = np.zeros_like(losses)
            return cls(Relaxation(4.0, tandem), log_prior, no_losses, counts.tandem_losses)
        # Theorem 10, with half of delta for each estimate.
        gibbs = Estimate.of(counts.voter_sets, prior, delta / 2, published)
        differ = Estimate.of(counts.disagreement_sets, prior, delta / 2, published)
        return cls(Relaxation(4.0, gibbs, differ), log_prior, losses, counts.disagreement_rates)

    @property
    def n_voters(self) -> int:
        """Number of voters M."""
        return int(self.log_prior.size)

    def at(self, log_ratio: FloatArray) -> Iterate:
        """Evaluate at the weights pi exp(log_ratio), normalized."""
        log_weights = self.log_prior + log_ratio
        log_weights -= log_weights.max()
        weights = np.exp(log_weights)
        total = float(weights.sum())
        weights /= total
        log_ratio = log_weights - math.log(total) - self.log_prior
        pair_means = self.pair_product(weights)
        # A divergence that nothing is estimated with stays 0.
        divergences, slopes = [0.0, 0.0], [np.zeros_like(weights)] * 2
        for estimate in self.relaxation.estimates:
            place = estimate.order - 1
            divergences[place], slopes[place] = estimate.divergence(weights, log_ratio)
        losses = float(self.losses @ weights), max(float(pair_means @ weights), 0.0)
        averages = WeightedAverages(*losses, *divergences)
        jacobian = np.array([self.losses, 2.0 * pair_means, *slopes])
        value = float(self.relaxation.value(averages))
        return Iterate(log_ratio, weights, jacobian, averages, value)

    def pair_product(self, vector: FloatArray) -> FloatArray:
        """Q times a vector."""
        return np.zeros_like(vector) if self.pairs is None else self.pairs @ vector

    def gradient(self, iterate: Iterate) -> FloatArray:
        """Gradient in rho up to a constant, which makes no difference on the simplex."""
        return np.asarray(self.relaxation.slopes(iterate.averages) @ iterate.jacobian)

    def entropy_slope(self, iterate: Iterate) -> float:
        """Weight of KL(rho‖pi) in the objective; a pair counts it twice."""
        slopes = self.relaxation.slopes(iterate.averages)
        return float(slopes[2] + 2.0 * slopes[3])

    def gap(self, iterate: Iterate) -> float:
        r"""Fenchel gap of the problem with lambda and gamma fixed at their best.

        Linearizing only the quadratic part at rho leaves a Gibbs distribution rho+ as minimizer and

        .. math:: \phi_{KL} KL(\rho‖\rho^+), \quad
            \rho^+ \propto \pi \exp(-(\phi_G L + 2 \phi_Q Q \rho) / \phi_{KL})

        as gap: an upper bound on the distance to the minimum wherever the quadratic part is convex,
        and zero only at stationary points. Where sets differ in size, the rest of the divergences
        is linearized too: the gap then measures the distance from stationarity and bounds nothing.
        """
        in_kl = self.entropy_slope(iterate)
        # ln(rho / rho+) up to a constant, the one that normalizes rho+.
        excess = self.gradient(iterate) / in_kl
        log_weights = self.log_prior + iterate.log_ratio - excess
        largest = float(log_weights.max())
        constant = largest + math.log(float(np.exp(log_weights - largest).sum()))
        return in_kl * max(float(iterate.weights @ excess) + constant, 0.0)
