"""What a solver minimises: a relaxed bound as a function of log-weights."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from tandemvote.counts import FloatArray, IntArray
from tandemvote.weights.relaxations import Relaxation, Terms


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
    terms : Terms
        Gibbs loss, rho' Q rho and KL(rho‖pi).
    value : float
        The objective.
    """

    log_ratio: FloatArray
    weights: FloatArray
    pair_means: FloatArray
    terms: Terms
    value: float


@dataclass(frozen=True, eq=False)
class Objective:
    r"""A relaxation of (L' rho, rho' Q rho, KL(rho‖pi)) over the simplex.

    Parameters
    ----------
    relaxation : Relaxation
        The bound as a function of the three averages.
    log_prior : ndarray, shape (n_voters,)
        ln pi. It need not sum to 1 after `restrict`: KL then still counts the voters left out.
    losses : ndarray, shape (n_voters,)
        L, the Gibbs losses; zeros for a bound that does not use them.
    pairs : ndarray, shape (n_voters, n_voters), optional
        Q, the tandem losses or disagreement rates; None for a first-order bound.

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
    Terms(gibbs_loss=0.0, pair_average=0.375, kl_divergence=0.0)
    """

    relaxation: Relaxation
    log_prior: FloatArray
    losses: FloatArray
    pairs: FloatArray | None = None

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
        terms = Terms(
            gibbs_loss=float(self.losses @ weights),
            pair_average=max(float(pair_means @ weights), 0.0),
            kl_divergence=max(float(log_ratio @ weights), 0.0),
        )
        value = float(self.relaxation.value(terms))
        return Point(log_ratio, weights, pair_means, terms, value)

    def pair_product(self, vector: FloatArray) -> FloatArray:
        """Q times a vector."""
        return np.zeros_like(vector) if self.pairs is None else self.pairs @ vector

    def gradient(self, point: Point) -> FloatArray:
        r"""Gradient in rho up to a constant, which the simplex does not see.

        .. math:: \phi_G L + 2 \phi_Q Q \rho + \phi_{KL} \ln(\rho / \pi)
        """
        in_gibbs, in_pairs, in_kl = self.relaxation.slopes(point.terms)
        return np.asarray(
            in_gibbs * self.losses + 2.0 * in_pairs * point.pair_means + in_kl * point.log_ratio
        )

    def gap(self, point: Point) -> float:
        r"""Fenchel gap of the problem with lambda and gamma fixed at their best.

        Linearising the quadratic part alone at rho leaves a Gibbs distribution rho+ as minimiser
        and

        .. math:: \phi_{KL} KL(\rho‖\rho^+), \quad
            \rho^+ \propto \pi \exp(-(\phi_G L + 2 \phi_Q Q \rho) / \phi_{KL})

        as gap: an upper bound on the distance to the minimum wherever the quadratic part is convex,
        and everywhere zero at stationary points alone.
        """
        in_kl = float(self.relaxation.slopes(point.terms)[2])
        # ln(rho / rho+) up to a constant, the one that normalises rho+.
        excess = self.gradient(point) / in_kl
        log_weights = self.log_prior + point.log_ratio - excess
        largest = float(log_weights.max())
        constant = largest + math.log(float(np.exp(log_weights - largest).sum()))
        return in_kl * max(float(point.weights @ excess) + constant, 0.0)

    def restrict(self, kept: IntArray) -> Objective:
        """Give the same objective on weights that vanish outside `kept` (positions)."""
        return replace(
            self,
            log_prior=self.log_prior[kept],
            losses=self.losses[kept],
            pairs=None if self.pairs is None else self.pairs[np.ix_(kept, kept)],
        )
