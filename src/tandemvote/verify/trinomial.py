r"""The supremum in C2: located by a numerical search, then enclosed by a proof.

Let f(e, d) = 1 - (1 - 2e - d)^2 / (1 - 2d), concave where d < 1/2, and let x = (e, d, 1 - e - d)
range over the distributions with KL(p‖x) <= eps. For any point y and g = (f_e(y), f_d(y), 0)

    f(x) <= f(y) + g.(x - y)                                  because f is concave, and
    g.x  <= v - exp(sum_i p_i ln(v - g_i) - eps)              for every v >= max g,

the latter because sum_i x_i (v - g_i) >= prod_i (x_i (v - g_i) / p_i)^(p_i), the inequality of the
means, whose right side is exp(sum_i p_i ln(v - g_i) - KL(p‖x)). So whatever y and v a search comes
up with, the sum of both is above the supremum; at the best y and v it equals it. Any allowed point
gives a value below the supremum.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from scipy.optimize import minimize_scalar

from tandemvote.verify.arithmetic import FLOATS, Arithmetic
from tandemvote.verify.inverses import Rate, divergence, kl_lower, kl_upper

Point = tuple[Fraction, Fraction]

HALF = Fraction(1, 2)


def supremum(tandem: Any, differ: Any, neither: Any, allowed: Any, arithmetic: Arithmetic) -> Any:
    """Enclose the largest f, or return None where it reaches 1 or no vote is allowed at all."""
    p = (tandem, differ, neither)
    if not (tandem < neither and _gap_to_line(p, arithmetic) > allowed):
        return None
    middles = [float(arithmetic.middle(face)) for face in (*p, allowed)]
    best = _search(*middles)
    if best is None:
        return None
    return arithmetic.between(
        _below(best, p, allowed, arithmetic), _above(best, p, middles, allowed, arithmetic)
    )


def _gap_to_line(p: tuple[Any, Any, Any], arithmetic: Arithmetic) -> Any:
    """Smallest divergence of a point with 2e + d = 1 and d <= 1/2, where f is 1."""
    # On (e, 1 - 2e, e) it is smallest at 2e = 1 - p_d, or at the end e = 1/4.
    e = max(1 - arithmetic.middle(p[1]), HALF) / 2
    return divergence(p, (e, 1 - 2 * e, e), arithmetic)


def _value(point: Point) -> Fraction:
    e, d = point
    return 1 - (1 - 2 * e - d) ** 2 / (1 - 2 * d)


def _above(
    y: Point, p: tuple[Any, Any, Any], middles: list[float], allowed: Any, arithmetic: Arithmetic
) -> Any:
    """Upper bound by the two inequalities above."""
    e, d = y
    ratio = (1 - 2 * e - d) / (1 - 2 * d)
    slopes = (4 * ratio, 2 * ratio - 2 * ratio**2, Fraction(0))
    v = max(slopes) + _search_multiplier(middles, [float(max(slopes) - g) for g in slopes])
    exponent = -allowed
    for face, slope in zip(p, slopes, strict=True):
        if face != 0:
            exponent = exponent + face * arithmetic.log(arithmetic.exactly(v - slope))
    tangent = arithmetic.exactly(_value(y) - slopes[0] * e - slopes[1] * d + v)
    return tangent - arithmetic.exp(exponent)


def _below(y: Point, p: tuple[Any, Any, Any], allowed: Any, arithmetic: Arithmetic) -> Any:
    """Value at an allowed point: at y, or as little from it towards p as is needed."""
    observed = [arithmetic.middle(face) for face in p[:2]]
    for bits in range(60, 0, -4):
        step = Fraction(1, 2**bits)
        e, d = (at + step * (to - at) for at, to in zip(y, observed, strict=True))
        if divergence(p, (e, d, 1 - e - d), arithmetic) <= allowed:
            return arithmetic.exactly(_value((e, d)))
    return arithmetic.exactly(_value((observed[0], observed[1])))


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
            low, high = (e, high) if _allows(e, d) else (low, e)
        return low

    def _allows(e: float, d: float) -> bool:
        faces = zip((tandem, differ, neither), (e, d, 1.0 - e - d), strict=True)
        return math.fsum(p * math.log(p / q) if q > 0 else math.inf for p, q in faces if p) <= (
            allowed
        )

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
