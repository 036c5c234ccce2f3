"""A classifier that agrees with a tested one on most samples."""

import numpy as np

from tandemvote.inequalities import clopper_pearson
from tandemvote.inequalities.outward import ARITHMETIC_MARGIN, FloatArray, outward
from tandemvote.inequalities.pac_bayes import check_delta

LEVEL_RATIO = 1.5  # between one level and the next


def single_voter_bound(
    *, n_errors: int, n_samples: int, n_differ: int, n_unlabeled: int, delta: float = 0.05
) -> float:
    r"""Bound on the error of a classifier F that agrees with a tested one, f, on most samples.

    .. math:: L(F) \le L(f) + P(F \ne f)

    The tested one made `n_errors` on `n_samples` labeled held-out samples; the two differ
    on `n_differ` of `n_unlabeled` samples that neither has seen (Kääriäinen and Langford, 2005).
    Both rates are binomial, and their p-values are multiplied as Fisher did, in steps; with at
    least twice as many unlabeled samples as labeled ones the second counts by its root. Proof in
    ``docs/theory``.

    Parameters
    ----------
    n_errors, n_samples : int
        Errors of the tested classifier on labeled held-out samples, and the number of these.
    n_differ, n_unlabeled : int
        Unlabeled samples on which the two classifiers differ, and the number of these.
    delta : float in (0, 1), default=0.05
        Failure probability.

    Returns
    -------
    float
        Bound on the error rate of the other classifier, in [0, 1].

    Examples
    --------
    A model erred on 20 of 500 held-out samples. Refitted on all labels it differs on 10 of 2,000:

    >>> round(single_voter_bound(n_errors=20, n_samples=500, n_differ=10, n_unlabeled=2000), 4)
    0.0657
    """
    check_delta(delta)
    power = 2 if n_unlabeled >= 2 * n_samples else 1
    levels, others = paired_levels(delta * (1.0 - ARITHMETIC_MARGIN), power)
    value = max(
        clopper_pearson(n_errors, n_samples, delta=level)
        + clopper_pearson(n_differ, n_unlabeled, delta=other)
        for level, other in zip(levels, others, strict=True)
    )
    return outward(float(value), scale=0.0)


def paired_levels(delta: float, power: int) -> tuple[FloatArray, FloatArray]:
    r"""Return pairs of levels, one of which two p-values exceed with probability 1 - delta.

    The p-values are independent, and q is `LEVEL_RATIO`. The first p-value is below c with
    probability c, and between :math:`c q^i` and :math:`c q^{i+1}` with probability
    :math:`c q^i (q - 1)`; there the second must exceed :math:`q^{-k (i+1)}` with the power k. The
    failures add up to
    :math:`c (1 + \sum_i q^i (q - 1) q^{-k(i+1)}) = \delta`.
    """
    first, total, steps = delta, 1.0, 0
    while first * LEVEL_RATIO**steps < 1.0:
        total += LEVEL_RATIO**steps * (LEVEL_RATIO - 1.0) * LEVEL_RATIO ** (-power * (steps + 1))
        steps += 1
        first = delta / total
    ratios: FloatArray = LEVEL_RATIO ** np.arange(steps + 1.0)
    return first * ratios[:-1], ratios[1:] ** -float(power)
