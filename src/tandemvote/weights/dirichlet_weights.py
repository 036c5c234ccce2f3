"""The Dirichlet posterior, hence the vote's weights, fitted on a labelled hold-out."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize
from scipy.special import polygamma

from tandemvote.bounds.averages import distribution
from tandemvote.bounds.bound import BoundValue
from tandemvote.bounds.dirichlet import (
    GRID_SIZE,
    LEVELS,
    PRIOR_CONCENTRATIONS,
    bad_draws,
    beta_survival,
    dirichlet_divergence,
    dirichlet_on_votes,
    label_totals,
)
from tandemvote.inequalities import pac_bayes_kl, xi
from tandemvote.inequalities.outward import FloatArray
from tandemvote.votes import Votes

RELATIVE_STEP = 1e-5  # of the forward differences of the Beta distribution in its parameters
MAX_ITERATIONS = 60
FARTHEST = 50.0  # logarithms of parameters beyond which a step of the search is rejected
REJECTED = 1000.0  # value of a rejected step, worse than any bound


class DirichletSolution(NamedTuple):
    """A fitted Dirichlet posterior.

    Attributes
    ----------
    weights, parameters : ndarray of shape (n_voters,)
        The vote's weights rho, which sum to 1, and alpha = K rho.
    bound_value : BoundValue
    """

    weights: FloatArray
    parameters: FloatArray
    bound_value: BoundValue


def minimise_dirichlet(
    votes: Votes, prior: ArrayLike | None = None, delta: float = 0.05
) -> DirichletSolution:
    """Find parameters that make the Dirichlet bound small; never worse than the prior's weights.

    They are fitted on the votes that certify them. The search is local, and better ones may exist.
    The prior's weights, uniform by default, are positive and fixed before seeing the data.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> labels = rng.integers(2, size=1000)
    >>> errors = rng.random((6, 1000)) < np.array([0.1, 0.1, 0.1, 0.4, 0.4, 0.4])[:, None]
    >>> solution = minimise_dirichlet(Votes.from_predictions(labels ^ errors, labels))
    >>> bool(solution.weights[:3].sum() > 0.6)
    True
    """
    pi = distribution(prior, votes.n_voters, "prior")
    if not (pi > 0).all():
        raise ValueError("The prior must be positive everywhere; leave out the voters it excludes.")
    found = []
    # A concentrated prior starts low but on a plateau, so each is tried, at its best level.
    for k0 in PRIOR_CONCENTRATIONS:
        start = np.log(k0 * pi)
        problems = [(votes, k0 * pi, level, delta) for level in LEVELS]
        values = [_value_and_slopes(start, *problem)[0] for problem in problems]
        result = minimize(
            _value_and_slopes,
            start,
            args=problems[int(np.argmin(values))],
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": MAX_ITERATIONS},
        )
        found += [np.exp(start), np.exp(result.x)]
    certified = [(dirichlet_on_votes(votes, alpha, pi, delta), alpha) for alpha in found]
    value, alpha = min(certified, key=lambda pair: pair[0].value)
    return DirichletSolution(alpha / alpha.sum(), alpha, value)


def _value_and_slopes(
    log_parameters: FloatArray, votes: Votes, prior: FloatArray, level: float, delta: float
) -> tuple[float, FloatArray]:
    """Bound for one level and one prior Dir(prior), and its gradient, at ln alpha."""
    if np.abs(log_parameters).max() > FARTHEST:
        return REJECTED, np.zeros_like(log_parameters)
    alpha = np.exp(log_parameters)
    total = float(alpha.sum())
    loss, loss_slopes = _loss_and_slopes(alpha, votes, level)
    divergence, share = dirichlet_divergence(alpha, prior), delta / GRID_SIZE
    n, n_classes = votes.n_samples, max(votes.classes.size, 2)
    bad = float(pac_bayes_kl(loss, n, kl_divergence=divergence, delta=share, moment=xi).upper)
    odds, more = (
        float(beta_survival(level, t / n_classes, t / n_classes))
        for t in (total, total * (1.0 + RELATIVE_STEP))
    )
    kl_slopes = (alpha - prior) * polygamma(1, alpha)
    kl_slopes -= (total - prior.sum()) * polygamma(1, total)
    in_loss, in_kl = _inverse_slopes(loss, bad, n)
    slopes = (in_loss * loss_slopes + in_kl * kl_slopes) / odds
    slopes = slopes - bad / odds**2 * (more - odds) / (RELATIVE_STEP * total)
    return bad / odds, slopes * alpha


def _loss_and_slopes(alpha: FloatArray, votes: Votes, level: float) -> tuple[float, FloatArray]:
    """Mean of l and its derivatives in the parameters."""
    points = np.arange(votes.n_samples)
    totals = label_totals(votes, alpha)
    right = totals[points, votes.labels][:, None]
    tails = beta_survival(level, totals, right)
    first, second = RELATIVE_STEP * totals, RELATIVE_STEP * right
    slopes = _ratio(beta_survival(level, totals + first, right) - tails, first)
    in_right = _ratio(beta_survival(level, totals, right + second) - tails, second)
    in_right[points, votes.labels] = 0.0
    slopes[points, votes.labels] = in_right.sum(axis=1)
    loss = bad_draws(totals, votes, level)
    slopes[loss >= 1.0] = 0.0
    by_voter = [slopes[points, said].mean() for said in votes.predictions]
    return float(loss.mean()), np.array(by_voter)


def _ratio(change: FloatArray, step: FloatArray) -> FloatArray:
    """Difference quotient; 0 where no voter predicts a label."""
    step = np.broadcast_to(step, change.shape)
    return np.divide(change, step, out=np.zeros_like(change), where=step > 0)


def _inverse_slopes(p: float, q: float, n: int) -> tuple[float, float]:
    """Derivatives of kl+(p, e) in p and, for e = KL / n, in KL, at q = kl+(p, e)."""
    p, q = max(p, 1e-12), min(q, 1.0 - 1e-12)
    in_q = max((q - p) / (q * (1.0 - q)), 1e-12)
    in_p = np.log(q * (1.0 - p) / (p * (1.0 - q))) if p < 1.0 else 0.0
    return float(in_p / in_q), 1.0 / (n * in_q)
