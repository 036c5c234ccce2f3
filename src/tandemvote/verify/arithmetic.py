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
from functools import cache
from typing import Any

import numpy as np
from scipy.special import betainccinv

from tandemvote.record.json_text import CertificateFileError
from tandemvote.votes.extras import import_extra

Condition = Callable[[Fraction], bool | None]
"""Test of a number: True if it is above a root; None if balls leave it open."""

HALF = Fraction(1, 2)

PI = Fraction("3.14159265358979323846264338327950288419716939937510")
"""Rounded down to 50 digits."""

SMALLEST_NORMAL = Fraction(sys.float_info.min)
"""Below it a float has fewer digits, or is 0."""

MANY_SAMPLES = 10_000
"""Above it the sum for the moment is longer than its enclosure is wide."""

TAIL_BITS = 64
"""Bits to which a binomial tail of k errors or fewer is summed, by at most 10 sqrt(k) terms."""

GUESSED_BITS = (40, 30, 20)
"""Bits to which a guess of a binomial limit may be right; each is checked."""

TERMS_PER_VOTER = 400_000
"""Most terms of binomial tails that a file may need per voter, and in all 1,000 times as many. A
voter that errs on 20% of a million samples of its own needs 230,000, with as much as adding them
takes for `TERMS_OF_A_TAIL`."""

TERMS_OF_A_TAIL = 10_000
"""Terms that can be added in the time that a tail takes without them."""

PRECISION = 200
"""Bits of a ball's middle; the certificates have 53."""


class Arithmetic:
    """Operations of formulas beyond + - * / and comparisons, in plain floating point.

    Results are right to about 1e-12, which is not proven.
    """

    rigorous = False
    bits = 52
    """Number of halvings of a bisection."""
    cost_of_a_term, allowance = 1, 1

    exp, sqrt, log, log_gamma = map(staticmethod, (math.exp, math.sqrt, math.log, math.lgamma))
    smaller, larger = map(staticmethod, (min, max))

    def __init__(self, n_voters: int = 0) -> None:
        self._n_terms_left = (1000 + n_voters) * TERMS_PER_VOTER * self.allowance
        # Many voters, pairs and groups share a limit or a moment.
        self.binomial_limit, self.moment = cache(self._binomial_limit), cache(self._moment)

    def context(self) -> AbstractContextManager[Any]:
        """Return the context in which calculations must run."""
        return nullcontext()

    def spend(self, n_terms: int) -> None:
        """Raise an error before a tail is summed if its terms are too many for the whole file."""
        self._n_terms_left -= TERMS_OF_A_TAIL + n_terms * self.cost_of_a_term
        if self._n_terms_left < 0:
            raise CertificateFileError(
                "The file has too many different binomial limits, or limits of too many samples, to"
                " be verified in seconds per 1,000 voters. Certify fewer voters, groups or classes"
                + (", or verify without --rigorous." if self.rigorous else ".")
            )

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

    def bisect(
        self, exceeds: Condition, low: Fraction, high: Fraction, bits: int | None = None
    ) -> Any:
        """Root of an increasing condition that is False at `low` and True at `high`.

        Stops early where the condition stays None, undecided; both ends are proven all the same.
        """
        for _ in range(self.bits if bits is None else bits):
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

    def _moment(self, n: int) -> Any:
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

    def _binomial_limit(self, n_errors: int, n_samples: int, delta: Fraction) -> Any:
        """Error rate p at which n_errors or fewer of n_samples have probability delta."""
        if n_errors == n_samples:
            return self.exactly(1)

        def exceeds(p: Fraction) -> bool | None:
            # The tail on the side where its terms fall, in logarithms: no delta is too small.
            if n_errors < (n_samples + 1) * p:
                return is_above(self.log_of(delta), self._log_at_most(n_errors, n_samples, p))
            more = self._log_at_most(n_samples - n_errors - 1, n_samples, 1 - p)
            return is_above(more, self.log_of(1 - delta))

        guess = float(betainccinv(n_errors + 1, n_samples - n_errors, float(delta)))
        for right in GUESSED_BITS if 0 < guess < 1 else ():
            low, high = (Fraction(guess) * (1 + Fraction(sign, 2**right)) for sign in (-1, 1))
            if high < 1 and exceeds(low) is False and exceeds(high):
                return self.bisect(exceeds, low, high, self.bits - right)
        return self.bisect(exceeds, Fraction(0), Fraction(1))

    def _log_at_most(self, k: int, n: int, p: Fraction) -> Any:
        """Logarithm of the probability of k or fewer of n, whose terms fall from k down."""
        self.spend(min(k, 10 * math.isqrt(k)))
        number, log_gamma = self.exactly, self.log_gamma
        log_term = log_gamma(number(n + 1)) - log_gamma(number(k + 1))
        log_term = log_term - log_gamma(number(n - k + 1))
        log_term = log_term + k * self.log_of(p) + (n - k) * self.log_of(1 - p)
        return log_term + self.log(self._falling_sum(number((1 - p) / p), k, n))

    def _falling_sum(self, odds: Any, k: int, n: int) -> Any:
        """Sum of the terms of a tail over its largest one.

        Ratios of terms fall from 1 at most, as fast as 1 - i / k: terms are below exp(-i^2 / (2k)).
        """
        i = np.arange(min(k, 10 * math.isqrt(k)), dtype=float)
        return 1.0 + float(np.cumprod(odds * (k - i) / (n - k + 1 + i)).sum())


def is_above(value: Any, limit: Any) -> bool | None:
    """Return True if a value is above a limit, False if below, None if balls leave it open."""
    return True if value > limit else False if value < limit else None


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
    cost_of_a_term, allowance = 100, 20

    def __init__(self, n_voters: int = 0) -> None:
        super().__init__(n_voters)
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

    def _falling_sum(self, odds: Any, k: int, n: int) -> Any:
        """Sum terms to `TAIL_BITS`, and enclose the rest."""
        term = total = self.exactly(1)
        negligible = self.exactly(Fraction(1, 2**TAIL_BITS))
        while k > 0:
            ratio = odds * k / (n - k + 1)
            # Later ratios are smaller still: the rest is below the geometric series.
            if term * ratio <= negligible * total * (1 - ratio):
                return self.between(total, total + term * ratio / (1 - ratio))
            term = term * ratio
            total = total + term
            k -= 1
        return total
