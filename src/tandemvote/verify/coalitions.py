"""Voters that together can make the vote wrong, and the largest probability that they do.

The bound is found from its other side: the largest probability with which a coalition errs in a
world where each voter errs as often as its limit allows. The shadow prices of that linear program
are rounded to fractions, and scaled in exact arithmetic until they cover every coalition. So the
result is proven whatever the solver did.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from scipy.optimize import linprog

from tandemvote.verify.arithmetic import HALF, Arithmetic

MOST_ENUMERATED = 15
"""Voters up to which coalitions are listed."""

UNIT_BITS = 52
"""The vote rounds weights to whole numbers that sum to less than 2^52."""

LARGEST_DETERMINANT = 2**17
"""Largest determinant of 15 rows of zeros and ones, and so denominator of a best price."""

TIE_ROUNDING = Fraction(1, 10**9)
"""Shares of the weight that differ by no more are taken for equal."""

SMALLEST_SHARE = Fraction(1e-300)
"""A voter with a smaller share of delta has no limit but 1."""


@dataclass(frozen=True)
class Coalitions:
    """Voters: the whole numbers the vote adds up, shares in delta, errors, and test samples."""

    units: Sequence[int]
    prior: Sequence[Fraction]
    errors: Sequence[int]
    sizes: Sequence[int]

    @cached_property
    def voting(self) -> list[int]:
        """Positions of the voters with weight, the heaviest first."""
        with_weight = (voter for voter, unit in enumerate(self.units) if unit)
        return sorted(with_weight, key=lambda voter: -self.units[voter])

    @property
    def equal(self) -> bool:
        """True if all voters with weight have the same weight."""
        return len({self.units[voter] for voter in self.voting}) == 1

    @property
    def ruled_by_one(self) -> bool:
        """True if the heaviest voter outweighs all others together."""
        return 2 * (sum(self.units) - max(self.units)) < self.needed

    @cached_property
    def needed(self) -> Fraction:
        """Twice the weight of the lightest coalition there could be, ties up to rounding included.

        Another implementation of the same vote may break them the other way.
        """
        return (1 - TIE_ROUNDING) * sum(self.units)

    @property
    def smallest(self) -> Fraction:
        """Smallest share of the weight that a coalition has; one half where that is unknown."""
        n_voting = len(self.voting)
        if self.equal:
            return Fraction((n_voting + 1) // 2, n_voting)
        if self.ruled_by_one:
            return Fraction(max(self.units), sum(self.units))
        if n_voting > MOST_ENUMERATED:
            return HALF
        lightest = min(sum(self.units[voter] for voter in members) for members in self.minimal())
        return max(HALF, Fraction(lightest, sum(self.units)))

    def minimal(self, members: tuple[int, ...] = (), begin: int = 0) -> Iterator[tuple[int, ...]]:
        """List coalitions that need all their members.

        Members join in the order of their weights until they can err. Before the last one,
        the lightest, they had less, so none can be spared.
        """
        if 2 * sum(self.units[voter] for voter in members) >= self.needed:
            yield members
            return
        for place in range(begin, len(self.voting)):
            yield from self.minimal((*members, self.voting[place]), place + 1)

    def bound(self, delta: Fraction, arithmetic: Arithmetic) -> Any:
        """Price of all coalitions at the voters' limits."""
        limits = {voter: self._limit(voter, delta, arithmetic) for voter in self.voting}
        if self.equal:
            return _ruger(list(limits.values()), arithmetic)
        if self.ruled_by_one:
            return limits[self.voting[0]]
        prices = {voter: Fraction(2 * self.units[voter], sum(self.units)) for voter in limits}
        if len(limits) <= MOST_ENUMERATED:
            prices = self._prices({v: arithmetic.middle(limit) for v, limit in limits.items()})
        return sum(arithmetic.exactly(price) * limits[voter] for voter, price in prices.items())

    def _limit(self, voter: int, delta: Fraction, arithmetic: Arithmetic) -> Any:
        share = delta * self.prior[voter]
        if share < SMALLEST_SHARE or not self.sizes[voter]:
            return arithmetic.exactly(1)
        return arithmetic.binomial_limit(self.errors[voter], self.sizes[voter], share)

    def _prices(self, limits: dict[int, Fraction]) -> dict[int, Fraction]:
        coalitions, largest = list(self.minimal()), max(limits.values())
        member = np.array([[voter in members for members in coalitions] for voter in limits], float)
        worst_world = linprog(
            -np.ones(len(coalitions)),
            A_ub=member,
            b_ub=[float(1024 * limit / largest) for limit in limits.values()],
            method="highs-ds",
            options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
        )
        prices = {
            voter: max(Fraction(-price), Fraction(0)).limit_denominator(LARGEST_DETERMINANT)
            for voter, price in zip(limits, worst_world.ineqlin.marginals, strict=True)
        }
        least = min(sum(prices[voter] for voter in members) for members in coalitions)
        return {voter: price / least for voter, price in prices.items()}


def voting_units(weights: Iterable[float]) -> tuple[int, ...]:
    """Round weights as the vote does, in exact arithmetic, so that ties are ties."""
    exact = [*map(Fraction, weights)]
    _, exponent = math.frexp(float(sum(exact)))
    return tuple(round(weight * Fraction(2) ** (UNIT_BITS - exponent)) for weight in exact)


def _ruger(limits: list[Any], arithmetic: Arithmetic) -> Any:
    """Return the least, over l < r, of the sum of all but the l largest limits divided by r - l."""
    half = (len(limits) + 1) // 2
    ascending = sorted(limits, key=arithmetic.middle)
    total, least = arithmetic.exactly(0), arithmetic.exactly(len(limits))
    for counted, limit in enumerate(ascending, 1):
        total = total + limit
        needed = half - (len(limits) - counted)
        if needed > 0:
            least = arithmetic.smaller(least, total / needed)
    return least
