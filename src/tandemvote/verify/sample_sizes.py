r"""How many points an average is worth: the smallest set, or every set in full.

For weights w over sets of sizes n and a prior pi, harmonic sample sizes allow the divergence

.. math:: \sum_p a_p \ln\frac{w_p}{\pi_p} - \sum_p a_p \ln n_p - A \ln A
    + A \ln\frac{\sum_p \pi_p \xi(n_p)}{\delta}, \qquad a_p = \frac{w_p}{n_p}, \quad A = \sum_p a_p,

per point, where sizes above 8/pi (sqrt(n_min) - 1)^2 count as that.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tandemvote.verify.arithmetic import Arithmetic
from tandemvote.verify.inverses import PI, moment

IntArray = NDArray[np.int64]
MomentOf = Callable[[int, Arithmetic], Any]


@dataclass(frozen=True, eq=False)
class SampleSize:
    """How many points an average over voters or pairs is worth.

    Attributes
    ----------
    rate : number
        A, one over the number of points; None without points.
    cost : number
        The terms that do not depend on delta.
    masses : dict of int to Fraction
        The prior's mass on each size.
    as_printed : bool
        Whether the moment is the printed one, 2 sqrt(n), where the exact one is smaller.
    means : dict
        Means of moments that were asked for before.
    """

    rate: Any | None
    cost: Any
    masses: dict[int, Fraction]
    as_printed: bool = False
    means: dict[MomentOf, Any] = field(default_factory=dict)

    def allowed(self, delta: Fraction, printed: MomentOf, arithmetic: Arithmetic) -> Any | None:
        """Divergence allowed per point; None without points. `printed` is the paper's moment."""
        if self.rate is None:
            return None
        moment_of = moment if printed is two_roots and not self.as_printed else printed
        if moment_of not in self.means:
            parts = [
                arithmetic.exactly(mass) * moment_of(size, arithmetic)
                for size, mass in self.masses.items()
            ]
            self.means[moment_of] = sum(parts[1:], parts[0])
        nats = arithmetic.log(self.means[moment_of]) - arithmetic.log_of(delta)
        return self.cost + self.rate * nats


NO_POINTS = SampleSize(None, None, {})


def two_roots(n: int, arithmetic: Arithmetic) -> Any:
    """Give the printed moment, 2 sqrt(n)."""
    return 2 * arithmetic.sqrt(arithmetic.exactly(n))


def moment_and_size(n: int, arithmetic: Arithmetic) -> Any:
    """Give the moment of three outcomes."""
    return moment(n, arithmetic) + n


def no_moment(n: int, arithmetic: Arithmetic) -> Any:
    """Give 1, where an inequality has no moment to pay for."""
    return arithmetic.exactly(1)


def smallest(
    sizes: IntArray, weights: list[int], prior: list[int], arithmetic: Arithmetic
) -> SampleSize:
    """Take the smallest set of voters with a prior, with KL of voters or of pairs."""
    n = _n_min(sizes, prior)
    if n == 0:
        return NO_POINTS
    divergence = arithmetic.exactly(0)
    for weight, ratio in zip(weights, log_ratios(weights, prior, arithmetic), strict=True):
        divergence = divergence + arithmetic.exactly(Fraction(weight, sum(weights))) * ratio
    rate = arithmetic.exactly(Fraction(1, n))
    return SampleSize(rate, rate * sizes.ndim * divergence, {n: Fraction(1)}, as_printed=True)


def harmonic(
    sizes: IntArray, weights: list[int], prior: list[int], arithmetic: Arithmetic
) -> SampleSize:
    """Take every set, of voters or of pairs (where `sizes` is a matrix), up to the cap."""
    n_min = _n_min(sizes, prior)
    if n_min == 0:
        return NO_POINTS
    return uncapped(np.minimum(sizes, cap(n_min)), weights, prior, arithmetic)


def uncapped(
    sizes: IntArray, weights: list[int], prior: list[int], arithmetic: Arithmetic
) -> SampleSize:
    """Take every set as it is; those with weight must have points."""
    number, zero = arithmetic.exactly, arithmetic.exactly(0)
    before, whole = sum(prior) ** sizes.ndim, sum(weights) ** sizes.ndim
    masses = {n: Fraction(mass, before) for n, mass in _mass_by_size(sizes, prior).items() if mass}
    rate = cost = zero
    for n, mass in _mass_by_size(sizes, weights).items():
        if mass:
            share = number(Fraction(mass, n * whole))
            rate, cost = rate + share, cost - share * arithmetic.log(number(n))
    cost = cost - rate * arithmetic.log(rate)
    if any(w * sum(prior) != p * sum(weights) for w, p in zip(weights, prior, strict=True)):
        ratios = log_ratios(weights, prior, arithmetic)
        for voter, (weight, ratio) in enumerate(zip(weights, ratios, strict=True)):
            if weight:
                partners = _mass_by_partner(sizes, voter, weights)
                for n, mass in partners.items():
                    share = number(Fraction(sizes.ndim * weight * mass, n * whole))
                    cost = cost + share * ratio
    return SampleSize(rate, cost, masses)


Counting = Callable[[IntArray, list[int], list[int], Arithmetic], SampleSize]

SAMPLE_SIZES: MappingProxyType[str, Counting] = MappingProxyType(
    {"harmonic": harmonic, "paper": smallest}
)
"""Ways to count sets of different sizes, by the name a file gives."""


def cap(n_min: int) -> int:
    """Size above which sets count as no larger.

    Examples
    --------
    >>> cap(10), cap(1000)
    (11, 2387)
    """
    with localcontext(Context(prec=50)):
        root = Fraction(Decimal(max(n_min, 1)).sqrt())
    return max(n_min, int(8 / PI * (root - 1) ** 2))


def log_ratios(weights: list[int], prior: list[int], arithmetic: Arithmetic) -> list[Any]:
    """Logarithms of weight over prior, 0 for voters without weight."""
    total, total_before = sum(weights), sum(prior)
    number, log = arithmetic.exactly, arithmetic.log
    # Two logarithms, because the ratio itself may be too large for a float.
    return [
        log(number(Fraction(weight, total))) - log(number(Fraction(before, total_before)))
        if weight
        else number(0)
        for weight, before in zip(weights, prior, strict=True)
    ]


def _n_min(sizes: IntArray, prior: list[int]) -> int:
    allowed = np.array(prior, dtype=object) > 0
    return int(sizes[np.ix_(*[allowed] * sizes.ndim)].min())


def _mass_by_size(sizes: IntArray, weights: list[int]) -> dict[int, int]:
    """Sum the weights of voters, or of pairs, over each size."""
    masses: dict[int, int] = defaultdict(int)
    for voter, weight in enumerate(weights):
        if weight:
            for n, mass in _mass_by_partner(sizes, voter, weights).items():
                masses[n] += weight * mass
    return masses


def _mass_by_partner(sizes: IntArray, voter: int, weights: list[int]) -> dict[int, int]:
    """Sum the weights of a voter's partners over each size; a voter alone has one, of weight 1."""
    if sizes.ndim == 1:
        return {int(sizes[voter]): 1}
    masses: dict[int, int] = defaultdict(int)
    for n, weight in zip(sizes[voter].tolist(), weights, strict=True):
        if weight:
            masses[n] += weight
    return masses
