"""FO, TND and DIS: Markov's inequality for the erring weight Z (Theorems 1, 3 and 5, with 7).

Where the vote errs Z is at least 1/2, so its error is at most 2 E[Z], and at most 4 E[Z^2]. The
mean of Z is the Gibbs loss G, its mean square the tandem loss T. With two classes T = G - D / 2 for
the disagreement D, which needs no labels: unlabeled samples sharpen DIS.
"""

from fractions import Fraction

from tandemvote.bounds.contradictions import contradiction_of_two_classes, warn_contradiction
from tandemvote.bounds.estimates import Estimates
from tandemvote.bounds.majorities import HALF
from tandemvote.bounds.requirements import check_two_classes
from tandemvote.inequalities.outward import outward
from tandemvote.votes.names import DISAGREEMENT

# Covers the rounding of a quotient and of the product it goes into.
QUOTIENT_ROUNDING = 1.0 + 2.0**-50


def first_order_oracle(*, gibbs_loss: float) -> float:
    """Bound from the true Gibbs loss G: 2 G, by Markov's inequality on the erring weight.

    Parameters
    ----------
    gibbs_loss : float in [0, 1]
        True error rate of a voter drawn from the posterior, G.

    Returns
    -------
    float
        Bound on the error rate of the vote, in [0, 1].

    Examples
    --------
    >>> first_order_oracle(gibbs_loss=0.125)
    0.25
    """
    return min(1.0, 2.0 * gibbs_loss)


def first_order_bound(estimates: Estimates, delta: float = 0.05) -> float:
    r"""First-order bound from an observed Gibbs loss.

    .. math:: 2\, kl^{+}\Big(\hat G, \frac{KL + \ln(2\sqrt{n_1}/\delta)}{n_1}\Big)

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
    >>> adult = Estimates.from_numbers(gibbs_loss=0.20851, n_min=9459.96)  # in the paper
    >>> round(first_order_bound(adult), 4)
    0.4517
    """
    return by_markov(estimates.gibbs_interval(delta).upper, 1, estimates.smallest_coalition)


def tandem_oracle(*, tandem_loss: float) -> float:
    """Bound from the true tandem loss T: 4 T, by the second-order Markov inequality.

    Parameters
    ----------
    tandem_loss : float in [0, 1]
        True rate at which two such voters err together, T.

    Returns
    -------
    float
        Bound on the error rate of the vote, in [0, 1].

    Examples
    --------
    >>> tandem_oracle(tandem_loss=0.125)
    0.5
    """
    return min(1.0, 4.0 * tandem_loss)


def tandem_bound(estimates: Estimates, delta: float = 0.05) -> float:
    r"""Tandem bound from an observed tandem loss; any number of classes.

    .. math:: 4\, kl^{+}\Big(\hat T, \frac{2 KL + \ln(2\sqrt{n_2}/\delta)}{n_2}\Big)

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
    >>> adult = Estimates.from_numbers(tandem_loss=0.12138, n_min_pairs=3359.92)  # in the paper
    >>> round(tandem_bound(adult), 4)
    0.5788
    """
    return by_markov(estimates.tandem_interval(delta).upper, 2, estimates.smallest_coalition)


def disagreement_oracle(*, gibbs_loss: float, disagreement: float) -> float:
    """Bound from the true Gibbs loss G and disagreement D of two classes: 4 G - 2 D.

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
    >>> disagreement_oracle(gibbs_loss=0.25, disagreement=0.25)
    0.5
    """
    return min(1.0, max(0.0, 4.0 * gibbs_loss - 2.0 * disagreement))


def disagreement_bound(estimates: Estimates, delta: float = 0.05) -> float:
    r"""Disagreement bound for two classes; delta is split evenly between the two estimates.

    .. math::
        4\, kl^{+}\Big(\hat G, \frac{KL + \ln(4\sqrt{n_1}/\delta)}{n_1}\Big)
        - 2\, kl^{-}\Big(\hat D, \frac{2 KL + \ln(4\sqrt{m}/\delta)}{m}\Big)

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
    >>> numbers = dict(gibbs_loss=0.2, disagreement=0.2, n_min=1000, n_min_disagreement=50000)
    >>> round(disagreement_bound(Estimates.from_numbers(**numbers)), 4)
    0.6279
    """
    check_two_classes(DISAGREEMENT, estimates.classes)
    gibbs, differ = estimates.gibbs_interval(delta / 2), estimates.disagreement_interval(delta / 2)
    if reason := contradiction_of_two_classes(gibbs, differ):
        return warn_contradiction(DISAGREEMENT, reason)
    return outward(4.0 * gibbs.upper - 2.0 * differ.lower)


def by_markov(moment: float, order: int, smallest: Fraction = HALF) -> float:
    """Bound the vote's error by a moment E[Z^order] of the erring weight, rounded up.

    Where the vote errs Z is at least w, the smallest coalition, so by Markov's inequality the error
    is at most E[Z^order] / w^order: twice the first moment, four times the second for w = 1/2.
    """
    factor = float(1 / smallest**order)
    exact = smallest in (HALF, 1)
    return float(min(1.0, (factor if exact else factor * QUOTIENT_ROUNDING) * moment))
