"""The bounds once more, written from their statements and from nothing else in this library."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from tandemvote.verify.arithmetic import Arithmetic
from tandemvote.verify.averages import Evidence
from tandemvote.verify.inverses import binomial_limit, kl_lower, kl_upper, moment
from tandemvote.verify.trinomial import supremum

HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Truth:
    """An enclosure of what a bound really is.

    Attributes
    ----------
    low, high : Fraction
        Ends of the enclosure, within [0, 1]; equal in plain floating point.
    smallest_denominator : Fraction
        Rounding is magnified where a formula divides by little.
    or_one : bool
        True next to a jump of the formula to 1, where 1 is right as well.
    """

    low: Fraction
    high: Fraction
    smallest_denominator: Fraction = Fraction(1)
    or_one: bool = False


NOTHING = Truth(Fraction(1), Fraction(1))


@dataclass(frozen=True)
class Rule:
    """How a bound follows from the evidence.

    Attributes
    ----------
    truth : callable
        From evidence, failure probability and arithmetic to the bound.
    two_classes : bool
        Whether it holds for two classes only.
    """

    truth: Callable[[Evidence, Fraction, Arithmetic], Truth]
    two_classes: bool = False


def _first_order(seen: Evidence, delta: Fraction, arithmetic: Arithmetic) -> Truth:
    allowed = _allowed(seen, delta, arithmetic, voters=1, n=seen.n_min, moment_of=_two_roots)
    return _clipped(2 * kl_upper(seen.gibbs, allowed, arithmetic), arithmetic)


def _tandem(seen: Evidence, delta: Fraction, arithmetic: Arithmetic) -> Truth:
    allowed = _allowed(seen, delta, arithmetic, voters=2, n=seen.n_min_pairs, moment_of=_two_roots)
    return _clipped(4 * kl_upper(seen.tandem, allowed, arithmetic), arithmetic)


def _disagreement(seen: Evidence, delta: Fraction, arithmetic: Arithmetic) -> Truth:
    one = _allowed(seen, delta / 2, arithmetic, voters=1, n=seen.n_min, moment_of=_two_roots)
    two = _allowed(
        seen, delta / 2, arithmetic, voters=2, n=seen.n_min_disagreement, moment_of=_two_roots
    )
    error = kl_upper(seen.gibbs, one, arithmetic)
    return _clipped(4 * error - 2 * kl_lower(seen.disagreement, two, arithmetic), arithmetic)


def _c1(seen: Evidence, delta: Fraction, arithmetic: Arithmetic) -> Truth:
    one = _allowed(seen, delta / 2, arithmetic, voters=1, n=seen.n_min, moment_of=moment)
    two = _allowed(
        seen, delta / 2, arithmetic, voters=2, n=seen.n_min_disagreement, moment_of=moment
    )
    r = kl_upper(seen.gibbs, one, arithmetic)
    d = kl_lower(seen.disagreement, two, arithmetic)
    half = arithmetic.exactly(HALF)
    if not (r < half and d < half):
        return NOTHING
    value = 1 - (1 - 2 * r) * (1 - 2 * r) / (1 - 2 * d)
    return _clipped(value, arithmetic, denominator=1 - 2 * d)


def _c2(seen: Evidence, delta: Fraction, arithmetic: Arithmetic) -> Truth:
    allowed = _allowed(
        seen, delta, arithmetic, voters=2, n=seen.n_min_pairs, moment_of=_moment_and_size
    )
    if allowed is None:
        return NOTHING
    differ = seen.labelled_disagreement.part
    value = supremum(seen.tandem.part, differ, seen.neither, allowed, arithmetic)
    if value is None or value < 0:  # below 0 no vote at all is compatible with what was seen
        return NOTHING
    truth = _clipped(value, arithmetic, denominator=1 - 2 * differ)
    return Truth(truth.low, truth.high, truth.smallest_denominator, or_one=truth.low == 0)


def _c_tandem(seen: Evidence, delta: Fraction, arithmetic: Arithmetic) -> Truth:
    one = _allowed(seen, delta / 2, arithmetic, voters=1, n=seen.n_min, moment_of=_two_roots)
    two = _allowed(seen, delta / 2, arithmetic, voters=2, n=seen.n_min_pairs, moment_of=_two_roots)
    error = kl_upper(seen.gibbs, one, arithmetic)
    least_error = kl_lower(seen.gibbs, one, arithmetic)
    variance = kl_upper(seen.tandem, two, arithmetic) - least_error * least_error
    denominator = kl_lower(seen.tandem, two, arithmetic) - error + arithmetic.exactly(HALF / 2)
    if not (error < arithmetic.exactly(HALF) and denominator > 0 and variance < denominator):
        return NOTHING
    return _clipped(variance / denominator, arithmetic, denominator=denominator)


def _test_set(seen: Evidence, delta: Fraction, arithmetic: Arithmetic) -> Truth:
    if seen.test is None:
        return NOTHING
    return _clipped(binomial_limit(*seen.test, delta, arithmetic), arithmetic)


RULES = MappingProxyType(
    {
        "first_order": Rule(_first_order),
        "tandem": Rule(_tandem),
        "disagreement": Rule(_disagreement, two_classes=True),
        "c1": Rule(_c1, two_classes=True),
        "c2": Rule(_c2, two_classes=True),
        "c_tandem": Rule(_c_tandem),
        "test_set": Rule(_test_set),
    }
)


def _allowed(
    seen: Evidence,
    delta: Fraction,
    arithmetic: Arithmetic,
    *,
    voters: int,
    n: int,
    moment_of: Callable[[int, Arithmetic], Any],
) -> Any | None:
    """Divergence allowed per point, (voters * KL + ln(moment / delta)) / n; None without points."""
    if n == 0:
        return None
    nats = arithmetic.log(moment_of(n, arithmetic) / arithmetic.exactly(delta))
    return (voters * seen.divergence + nats) / n


def _two_roots(n: int, arithmetic: Arithmetic) -> Any:
    return 2 * arithmetic.sqrt(arithmetic.exactly(n))


def _moment_and_size(n: int, arithmetic: Arithmetic) -> Any:
    return moment(n, arithmetic) + n


def _clipped(value: Any, arithmetic: Arithmetic, denominator: Any = None) -> Truth:
    low, high = (min(max(end, Fraction(0)), Fraction(1)) for end in arithmetic.ends(value))
    if denominator is None:
        return Truth(low, high)
    return Truth(low, high, max(arithmetic.ends(denominator)[0], Fraction(0)))
