"""The bounds, written from their statements and independent of the rest of the library."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import wraps
from itertools import product
from typing import Any

from scipy.optimize import OptimizeResult, minimize_scalar

from tandemvote.record.encodings import FloatArray
from tandemvote.verify.arithmetic import HALF, Arithmetic, is_above
from tandemvote.verify.averages import Average, Quantities
from tandemvote.verify.profile_game import smallest_refuted
from tandemvote.verify.truths import NO_BOUND, Truth, clipped
from tandemvote.votes.names import VOTE_PROFILE

Rule = Callable[[Quantities, Fraction], Truth | None]

OFFSETS = tuple(Fraction(place, 20) for place in range(-5, 10))
"""Offsets of Chebyshev and Cantelli's inequality that share delta."""

LARGEST_TILT = 100.0
"""Largest t that is searched for C2: with a larger one f is negative, or d above 0.49995."""


def _for_two_classes(rule: Rule) -> Rule:
    """Return a rule that shows nothing if there are more classes."""

    @wraps(rule)
    def limited(seen: Quantities, delta: Fraction) -> Truth | None:
        return NO_BOUND if len(seen.record.classes) > 2 else rule(seen, delta)

    return limited


def _first_order(seen: Quantities, delta: Fraction) -> Truth:
    _, error = seen.gibbs.ends(delta)
    return clipped(seen, seen.arithmetic.exactly(1 / seen.smallest_coalition) * error)


def _tandem(seen: Quantities, delta: Fraction) -> Truth:
    _, tandem = seen.tandem.ends(delta)
    return clipped(seen, seen.arithmetic.exactly(1 / seen.smallest_coalition**2) * tandem)


@_for_two_classes
def _disagreement(seen: Quantities, delta: Fraction) -> Truth:
    least, error = seen.gibbs.ends(delta / 2)
    differ, _ = seen.disagreement.ends(delta / 2)
    # The error between the two ends that allows the most disagreement.
    half, larger = seen.arithmetic.exactly(HALF), seen.arithmetic.larger
    g = seen.arithmetic.smaller(larger(half, least), error)
    truth = clipped(seen, 4 * error - 2 * differ)
    return truth.unless_positive(seen, differ - 2 * g * (1 - g))


@_for_two_classes
def _c1(seen: Quantities, delta: Fraction) -> Truth:
    _, r = seen.gibbs.ends(delta / 2, "exact")
    d, _ = seen.disagreement.ends(delta / 2, "exact")
    half = seen.arithmetic.exactly(HALF)
    if not (r < half and d < half):
        return NO_BOUND
    truth = clipped(seen, 1 - (1 - 2 * r) * (1 - 2 * r) / (1 - 2 * d), denominator=1 - 2 * d)
    # Below one half the largest error allows the most disagreement.
    return truth.unless_positive(seen, d - 2 * r * (1 - r))


@_for_two_classes
def _c2(seen: Quantities, delta: Fraction) -> Truth:
    allowed = seen.tandem.size.allowed(delta, "of three outcomes")
    if allowed is None:
        return NO_BOUND
    # With two classes, voters disagree where exactly one of them errs.
    both, one = seen.tandem.part, seen.lone.part
    value = supremum(both, one, seen.lone.rest - both, allowed, seen.arithmetic)
    if value is None or value < 0:  # below 0 no vote at all is compatible with what was seen
        return NO_BOUND
    truth = clipped(seen, value, denominator=1 - 2 * one)
    return truth._replace(or_one=truth.low == 0)


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
    if not (tandem < neither and arithmetic.divergence(p, (e, 1 - 2 * e, e)) > allowed):
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
        return is_above(arithmetic.divergence(p, (e, d, 1 - e - d)), allowed)

    nearest = (1 - d) * Fraction(faces[0] / (faces[0] + faces[2]))
    e, _ = arithmetic.ends(arithmetic.bisect(exceeds, nearest, 1 - d))
    below = 1 - (1 - 2 * e - d) ** 2 / (1 - 2 * d)
    return arithmetic.between(number(below), number((1 - t) ** 2 + v) - mean)


def _smallest(function: Callable[[float], float], low: float, high: float) -> OptimizeResult:
    """Find the smallest value of a function that falls, then rises."""
    return minimize_scalar(function, bounds=(low, high), options={"xatol": 1e-14})


def _c_tandem(seen: Quantities, delta: Fraction) -> Truth:
    least_error, error = seen.gibbs.ends(delta / 2)
    least_tandem, tandem = seen.tandem.ends(delta / 2)
    half = seen.arithmetic.exactly(HALF)
    variance, denominator = tandem - least_error * least_error, least_tandem - error + half / 2
    if not (error < half and denominator > 0 and variance < denominator):
        return NO_BOUND
    truth = clipped(seen, variance / denominator, denominator)
    return truth.unless_positive(seen, -variance, least_tandem - error)


def _c_box(seen: Quantities, delta: Fraction) -> Truth:
    """Largest (t - g^2) / (t - g + 1/4) over the box, at the g nearest to 2 t that it allows."""
    least_error, error = seen.gibbs.ends(delta / 2)
    least_tandem, tandem = seen.tandem.ends(delta / 2)
    smaller, half = seen.arithmetic.smaller, seen.arithmetic.exactly(HALF)
    t = smaller(tandem, error)
    most = smaller(error, seen.arithmetic.sqrt(t))
    if not most < half:
        return NO_BOUND
    g = smaller(seen.arithmetic.larger(2 * t, least_error), most)
    truth = clipped(seen, (t - g * g) / (t - g + half / 2), denominator=t - g + half / 2)
    excesses = least_error * least_error - tandem, least_tandem - error
    return truth.unless_positive(seen, *excesses)


def _second_order(seen: Quantities, delta: Fraction) -> Truth:
    """Mean of the pair variable: 1 where both err, 3/2 where one does."""
    both, one = seen.tandem.part, seen.lone.part
    share = Average(both * 2 / 3 + one, both / 3 + (1 - both - one), seen.tandem.size)
    _, mean = share.ends(delta)
    return clipped(seen, 3 * mean / 2)


def _bernstein_cantelli(seen: Quantities, delta: Fraction) -> Truth:
    """Least (mu^2 + m) / (1/2 - mu)^2 over offsets mu, m by unexpected Bernstein at some rates."""
    size, share = seen.tandem.size, delta / len(OFFSETS)
    if size.rate is None:
        return NO_BOUND
    number, log_of = seen.arithmetic.exactly, seen.arithmetic.log_of
    smallest = seen.arithmetic.sqrt(-2 * log_of(share) * size.rate_at_prior)
    rates = [Fraction(3, 4)]
    while number(rates[-1]) > smallest:
        rates.append(rates[-1] / 2)
    allowed = size.allowed(share / len(rates), "none")
    both, one, truths = seen.tandem.part, seen.lone.part, []
    for mu, rate in product(OFFSETS, rates):
        largest = 1 - 2 * mu  # of the pair variable, where both err; -mu where one does
        slope = -1 - log_of(1 - rate) / number(rate)
        square = number(largest**2) * both + number(mu**2) * one
        mean = number(largest) * both - number(mu) * one + slope * square / number(largest)
        mean = mean + number(largest / rate) * allowed
        denominator = number((HALF - mu) ** 2)
        truths.append(clipped(seen, (number(mu**2) + mean) / denominator, denominator))
    least = min(truths, key=lambda truth: truth.high)
    return least._replace(low=min(truth.low for truth in truths))


def _split_kl_cantelli(seen: Quantities, delta: Fraction) -> Truth:
    """Limit common errors from above and lone errors from below; the best offset is explicit."""
    _, t = seen.tandem.ends(delta / 2, "exact")
    o, _ = seen.lone.ends(delta / 2, "exact")
    # The C-bound at g = 2 t, its largest value, is 4 t.
    g, quarter = seen.arithmetic.larger(2 * t, t + o / 2), seen.arithmetic.exactly(HALF / 2)
    denominator = t - g + quarter
    if not (t < quarter and denominator > 0):
        return NO_BOUND
    excess = (t + o / 2) * (t + o / 2) - t
    truth = clipped(seen, (t - g * g) / denominator, denominator)
    return truth.unless_positive(seen, excess)


def _vote_profile(seen: Quantities, delta: Fraction) -> Truth | None:
    if seen.in_full is None or seen.record.profile is None:
        return NO_BOUND
    if seen.record.deployed is not None and seen.record.n_voters == 1:
        return _single_voter(seen, delta, seen.record.profile.leads)
    # The search begins at the stated value.
    stated = Fraction(seen.record.candidates[VOTE_PROFILE])
    ends = smallest_refuted(seen, seen.in_full, delta, stated)
    return None if ends is None else Truth(*ends)


def _single_voter(seen: Quantities, delta: Fraction, leads: FloatArray) -> Truth:
    """Add the errors of the voter and the differences from it, at levels that share delta."""
    errors, size = seen.coalitions.errors[0], seen.coalitions.sizes[0]
    differ, ratio = int((leads < 0.5).sum()), Fraction(3, 2)
    each = 1 / ratio**2 if len(leads) >= 2 * size else 1 / ratio
    steps, failures = 0, Fraction(1)  # in units of the first level
    while delta * ratio**steps < failures:
        failures += ratio**steps * (ratio - 1) * each ** (steps + 1)
        steps += 1
    value = seen.arithmetic.exactly(0)
    for step in range(steps):
        level = delta / failures * ratio**step
        own = seen.arithmetic.binomial_limit(errors, size, level)
        other = seen.arithmetic.binomial_limit(differ, len(leads), each ** (step + 1))
        value = seen.arithmetic.larger(value, own + other)
    return clipped(seen, value)


def _coalition(seen: Quantities, delta: Fraction) -> Truth:
    return clipped(seen, seen.coalitions.bound(delta, seen.arithmetic))


def _test_set(seen: Quantities, delta: Fraction) -> Truth:
    if seen.record.test is None:
        return NO_BOUND
    return clipped(seen, seen.arithmetic.binomial_limit(*seen.record.test, delta))


RULES: Mapping[str, Rule] = {
    rule.__name__.removeprefix("_"): rule
    for rule in (
        *(_first_order, _tandem, _disagreement, _c1, _c2, _c_tandem, _c_box, _second_order),
        *(_bernstein_cantelli, _split_kl_cantelli, _coalition, _vote_profile, _test_set),
    )
}
"""Formulas of the bounds, from evidence and failure probability; None if no value is right."""
