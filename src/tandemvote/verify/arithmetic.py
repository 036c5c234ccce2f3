"""Two ways to calculate: plain floating point, or balls that provably hold the true number.

The verifier's formulas are written once and run in either. A comparison of balls is true only if
it is true of every number in them, so a formula must not conclude anything from a comparison that
is false.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tandemvote.extras import import_extra

SMALLEST_NORMAL = Fraction(sys.float_info.min)
"""Below it a float has fewer digits, or is 0."""

PRECISION = 200
"""Bits of a ball's middle; the certificates have 53."""


@dataclass(frozen=True)
class Arithmetic:
    """What a formula needs beyond + - * / and comparisons.

    Attributes
    ----------
    exactly : callable
        The number nearest to a fraction, or the smallest ball around it.
    log, exp, sqrt, log_gamma : callable
    log_of : callable
        Logarithm of a fraction, however small.
    between : callable
        A number that stands for an interval, given both ends.
    smaller, larger : callable
        Of two numbers.
    ends : callable
        The smallest and the largest number of a ball, as fractions.
    bits : int
        Number of halvings of a bisection.
    rigorous : bool
    context : callable
        Gives the context in which calculations must run.
    """

    exactly: Callable[[Fraction | int], Any]
    log: Callable[[Any], Any]
    log_of: Callable[[Fraction], Any]
    exp: Callable[[Any], Any]
    sqrt: Callable[[Any], Any]
    log_gamma: Callable[[Any], Any]
    between: Callable[[Any, Any], Any]
    smaller: Callable[[Any, Any], Any]
    larger: Callable[[Any, Any], Any]
    ends: Callable[[Any], tuple[Fraction, Fraction]]
    bits: int
    rigorous: bool
    context: Callable[[], AbstractContextManager[Any]]

    def middle(self, number: Any) -> Fraction:
        """Return the middle of a ball, exactly."""
        low, high = self.ends(number)
        return (low + high) / 2


def _log_of(x: Fraction) -> float:
    if x >= SMALLEST_NORMAL:
        return math.log(x)
    return math.log(x.numerator) - math.log(x.denominator)


FLOATS = Arithmetic(
    exactly=float,
    log=math.log,
    log_of=_log_of,
    exp=math.exp,
    sqrt=math.sqrt,
    log_gamma=math.lgamma,
    between=lambda low, high: (low + high) / 2,
    smaller=min,
    larger=max,
    ends=lambda x: (Fraction(x), Fraction(x)),
    bits=60,
    rigorous=False,
    context=nullcontext,
)
"""Plain floating point; right to about 1e-12, which nothing proves."""


def balls() -> Arithmetic:
    """Return ball arithmetic, where every result comes with a proven radius.

    Raises
    ------
    ImportError
        If python-flint is not installed.

    Examples
    --------
    >>> rigorous = balls()
    >>> with rigorous.context():
    ...     low, high = rigorous.ends(rigorous.exactly(Fraction(1, 3)))
    >>> low < Fraction(1, 3) < high
    True
    """
    flint = import_extra("flint", "verify")
    arb, fmpq = flint.arb, flint.fmpq

    def exactly(x: Fraction | int) -> Any:
        return arb(fmpq(x.numerator, x.denominator))

    def as_fraction(end: Any) -> Fraction:
        rational = end.mid().fmpq()
        return Fraction(int(rational.p), int(rational.q))

    def ends(ball: Any) -> tuple[Fraction, Fraction]:
        if not ball.is_finite():
            raise ArithmeticError("A ball grew without limit; the counts are too extreme.")
        return as_fraction(ball.lower()), as_fraction(ball.upper())

    return Arithmetic(
        exactly=exactly,
        log=lambda x: x.log(),
        log_of=lambda x: exactly(x).log(),
        exp=lambda x: x.exp(),
        sqrt=lambda x: x.sqrt(),
        log_gamma=lambda x: x.lgamma(),
        between=lambda low, high: low.union(high),
        smaller=lambda a, b: a.min(b),
        larger=lambda a, b: a.max(b),
        ends=ends,
        bits=110,
        rigorous=True,
        context=lambda: flint.ctx.workprec(PRECISION),
    )
