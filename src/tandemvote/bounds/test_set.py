"""TEST: the classifier itself, tested on samples that were used for nothing else."""

from tandemvote.bounds.estimates import Estimates
from tandemvote.inequalities import clopper_pearson


def test_set_bound(estimates: Estimates, delta: float = 0.05) -> float:
    r"""Clopper-Pearson upper limit for the error rate of one fixed classifier.

    .. math:: \mathrm{Beta}^{-1}(1 - \delta;\ k + 1,\ n - k)

    The n test samples were used neither for training, nor for weights, nor for any choice. k of
    them count as errors: the vote misclassifies them or, if a referee breaks ties, the true class
    is not alone in first place.

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
    >>> round(test_set_bound(Estimates.from_numbers(n_errors=30, n_samples=1000)), 4)
    0.0405
    """
    return float(clopper_pearson(estimates.n_errors, estimates.n_samples, delta=delta))
