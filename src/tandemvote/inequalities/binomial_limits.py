r"""The exact binomial upper confidence limit, from errors on a test set.

The limit p solves :math:`P(\mathrm{Bin}(n, p) \le k) = \delta`. As a function of p, that tail is an
integral of a log-concave density, so its logarithm is concave, and a step of Newton's iteration
from scipy's root, on whichever side that lies, ends where the tail is at most delta. For delta
above 1/2 the other tail, at 1 - delta, keeps the digits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, betaincc, betainccinv, betaincinv

from tandemvote.inequalities.divergences import kl_upper_inverse
from tandemvote.inequalities.outward import INPUT_MARGIN, FloatArray
from tandemvote.inequalities.pac_bayes import check_delta

MOST_STEPS = 40  # of Newton's iteration; nearly always one is needed
MANY_TEST_SAMPLES, WIDE_MARGIN = 10**8, 2.0**-34  # beyond, scipy's tails lose digits
MOST_TEST_SAMPLES = 10**12  # beyond, they lose too many
SMALLEST_DELTA = 1e-300  # below, tails may underflow, and Chernoff's limit, a larger one, is taken


def clopper_pearson(n_errors: ArrayLike, n_samples: ArrayLike, *, delta: float = 0.05) -> Any:
    r"""Upper confidence limit for an error rate after k errors on n samples, rounded up.

    .. math:: \mathrm{Beta}^{-1}(1 - \delta;\ k + 1,\ n - k)

    Never below the true limit; for delta >= 1e-300 above it by less than a relative 1e-9.

    Parameters
    ----------
    n_errors, n_samples : array_like of int
        Number of errors, and of independent samples. Arrays are broadcast.
    delta : float in (0, 1), default=0.05
        Failure probability.

    Returns
    -------
    ndarray or float
        Upper confidence limit of the error rate, at most 1; 1 without samples.

    Examples
    --------
    >>> float(round(clopper_pearson(3, 100), 4))
    0.0757
    """
    k, n = np.broadcast_arrays(np.asarray(n_errors, float), np.asarray(n_samples, float))
    check_delta(delta)
    if not ((k >= 0) & (k <= n) & (n <= MOST_TEST_SAMPLES) & (k == np.floor(k))).all():
        raise ValueError(
            f"n_errors={n_errors!r} and n_samples={n_samples!r} are not valid; expected whole"
            f" numbers with 0 <= n_errors <= n_samples <= {MOST_TEST_SAMPLES}."
        )
    # No error, or only one sample without: the tail is a power of one probability.
    some = np.maximum(n, 1.0)
    limit = np.where(k == 0, -np.expm1(np.log(delta) / some), np.exp(np.log1p(-delta) / some))
    limit = np.atleast_1d(np.where(k == n, 1.0, limit))
    inside = np.atleast_1d((k > 0) & (k < n - 1))
    limit[inside] = _limit(np.atleast_1d(k)[inside], np.atleast_1d(n)[inside], delta)
    margin = np.where(n <= MANY_TEST_SAMPLES, INPUT_MARGIN, WIDE_MARGIN)
    return np.minimum(limit.reshape(k.shape) * (1.0 + margin), 1.0)[()]


def _limit(k: FloatArray, n: FloatArray, delta: float) -> FloatArray:
    """Return the limits where 0 < k < n - 1; larger ones of Chernoff where tails underflow."""
    p: FloatArray = np.array(kl_upper_inverse(k / n, -np.log(delta) / n))
    if delta < SMALLEST_DELTA:
        return p
    below = delta <= 0.5
    target = delta if below else 1.0 - delta
    tail_at, inverse = (betaincc, betainccinv) if below else (betainc, betaincinv)
    root = inverse(k + 1, n - k, target)
    p = np.where(tail_at(k + 1, n - k, root) > 0, root, p)
    for _ in range(MOST_STEPS):
        tail = tail_at(k + 1, n - k, p)
        # The derivative is n - k times the probability of exactly k errors, divided by 1 - p.
        slope = (n - k) * np.abs(tail - tail_at(k, n - k + 1, p))
        with np.errstate(divide="ignore", invalid="ignore"):
            step = (np.log(tail) - np.log(target)) * tail * (1.0 - p) / slope
        step = np.where((tail > 0) & (p < 1), step, 0.0)
        p = p + step if below else p - step
        if (np.abs(step) <= 1e-10 * p).all():  # the error left is about the square of this
            break
    return p
