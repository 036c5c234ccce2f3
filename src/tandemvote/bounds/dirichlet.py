r"""Dirichlet: weights fitted on a labelled hold-out, certified on the same hold-out.

Instead of a voter, draw a whole weighting from the Dirichlet distribution with parameters K rho,
where rho is the vote's weighting. Let v_j be the share of the vote for label j. For a level
kappa < 1/2 a draw is bad at (x, y), that is, a label j other than y has kappa or more of the weight
that j and y have together, with probability at most

.. math:: \ell(x, y) = \min\Big(1, \sum_{j \ne y} SF(\kappa; K v_j, K v_y)\Big),

SF being the survival function of the Beta distribution. PAC-Bayes-kl bounds the mean of l for all
parameters at once. If the vote errs, a draw is bad with probability at least SF(kappa; K/c, K/c)
for c labels, so dividing by it bounds the vote. The level and the prior's concentration k0 come
from grids fixed in advance, each at its share of delta; K is free (proof in ``docs/beyond.rst``).
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, digamma, gammaln

from tandemvote.bounds.averages import distribution
from tandemvote.bounds.bound import BoundValue
from tandemvote.bounds.requirements import RequirementError
from tandemvote.inequalities import pac_bayes_kl, xi
from tandemvote.inequalities.outward import INPUT_MARGIN, FloatArray, outward
from tandemvote.votes import Votes

LEVELS = (0.4, 0.45, 0.48)  # kappa, fixed in advance
PRIOR_CONCENTRATIONS = (30.0, 100.0, 300.0, 1000.0, 3000.0, 10_000.0)  # k0, fixed in advance
GRID_SIZE = len(LEVELS) * len(PRIOR_CONCENTRATIONS)


def beta_survival(level: float, first: ArrayLike, second: ArrayLike) -> FloatArray:
    """P(B >= level) for B ~ Beta(first, second); 0 if first is 0, else 1 if second is 0."""
    a, b = np.broadcast_arrays(np.asarray(first, float), np.asarray(second, float))
    inside = (a > 0) & (b > 0)
    # The mirrored distribution function: no digits are lost where the tail is thin.
    tail = betainc(np.where(inside, b, 1.0), np.where(inside, a, 1.0), 1.0 - level)
    return np.where(inside, tail, (a > 0).astype(float))


def dirichlet_divergence(posterior: ArrayLike, prior: ArrayLike) -> float:
    """KL between two Dirichlet distributions, given their parameters; rounded up."""
    alpha, alpha0 = np.asarray(posterior, float), np.asarray(prior, float)
    total, total0 = alpha.sum(), alpha0.sum()
    of_totals = [gammaln(total), -gammaln(total0)]
    of_differences = (alpha - alpha0) * (digamma(alpha) - digamma(total))
    terms = np.concatenate([of_totals, gammaln(alpha0) - gammaln(alpha), of_differences])
    return max(float(terms.sum() + INPUT_MARGIN * np.abs(terms).sum()), 0.0)


def dirichlet_bound(
    *,
    loss: float,
    n: float,
    concentration: float,
    level: float,
    n_classes: int,
    kl_divergence: float = 0.0,
    delta: float = 0.05,
) -> float:
    r"""Bound from the observed mean probability of bad draws.

    .. math:: kl^{+}\Big(\hat\ell, \frac{KL + \ln(\xi(n)/\delta)}{n}\Big) / SF(\kappa; K/c, K/c)

    for the observed mean `loss` of l over n labelled points, `concentration` K, `level` kappa and
    c = `n_classes` labels that voters can predict; KL is that of the Dirichlet distributions. The
    caller divides delta by the size of the grids.

    Examples
    --------
    >>> terms = dict(n=4000, concentration=200.0, level=0.4, n_classes=2)
    >>> round(dirichlet_bound(loss=0.1, kl_divergence=5.0, **terms), 3)
    0.126
    """
    bad = pac_bayes_kl(loss, n, kl_divergence=kl_divergence, delta=delta, moment=xi)
    half = concentration / n_classes
    return outward(float(bad.upper) / float(beta_survival(level, half, half)) * (1 + INPUT_MARGIN))


def dirichlet_on_votes(
    votes: Votes,
    parameters: ArrayLike,
    prior: ArrayLike | None = None,
    delta: float = 0.05,
    *,
    n_classes: int | None = None,
) -> BoundValue:
    """Evaluate the bound on a common labelled hold-out: the smallest over both grids.

    Parameters
    ----------
    votes : Votes
        Predictions on points that no voter was trained on.
    parameters : array_like of shape (n_voters,)
        alpha = K rho, positive: the vote's weights are alpha / sum(alpha). They may be fitted on
        these votes, see `tandemvote.weights.dirichlet_weights`.
    prior : array_like of shape (n_voters,), optional
        pi, uniform by default.
    n_classes : int, optional
        Labels that voters can predict; by default those seen among these votes.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> labels = rng.integers(2, size=4000)
    >>> predictions = labels ^ (rng.random((25, 4000)) < 0.2)
    >>> votes = Votes.from_predictions(predictions, labels)
    >>> value = dirichlet_on_votes(votes, np.full(25, 40.0))
    >>> value.label, round(value.value, 3)
    ('DIR', 0.005)
    """
    if not votes.held_out.all():
        raise RequirementError(
            "The bound 'dirichlet' does not apply: voters have different held-out sets. Pass votes"
            " on one set of labelled points that no voter was trained on."
        )
    alpha = np.asarray(parameters, float)
    if alpha.shape != (votes.n_voters,) or not (alpha > 0).all():
        raise ValueError(
            f"parameters has shape {alpha.shape} and smallest value {alpha.min(initial=np.inf)};"
            f" expected {votes.n_voters} positive numbers. A voter without weight makes the"
            " divergence infinite: mix the weights with a little of the prior, or leave it out."
        )
    pi = distribution(prior, votes.n_voters, "prior")
    totals = label_totals(votes, alpha)
    # The bound grows with the divergence, so one prior is the best for every level.
    divergence, k0 = min((dirichlet_divergence(alpha, k * pi), k) for k in PRIOR_CONCENTRATIONS)
    shared: dict[str, Any] = {
        "n": votes.n_samples,
        "concentration": float(alpha.sum()),
        "n_classes": max(votes.classes.size if n_classes is None else n_classes, 2),
        "kl_divergence": divergence,
    }
    losses = {level: float(bad_draws(totals, votes, level).mean()) for level in LEVELS}
    values = {
        level: dirichlet_bound(loss=loss, level=level, delta=delta / GRID_SIZE, **shared)
        for level, loss in losses.items()
    }
    best = min(values, key=values.__getitem__)
    terms = {"loss": losses[best], "level": best, **shared, "prior_concentration": k0}
    return BoundValue("dirichlet", "DIR", values[best], delta, MappingProxyType(terms))


def label_totals(votes: Votes, parameters: FloatArray) -> FloatArray:
    """Sum of the parameters behind each label, shape (n_samples, n_classes)."""
    points = np.arange(votes.n_samples)
    totals = np.zeros((votes.n_samples, votes.classes.size))
    for voter, parameter in enumerate(parameters):
        totals[points, votes.predictions[voter]] += parameter
    return totals


def bad_draws(totals: FloatArray, votes: Votes, level: float) -> FloatArray:
    """Upper bound l on the probability, at each point, that a drawn weighting is bad there."""
    points = np.arange(votes.n_samples)
    right = totals[points, votes.labels]
    tails = beta_survival(level, totals, right[:, None])
    tails[points, votes.labels] = 0.0
    return np.minimum(tails.sum(axis=1), 1.0)
