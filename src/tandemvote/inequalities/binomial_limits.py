r"""The exact binomial upper limit: what a labelled test set, used for nothing else, says.

The limit p solves :math:`P(\mathrm{Bin}(n, p) \le k) = \delta`. As a function of p, that tail is an
integral of a log-concave density, so its logarithm is concave, and Newton's iteration started where
the tail is smaller than delta comes down to the root and never crosses it. Chernoff's inequality
gives such a start. For delta above 1/2 the other tail, at 1 - delta, keeps the digits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln

from tandemvote.inequalities.kl_intervals import check_delta
from tandemvote.inequalities.kl_inverse import kl_lower_inverse, kl_upper_inverse
from tandemvote.inequalities.outward import INPUT_MARGIN, FloatArray

ABSCISSAE, GAUSS_WEIGHTS = np.polynomial.legendre.leggauss(80)
NODES, NODE_WEIGHTS = (1.0 + ABSCISSAE) / 2.0, GAUSS_WEIGHTS / 2.0
"""Gauss and Legendre's rule for the integral from 0 to 1."""

NEGLIGIBLE = 45.0
"""Nats by which a density has fallen where the rest of its integral is below 1e-19 of it."""

MOST_STEPS = 40
"""Newton's iterations; six or so are needed."""

MOST_POINTS = 2**53
"""Beyond it a float does not hold every count."""

BLOCK = 1024
"""Limits computed together: a table of `NODES` for each stays in cache."""


def clopper_pearson(n_errors: ArrayLike, n_samples: ArrayLike, *, delta: float = 0.05) -> Any:
    r"""Upper confidence limit for an error rate, rounded up.

    .. math:: \mathrm{Beta}^{-1}(1 - \delta;\ k + 1,\ n - k)

    Parameters
    ----------
    n_errors : array_like of int
        Errors k seen.
    n_samples : array_like of int
        Points n looked at, n >= k.
    delta : float in (0, 1)
        Failure probability.

    Returns
    -------
    float or ndarray
        Never below the true limit, and above it by less than a relative 1e-9.

    Examples
    --------
    >>> float(round(clopper_pearson(3, 100), 4))
    0.0757
    >>> float(clopper_pearson(5, 5))
    1.0
    """
    k, n = np.broadcast_arrays(np.asarray(n_errors, float), np.asarray(n_samples, float))
    check_delta(delta)
    if not ((n >= 1) & (k >= 0) & (k <= n) & (n <= MOST_POINTS) & (k == np.floor(k))).all():
        raise ValueError(
            f"A test set of {n_samples!r} points cannot show {n_errors!r} errors: need whole"
            f" numbers, 0 <= errors <= points, and 1 to {MOST_POINTS} points."
        )
    # No error, or only one point without: the tail is a power of one probability.
    limit = np.where(k == 0, -np.expm1(np.log(delta) / n), np.exp(np.log1p(-delta) / n))
    limit = np.atleast_1d(np.where(k == n, 1.0, limit))
    inside = np.atleast_1d((k > 0) & (k < n - 1))
    some_k, some_n = (np.atleast_1d(count)[inside] for count in (k, n))
    parts = [slice(start, start + BLOCK) for start in range(0, some_k.size, BLOCK)]
    found = [_limit(some_k[part], some_n[part], delta) for part in parts]
    limit[inside] = np.concatenate([*found, []])
    return np.minimum(limit * (1.0 + INPUT_MARGIN), 1.0).reshape(k.shape)[()]


def _limit(k: FloatArray, n: FloatArray, delta: float) -> FloatArray:
    """Solve for the limits by Newton's iteration, where 0 < k < n - 1."""
    below = delta <= 0.5
    target = np.log(delta) if below else np.log1p(-delta)
    p = _start(k, n, target, below=below)
    inside = p < 1.0  # others are at their limit in floating point, and only move inwards
    k, n, q = k[inside], n[inside], p[inside]
    for _ in range(MOST_STEPS):
        log_tail, width = _tail(k, n, q, below=below)
        step = (log_tail - target) * width
        q = q + step if below else q - step
        if (np.abs(step) <= 1e-14 * q).all():
            break
    p[inside] = q
    return p


def _start(k: FloatArray, n: FloatArray, target: float, *, below: bool) -> FloatArray:
    """Return where the logarithm of the tail is at most the target, by Chernoff's inequality."""
    if below:
        return np.array(kl_upper_inverse(k / n, -target / n))
    # P(X > k) is also at most (e n p / (k + 1))^(k + 1), which never gives 0.
    least = (k + 1) / n * np.exp(target / (k + 1) - 1.0)
    return np.maximum(least, kl_lower_inverse((k + 1) / n, -target / n))


def _tail(
    k: FloatArray, n: FloatArray, p: FloatArray, *, below: bool
) -> tuple[FloatArray, FloatArray]:
    """Return ln P(X <= k), or ln P(X > k), and the tail divided by its derivative in p."""
    q = 1.0 - p
    width = _integral(p, k, q, n - k - 1) if below else _integral(q, n - k - 1, p, k)
    # The derivative is n - k times the probability of k errors, divided by q.
    surplus = k - n * p
    log_probability = (
        0.5 * np.log(n / (2 * np.pi * k * (n - k)))
        + _beyond_stirling(n)
        - _beyond_stirling(k)
        - _beyond_stirling(n - k)
        + k * _log_of_one_plus(-surplus / k, n * p / k)
        + (n - k) * _log_of_one_plus(surplus / (n - k), n * q / (n - k))
    )
    return log_probability + np.log((n - k) * width / q), width


def _log_of_one_plus(x: FloatArray, one_plus_x: FloatArray) -> FloatArray:
    """Take the logarithm of whichever has more digits."""
    near = np.abs(x) < 0.5
    return np.where(near, np.log1p(np.where(near, x, 0.0)), np.log(one_plus_x))


def _integral(grows: FloatArray, a: FloatArray, falls: FloatArray, b: FloatArray) -> FloatArray:
    """Integrate (1 + u / grows)^a (1 - u / falls)^b over u from 0 to `falls`."""

    def log_density(u: FloatArray) -> FloatArray:
        return a * np.log1p(u / grows) + b * np.log1p(-u / falls)

    slope, curvature = b / falls - a / grows, a / grows**2 + b / falls**2
    end = (np.sqrt(slope**2 + 2 * NEGLIGIBLE * curvature) - slope) / curvature
    end = np.minimum(end, falls / 2)
    for _ in range(MOST_STEPS):  # Newton's iteration for the end, which concavity lets settle
        fall = log_density(end) + NEGLIGIBLE
        slope = b / (falls - end) - a / (grows + end)
        closer = end + fall / np.where(slope > 0, slope, 1.0)
        before, end = end, np.where((slope > 0) & (closer < falls), closer, (end + falls) / 2)
        if (np.abs(end - before) <= 0.01 * end).all():
            break
    end = np.where(log_density(end) < 1 - NEGLIGIBLE, end, falls)
    values = np.exp(log_density(NODES[:, np.newaxis] * end))
    return end * (NODE_WEIGHTS @ values)


def _beyond_stirling(n: FloatArray) -> FloatArray:
    """Return ln n! minus Stirling's ln(sqrt(2 pi n) (n / e)^n), without cancellation."""
    few = np.minimum(n, 32.0)
    exact = gammaln(few + 1) - (few + 0.5) * np.log(few) + few - 0.5 * np.log(2 * np.pi)
    series = (1 / 12 - (1 / 360 - (1 / 1260 - 1 / 1680 / n**2) / n**2) / n**2) / n
    return np.where(n < 32, exact, series)
