"""C1 and C2: the two empirical C-bounds of Germain et al. for two classes."""

import numpy as np

from tandemvote.bounds.contradictions import contradiction_of_two_classes, warn_contradiction
from tandemvote.bounds.estimates import Estimates
from tandemvote.bounds.requirements import check_two_classes
from tandemvote.inequalities import xi
from tandemvote.inequalities.divergences import (
    binary_kl,
    kl_lower_inverse,
    kl_upper_inverse,
)
from tandemvote.inequalities.outward import FloatArray, outward
from tandemvote.inequalities.pac_bayes import trinomial_moment
from tandemvote.votes.names import C1, C2

GRID = 65
REFINEMENTS = 5


def c1_oracle(*, gibbs_loss: float, disagreement: float) -> float:
    """C-bound of two classes from the true G and D: 1 - (1 - 2 G)^2 / (1 - 2 D) if G < 1/2.

    Parameters
    ----------
    gibbs_loss : float in [0, 1]
        True error rate of a voter drawn from the posterior, G.
    disagreement : float in [0, 1]
        True rate at which two such voters disagree, D.

    Returns
    -------
    float
        Bound on the error rate of the vote, in [0, 1].

    Examples
    --------
    >>> c1_oracle(gibbs_loss=0.25, disagreement=0.25)
    0.5
    """
    if gibbs_loss >= 0.5:
        return 1.0
    return max(0.0, 1.0 - (1.0 - 2.0 * gibbs_loss) ** 2 / (1.0 - 2.0 * disagreement))


def c2_oracle(*, tandem_loss: float, disagreement: float) -> float:
    """C-bound of two classes from the true T and D, with G = T + D / 2.

    Parameters
    ----------
    tandem_loss : float in [0, 1]
        True rate at which two such voters err together, T.
    disagreement : float in [0, 1]
        True rate at which two such voters disagree, D.

    Returns
    -------
    float
        Bound on the error rate of the vote, in [0, 1].

    Examples
    --------
    >>> c2_oracle(tandem_loss=0.125, disagreement=0.25)
    0.5
    """
    return c1_oracle(gibbs_loss=tandem_loss + disagreement / 2, disagreement=disagreement)


def c1_bound(estimates: Estimates, delta: float = 0.05) -> float:
    r"""C-bound from separate estimates of error and disagreement, two classes.

    .. math::
        1 - \frac{(1 - 2 r)^2}{1 - 2 d}, \qquad
        r = \min\Big(\tfrac12, kl^{+}\big(\hat G, \tfrac{KL + \ln(2\xi(n_1)/\delta)}{n_1}\big)\Big),
        \quad d = kl^{-}\big(\hat D, \tfrac{2 KL + \ln(2\xi(n_2)/\delta)}{n_2}\big)

    and 1 if r = 1/2.

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

    Examples
    --------
    >>> adult = dict(gibbs_loss=0.20851, n_min=9459.96, disagreement=0.17422, n_min_pairs=3359.92)
    >>> round(c1_bound(Estimates.from_numbers(**adult)), 4)
    0.5723
    """
    check_two_classes(C1, estimates.classes)
    gibbs = estimates.gibbs_interval(delta / 2, xi)
    differ = estimates.disagreement_interval(delta / 2, xi)
    if reason := contradiction_of_two_classes(gibbs, differ):
        return warn_contradiction(C1, reason)
    r, d = float(gibbs.upper), float(differ.lower)
    if r >= 0.5 or d >= 0.5:  # the true disagreement of two classes is at most 1/2
        return 1.0
    return outward((4.0 * r * (1.0 - r) - 2.0 * d) / (1.0 - 2.0 * d), scale=1.0 / (1.0 - 2.0 * d))


def c2_bound(estimates: Estimates, delta: float = 0.05) -> float:
    r"""C-bound from a joint estimate of tandem loss and disagreement, two classes.

    .. math::
        \sup_{e, d} 1 - \frac{(1 - 2 e - d)^2}{1 - 2 d} \quad\text{over}\quad
        kl_3(\hat T, \hat D‖e, d) \le \varepsilon, \quad 2 e + d \le 1, \quad d \le 2(\sqrt e - e)

    with :math:`\varepsilon = (2 KL + \ln((\xi(n_2) + n_2)/\delta)) / n_2` and kl_3 the
    divergence of the trinomials (e, d, 1 - e - d). It is 1 if the region reaches 2 e + d = 1.

    The objective is concave and grows with e, the region is convex, and by the chain rule of the
    divergence the largest e for a given d is
    (1 - d) kl+(T^ / (1 - D^), (eps - kl(D^‖d)) / (1 - D^)). What is left is a concave function of d
    alone, whose values on nested grids bound it between their nodes. Where the last constraint is
    violated the objective is negative and cannot win.

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

    Examples
    --------
    >>> adult = dict(tandem_loss=0.12138, disagreement=0.17422, n_min_pairs=3359.92)
    >>> round(c2_bound(Estimates.from_numbers(**adult)), 4)
    0.5732
    """
    check_two_classes(C2, estimates.classes)
    tandem, differ = estimates.tandem_loss, estimates.labeled_disagreement
    if tandem + differ > 1.0 + 1e-9:
        raise ValueError(
            f"tandem_loss {tandem} and disagreement {differ} sum to more than 1, but with two"
            " classes voters that both err agree. Compute both on the same labeled samples."
        )
    allowed = estimates.pair_size.complexity(delta, trinomial_moment)
    if not allowed < np.inf:
        return 1.0  # no common samples: every pair (e, d) is allowed
    # Disagreements within the divergence; those of two classes never exceed 1/2.
    left = min(float(kl_lower_inverse(differ, allowed)), 0.5)
    right = min(float(kl_upper_inverse(differ, allowed)), 0.5)
    for _ in range(REFINEMENTS):
        grid = np.linspace(left, right, GRID)
        values = _best_for_disagreement(grid, tandem, differ, allowed)
        best = int(values.argmax())
        if not values[best] < 1.0:
            return 1.0
        left, right = grid[max(best - 1, 0)], grid[min(best + 1, GRID - 1)]
    if values[best] < 0.0:
        reason = (
            f"two voters err together on {tandem:.3g} of the samples and disagree on {differ:.3g},"
            " and no vote has rates near these"
        )
        return warn_contradiction(C2, reason)
    supremum = _concave_supremum(values, best)
    return outward(supremum, scale=4.0 / (1.0 - 2.0 * float(grid[best])))


def _concave_supremum(values: FloatArray, best: int) -> float:
    """Upper bound on a concave function, given on an even grid with its largest value at `best`.

    A line through two neighboring grid nodes lies above the function everywhere else. Over the
    interval on either side of `best` two such lines lie: one from each end.
    """
    highest = float(values[best])
    for v, k in ((values, best), (values[::-1], values.size - 1 - best)):  # the interval left of k
        if k > 0:
            from_right = 2.0 * v[k] - v[k + 1] if k + 1 < v.size else np.inf
            from_left = 2.0 * v[k - 1] - v[k - 2] if k > 1 else np.inf
            highest = max(highest, float(min(from_right, from_left)))
    return highest


def _best_for_disagreement(
    d: FloatArray, tandem: float, differ: float, allowed: float
) -> FloatArray:
    """Largest value of the C-bound at each disagreement d; 1 where G can reach 1/2."""
    agree = 1.0 - differ
    with np.errstate(over="ignore"):
        left_over = np.maximum(allowed - binary_kl(differ, d), 0.0) / max(agree, 1e-300)
    share = min(tandem / agree, 1.0) if agree > 0 else 1.0
    e = (1.0 - d) * kl_upper_inverse(share, left_over)
    margin = 1.0 - 2.0 * e - d
    with np.errstate(divide="ignore", invalid="ignore"):
        value = 1.0 - margin**2 / (1.0 - 2.0 * d)
    return np.where(margin <= 0.0, 1.0, value)
