"""What a solver minimises: a relaxed bound as a function of log-weights."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from tandemvote.counts import FloatArray, IntArray
from tandemvote.weights.effective_divergence import EffectiveDivergence, PlainDivergence
from tandemvote.weights.relaxations import Relaxation, Terms

ONE_VOTER, TWO_VOTERS = PlainDivergence(1), PlainDivergence(2)


@dataclass(frozen=True, eq=False)
class Point:
    """Weights with everything the objective computed on the way to its value.

    Attributes
    ----------
    log_ratio : ndarray, shape (n_voters,)
        ln(rho / pi); finite even where the weight itself underflows to 0.
    weights : ndarray, shape (n_voters,)
        rho, which sums to 1.
    pair_means : ndarray, shape (n_voters,)
        Q rho, the pair matrix averaged over one of its voters.
    divergence_slope, pair_divergence_slope : ndarray, shape (n_voters,)
        Gradients of what voters and pairs cost, up to constants.
    terms : Terms
        Gibbs loss, rho' Q rho, and what voters and pairs cost.
    value : float
        The objective.
    """

    log_ratio: FloatArray
    weights: FloatArray
    pair_means: FloatArray
    divergence_slope: FloatArray
    pair_divergence_slope: FloatArray
    terms: Terms
    value: float


@dataclass(frozen=True, eq=False)
class Objective:
    r"""A relaxation of (L' rho, rho' Q rho, cost of voters, cost of pairs) over the simplex.

    Parameters
    ----------
    relaxation : Relaxation
        The bound as a function of the four averages.
    log_prior : ndarray, shape (n_voters,)
        ln pi. It need not sum to 1 after `restrict`: KL then still counts the voters left out.
    losses : ndarray, shape (n_voters,)
        L, the Gibbs losses; zeros for a bound that does not use them.
    pairs : ndarray, shape (n_voters, n_voters), optional
        Q, the tandem losses or disagreement rates; None for a first-order bound.
    divergence, pair_divergence : EffectiveDivergence
        What weights cost; KL(rho‖pi) and twice that by default.

    Examples
    --------
    >>> from tandemvote.weights.relaxations import TandemRelaxation
    >>> objective = Objective(
    ...     relaxation=TandemRelaxation(n=1000, delta=0.05),
    ...     log_prior=np.log([0.5, 0.5]),
    ...     losses=np.zeros(2),
    ...     pairs=np.array([[0.5, 0.25], [0.25, 0.5]]),
    ... )
    >>> objective.at(np.zeros(2)).terms
    Terms(gibbs_loss=0.0, pair_average=0.375, divergence=0.0, pair_divergence=0.0)
    """

    relaxation: Relaxation
    log_prior: FloatArray
    losses: FloatArray
    pairs: FloatArray | None = None
    divergence: EffectiveDivergence = ONE_VOTER
    pair_divergence: EffectiveDivergence = TWO_VOTERS

    @property
    def n_voters(self) -> int:
        """Number of voters M."""
        return int(self.log_prior.size)

    def at(self, log_ratio: FloatArray) -> Point:
        """Evaluate at the weights pi exp(log_ratio), normalised."""
        log_weights = self.log_prior + log_ratio
        log_weights -= log_weights.max()
        weights = np.exp(log_weights)
        total = float(weights.sum())
        weights /= total
        log_ratio = log_weights - math.log(total) - self.log_prior
        pair_means = self.pair_product(weights)
        voters = self.divergence.at(weights, log_ratio)
        pairs = self.pair_divergence.at(weights, log_ratio)
        terms = Terms(
            gibbs_loss=float(self.losses @ weights),
            pair_average=max(float(pair_means @ weights), 0.0),
            divergence=voters.value,
            pair_divergence=pairs.value,
        )
        value = float(self.relaxation.value(terms))
        return Point(log_ratio, weights, pair_means, voters.slope, pairs.slope, terms, value)

    def pair_product(self, vector: FloatArray) -> FloatArray:
        """Q times a vector."""
        return np.zeros_like(vector) if self.pairs is None else self.pairs @ vector

    def gradient(self, point: Point) -> FloatArray:
        r"""Gradient in rho up to a constant, which the simplex does not see.

        .. math:: \phi_G L + 2 \phi_Q Q \rho + \phi_{KL} \ln(\rho / \pi)

        where all sets are equally large.
        """
        return np.asarray(self.relaxation.slopes(point.terms) @ self.jacobian(point))

    def jacobian(self, point: Point) -> FloatArray:
        """Gradients of the four averages, up to constants, shape (4, n_voters)."""
        return np.stack(
            [
                self.losses,
                2.0 * point.pair_means,
                point.divergence_slope,
                point.pair_divergence_slope,
            ]
        )

    def entropy_slope(self, point: Point) -> float:
        """Weight of KL(rho‖pi) in the objective; a pair costs it twice."""
        slopes = self.relaxation.slopes(point.terms)
        return float(slopes[2] + 2.0 * slopes[3])

    def gap(self, point: Point) -> float:
        r"""Fenchel gap of the problem with lambda and gamma fixed at their best.

        Linearising the quadratic part alone at rho leaves a Gibbs distribution rho+ as minimiser
        and

        .. math:: \phi_{KL} KL(\rho‖\rho^+), \quad
            \rho^+ \propto \pi \exp(-(\phi_G L + 2 \phi_Q Q \rho) / \phi_{KL})

        as gap: an upper bound on the distance to the minimum wherever the quadratic part is convex,
        and everywhere zero at stationary points alone. Where sets differ in size, the rest of what
        weights cost is linearised too, which says how far the point is from stationary but bounds
        nothing; see `linear_gap`.
        """
        in_kl = self.entropy_slope(point)
        # ln(rho / rho+) up to a constant, the one that normalises rho+.
        excess = self.gradient(point) / in_kl
        log_weights = self.log_prior + point.log_ratio - excess
        largest = float(log_weights.max())
        constant = largest + math.log(float(np.exp(log_weights - largest).sum()))
        return in_kl * max(float(point.weights @ excess) + constant, 0.0)

    def linear_gap(self, point: Point) -> float:
        """Largest decrease of the tangent plane: bounds the distance to a convex minimum."""
        gradient = self.gradient(point)
        return float(point.weights @ gradient - gradient.min())

    @property
    def equal_sizes(self) -> bool:
        """Whether weights cost KL(rho‖pi) and nothing else."""
        return isinstance(self.divergence, PlainDivergence) and isinstance(
            self.pair_divergence, PlainDivergence
        )

    def restrict(self, kept: IntArray) -> Objective:
        """Give the same objective on weights that vanish outside `kept` (positions)."""
        return replace(
            self,
            log_prior=self.log_prior[kept],
            losses=self.losses[kept],
            pairs=None if self.pairs is None else self.pairs[np.ix_(kept, kept)],
            divergence=self.divergence.restrict(kept),
            pair_divergence=self.pair_divergence.restrict(kept),
        )
