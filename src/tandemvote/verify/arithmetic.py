"""Two ways to calculate: plain floating point, or balls that provably hold the true number.

The verifier's formulas are written once and run in either. A comparison of balls is true only if
it is true of every number in them, so a formula must not conclude anything from a comparison that
is false.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from fractions import Fraction
from typing import Any

from tandemvote.extras import import_extra

HALF = Fraction(1, 2)

SMALLEST_NORMAL = Fraction(sys.float_info.min)
"""Below it a float has fewer digits, or is 0."""

PRECISION = 200
"""Bits of a ball's middle; the certificates have 53."""


class Arithmetic:
    """Plain floating point; right to about 1e-12, which nothing proves.

    What a formula needs beyond + - * / and comparisons.
    """

    rigorous = False
    bits = 60
    """Number of halvings of a bisection."""

    exp, sqrt, log, log_gamma = map(staticmethod, (math.exp, math.sqrt, math.log, math.lgamma))
    smaller, larger = map(staticmethod, (min, max))

    def context(self) -> AbstractContextManager[Any]:
        """Give the context in which calculations must run."""
        return nullcontext()

    def exactly(self, x: Fraction | int) -> Any:
        """Return the number nearest to a fraction, or the smallest ball around it."""
        return float(x)

    def log_of(self, x: Fraction | int) -> Any:
        """Return the logarithm of a fraction, however small."""
        if x < SMALLEST_NORMAL:
            return math.log(x.numerator) - math.log(x.denominator)
        return math.log(x)

    def between(self, low: Any, high: Any) -> Any:
        """Return a number that stands for an interval."""
        return (low + high) / 2

    def ends(self, x: Any) -> tuple[Fraction, Fraction]:
        """Return the smallest and the largest number of a ball."""
        return Fraction(x), Fraction(x)

    def middle(self, x: Any) -> Fraction:
        """Return the middle of a ball, exactly."""
        return sum(self.ends(x)) / Fraction(2)


FLOATS = Arithmetic()


class Balls(Arithmetic):
    """Ball arithmetic of python-flint, where every result comes with a proven radius.

    Examples
    --------
    >>> rigorous = Balls()
    >>> with rigorous.context():
    ...     low, high = rigorous.ends(rigorous.exactly(Fraction(1, 3)))
    >>> low < Fraction(1, 3) < high
    True
    """

    rigorous = True
    bits = 110

    def __init__(self) -> None:
        self._flint = import_extra("flint", "verify")
        arb = self._flint.arb
        self.exp, self.sqrt, self.log, self.log_gamma = arb.exp, arb.sqrt, arb.log, arb.lgamma
        self.smaller, self.larger = arb.min, arb.max

    @contextmanager
    def context(self) -> Iterator[None]:
        """Compute with 200 bits; python-flint has a context of its own from 0.7 on only."""
        context = self._flint.ctx
        before, context.prec = context.prec, PRECISION
        try:
            yield
        finally:
            context.prec = before

    def exactly(self, x: Fraction | int) -> Any:
        """Return the smallest ball around a fraction."""
        return self._flint.arb(self._flint.fmpq(int(x.numerator), int(x.denominator)))

    def log_of(self, x: Fraction | int) -> Any:
        """Return the logarithm of a fraction."""
        return self.exactly(x).log()

    def between(self, low: Any, high: Any) -> Any:
        """Return the smallest ball around two."""
        return low.union(high)

    def ends(self, x: Any) -> tuple[Fraction, Fraction]:
        """Return the smallest and the largest number of a ball."""
        if not x.is_finite():
            raise ArithmeticError("A ball grew without limit; the counts are too extreme.")
        low, high = (end.mid().fmpq() for end in (x.lower(), x.upper()))
        return Fraction(int(low.p), int(low.q)), Fraction(int(high.p), int(high.q))
