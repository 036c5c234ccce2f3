r"""FO, TND and DIS in PAC-Bayes-lambda form (Theorems 8 to 10), at any lambda and gamma.

These are what weights are chosen by; the kl forms in `tandemvote.bounds.markov` are smaller and are
the numbers to report. Values are not clipped, so that they can be minimized and differentiated.
"""

from numpy.typing import ArrayLike

from tandemvote.bounds.estimates import Estimates
from tandemvote.bounds.requirements import check_two_classes
from tandemvote.inequalities.outward import INPUT_MARGIN
from tandemvote.inequalities.pac_bayes import lambda_lower, lambda_upper
from tandemvote.votes.names import DISAGREEMENT


def first_order_lambda(
    estimates: Estimates, delta: float = 0.05, *, lam: ArrayLike | None = None
) -> float:
    r"""First-order bound in PAC-Bayes-lambda form (Theorems 1 and 8).

    .. math:: 2 \Big(\frac{\hat G}{1 - \lambda/2}
        + \frac{KL + \ln(2\sqrt{n_1}/\delta)}{\lambda (1 - \lambda/2) n_1}\Big)

    Parameters
    ----------
    estimates : Estimates
        The empirical quantities, from counts or from plain numbers.
    delta : float in (0, 1), default=0.05
        Failure probability.
    lam : float in (0, 2), optional
        The bound holds for all lambda at once; the best one by default.

    Returns
    -------
    float
        Bound on the error rate of the vote, rounded up; it may exceed 1.

    Examples
    --------
    >>> adult = Estimates.from_numbers(gibbs_loss=0.20851, n_min=9459.96)  # in the paper
    >>> round(first_order_lambda(adult), 4), round(first_order_lambda(adult, lam=0.1), 4)
    (0.457, 0.4574)
    """
    k = estimates.voter_size.complexity(delta)
    return float(2.0 * lambda_upper(estimates.gibbs_loss, k, lam) * (1.0 + INPUT_MARGIN))


def tandem_lambda(
    estimates: Estimates, delta: float = 0.05, *, lam: ArrayLike | None = None
) -> float:
    r"""Tandem bound in PAC-Bayes-lambda form (Theorem 9).

    .. math:: 4 \Big(\frac{\hat T}{1 - \lambda/2}
        + \frac{2 KL + \ln(2\sqrt{n_2}/\delta)}{\lambda (1 - \lambda/2) n_2}\Big)

    Parameters
    ----------
    estimates : Estimates
        The empirical quantities, from counts or from plain numbers.
    delta : float in (0, 1), default=0.05
        Failure probability.
    lam : float in (0, 2), optional
        The bound holds for all lambda at once; the best one by default.

    Returns
    -------
    float
        Bound on the error rate of the vote, rounded up; it may exceed 1.

    Examples
    --------
    >>> adult = Estimates.from_numbers(tandem_loss=0.12138, n_min_pairs=3359.92)  # in the paper
    >>> round(tandem_lambda(adult), 4), round(tandem_lambda(adult, lam=0.1), 4)
    (0.5898, 0.6082)
    """
    k = estimates.pair_size.complexity(delta)
    return float(4.0 * lambda_upper(estimates.tandem_loss, k, lam) * (1.0 + INPUT_MARGIN))


def disagreement_lambda(
    estimates: Estimates,
    delta: float = 0.05,
    *,
    lam: ArrayLike | None = None,
    gamma: ArrayLike | None = None,
) -> float:
    r"""Disagreement bound for two classes in PAC-Bayes-lambda form (Theorem 10).

    .. math::
        4 \Big(\frac{\hat G}{1 - \lambda/2}
        + \frac{KL + \ln(4\sqrt{n_1}/\delta)}{\lambda (1 - \lambda/2) n_1}\Big)
        - 2 \Big((1 - \gamma/2) \hat D - \frac{2 KL + \ln(4\sqrt{m}/\delta)}{\gamma m}\Big)

    Parameters
    ----------
    estimates : Estimates
        The empirical quantities, from counts or from plain numbers.
    delta : float in (0, 1), default=0.05
        Failure probability; each of the two estimates gets half of it.
    lam : float in (0, 2), optional
        The bound holds for all lambda at once; the best one by default.
    gamma : float > 0, optional
        The bound holds for all gamma at once; the best one by default.

    Returns
    -------
    float
        Bound on the error rate of the vote, rounded up; it may exceed 1.

    Examples
    --------
    >>> numbers = dict(gibbs_loss=0.2, disagreement=0.2, n_min=1000, n_min_disagreement=50000)
    >>> estimates = Estimates.from_numbers(**numbers)
    >>> round(disagreement_lambda(estimates), 4)
    0.6752
    >>> round(disagreement_lambda(estimates, lam=0.2, gamma=0.05), 4)
    0.6809
    """
    check_two_classes(DISAGREEMENT, estimates.classes)
    k = estimates.voter_size.complexity(delta / 2)
    b = estimates.disagreement_size.complexity(delta / 2)
    upper = 4.0 * lambda_upper(estimates.gibbs_loss, k, lam)
    lower = 2.0 * lambda_lower(estimates.disagreement, b, gamma)
    return float(upper - lower + INPUT_MARGIN * (upper + abs(lower) + 4.0 * estimates.disagreement))
