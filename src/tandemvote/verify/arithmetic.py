"""Two ways to calculate: plain floating point, or balls that provably hold the true number.

The verifier's formulas are written once and run in either: inverses by bisection, moments and
binomial tails by their defining sums. A comparison of balls is true only if it is true of every
number in them, so a formula must not conclude anything from a comparison that is false.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from fractions import Fraction
from typing import Any

from tandemvote.extras import import_extra

Condition = Callable[[Fraction], bool | None]
"""Whether a number is above a root; None if balls leave it open."""

HALF = Fraction(1, 2)

PI = Fraction("3.14159265358979323846264338327950288419716939937510")
"""Rounded down to 50 digits."""

SMALLEST_NORMAL = Fraction(sys.float_info.min)
"""Below it a float has fewer digits, or is 0."""

MANY_SAMPLES = 10_000
"""Above it the sum for the moment is longer than its enclosure is wide."""

TAIL_BITS = 64
"""Bits to which a binomial tail is summed, by about 10 sqrt(n) terms."""

PRECISION = 200
"""Bits of a ball's middle; the certificates have 53."""


class Arithmetic:
    """What a formula needs beyond + - * / and comparisons, in plain floating point.

    Results are right to about 1e-12, which is not proven.
    """

    rigorous = False
    bits = 60
    """Number of halvings of a bisection."""

    exp, sqrt, log, log_gamma = map(staticmethod, (math.exp, math.sqrt, math.log, math.lgamma))
    smaller, larger = map(staticmethod, (min, max))

    def context(self) -> AbstractContextManager[Any]:
        """Return the context in which calculations must run."""
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

    def bisect(self, exceeds: Condition, low: Fraction, high: Fraction) -> Any:
        """Root of an increasing condition that is False at `low` and True at `high`.

        Stops early where the condition stays None, undecided; both ends are proven all the same.
        """
        for _ in range(self.bits):
            # A root may lie exactly in the middle, where balls cannot decide; next to it they can.
            for share in (Fraction(1, 2), Fraction(3, 7)):
                middle = low + share * (high - low)
                above = exceeds(middle)
                if above is not None:
                    break
            else:
                break
            low, high = (low, middle) if above else (middle, high)
        return self.between(self.exactly(low), self.exactly(high))

    def divergence(self, p: tuple[Any, ...], q: tuple[Fraction, ...]) -> Any:
        """Sum of p ln(p / q) over the faces of a die; q positive where p is not exactly 0."""
        faces = zip(p, q, strict=True)
        return sum(
            face * (self.log(face) - self.log_of(other)) for face, other in faces if face != 0
        )

    def kl_upper(self, part: Any, rest: Any, allowed: Any | None) -> Any:
        """Largest q with kl(part‖q) <= allowed, where part + rest = 1; None allows everything."""
        if allowed is None or rest == 0:
            return self.exactly(1)

        def exceeds(q: Fraction) -> bool | None:
            return is_above(self.divergence((part, rest), (q, 1 - q)), allowed)

        # Where the rest is tiny, 1 minus it is below 1 and the rounded part is not.
        low = min(self.ends(part)[0], 1 - self.ends(rest)[1])
        return self.bisect(exceeds, low, Fraction(1))

    def moment(self, n: int) -> Any:
        r"""Exact moment of n samples, 1 + sum over k >= 1 of n! / ((n - k)! n^k), term by term.

        Many samples: n! e^n / (2 n^n) + 1 - theta by Stirling's series, whose partial sums enclose
        it, and theta between 1/3 + 4 / (135 (n + 8/45)) and 1/3 + 4 / (135 (n + 2/21)), Ramanujan's
        claim that Flajolet, Grabner, Kirschenhofer and Prodinger proved in 1995.
        """
        if n > MANY_SAMPLES:
            return self._moment_of_many(n)
        term, total, k = self.exactly(1), self.exactly(2), 1
        negligible = self.exactly(Fraction(1, 2**self.bits))
        # Each term is the one before times 1 - k/n, and k grows: the rest is below term * n / k.
        while k < n and not term * n < negligible * k:
            term = term * (n - k) / n
            total, k = total + term, k + 1
        remainder = term * n / k if k < n else self.exactly(0)
        return self.between(total, total + remainder)

    def _moment_of_many(self, n: int) -> Any:
        number, between, x = self.exactly, self.between, Fraction(1, n)
        series = x / 12 - x**3 / 360
        factor = between(*(self.exp(number(e)) for e in (series, series + x**5 / 1260)))
        pi = between(number(PI), number(PI + Fraction(1, 10**50)))
        shifts = Fraction(8, 45), Fraction(2, 21)
        theta = between(*(number(Fraction(1, 3) + Fraction(4, 135) / (n + s)) for s in shifts))
        return self.sqrt(pi * n / 2) * factor + 1 - theta

    def binomial_limit(self, n_errors: int, n_samples: int, delta: Fraction) -> Any:
        """Error rate p at which n_errors or fewer of n_samples have probability delta."""
        if n_errors == n_samples:
            return self.exactly(1)

        def exceeds(p: Fraction) -> bool | None:
            # The tail on the side where its terms fall, in logarithms: no delta is too small.
            if n_errors < (n_samples + 1) * p:
                return is_above(self.log_of(delta), self._log_at_most(n_errors, n_samples, p))
            more = self._log_at_most(n_samples - n_errors - 1, n_samples, 1 - p)
            return is_above(more, self.log_of(1 - delta))

        return self.bisect(exceeds, Fraction(0), Fraction(1))

    def _log_at_most(self, k: int, n: int, p: Fraction) -> Any:
        """Logarithm of the probability of k or fewer of n, whose terms fall from k down."""
        number, log_gamma = self.exactly, self.log_gamma
        odds = number((1 - p) / p)
        log_term = log_gamma(number(n + 1)) - log_gamma(number(k + 1))
        log_term = log_term - log_gamma(number(n - k + 1))
        log_term = log_term + k * self.log_of(p) + (n - k) * self.log_of(1 - p)
        term = total = number(1)
        negligible = number(Fraction(1, 2**TAIL_BITS))
        while k > 0:
            ratio = odds * k / (n - k + 1)
            # Later ratios are smaller still: the rest is below the geometric series.
            if term * ratio <= negligible * total * (1 - ratio):
                total = self.between(total, total + term * ratio / (1 - ratio))
                break
            term = term * ratio
            total = total + term
            k -= 1
        return log_term + self.log(total)


def is_above(value: Any, limit: Any) -> bool | None:
    """Return True if a value is above a limit, False if below, None if balls leave it open."""
    return True if value > limit else False if value < limit else None


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

    def context(self) -> AbstractContextManager[Any]:
        """Compute with 200 bits."""
        return self._flint.ctx.workprec(PRECISION)

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
        low, high = (end.mid().fmpq() for end in (x.lower(), x.upper()))
        return Fraction(int(low.p), int(low.q)), Fraction(int(high.p), int(high.q))
