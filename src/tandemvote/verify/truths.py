"""Comparison of a number that a file states with its true value."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any, NamedTuple

from tandemvote.verify.arithmetic import Arithmetic
from tandemvote.verify.averages import Quantities

TOLERANCE = Fraction(1, 10**9)
"""Largest excess of a stated value over the truth; without rigor also the reverse. Two estimates
contradict each other only if they exceed what a vote can have by more than this."""

MAGNIFIED = TOLERANCE / 20
"""Tolerance of a formula that divides, times its smallest denominator: larger below 1/20."""


class Truth(NamedTuple):
    """An enclosure of the true value of a bound.

    Its ends, within [0, 1], are equal in plain floating point. A formula that divides by a small
    denominator magnifies rounding errors. Next to a jump of the formula to 1, 1 is right as well
    (`or_one`).
    """

    low: Fraction
    high: Fraction
    smallest_denominator: Fraction = Fraction(1)
    or_one: bool = False

    def unless_positive(self, seen: Quantities, *excesses: Any) -> Truth:
        """Return `NO_BOUND` if an excess is positive, so that estimates contradict each other."""
        ends = [seen.arithmetic.ends(excess) for excess in excesses]
        if any(low > TOLERANCE for low, _ in ends):
            return NO_BOUND
        return self._replace(or_one=any(high > -TOLERANCE for _, high in ends))


NO_BOUND = Truth(Fraction(1), Fraction(1))
"""The truth where the evidence shows nothing: 1."""


def clipped(seen: Quantities, value: Any, denominator: Any = None) -> Truth:
    """Return the ends of a number within [0, 1], and how small its denominator may be."""
    low, high = (min(max(end, Fraction(0)), Fraction(1)) for end in seen.arithmetic.ends(value))
    if denominator is None:
        return Truth(low, high)
    return Truth(low, high, max(seen.arithmetic.ends(denominator)[0], Fraction(0)))


def wrong_value(
    what: str, value: Fraction, truth: Truth | None, arithmetic: Arithmetic
) -> Iterator[str]:
    """Report an upper limit that is below the truth, or above it by more than rounding."""
    if truth is None:
        yield (
            f"{what} does not exist: labeled and unlabeled samples are not drawn from the same"
            " distribution; voters differ more on the unlabeled ones than their errors allow"
        )
        return
    slack = max(TOLERANCE, MAGNIFIED / max(truth.smallest_denominator, MAGNIFIED))
    below = value < (truth.high if arithmetic.rigorous else truth.high - slack)
    if (below or value > truth.low + slack) and not (truth.or_one and value == 1):
        shown, real = as_different_texts(value, truth.low if below else truth.high)
        than = "at least" if below else "only"
        yield f"{what} is {shown} in the file and {than} {real} by its own counts"


def as_different_texts(first: Fraction, second: Fraction) -> tuple[str, str]:
    """Return both numbers with as many digits as it takes for the texts to differ."""
    with localcontext(prec=60):
        numbers = [Decimal(each.numerator) / each.denominator for each in (first, second)]
        for digits in range(3, 40):
            shown, real = (f"{number:.{digits}g}" for number in numbers)
            if shown != real:
                break
    return shown, real
