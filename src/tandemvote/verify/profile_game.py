r"""The bound from unlabelled points: every error rate above it is refuted by what was seen.

A random voter errs at a rate g, the vote or another classifier at a rate L. The held-out labels
give the evidence E(g) against errors as rare as seen, Catoni's inequality averaged over a grid of
tilts. Bets on the unlabelled points give the evidence B(L, g) against an average of
(s - gap)_+ - (1 - lead) of at least s L - g, averaged over some slopes s. L is refuted if for every
g both together reach ln(1/delta). The g are parted into cells by the evidence of the labels; within
a cell the least of each evidence counts. Where L = 0 is refuted, the points do not come from one
source.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from tandemvote.verify.arithmetic import Arithmetic
from tandemvote.verify.averages import Evidence
from tandemvote.verify.inverses import bisect, order

N_CELLS = 24
STAKE = Fraction(9, 10)

NEARBY = Fraction(1, 2 * 10**9)
"""How far below the stated value an error rate must be that is not refuted."""

FACTORS = 16
"""Factors of the capital that are multiplied before a logarithm is taken."""

COARSE = 14
"""Halvings that locate the true value where the stated one is wrong."""


@dataclass(frozen=True)
class Form:
    """How evidence is averaged: over slopes of the games on unlabelled points, and over tilts.

    `no_tilt` is the share of the tilt 0; the others follow from ln(1/delta) and the reciprocal of
    the sample size, and are divided by the root of the error that is supposed if `planned`.
    """

    slopes: tuple[Fraction, ...]
    shares: tuple[Fraction, ...]
    no_tilt: Fraction
    tilts: Callable[[Any, Any, Arithmetic], list[tuple[Fraction, Any]]]
    planned: bool


def _grid(nats: Any, rate: Any, calculate: Arithmetic) -> list[tuple[Fraction, Any]]:
    """Tilts that grow by the half up to the first of at least 4; shares like 1, 1/2, 1/3, ..."""
    found = [calculate.sqrt(16 * nats * calculate.smaller(rate, calculate.exactly(1)))]
    while found[-1] < calculate.exactly(4):
        found.append(found[-1] * 3 / 2)
    shares = [Fraction(1, j) for j in range(1, len(found) + 1)]
    whole = sum(shares, Fraction(0)) / Fraction(15, 16)
    return [(share / whole, tilt) for share, tilt in zip(shares, found, strict=True)]


def _plans(nats: Any, rate: Any, calculate: Arithmetic) -> list[tuple[Fraction, Any]]:
    """Plans to collect 1, 2, 4, ..., 128 times ln(1/delta); their shares halve."""
    shares = [Fraction(3, 8 * 2**plan) for plan in range(7)] + [Fraction(3, 512)]
    return [(share, calculate.sqrt(2 * nats * 2**i * rate)) for i, share in enumerate(shares)]


SLOPES = tuple(Fraction(2, n) for n in (2, 3, 4, 6, 9))

GRID = Form((*SLOPES, Fraction(0)), (Fraction(1, 6),) * 6, Fraction(1, 16), _grid, planned=False)

FEW_KINKS = 5


def deployed_form(n_voters: int) -> Form:
    """Slopes 1, ..., 2/K, 1/K and 0 for up to five voters, each with 3/4 of what is left."""
    if n_voters > FEW_KINKS:
        return GRID
    slopes = tuple(Fraction(k, n_voters) for k in range(n_voters, -1, -1))
    shares = tuple(Fraction(3, 4**game) for game in range(1, n_voters + 1))
    return replace(GRID, slopes=slopes, shares=(*shares, Fraction(1, 4**n_voters)))


PLANNED = Form(SLOPES, (Fraction(1, 5),) * 5, Fraction(1, 4), _plans, planned=True)
"""In files of early development versions. A tilt that depends on the supposed error is fixed in
advance only if the voters and their weights are, as with one hold-out for all."""


@dataclass(frozen=True, eq=False)
class ProfileGame:
    """Everything but the error rate in question; the evidence must have a profile."""

    seen: Evidence
    delta: Fraction
    form: Form

    @property
    def two_sources(self) -> bool:
        """Whether every error rate of voters and vote is refuted, beyond rounding."""
        return self.refutes(-NEARBY)

    def refutes(self, error: Fraction) -> bool:
        """Whether an error rate of the vote is too large for what was seen."""
        return all(self._refutes_in(cell, error) for cell in self._cells)

    @cached_property
    def _nats(self) -> Any:
        return -self.seen.arithmetic.log(self.seen.arithmetic.exactly(self.delta))

    @cached_property
    def _cells(self) -> list[tuple[Any, Any]]:
        """For each cell the largest g, and the evidence the labels leave to be found."""
        calculate, size = self.seen.arithmetic, self.seen.in_full
        assert size is not None
        divergence = size.cost / size.rate
        least = calculate.log(calculate.exactly(self.form.no_tilt))
        width = (self._nats - least + divergence) / N_CELLS
        left = [self._nats - least + divergence - cell * width for cell in range(N_CELLS)]
        ends = [least + (cell + 1) * width for cell in range(N_CELLS)]
        return [(self._largest_gibbs(end), found) for end, found in zip(ends, left, strict=True)]

    def _largest_gibbs(self, evidence: Any) -> Any:
        """Smallest g against which the labels give that much evidence, divergence included."""
        calculate = self.seen.arithmetic
        size, at_prior = self.seen.in_full, self.seen.in_full_at_prior
        assert size is not None and at_prior is not None
        n = 1 / size.rate
        tilts = self.form.tilts(self._nats, at_prior.rate, calculate)

        def exceeds(g: Fraction) -> bool | None:
            q, rest = calculate.exactly(g), calculate.exactly(1 - g)
            logs = [calculate.log(calculate.exactly(self.form.no_tilt))]
            for share, planned in tilts:
                tilt = planned / calculate.sqrt(q) if self.form.planned else planned
                # The exponential of a large tilt is 0 in floating point.
                shrunk = calculate.log(rest + q * calculate.exp(-tilt)) if g < 1 else -tilt
                share_of_it = calculate.log(calculate.exactly(share))
                logs.append(share_of_it - n * (tilt * self.seen.gibbs.part + shrunk))
            return order(_log_sum(logs, calculate), evidence)

        if not exceeds(Fraction(1)):
            return calculate.exactly(1)
        return bisect(exceeds, Fraction(1, 2**1000), Fraction(1), calculate)

    @cached_property
    def _games(self) -> list[tuple[Fraction, Fraction, list[Any], list[Any]]]:
        """For each slope: the largest phi, the values of phi, and bets for a goal of one nat."""
        assert self.seen.profile is not None
        number, sqrt = self.seen.arithmetic.exactly, self.seen.arithmetic.sqrt
        points = [tuple(map(Fraction, point)) for point in np.transpose(self.seen.profile).tolist()]
        n, games = len(points), []
        for slope in self.form.slopes:
            largest = self._largest(slope)
            phi = [
                number(min(max(slope - gap, Fraction(0)) - (1 - lead), largest))
                for lead, gap in points
            ]
            # The guess before any point: the middle of the range, half its width as deviation.
            total = number((slope - 1 + largest) / 2)
            squares = number((largest - slope + 1) ** 2 / 4)
            bets = []
            for i, value in enumerate(phi, start=1):
                bets.append(sqrt(2 * i / (n * squares)) if squares > 0 else None)
                before = total / i
                total = total + value
                squares = squares + (value - before) * (value - total / (i + 1))
            games.append((slope, largest, phi, bets))
        return games

    def _refutes_in(self, cell: tuple[Any, Any], error: Fraction) -> bool:
        g, needed = cell
        calculate, number = self.seen.arithmetic, self.seen.arithmetic.exactly
        limit = number(1)
        for slope in filter(None, self.form.slopes):
            most = number(self._largest(slope) / slope)
            limit = calculate.smaller(limit, most + g / number(slope))
        if number(error) >= limit:
            return True  # nothing errs more often where a random voter errs at that rate
        goal = calculate.sqrt(needed + 1)
        capitals = []
        for share, (slope, largest, phi, bets) in zip(self.form.shares, self._games, strict=True):
            mean = calculate.smaller(number(slope * error) - g, number(largest))
            room = number(largest) - mean
            most = number(STAKE) / room if room > 0 else None
            stakes = (_stake(bet, goal, most, calculate) for bet in bets)
            capital = _log_capital(phi, stakes, mean, calculate)
            capitals.append(calculate.log(number(share)) + capital)
        return bool(_log_sum(capitals, calculate) >= needed)

    def _largest(self, slope: Fraction) -> Fraction:
        """Largest value of phi."""
        return slope if self.seen.deployed else max(slope - Fraction(1, 2), Fraction(0))


def enclose(refutes: Callable[[Fraction], bool], stated: Fraction) -> tuple[Fraction, Fraction]:
    """Find the smallest error rate that is refuted: closely if it is the stated one."""
    below = max(stated - NEARBY, Fraction(0))
    if not refutes(stated):
        return _narrowed(refutes, stated, Fraction(1))
    if below > 0 and refutes(below):
        return _narrowed(refutes, Fraction(0), below)
    return below, stated


def _narrowed(
    refutes: Callable[[Fraction], bool], low: Fraction, high: Fraction
) -> tuple[Fraction, Fraction]:
    for _ in range(COARSE):
        middle = (low + high) / 2
        low, high = (low, middle) if refutes(middle) else (middle, high)
    return low, high


def _stake(bet: Any | None, goal: Any, most: Any | None, calculate: Arithmetic) -> Any:
    """Bet for a goal, cut to the largest allowed; 0 where neither is finite."""
    if bet is None:
        return calculate.exactly(0) if most is None else most
    return bet * goal if most is None else calculate.smaller(bet * goal, most)


def _log_capital(phi: list[Any], stakes: Iterable[Any], mean: Any, calculate: Arithmetic) -> Any:
    one = calculate.exactly(1)
    product, total = one, calculate.exactly(0)
    for i, (value, stake) in enumerate(zip(phi, stakes, strict=True), start=1):
        product = product * (one + stake * (mean - value))
        if i % FACTORS == 0:
            total, product = total + calculate.log(product), one
    return total + calculate.log(product)


def _log_sum(logs: list[Any], calculate: Arithmetic) -> Any:
    """Logarithm of a sum of exponentials, none of which may overflow."""
    largest = max(logs, key=lambda number: calculate.ends(number)[1])
    parts = [calculate.exp(number - largest) for number in logs]
    return largest + calculate.log(sum(parts[1:], parts[0]))
