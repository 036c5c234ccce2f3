r"""Vote profile: held-out labels say how often voters err, unlabelled points say where they can.

At a point let v1 >= v2 be the two largest shares of the vote and gap = v1 - v2. If the vote is
right the erring weight Z is 1 - v1, if it is wrong Z is at least 1 - v2 = 1 - v1 + gap. So
gap · err <= Z - (1 - v1), and err <= (1 - lam gap)_+ + lam gap · err gives, for every lam >= 0,

.. math:: L \le \lambda G + E[\phi_\lambda], \qquad
    \phi_\lambda = (1 - \lambda\, gap)_+ - \lambda (1 - v_1) \le \max(1 - \lambda / 2, 0).

The upper end holds because v1 <= (1 + gap) / 2. The best lam solves the dual of the linear
programme that puts errors where gaps are small until the voters' error rate is used up: no bound
that knows G and the distribution of profiles alone can be smaller. G needs labels, phi does not.

**Both estimates at once.** Suppose the vote errs at a rate L and a random voter at a rate g.
Catoni's inequality turns the held-out labels into a variable of expectation at most 1 that is large
if they make g look too large, and given those labels, betting on the unlabelled points against
E phi_lam >= L - lam g, averaged over a grid of lam, gives another. Their product has expectation at
most 1 too, so with probability 1 - delta it stays below 1/delta for the true g and L. The bound is
the largest L for which some g keeps it there. Sharing the evidence this way replaces the sum of two
confidence widths by the root of the sum of their squares.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from tandemvote.bounds.averages import distribution
from tandemvote.bounds.bound import BoundValue
from tandemvote.counts import FloatArray, VoteCounts
from tandemvote.inequalities import kl_divergence
from tandemvote.inequalities.betting import log_capital, plug_in_bets
from tandemvote.inequalities.catoni import LEAST_EVIDENCE, catoni_rates, evidence_inverse
from tandemvote.inequalities.harmonic import harmonic_size
from tandemvote.inequalities.outward import INPUT_MARGIN, outward
from tandemvote.inequalities.pac_bayes_kl import check_delta

LAMBDAS: FloatArray = np.asarray([1.0, 1.5, 2.0, 3.0, 4.5])
"""Values of lam fixed in advance; averaging over them costs about a nat."""

N_CELLS = 24
"""Intervals of g between which the evidence is shared; each is treated at its worse end."""

TOLERANCE = 1e-10
"""How far the reported bound may lie above the root."""


def vote_profile_oracle(*, gibbs_loss: float, leads: ArrayLike, gaps: ArrayLike) -> float:
    """Smallest lam G + mean phi_lam over all lam, for equally likely profiles.

    Parameters
    ----------
    gibbs_loss : float
        True G.
    leads, gaps : array_like of shape (n_points,)
        Largest share v1 and its lead v1 - v2 over the second.

    Examples
    --------
    >>> leads = np.array([1.0, 0.75, 0.75, 0.5])
    >>> vote_profile_oracle(gibbs_loss=0.25, leads=leads, gaps=2 * leads - 1)
    0.25
    """
    v1, gap = np.asarray(leads, float), np.asarray(gaps, float)
    # A convex, piecewise linear function of lam: smallest at 0 or at some 1 / gap.
    lam = np.append(0.0, 1.0 / np.unique(gap[gap > 0]))
    values = lam * gibbs_loss + [_phi(v1, gap, np.array([x])).mean() for x in lam]
    return float(np.clip(values.min(), 0.0, 1.0))


def vote_profile_bound(
    *,
    gibbs_loss: float,
    n: float,
    leads: ArrayLike,
    gaps: ArrayLike,
    rates: FloatArray,
    kl_divergence: float = 0.0,
    delta: float = 0.05,
) -> float:
    """Bound from observed errors and the vote's profile on unlabelled points; any classes.

    Parameters
    ----------
    gibbs_loss : float
        Observed error rate averaged over the posterior, G^.
    n : float
        Sample size behind it: the smallest held-out set with KL(rho‖pi), or the harmonic size with
        its own divergence.
    leads, gaps : array_like of shape (n_unlabelled,)
        Largest share v1 of the vote at each unlabelled point and its lead over the second, in an
        order that does not depend on them.
    rates : ndarray
        Rates of Catoni's inequality, fixed without looking at the data; see `catoni_rates`.
    kl_divergence : float
        Divergence that belongs to `n`.
    delta : float
        Failure probability.

    Examples
    --------
    >>> leads = np.tile([1.0, 0.9, 1.0, 0.6, 1.0], 400)
    >>> rates = catoni_rates(2000.0)
    >>> terms = dict(gibbs_loss=0.11, n=2000.0, leads=leads, gaps=2 * leads - 1, rates=rates)
    >>> round(vote_profile_bound(**terms), 3)
    0.177
    """
    check_delta(delta)
    v1, gap = np.asarray(leads, float), np.asarray(gaps, float)
    phi = _phi(v1, gap, LAMBDAS)
    largest = np.maximum(1.0 - LAMBDAS / 2.0, 0.0)
    bets = plug_in_bets(phi, lower=1.0 - LAMBDAS, upper=largest)
    nats = float(np.log(1.0 / delta)) * (1.0 + INPUT_MARGIN)
    # The labels' evidence never falls below the first level. Where it alone reaches the last one,
    # nobody needs to bet on the unlabelled points.
    levels = np.linspace(LEAST_EVIDENCE - kl_divergence, nats, N_CELLS + 1)
    share = float(np.log(LAMBDAS.size))
    gibbs = evidence_inverse(
        min(gibbs_loss * (1.0 + INPUT_MARGIN), 1.0),
        n,
        rates=rates,
        evidence=levels[1:] + kl_divergence,
    )

    def surplus(g: float, needed: float, error: float) -> float:
        """Evidence of the unlabelled points against an error rate, beyond what is needed."""
        mean = np.minimum(error - LAMBDAS * g, largest)
        capital = log_capital(phi, mean, bets=bets * np.sqrt(needed + 1.0), upper=largest)
        return float(np.logaddexp.reduce(capital)) - share - needed

    # In a cell the labels give at least the evidence of its lower end, and the unlabelled points
    # least at its upper end. The largest errors hide in the middle; from there on, most cells
    # cannot raise the bound and cost one evaluation.
    bound = 0.0
    for cell in sorted(range(N_CELLS), key=lambda k: abs(k - 0.6 * N_CELLS)):
        g, needed = float(gibbs[cell]), nats - float(levels[cell])
        limit = min(float(np.min(largest + LAMBDAS * g)), 1.0)
        if bound < limit and surplus(g, needed, bound) < 0.0:
            bound = _refuted_above(partial(surplus, g, needed), bound, limit)
    return outward(bound, scale=float(LAMBDAS[-1]))


def _refuted_above(surplus: Callable[[float], float], left: float, right: float) -> float:
    """Point next to the root of an increasing function where it is not negative, or the end."""
    if surplus(right) < 0.0:
        return right
    root = float(brentq(surplus, left, right, xtol=TOLERANCE))
    for above in (root, root + TOLERANCE, root + 4.0 * TOLERANCE):
        if above < right and surplus(above) >= 0.0:
            return above
    return right


def vote_profile(
    counts: VoteCounts,
    unlabelled: ArrayLike,
    posterior: ArrayLike | None = None,
    prior: ArrayLike | None = None,
    delta: float = 0.05,
) -> BoundValue:
    """Evaluate the bound on counts of held-out labels and predictions on unlabelled points.

    Parameters
    ----------
    counts : VoteCounts
        Only errors and sizes of the held-out sets are used.
    unlabelled : array_like of shape (n_voters, n_unlabelled)
        Predicted labels on independent points of the same source, which were used neither for
        training nor for choosing the posterior, in an order that does not depend on them.
    posterior, prior : array_like of shape (n_voters,), optional
        Uniform by default. The posterior may be chosen on the labelled points.
    delta : float in (0, 1)
        Failure probability.

    Examples
    --------
    >>> from tandemvote.votes import Votes
    >>> rng = np.random.default_rng(0)
    >>> labels = rng.integers(2, size=6000)
    >>> predictions = labels ^ (rng.random((25, 6000)) < 0.1)
    >>> votes = Votes.from_predictions(predictions[:, :4000], labels[:4000])
    >>> value = vote_profile(VoteCounts.from_votes(votes), predictions[:, 4000:])
    >>> value.label, round(value.value, 3)
    ('VP', 0.033)
    """
    rho = distribution(posterior, counts.n_voters, "posterior")
    pi = distribution(prior, counts.n_voters, "prior")
    kl_divergence(rho, pi)  # refuses weight where there is no prior
    leads, gaps = vote_leads(unlabelled, rho)
    size = harmonic_size(rho, counts.sizes, pi)
    terms: dict[str, float] = {
        "gibbs_loss": min(float(rho @ counts.gibbs_losses), 1.0),
        "n": size.n,
        "kl_divergence": size.kl_divergence,
    }
    # The rates must not depend on the posterior: they belong to the harmonic size at the prior.
    rates = catoni_rates(harmonic_size(pi, counts.sizes, pi).n, delta=delta)
    value = vote_profile_bound(**terms, leads=leads, gaps=gaps, rates=rates, delta=delta)
    terms["n_unlabelled"] = leads.size
    return BoundValue("vote_profile", "VP", value, delta, MappingProxyType(terms))


def vote_leads(predictions: ArrayLike, weights: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Largest share of the vote at each point, and its lead over the second largest.

    Parameters
    ----------
    predictions : array_like of shape (n_voters, n_points)
        Labels of any type.
    weights : array_like of shape (n_voters,)
        Weights of the vote, which sum to 1.

    Examples
    --------
    >>> leads, gaps = vote_leads([["a", "b"], ["a", "c"], ["b", "c"]], [0.5, 0.25, 0.25])
    >>> leads.tolist(), gaps.tolist()
    ([0.75, 0.5], [0.5, 0.0])
    """
    said, rho = np.asarray(predictions), np.asarray(weights, float)
    if said.ndim != 2 or len(said) != rho.size:
        raise ValueError(
            f"The unlabelled predictions have shape {said.shape}; expected ({rho.size},"
            " n_unlabelled): one row a voter, in the order of the counts."
        )
    classes, codes = np.unique(said, return_inverse=True)
    codes = codes.reshape(said.shape)
    shares = np.zeros((max(classes.size, 2), said.shape[1]))
    for label in range(classes.size):
        shares[label] = rho @ (codes == label)
    second, first = np.partition(shares, -2, axis=0)[-2:]
    return np.asarray(first), np.asarray(first - second)


def _phi(leads: FloatArray, gaps: FloatArray, lambdas: FloatArray) -> FloatArray:
    """Value of phi_lam at each point, shape (n_points, n_lambdas)."""
    certain = np.maximum(1.0 - np.outer(gaps, lambdas), 0.0)
    # Shares known to rounding alone must not carry phi above its largest value.
    return np.minimum(
        certain - np.outer(1.0 - leads, lambdas), np.maximum(1.0 - lambdas / 2.0, 0.0)
    )
