"""Exact confidence limit for the difference of two error rates on a common test set."""

from __future__ import annotations

from tandemvote.inequalities import clopper_pearson
from tandemvote.inequalities.outward import ARITHMETIC_MARGIN
from tandemvote.metrics.limits import rate_lower


def difference_lower(n_gains: int, n_losses: int, n_samples: int, delta: float = 0.05) -> float:
    r"""Lower confidence limit for the error rate of A minus that of B on a common test set.

    .. math:: L_A - L_B = s (2 \theta - 1)

    s is the probability that exactly one of them is right, and :math:`\theta` the probability that
    it is B. Given the number of such samples, `n_gains` is binomial. :math:`\theta` is limited at
    0.9 delta, s at 0.1 delta: from below if the limit of :math:`\theta` is at least 1/2, otherwise
    from above. In every world only one of the two limits of s matters.

    Parameters
    ----------
    n_gains, n_losses : int
        Samples on which A is wrong and B right, and the reverse.
    n_samples : int
        Number of test samples, used for nothing else.
    delta : float, default=0.05
        Failure probability.

    Returns
    -------
    limit : float
        A number in [-1, 1], rounded down.

    Examples
    --------
    >>> round(difference_lower(30, 10, 500), 4)
    0.0113
    """
    n_discordant = n_gains + n_losses
    delta *= 1.0 - ARITHMETIC_MARGIN
    theta = rate_lower(n_gains, n_discordant, 0.9 * delta)
    share_limit = rate_lower if theta >= 0.5 else clopper_pearson
    share = float(share_limit(n_discordant, n_samples, delta=0.1 * delta))
    return max(-1.0, share * (2.0 * theta - 1.0) - ARITHMETIC_MARGIN)
