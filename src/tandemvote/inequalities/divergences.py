"""Kullback-Leibler divergences of weights and of two coins, and the inverses of the latter.

Both inverses are one problem. Call the side of the coin that loses probability *shrinking* (its
mass is s before and s exp(-t) after) and the other one *growing* (o = 1 - s before, o + g after,
g = s (1 - exp(-t))). The divergence in t,

    K(t) = s (exp(-t) - 1 + t) + o f(g / o),    f(x) = x - ln(1 + x),    K'(t) = g / (o + g),

is convex and increasing, so Newton's iteration started right of the root of K(t) = divergence comes
down to it monotonically and never crosses: it stays on the safe side by itself. The logarithmic
variable keeps full relative precision however small the shrunken side becomes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import kl_div

from tandemvote.inequalities.outward import ARITHMETIC_MARGIN, FloatArray

SMALLEST_NORMAL = float(np.finfo(float).tiny)
LEAST_DIVERGENCE = 1e-290  # smaller ones are rounded up to it, since their squares underflow
UNDERFLOWING_DECAY = 800.0
MAX_NEWTON_STEPS = 50
NEWTON_BLOCK = 16_384  # elements iterated on together: they stay in cache, twice as fast
DECAY_ROUNDING = 2.0**-49  # 8 ulp, for the five operations from the decay to the bias


def kl_divergence(posterior: ArrayLike, prior: ArrayLike) -> float:
    r"""Divergence KL(rho‖pi) of the vote's weights from the prior.

    .. math:: KL(\rho‖\pi) = \sum_h \rho_h \ln\frac{\rho_h}{\pi_h}, \quad 0 \ln 0 = 0

    Weight without prior is rejected: the divergence is infinite and no bound exists.

    Parameters
    ----------
    posterior : array_like of shape (n_voters,)
        Weights of the voters, which sum to 1.
    prior : array_like of shape (n_voters,)
        Weights that were fixed before seeing the samples.

    Returns
    -------
    float
        The divergence in nats, at least 0.

    Examples
    --------
    >>> kl_divergence([0.5, 0.5, 0.0, 0.0], [0.25] * 4)  # ln 2
    0.6931471805599453
    """
    posterior, prior = np.asarray(posterior, float), np.asarray(prior, float)
    without_prior = np.flatnonzero((posterior > 0) & (prior == 0))
    if without_prior.size:
        voter = without_prior[0]
        raise ValueError(
            f"Voter {voter} has weight {posterior[voter]:.3g} but prior 0, so KL(posterior‖prior)"
            " is infinite and no bound exists. Give the voter a positive prior or weight 0."
        )
    # Terms of kl_div are rho ln(rho/pi) - rho + pi >= 0 up to rounding; what is added sums to 0.
    return max(float(kl_div(posterior, prior).sum()), 0.0)


def binary_kl(p: ArrayLike, q: ArrayLike) -> Any:
    r"""Divergence kl(p‖q) of a coin with bias p from a coin with bias q, both in [0, 1].

    .. math:: kl(p‖q) = p \ln\frac{p}{q} + (1 - p) \ln\frac{1 - p}{1 - q}

    It is infinite where q is 0 or 1 and p is not.

    Parameters
    ----------
    p : array_like of float in [0, 1]
        Bias of the first coin, such as an observed error rate.
    q : array_like of float in [0, 1]
        Bias of the second coin.

    Returns
    -------
    ndarray or float
        The divergence in nats. Arrays are broadcast.

    Examples
    --------
    >>> binary_kl(0.0, [0.0, 0.5, 1.0]).round(4).tolist()
    [0.0, 0.6931, inf]
    """
    p, q = np.broadcast_arrays(np.asarray(p, float), np.asarray(q, float))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        # For d = q - p the sum of p f(d / p) and (1 - p) f(-d / (1 - p)), where nothing cancels.
        difference = q - p
        first = p * _excess_over_log(difference / p, q / p)
        second = (1 - p) * _excess_over_log(-difference / (1 - p), (1 - q) / (1 - p))
        divergence = np.where(p > 0, first, difference) + np.where(p < 1, second, -difference)
    divergence = np.where((q == 0) & (p > 0) | (q == 1) & (p < 1), np.inf, divergence)
    return np.where(p == q, 0.0, divergence)[()]


def kl_upper_inverse(p: ArrayLike, divergence: ArrayLike) -> Any:
    r"""Largest bias q with kl(p‖q) <= divergence, rounded up.

    .. math:: kl^{+}(p, \varepsilon) = \max\{q : kl(p‖q) \le \varepsilon\}

    Never below the true inverse. Above it by less than a relative 1e-9 if the divergence is 0 or
    at least 1e-290. Arrays are broadcast.

    Parameters
    ----------
    p : array_like of float in [0, 1]
        Bias of the first coin, such as an observed error rate.
    divergence : array_like of float >= 0
        Largest divergence kl(p‖q) allowed.

    Returns
    -------
    ndarray or float
        The bias q, at most 1.

    Examples
    --------
    >>> kl_upper_inverse([0.0, 0.5, 1.0], 0.01).round(4).tolist()
    [0.01, 0.5704, 1.0]
    """
    p, divergence = _check_pair(p, divergence)
    return _raised(p, divergence, _decay(1.0 - p, _growing(p), divergence))


def kl_lower_inverse(p: ArrayLike, divergence: ArrayLike) -> Any:
    r"""Smallest bias q with kl(p‖q) <= divergence, rounded down.

    .. math:: kl^{-}(p, \varepsilon) = \min\{q : kl(p‖q) \le \varepsilon\}

    Never above the true inverse. Below it by less than a relative 1e-9, or by the smallest normal
    number where it underflows, if the divergence is 0 or at least 1e-290. Arrays are broadcast.

    Parameters
    ----------
    p : array_like of float in [0, 1]
        Bias of the first coin, such as an observed error rate.
    divergence : array_like of float >= 0
        Largest divergence kl(p‖q) allowed.

    Returns
    -------
    ndarray or float
        The bias q, at least 0.

    Examples
    --------
    >>> kl_lower_inverse([0.0, 0.5, 1.0], 0.01).round(4).tolist()
    [0.0, 0.4296, 0.99]
    """
    p, divergence = _check_pair(p, divergence)
    return _lowered(p, divergence, _decay(p, 1.0 - p, divergence))


def kl_inverses(low: ArrayLike, high: ArrayLike, divergence: ArrayLike) -> tuple[Any, Any]:
    """Lower inverse at `low` and upper inverse at `high`, in one iteration."""
    (low, _), (high, divergence) = _check_pair(low, divergence), _check_pair(high, divergence)
    shrinking, growing = np.array([low, 1.0 - high]), np.array([1.0 - low, _growing(high)])
    down, up = _decay(shrinking, growing, np.array([divergence, divergence]))
    return _lowered(low, divergence, down), _raised(high, divergence, up)


def _growing(p: FloatArray) -> FloatArray:
    return np.where(p > 0, np.maximum(p, SMALLEST_NORMAL), 0.0)


def _raised(p: FloatArray, divergence: FloatArray, decay: FloatArray) -> Any:
    """Upper inverse from the decay of 1 - p."""
    q = np.nextafter((p - (1.0 - p) * np.expm1(-decay)) * (1.0 + DECAY_ROUNDING), np.inf)
    return np.where(divergence == 0, p, np.minimum(q, 1.0))[()]


def _lowered(p: FloatArray, divergence: FloatArray, decay: FloatArray) -> Any:
    """Lower inverse from the decay of p."""
    # For a decay below ln 2 the difference keeps more digits than the product p exp(-t).
    q = np.where(decay < 0.5, p + p * np.expm1(-decay), p * np.exp(-decay))
    q = np.nextafter(q * (1.0 - DECAY_ROUNDING), -np.inf)
    return np.where(divergence == 0, p, np.maximum(q, 0.0))[()]


def check_rate(rate: ArrayLike) -> FloatArray:
    """Return `rate` as an array; raise ValueError if a number is outside [0, 1]."""
    rate = np.asarray(rate, float)
    outside = rate[~((rate >= 0) & (rate <= 1))]
    if outside.size:
        raise ValueError(
            f"A rate must lie in [0, 1], got {outside.flat[0]}. Pass errors divided by samples."
        )
    return rate


def _check_pair(p: ArrayLike, divergence: ArrayLike) -> tuple[FloatArray, FloatArray]:
    p, divergence = np.broadcast_arrays(check_rate(p), np.asarray(divergence, float))
    wrong = divergence[~(divergence >= 0)]
    if wrong.size:
        raise ValueError(f"A divergence must be at least 0, got {wrong.flat[0]}.")
    return p, divergence


def _decay(shrinking: FloatArray, growing: FloatArray, divergence: FloatArray) -> FloatArray:
    """Return t at or right of the root of K(t) = divergence, infinite where nothing can shrink."""
    s, o, target = (np.ravel(a) for a in (shrinking, growing, divergence))
    target = np.where(
        target > 0, np.maximum(target * (1.0 + ARITHMETIC_MARGIN), LEAST_DIVERGENCE), 0.0
    )
    # A coin that shows one side only has K(t) = t exactly.
    decay = np.where((o == 0) | (target == 0), target, np.inf)
    # K(t) <= s t, so where target >= 800 s the shrunken side underflows: leave t infinite.
    active = np.flatnonzero((o > 0) & (target > 0) & (target < UNDERFLOWING_DECAY * s))
    for start in range(0, active.size, NEWTON_BLOCK):
        block = active[start : start + NEWTON_BLOCK]
        decay[block] = _newton(s[block], o[block], target[block])
    return decay.reshape(divergence.shape)


def _newton(s: FloatArray, o: FloatArray, target: FloatArray) -> FloatArray:
    """Root of K(t) = target by Newton's iteration from the right."""
    t = _start_right_of_root(s, o, target)
    for _ in range(MAX_NEWTON_STEPS):
        growth = -s * np.expm1(-t)
        value = s * _excess_over_exp(t) + o * _excess_over_log(growth / o, (o + growth) / o)
        step = (value - target) * ((o + growth) / growth)
        t = t - step
        # Convergence is quadratic with a constant below 1/2: the next step would be below 1e-18 t.
        if (np.abs(step) <= 1e-9 * t).all():
            break
    return t


def _start_right_of_root(s: FloatArray, o: FloatArray, target: FloatArray) -> FloatArray:
    """Smallest of three upper bounds on the root.

    K lies above its asymptote s t + o ln o, and above g^2 / (2 (o + g)) and g^2 / (2 s) by the
    refined Pinsker inequality in its two directions.
    """
    asymptote = (target - o * np.where(o < 0.5, np.log(o), np.log1p(-np.minimum(s, 0.5)))) / s
    root = np.sqrt(target)  # taken first: the products below would underflow
    growth = np.minimum(target + root * np.sqrt(target + 2 * o), root * np.sqrt(2 * s))
    share = growth / s * (1 + ARITHMETIC_MARGIN)
    with np.errstate(divide="ignore"):
        pinsker = np.where(share < 1, -np.log1p(-np.minimum(share, 1.0)), np.inf)
    return np.minimum(asymptote, pinsker)


def _excess_over_log(x: FloatArray, one_plus_x: FloatArray) -> FloatArray:
    """Return x - ln(1 + x) >= 0, given 1 + x to full precision.

    With r = x / (2 + x), ln(1 + x) = 2 artanh(r) and x - 2 r = x r, so near 0 the excess is
    x r - 2 (r^3 / 3 + r^5 / 5 + ...), whose leading term dominates.
    """
    near = np.abs(x) < 1 / 16  # above, cancellation costs at most 2^-43
    if not near.any():
        return np.asarray(x - np.log(one_plus_x))
    small = np.where(near, x, 0.0)
    r = small / (2.0 + small)
    square = r * r
    tail = 1 / 3 + square * (1 / 5 + square * (1 / 7 + square * (1 / 9 + square / 11)))
    return np.where(near, small * r - 2.0 * r * square * tail, x - np.log(one_plus_x))


def _excess_over_exp(t: FloatArray) -> FloatArray:
    """Return exp(-t) - 1 + t >= 0 without cancellation near 0."""
    near = t < 1 / 64  # above, cancellation costs at most 2^-45
    if not near.any():
        return np.asarray(np.expm1(-t) + t)
    small = np.where(near, t, 0.0)
    tail: Any = 1.0
    for k in range(8, 2, -1):  # Horner's rule for the sum of 2 (-t)^(k - 2) / k!
        tail = 1.0 - small * tail / k
    return np.where(near, 0.5 * small * small * tail, np.expm1(-t) + t)
