"""Inverses of the binary kl: the largest and the smallest bias compatible with an observed one.

Both directions are one problem. Call the side of the coin that loses probability *shrinking* (its
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

from tandemvote.inequalities.divergences import excess_over_log
from tandemvote.inequalities.outward import ARITHMETIC_MARGIN, FloatArray

SMALLEST_NORMAL = float(np.finfo(float).tiny)
UNDERFLOWING_DECAY = 800.0
MAX_ITERATIONS = 50
BLOCK = 16_384
"""Elements iterated on together: the working set stays in cache, which doubles the speed."""


def kl_upper_inverse(p: ArrayLike, divergence: ArrayLike) -> Any:
    r"""Largest bias q with kl(p‖q) <= divergence, rounded up.

    .. math:: kl^{+}(p, \varepsilon) = \max\{q : kl(p‖q) \le \varepsilon\}

    Parameters
    ----------
    p : array_like of float in [0, 1]
        Observed bias.
    divergence : array_like of float >= 0
        Allowed divergence; broadcast against `p`.

    Returns
    -------
    float or ndarray
        Never below the true inverse, and above it by less than a relative 1e-9.

    Examples
    --------
    >>> float(round(kl_upper_inverse(0.1, 0.116322), 4))
    0.3
    >>> kl_upper_inverse([0.0, 0.5, 1.0], 0.01).round(4).tolist()
    [0.01, 0.5704, 1.0]
    """
    p, divergence = _checked(p, divergence)
    growing = np.where(p > 0, np.maximum(p, SMALLEST_NORMAL), 0.0)
    shrinking = 1.0 - p
    decay = _decay(shrinking, growing, divergence)
    q = np.nextafter(p - shrinking * np.expm1(-decay), np.inf)
    return np.where(divergence == 0, p, np.minimum(q, 1.0))[()]


def kl_lower_inverse(p: ArrayLike, divergence: ArrayLike) -> Any:
    r"""Smallest bias q with kl(p‖q) <= divergence, rounded down.

    .. math:: kl^{-}(p, \varepsilon) = \min\{q : kl(p‖q) \le \varepsilon\}

    The counterpart of `kl_upper_inverse`: never above the true inverse, and below it by less than a
    relative 1e-9, or by the smallest normal number where it underflows.

    Examples
    --------
    >>> float(round(kl_lower_inverse(0.3, 0.116322), 4))
    0.1191
    >>> kl_lower_inverse([0.0, 0.5, 1.0], 0.01).round(4).tolist()
    [0.0, 0.4296, 0.99]
    """
    p, divergence = _checked(p, divergence)
    decay = _decay(p, 1.0 - p, divergence)
    # For a decay below ln 2 the difference keeps more digits than the product p exp(-t).
    q = np.where(decay < 0.5, p + p * np.expm1(-decay), p * np.exp(-decay))
    q = np.nextafter(q, -np.inf)
    return np.where(divergence == 0, p, np.maximum(q, 0.0))[()]


def check_rate(rate: ArrayLike) -> FloatArray:
    """Return `rate` as an array, refusing what is not a rate.

    Examples
    --------
    >>> check_rate([0.2, 3.0])
    Traceback (most recent call last):
        ...
    ValueError: A rate must lie in [0, 1], got 3.0. Pass errors divided by points.
    """
    rate = np.asarray(rate, float)
    outside = ~((rate >= 0) & (rate <= 1))
    if outside.any():
        raise ValueError(
            f"A rate must lie in [0, 1], got {rate[outside].flat[0]}. Pass errors divided by"
            " points."
        )
    return rate


def _checked(p: ArrayLike, divergence: ArrayLike) -> tuple[FloatArray, FloatArray]:
    p, divergence = np.broadcast_arrays(check_rate(p), np.asarray(divergence, float))
    if not (divergence >= 0).all():
        worst = divergence[~(divergence >= 0)].flat[0]
        raise ValueError(f"A divergence must be at least 0, got {worst}.")
    return p, divergence


def _decay(shrinking: FloatArray, growing: FloatArray, divergence: FloatArray) -> FloatArray:
    """Return t at or right of the root of K(t) = divergence, infinite where nothing can shrink."""
    shape = divergence.shape
    s, o, target = (np.ravel(a) for a in (shrinking, growing, divergence))
    target = target * (1.0 + ARITHMETIC_MARGIN)
    decay = np.full(target.shape, np.inf)
    decay[target == 0] = 0.0
    # A coin that shows one side only has K(t) = t exactly.
    decay[(o == 0) & (target > 0)] = target[(o == 0) & (target > 0)]
    # K(t) <= s t, so where target >= 800 s the shrunken side underflows: leave t infinite.
    active = np.flatnonzero((o > 0) & (target > 0) & (target < UNDERFLOWING_DECAY * s))
    for start in range(0, active.size, BLOCK):
        block = active[start : start + BLOCK]
        decay[block] = _newton(s[block], o[block], target[block])
    return decay.reshape(shape)


def _newton(s: FloatArray, o: FloatArray, target: FloatArray) -> FloatArray:
    """Root of K(t) = target by Newton's iteration from the right."""
    t = _start_right_of_root(s, o, target)
    for _ in range(MAX_ITERATIONS):
        growth = -s * np.expm1(-t)
        value = s * _excess_over_exp(t) + o * excess_over_log(growth / o, (o + growth) / o)
        step = (value - target) * (o + growth) / growth
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
    growth = np.minimum(target + np.sqrt(target * (target + 2 * o)), np.sqrt(2 * s * target))
    share = growth / s * (1 + ARITHMETIC_MARGIN)
    with np.errstate(divide="ignore"):
        pinsker = np.where(share < 1, -np.log1p(-np.minimum(share, 1.0)), np.inf)
    return np.minimum(asymptote, pinsker)


def _excess_over_exp(t: FloatArray) -> FloatArray:
    """Return exp(-t) - 1 + t >= 0 without cancellation near 0."""
    small = np.where(t < 1 / 16, t, 0.0)
    tail = np.ones_like(small)
    for k in range(10, 2, -1):  # Horner's rule for the sum of 2 (-t)^(k - 2) / k!
        tail = 1.0 - small * tail / k
    return np.where(small == t, 0.5 * small * small * tail, np.expm1(-t) + t)
