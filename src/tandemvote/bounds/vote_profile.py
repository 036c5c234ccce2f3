r"""Vote profile: held-out labels for how often voters err, unlabeled samples for where they can.

It bounds the error of any classifier F: of the weighted vote, or of one that is deployed in its
place. At a sample let v be the share of the voters that predict what F does, and gap its lead over
the largest share of another class. If F is right the erring weight Z is 1 - v. If it is wrong, Z is
at least 1 - v + gap. So, for every lam >= 0,

.. math:: L(F) \le \lambda G + E[\phi_\lambda], \qquad
    \phi_\lambda = (1 - \lambda\, gap)_+ - \lambda (1 - v) \le 1,

and :math:`\phi_\lambda \le \max(1 - \lambda / 2, 0)` if F is the vote. G needs labels, phi does
not. Suppose F errs at a rate L and a random voter at a rate g. The held-out labels are evidence
against g by Catoni's inequality; bets on the unlabeled samples are evidence against
E phi_lam / lam >= L / lam - g, averaged over a grid of lam. With probability 1 - delta their
product stays below 1/delta for the true g and L; the bound is the largest L for which some g keeps
it there. Where even L = 0 is refuted for every g, the samples are not drawn from the same
distribution, and there is no bound. Proofs are in ``docs/theory``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from tandemvote.bounds.contradictions import ContradictionError
from tandemvote.bounds.estimates import Estimates
from tandemvote.bounds.requirements import RequirementError
from tandemvote.bounds.single_voter import single_voter_bound
from tandemvote.inequalities.betting import log_capital, plug_in_bets
from tandemvote.inequalities.catoni import LEAST_EVIDENCE, Tilts, catoni_tilts, evidence_inverse
from tandemvote.inequalities.harmonic import harmonic_size
from tandemvote.inequalities.outward import INPUT_MARGIN, FloatArray, outward

LAMBDAS: FloatArray = np.asarray([1.0, 1.5, 2.0, 3.0, 4.5])  # fixed in advance
SLOPES: FloatArray = np.append(1.0 / LAMBDAS, 0.0)  # reciprocals, and that of an infinite lam
FEW_KINKS = 5  # voters; with more of them, phi has more kinks than `LAMBDAS` has values
N_CELLS = 24  # intervals of g that share the evidence; each is treated at its worse end
BOUND_TOLERANCE = 1e-10  # how far the reported bound may lie above the root


def vote_profile_oracle(*, gibbs_loss: float, leads: ArrayLike, gaps: ArrayLike) -> float:
    """Smallest lam G + mean phi_lam over all lam, for equally likely profiles (v, gap).

    No bound from G and the profiles alone can be smaller.

    Parameters
    ----------
    gibbs_loss : float in [0, 1]
        True error rate of a voter drawn from the posterior, G.
    leads : array_like of shape (n_profiles,)
        Share v of the voters that agree with the classifier.
    gaps : array_like of shape (n_profiles,)
        Its lead over the largest share of another class.

    Returns
    -------
    float
        Bound on the error rate of the vote, in [0, 1].

    Examples
    --------
    >>> vote_profile_oracle(gibbs_loss=0.25, leads=[0.5, 1.0], gaps=[0.0, 1.0])
    0.5
    """
    v, gap = np.asarray(leads, float), np.asarray(gaps, float)
    # A convex, piecewise linear function of lam: smallest at 0 or at some 1 / gap.
    slopes = np.unique(gap[gap > 0])
    values = (gibbs_loss + _phi(v, gap, slopes).mean(axis=0)) / slopes
    return float(np.clip(values.min(initial=1.0), 0.0, 1.0))


def vote_profile_bound(estimates: Estimates, delta: float = 0.05) -> float:
    """Bound from observed errors and a profile on unlabeled samples; any number of classes.

    It bounds the error of the vote, or of the deployed classifier that the profile is about. Held-
    out sets always count in full.

    Parameters
    ----------
    estimates : Estimates
        The empirical quantities, from counts or from plain numbers.
    delta : float in (0, 1), default=0.05
        Failure probability.

    Returns
    -------
    float
        Bound on the error rate of the vote, in [0, 1].

    Raises
    ------
    ContradictionError
        If labeled and unlabeled samples are not drawn from the same distribution. If they are, it
        is raised with probability at most delta.

    Examples
    --------
    >>> from tandemvote import VoteCounts, Votes
    >>> from tandemvote.votes.evidence import Evidence
    >>> from tandemvote.votes.profile import VoteProfile
    >>> rng = np.random.default_rng(0)
    >>> labels = rng.integers(2, size=3000)
    >>> predictions = labels ^ (rng.random((9, 3000)) < 0.1)
    >>> votes = Votes.from_predictions(predictions[:, :1000], labels[:1000])
    >>> profile = VoteProfile.of(predictions[:, 1000:], np.full(9, 1 / 9))
    >>> estimates = Estimates(Evidence(VoteCounts.from_votes(votes), profile=profile))
    >>> round(vote_profile_bound(estimates), 3)
    0.093
    """
    pi, counts, profile = estimates.prior, estimates.counted("counts"), None
    if estimates.evidence is not None:
        profile = estimates.evidence.profile
    if profile is None:
        raise RequirementError("The bound 'vote_profile' requires a profile of unlabeled samples.")
    if profile.deployed is not None and counts.n_voters == 1:
        return single_voter_bound(
            n_errors=int(counts.errors[0]),
            n_samples=int(counts.sizes[0]),
            n_differ=int((profile.leads < 0.5).sum()),
            n_unlabeled=profile.n_samples,
            delta=delta,
        )
    estimates.check_prior()
    size = harmonic_size(estimates.posterior, counts.sizes, pi)
    few = profile.deployed is not None and counts.n_voters <= FEW_KINKS
    slopes, shares = deployed_slopes(counts.n_voters) if few else (SLOPES, None)
    return largest_unrefuted_error(
        gibbs_loss=estimates.gibbs_loss,
        n=size.n,
        kl_divergence=size.kl_divergence,
        leads=profile.leads,
        gaps=profile.gaps,
        # The tilts must not depend on the posterior: they belong to the size at the prior.
        tilts=catoni_tilts(harmonic_size(pi, counts.sizes, pi).n, delta=delta),
        slopes=slopes,
        shares=shares,
        of_vote=profile.deployed is None,
        delta=delta,
    )


def largest_unrefuted_error(
    *,
    gibbs_loss: float,
    n: float,
    leads: ArrayLike,
    gaps: ArrayLike,
    tilts: Tilts,
    slopes: FloatArray = SLOPES,
    shares: FloatArray | None = None,
    of_vote: bool = True,
    kl_divergence: float = 0.0,
    delta: float = 0.05,
) -> float:
    """Return the largest error rate that labeled and unlabeled samples together do not refute.

    Parameters
    ----------
    gibbs_loss, n, kl_divergence : float
        G^, with the smallest held-out set and KL(rho‖pi), or the harmonic size and its divergence.
    leads, gaps : array_like of shape (n_unlabeled,)
        Share v of the voters that agree with the classifier at each unlabeled sample, and its lead
        over the largest other one, in an order that does not depend on them.
    tilts : Tilts
        Tilts of Catoni's inequality, fixed without looking at the data; see `catoni_tilts`.
    slopes, shares : ndarray, optional
        Reciprocals of lam and how they share the evidence (equally by default), fixed in advance.
    of_vote : bool
        Whether the classifier is the weighted vote itself.

    Examples
    --------
    >>> leads = np.tile([1.0, 0.9, 1.0, 0.6, 1.0], 400)
    >>> tilts = catoni_tilts(2000.0)
    >>> given = dict(gibbs_loss=0.11, n=2000.0, leads=leads, gaps=2 * leads - 1, tilts=tilts)
    >>> round(largest_unrefuted_error(**given), 3)
    0.181
    """
    v, gap = np.asarray(leads, float), np.asarray(gaps, float)
    largest = np.maximum(slopes - 0.5, 0.0) if of_vote else slopes
    # Shares known to rounding alone must not carry phi above its largest value.
    values = np.minimum(_phi(v, gap, slopes), largest)
    bets = plug_in_bets(values, lower=slopes - 1.0, upper=largest)
    nats = float(np.log(1.0 / delta)) * (1.0 + INPUT_MARGIN)
    # The labels' evidence never falls below the first level. Where it alone reaches the last one,
    # no bet on the unlabeled samples is needed.
    levels = np.linspace(LEAST_EVIDENCE - kl_divergence, nats, N_CELLS + 1)
    log_shares = np.log(np.full(slopes.size, 1.0 / slopes.size) if shares is None else shares)
    at_most = min(gibbs_loss * (1.0 + INPUT_MARGIN), 1.0)
    gibbs = evidence_inverse(at_most, n, tilts=tilts, evidence=levels[1:] + kl_divergence)

    def surplus(g: float, needed: float, error: float) -> float:
        """Evidence of the unlabeled samples against an error rate, beyond what is needed."""
        mean = np.minimum(slopes * error - g, largest)
        capital = log_capital(values, mean, bets=bets * np.sqrt(needed + 1.0), upper=largest)
        return float(np.logaddexp.reduce(capital + log_shares)) - needed

    # In a cell the labels give at least the evidence of its lower end, and the unlabeled samples
    # least at its upper end. The largest errors hide in the middle; from there on, most cells
    # cannot raise the bound and cost one evaluation.
    steep = slopes > 0.0
    scale = float(1.0 / slopes[steep].min())  # by which the rounding of a mean is magnified
    bound = below_zero = -INPUT_MARGIN * scale
    for cell in sorted(range(N_CELLS), key=lambda k: abs(k - 0.6 * N_CELLS)):
        g, needed = float(gibbs[cell]), nats - float(levels[cell])
        limit = min(float(np.min((largest[steep] + g) / slopes[steep])), 1.0)
        if bound < limit and surplus(g, needed, bound) < 0.0:
            bound = _refuted_above(partial(surplus, g, needed), bound, limit)
    if bound == below_zero:  # refuted for every g, and beyond rounding
        minority = float((1.0 - v + np.minimum(gap, 0.0)).mean())  # outside the largest group
        raise ContradictionError(
            "Labeled and unlabeled samples are not drawn from the same distribution: at the"
            f" {v.size} unlabeled samples {minority:.1%} of the vote is in the minority on average,"
            f" but on labeled samples the voters err only {gibbs_loss:.1%} of the time. Where"
            " voters differ all classes but one are wrong, so the share in the minority cannot"
            f" exceed the error; chance explains this with probability at most {delta:g}. Pass"
            " unlabeled samples that were drawn like the labeled ones, or none."
        )
    return outward(bound, scale=scale)


def _refuted_above(surplus: Callable[[float], float], left: float, right: float) -> float:
    """Number next to the root of an increasing function where it is not negative, or the end."""
    if surplus(right) < 0.0:
        return right
    root = float(brentq(surplus, left, right, xtol=BOUND_TOLERANCE))
    for above in (root, root + BOUND_TOLERANCE, root + 4.0 * BOUND_TOLERANCE):
        if above < right and surplus(above) >= 0.0:
            return above
    return right


def deployed_slopes(n_voters: int) -> tuple[FloatArray, FloatArray]:
    """Slopes and shares of the games about a deployed classifier, for a few equal voters.

    The slopes are the kinks of phi. Most of the evidence goes to lam = 1: the bound is sharpest
    there for voters that err together.
    """
    slopes = np.arange(n_voters, -1.0, -1.0) / n_voters
    shares = 3.0 * 0.25 ** np.arange(1.0, n_voters + 1.0)
    return slopes, np.append(shares, 0.25**n_voters)


def _phi(leads: FloatArray, gaps: FloatArray, slopes: FloatArray) -> FloatArray:
    """Value of phi_lam / lam at each sample, shape (n_samples, n_slopes); the limit at slope 0."""
    return np.maximum(slopes - gaps[:, None], 0.0) - (1.0 - leads)[:, None]
