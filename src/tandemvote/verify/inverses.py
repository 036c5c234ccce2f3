"""Inverses by bisection, moments and binomial tails by their defining sums, C2 by duality."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

from scipy.optimize import OptimizeResult, minimize_scalar

from tandemvote.verify.arithmetic import HALF, Arithmetic

MANY_POINTS = 10_000
"""Above it the sum for the moment is longer than its enclosure is wide."""

PI = Fraction("3.14159265358979323846264338327950288419716939937510")
"""Rounded down to 50 digits."""

LARGEST_TILT = 100.0
"""Of t in C2: with a larger one f is negative, or d above 0.49995."""

TAIL_BITS = 64
"""Halvings for a binomial tail, each of which sums about 10 sqrt(n) terms."""


class Rate(NamedTuple):
    """A rate and what is left of 1, each a sum of terms of one sign, so that nothing cancels."""

    part: Any
    rest: Any


def kl_upper(rate: Rate, allowed: Any | None, arithmetic: Arithmetic) -> Any:
    """Largest q with kl(p‖q) <= allowed; None allows everything."""
    if allowed is None or rate.rest == 0:
        return arithmetic.exactly(1)

    def exceeds(q: Fraction) -> bool | None:
        return order(divergence((rate.part, rate.rest), (q, 1 - q), arithmetic), allowed)

    # Where the rest is tiny, 1 minus it is below 1 and the rounded part is not.
    low = min(arithmetic.ends(rate.part)[0], 1 - arithmetic.ends(rate.rest)[1])
    return bisect(exceeds, low, Fraction(1), arithmetic)


def kl_lower(rate: Rate, allowed: Any | None, arithmetic: Arithmetic) -> Any:
    """Smallest q with kl(p‖q) <= allowed."""
    return 1 - kl_upper(Rate(rate.rest, rate.part), allowed, arithmetic)


def divergence(p: tuple[Any, ...], q: tuple[Fraction, ...], arithmetic: Arithmetic) -> Any:
    """Sum of p ln(p / q) over the faces of a die; q positive where p is not exactly 0."""
    faces, log, log_of = zip(p, q, strict=True), arithmetic.log, arithmetic.log_of
    return sum(face * (log(face) - log_of(other)) for face, other in faces if face != 0)


def bisect(
    exceeds: Callable[[Fraction], bool | None],
    low: Fraction,
    high: Fraction,
    arithmetic: Arithmetic,
    *,
    halvings: int | None = None,
) -> Any:
    """Root of an increasing condition that is False at `low` and True at `high`.

    Stops early where the condition stays None, undecided; both ends are proven all the same.
    """
    for _ in range(halvings or arithmetic.bits):
        # A root may lie exactly in the middle, where balls cannot decide; next to it they can.
        for share in (Fraction(1, 2), Fraction(3, 7)):
            middle = low + share * (high - low)
            above = exceeds(middle)
            if above is not None:
                break
        else:
            break
        low, high = (low, middle) if above else (middle, high)
    return arithmetic.between(arithmetic.exactly(low), arithmetic.exactly(high))


def moment(n: int, arithmetic: Arithmetic) -> Any:
    r"""Exact moment of n points, 1 + sum over k >= 1 of n! / ((n - k)! n^k), term by term.

    Many points: n! e^n / (2 n^n) + 1 - theta by Stirling's series, whose partial sums enclose it,
    and theta between 1/3 + 4 / (135 (n + 8/45)) and 1/3 + 4 / (135 (n + 2/21)), Ramanujan's claim
    that Flajolet, Grabner, Kirschenhofer and Prodinger proved in 1995.
    """
    if n > MANY_POINTS:
        return _moment_of_many(n, arithmetic)
    term, total, k = arithmetic.exactly(1), arithmetic.exactly(2), 1
    negligible = arithmetic.exactly(Fraction(1, 2**arithmetic.bits))
    # Each term is the one before times 1 - k/n, and k grows: the rest is below term * n / k.
    while k < n and not term * n < negligible * k:
        term = term * (n - k) / n
        total, k = total + term, k + 1
    remainder = term * n / k if k < n else arithmetic.exactly(0)
    return arithmetic.between(total, total + remainder)


def _moment_of_many(n: int, arithmetic: Arithmetic) -> Any:
    number, between, x = arithmetic.exactly, arithmetic.between, Fraction(1, n)
    series = x / 12 - x**3 / 360
    factor = between(*(arithmetic.exp(number(e)) for e in (series, series + x**5 / 1260)))
    pi = between(number(PI), number(PI + Fraction(1, 10**50)))
    shifts = Fraction(8, 45), Fraction(2, 21)
    theta = between(*(number(Fraction(1, 3) + Fraction(4, 135) / (n + s)) for s in shifts))
    return arithmetic.sqrt(pi * n / 2) * factor + 1 - theta


def binomial_limit(n_errors: int, n_samples: int, delta: Fraction, arithmetic: Arithmetic) -> Any:
    """Error rate p at which n_errors or fewer of n_samples have probability delta."""
    if n_errors == n_samples:
        return arithmetic.exactly(1)

    def exceeds(p: Fraction) -> bool | None:
        # The tail on the side where its terms fall, in logarithms: no delta is too small.
        if n_errors < (n_samples + 1) * p:
            fewer = _log_at_most(n_errors, n_samples, p, arithmetic)
            return order(arithmetic.log_of(delta), fewer)
        more = _log_at_most(n_samples - n_errors - 1, n_samples, 1 - p, arithmetic)
        return order(more, arithmetic.log_of(1 - delta))

    return bisect(exceeds, Fraction(0), Fraction(1), arithmetic, halvings=TAIL_BITS)


def order(value: Any, limit: Any) -> bool | None:
    """Whether a value is above a limit; None if balls cannot tell."""
    return True if value > limit else False if value < limit else None


def _log_at_most(k: int, n: int, p: Fraction, arithmetic: Arithmetic) -> Any:
    """Logarithm of the probability of k or fewer of n, whose terms fall from k down."""
    number, log_gamma = arithmetic.exactly, arithmetic.log_gamma
    odds = number((1 - p) / p)
    log_term = log_gamma(number(n + 1)) - log_gamma(number(k + 1)) - log_gamma(number(n - k + 1))
    log_term = log_term + k * arithmetic.log_of(p) + (n - k) * arithmetic.log_of(1 - p)
    term = total = number(1)
    negligible = number(Fraction(1, 2**TAIL_BITS))
    while k > 0:
        ratio = odds * k / (n - k + 1)
        # Later ratios are smaller still: the rest is below the geometric series.
        if term * ratio <= negligible * total * (1 - ratio):
            total = arithmetic.between(total, total + term * ratio / (1 - ratio))
            break
        term = term * ratio
        total = total + term
        k -= 1
    return log_term + arithmetic.log(total)


def supremum(tandem: Any, differ: Any, neither: Any, allowed: Any, arithmetic: Arithmetic) -> Any:
    """Enclose the largest f in C2, or return None where it reaches 1 or no vote is allowed at all.

    Let f(e, d) = 1 - (1 - 2e - d)^2 / (1 - 2d), and let x = (e, d, 1 - e - d) range over the
    distributions with d < 1/2 and KL(p‖x) <= eps. For any number t and g = (4t, 2t - 2t^2, 0)

        f(x) <= (1 - t)^2 + g.x                            because u^2 / w >= 2tu - t^2 w, and
        g.x  <= v - exp(sum_i p_i ln(v - g_i) - eps)       for every v >= max g,

    the latter because sum_i x_i (v - g_i) >= prod_i (x_i (v - g_i) / p_i)^(p_i), the inequality of
    the means, whose right side is exp(sum_i p_i ln(v - g_i) - KL(p‖x)). So whatever t and v a
    search comes up with, the sum of both is above the supremum; at the best t and v it equals it,
    and every x_i (v - g_i) / p_i is that exponential. Any allowed point gives a value below.
    """
    p, number = (tandem, differ, neither), arithmetic.exactly
    # Where 2e + d = 1 and d <= 1/2, f is 1. The nearest such point has d = p_d, or d = 1/2.
    e = max(1 - arithmetic.middle(differ), HALF) / 2
    if not (tandem < neither and divergence(p, (e, 1 - 2 * e, e), arithmetic) > allowed):
        return None
    *faces, most = (float(arithmetic.middle(each)) for each in (*p, allowed))

    def best_multiplier(t: float) -> OptimizeResult:
        """Search log(v - max g); the value is relative to max g = 4t."""

        def height(log_s: float) -> float:
            falls, s = zip(faces, (0.0, 2 * t + 2 * t * t, 4 * t), strict=True), math.exp(log_s)
            exponent = math.fsum(face * math.log1p(fall / s) for face, fall in falls)
            return -s * math.expm1(exponent - most)

        return _smallest(height, -40.0, 25.0)

    best = _smallest(lambda t: (1 - t) ** 2 + 4 * t + best_multiplier(t).fun, 0.0, LARGEST_TILT).x
    t, v = Fraction(best), 4 * Fraction(best) + Fraction(math.exp(best_multiplier(best).x))
    slopes = zip(p, (4 * t, 2 * t - 2 * t**2, Fraction(0)), strict=True)
    logs = (face * arithmetic.log_of(v - slope) for face, slope in slopes if face != 0)
    mean = arithmetic.exp(sum(logs, -allowed))
    d = Fraction(float(arithmetic.middle(mean)) * faces[1] / float(v - 2 * t + 2 * t**2))
    if d >= HALF:
        return None

    def exceeds(e: Fraction) -> bool | None:
        return order(divergence(p, (e, d, 1 - e - d), arithmetic), allowed)

    nearest = (1 - d) * Fraction(faces[0] / (faces[0] + faces[2]))
    e, _ = arithmetic.ends(bisect(exceeds, nearest, 1 - d, arithmetic))
    below = 1 - (1 - 2 * e - d) ** 2 / (1 - 2 * d)
    return arithmetic.between(number(below), number((1 - t) ** 2 + v) - mean)


def _smallest(function: Callable[[float], float], low: float, high: float) -> OptimizeResult:
    """Find the smallest value of a function that falls, then rises."""
    return minimize_scalar(function, bounds=(low, high), options={"xatol": 1e-14})
