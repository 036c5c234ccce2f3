"""The objective of the solvers, a relaxed bound as a function of log-weights."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tandemvote.bounds.estimates import Estimates
from tandemvote.bounds.registry import get_bound
from tandemvote.bounds.requirements import RequirementError
from tandemvote.inequalities.outward import FloatArray
from tandemvote.inequalities.pac_bayes import check_gamma, check_lambda
from tandemvote.votes.counts import VoteCounts
from tandemvote.votes.evidence import Evidence
from tandemvote.votes.names import FIRST_ORDER, MINIMIZABLE, TANDEM
from tandemvote.weights.relaxations import Estimate, Relaxation, WeightedAverages


class Iterate(NamedTuple):
    """Weights, and what the objective computed from them."""

    log_ratio: FloatArray  # ln(rho / pi); finite even where the weight itself underflows to 0
    weights: FloatArray  # rho, which sums to 1
    jacobian: FloatArray  # gradients of the four averages, shape (4, n_voters)
    averages: WeightedAverages
    value: float  # the objective


class Step(NamedTuple):
    """A bound in PAC-Bayes-lambda form at some weights, and what it is made of.

    Attributes
    ----------
    bound : float
        The bound at `lam` and `gamma`, not clipped.
    lam : float
        The best lambda for these weights.
    gamma : float or None
        The best gamma for these weights; None for a bound without disagreement.
    kl_divergence : float
        KL(rho‖pi) of the weights.
    loss : float
        Tandem loss of the bound "tandem", Gibbs loss of the other bounds.
    disagreement : float or None
        Disagreement of the bound "disagreement".

    Examples
    --------
    >>> from tandemvote import VoteCounts, Votes
    >>> from tandemvote.weights import minimize_bound
    >>> votes = Votes.from_predictions([[0, 1] * 300, [0, 0] * 300], [0, 1] * 300)
    >>> start = minimize_bound(VoteCounts.from_votes(votes), "tandem").path[0]
    >>> start.loss, start.kl_divergence, round(start.lam, 3)
    (0.125, 0.0, 0.337)
    """

    bound: float
    lam: float
    gamma: float | None
    kl_divergence: float
    loss: float
    disagreement: float | None


class Descent(NamedTuple):
    """Result of a solver."""

    iterate: Iterate
    path: tuple[Step, ...]  # one for each iterate, from the start to the end
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
        if bound not in MINIMIZABLE:
            raise ValueError(
                f"Weights cannot minimize the bound {bound!r}; choose one of"
                f" {', '.join(map(repr, MINIMIZABLE))}."
            )
        evidence = Evidence(counts)
        for need in get_bound(bound).missing(evidence):
            raise RequirementError(
                f"Weights cannot minimize the bound {bound!r}: {need.unmet(evidence)}"
            )
        log_prior, losses = np.log(prior), counts.gibbs_losses
        if bound == FIRST_ORDER:  # Theorems 1 and 8
            gibbs = Estimate.of(counts.voter_sets, prior, delta, published)
            return cls(Relaxation(2.0, gibbs), log_prior, losses)
        if bound == TANDEM:  # Theorem 9
            tandem = Estimate.of(counts.pair_sets, prior, delta, published)
            no_losses = np.zeros_like(losses)
            return cls(Relaxation(4.0, tandem), log_prior, no_losses, counts.tandem_losses)
        # Theorem 10, with half of delta for each estimate.
        gibbs = Estimate.of(counts.voter_sets, prior, delta / 2, published)
        if not counts.n_min_disagreement:  # nothing is known about the disagreement
            return cls(Relaxation(4.0, gibbs), log_prior, losses)
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
        jacobian = np.zeros((4, self.n_voters))
        jacobian[0] = self.losses
        means = [float(self.losses @ weights), 0.0, 0.0, 0.0]
        if self.pairs is not None:
            pair_means = self.pairs @ weights
            jacobian[1], means[1] = 2.0 * pair_means, max(float(pair_means @ weights), 0.0)
        # A divergence that nothing is estimated with stays 0.
        for estimate in self.relaxation.estimates:
            place = estimate.order + 1
            means[place], jacobian[place] = estimate.divergence(weights, log_ratio)
        averages = WeightedAverages(*means)
        value = float(self.relaxation.value(averages))
        return Iterate(log_ratio, weights, jacobian, averages, value)

    def step(self, iterate: Iterate) -> Step:
        """Record what the objective is made of at these weights."""
        lam, gamma = self.relaxation.parameters(iterate.averages)
        upper, lower = self.relaxation.upper, self.relaxation.lower
        return Step(
            iterate.value,
            lam,
            gamma,
            max(float(iterate.weights @ iterate.log_ratio), 0.0),
            upper.at(iterate.averages)[0],
            None if lower is None else lower.at(iterate.averages)[0],
        )

    def pair_product(self, vector: FloatArray) -> FloatArray:
        """Q times a vector."""
        return np.zeros_like(vector) if self.pairs is None else self.pairs @ vector

    def gradient(self, iterate: Iterate) -> FloatArray:
        """Gradient in rho at the best lambda and gamma."""
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


def lambda_gradient(
    estimates: Estimates,
    bound: str = "tandem",
    delta: float = 0.05,
    *,
    lam: float | None = None,
    gamma: float | None = None,
) -> FloatArray:
    r"""Gradient of a bound in PAC-Bayes-lambda form in the weights, lambda and gamma held fixed.

    For the tandem bound, with equally large held-out sets, it is

    .. math:: \frac{4}{1 - \lambda/2} \Big(2 \hat L \rho
        + \frac{2}{\lambda n} \Big(1 + \ln\frac{\rho}{\pi}\Big)\Big)

    with the matrix of tandem losses. The paper prints the second factor (appendix on minimization).

    Parameters
    ----------
    estimates : Estimates
        The empirical quantities at the weights, which must be positive; computed from counts.
    bound : {"first_order", "tandem", "disagreement"}
        The bound: `first_order_lambda`, `tandem_lambda` or `disagreement_lambda`.
    delta : float in (0, 1), default=0.05
        Failure probability. It matters only for the best parameters and sets of unequal sizes.
    lam : float in (0, 2), optional
        The best one at the weights by default.
    gamma : float > 0, optional
        The best one at the weights by default.

    Returns
    -------
    ndarray of shape (n_voters,)
        The gradient. On the simplex a constant that is added to all entries makes no difference.

    Examples
    --------
    >>> from tandemvote import VoteCounts, Votes
    >>> votes = Votes.from_predictions([[0, 1] * 300, [0, 0] * 300], [0, 1] * 300)
    >>> estimates = Estimates(VoteCounts.from_votes(votes), published=True)
    >>> lambda_gradient(estimates, "tandem", lam=0.5).round(4).tolist()
    [0.0356, 2.7022]
    """
    if not (estimates.posterior > 0).all():
        voter = int(estimates.posterior.argmin())
        raise ValueError(f"The gradient is infinite: voter {voter} has weight 0. Use more than 0.")
    counts = estimates.counted("counts")
    objective = Objective.of(bound, counts, estimates.prior, delta, estimates.published)
    iterate = objective.at(np.log(estimates.posterior / estimates.prior))
    best = objective.relaxation.parameters(iterate.averages)
    slopes = objective.relaxation.slopes_at(
        best[0] if lam is None else check_lambda(lam),
        best[1] if gamma is None else check_gamma(gamma),
    )
    return np.asarray(slopes @ iterate.jacobian)
