"""Inverses by bisection, moments and binomial tails by their defining sums, C2 by duality."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

from scipy.optimize import minimize_scalar

from tandemvote.verify.arithmetic import FLOATS, HALF, Arithmetic

Point = tuple[Fraction, Fraction]
"""The coordinates e and d."""

MANY_POINTS = 10_000
"""Above it the sum for the moment is longer than its enclosure is wide."""

PI = Fraction("3.14159265358979323846264338327950288419716939937510")
"""Rounded down to 50 digits."""

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
    terms = [
        face * (arithmetic.log(face) - arithmetic.log_of(other))
        for face, other in zip(p, q, strict=True)
        if face != 0
    ]
    return sum(terms[1:], terms[0])


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
    search comes up with, the sum of both is above the supremum; at the best t and v it equals it.
    Any allowed point gives a value below the supremum.
    """
    p = (tandem, differ, neither)
    # Where 2e + d = 1 and d <= 1/2, f is 1. The nearest such point has d = p_d, or d = 1/2.
    e = max(1 - arithmetic.middle(differ), HALF) / 2
    if not (tandem < neither and divergence(p, (e, 1 - 2 * e, e), arithmetic) > allowed):
        return None
    middles = [float(arithmetic.middle(number)) for number in (*p, allowed)]
    best = _search(*middles)
    if best is None:
        return None
    above = _above(best, p, middles, allowed, arithmetic)
    return arithmetic.between(_below(best, p, allowed, arithmetic), above)


def _above(
    best: Point, p: tuple[Any, ...], middles: list[float], allowed: Any, arithmetic: Arithmetic
) -> Any:
    """Upper bound by the two inequalities."""
    t = (1 - 2 * best[0] - best[1]) / (1 - 2 * best[1])
    slopes = (4 * t, 2 * t - 2 * t**2, Fraction(0))
    v = max(slopes) + _search_multiplier(middles, [float(max(slopes) - g) for g in slopes])
    exponent = -allowed
    for face, slope in zip(p, slopes, strict=True):
        if face != 0:
            exponent = exponent + face * arithmetic.log(arithmetic.exactly(v - slope))
    return arithmetic.exactly((1 - t) ** 2 + v) - arithmetic.exp(exponent)


def _below(best: Point, p: tuple[Any, ...], allowed: Any, arithmetic: Arithmetic) -> Any:
    """Value at an allowed point: the best, or as little from it towards p as is needed."""
    e, d = observed = [arithmetic.middle(face) for face in p[:2]]
    for bits in range(60, 0, -4):
        nearby = [at + (to - at) / 2**bits for at, to in zip(best, observed, strict=True)]
        if divergence(p, (*nearby, 1 - sum(nearby)), arithmetic) <= allowed:
            e, d = nearby
            break
    return arithmetic.exactly(1 - (1 - 2 * e - d) ** 2 / (1 - 2 * d))


def _search(tandem: float, differ: float, neither: float, allowed: float) -> Point | None:
    """Best point in floating point: over d by scipy, over e by bisection."""
    rate = Rate(differ, tandem + neither)
    lowest = kl_lower(rate, allowed, FLOATS)
    highest = min(kl_upper(rate, allowed, FLOATS), 0.5 - 1e-13)
    if lowest >= highest:
        return None

    def largest_e(d: float) -> float:
        low, high = (1.0 - d) * tandem / (tandem + neither), 1.0 - d
        for _ in range(60):
            e = (low + high) / 2
            faces = ((tandem, e), (differ, d), (neither, 1.0 - e - d))
            needed = math.fsum(p * math.log(p / q) if q > 0 else math.inf for p, q in faces if p)
            low, high = (e, high) if needed <= allowed else (low, e)
        return low

    def loss(d: float) -> float:
        return (1.0 - 2.0 * largest_e(d) - d) ** 2 / (1.0 - 2.0 * d)

    d = _smallest(loss, lowest, highest)
    return Fraction(largest_e(d)), Fraction(d)


def _search_multiplier(middles: list[float], falls: list[float]) -> Fraction:
    """Return v - max g that makes the upper bound smallest, given max g - g_i for every face."""
    *p, allowed = middles

    def height(log_s: float) -> float:
        s = math.exp(log_s)
        pairs = zip(p, falls, strict=True)
        exponent = math.fsum(face * math.log1p(fall / s) for face, fall in pairs)
        return -s * math.expm1(exponent - allowed)

    return Fraction(math.exp(_smallest(height, -40.0, 25.0)))


def _smallest(function: Callable[[float], float], low: float, high: float) -> float:
    """Place of the smallest value of a function that falls, then rises."""
    return float(minimize_scalar(function, bounds=(low, high), options={"xatol": 1e-14}).x)
