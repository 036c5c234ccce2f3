r"""Losses averaged over the weights, exactly, and how many samples such an average is worth.

That is the smallest set of samples or every set in full: for weights w over sets of sizes n and a
prior pi, harmonic sample sizes allow the divergence

.. math:: \sum_p a_p \ln\frac{w_p}{\pi_p} - \sum_p a_p \ln n_p - A \ln A
    + A \ln\frac{\sum_p \pi_p \xi(n_p)}{\delta}, \qquad a_p = \frac{w_p}{n_p}, \quad A = \sum_p a_p,

per sample, where sizes above 8/pi (sqrt(n_min) - 1)^2 count as that.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tandemvote.record.document import Record
from tandemvote.record.encodings import IntArray
from tandemvote.verify.arithmetic import HALF, PI, Arithmetic
from tandemvote.verify.coalitions import Coalitions, voting_units

ExactIntegers = NDArray[np.object_]
"""Python's integers, of any size."""

MOMENTS: Mapping[str, Callable[[int, Arithmetic], Any]] = {
    "exact": lambda n, arithmetic: arithmetic.moment(n),
    "printed": lambda n, arithmetic: 2 * arithmetic.sqrt(arithmetic.exactly(n)),
    "of three outcomes": lambda n, arithmetic: arithmetic.moment(n) + n,
    "none": lambda n, arithmetic: arithmetic.exactly(1),
}
"""The moment of n samples in an inequality, whose logarithm is added to ln(1/delta)."""


@dataclass(frozen=True, eq=False)
class SampleSize:
    """Number of samples that an average over voters or pairs is worth.

    `rate` is A, one over the number of samples, None without samples. `cost` are the terms that do
    not depend on delta, and `masses` the prior's mass on each size. `usual` names the moment where
    a theorem has no other: the exact or the printed one. `means` keeps the moments, averaged over
    the sizes, that were computed before.
    """

    arithmetic: Arithmetic
    rate: Any
    cost: Any
    masses: dict[int, Fraction]
    usual: str = "exact"
    means: dict[str, Any] = field(default_factory=dict)

    @property
    def rate_at_prior(self) -> Any:
        """The rate if the weights were the prior."""
        number = self.arithmetic.exactly
        return sum((number(mass / n) for n, mass in self.masses.items()), number(0))

    def allowed(self, delta: Fraction, moment: str | None = None) -> Any | None:
        """Divergence allowed per sample, with the moment of a theorem; None without samples."""
        if self.rate is None:
            return None
        name, number, log = moment or self.usual, self.arithmetic.exactly, self.arithmetic.log
        if name not in self.means:
            of = MOMENTS[name]
            parts = (number(mass) * of(n, self.arithmetic) for n, mass in self.masses.items())
            self.means[name] = sum(parts, number(0))
        return self.cost + self.rate * (log(self.means[name]) - self.arithmetic.log_of(delta))


class Average(NamedTuple):
    """A rate and what is left of 1, and how many samples they are worth.

    Both are sums of terms of one sign, so that nothing cancels.
    """

    part: Any
    rest: Any
    size: SampleSize

    def ends(self, delta: Fraction, moment: str | None = None) -> tuple[Any, Any]:
        """Smallest and largest true rate within the divergence that PAC-Bayes-kl allows."""
        allowed, kl_upper = self.size.allowed(delta, moment), self.size.arithmetic.kl_upper
        return 1 - kl_upper(self.rest, self.part, allowed), kl_upper(self.part, self.rest, allowed)


class Quantities:
    """The quantities in the theorems: the counts of a record, averaged with its weights.

    On labeled samples both voters of a pair err at the rate `tandem`, and exactly one of them at
    the rate `lone`. `in_full` is what voters' sets are worth without a cap, None without a profile
    or samples. Voters that make the vote wrong have at least the weight `smallest_coalition`, one
    half as published.
    """

    def __init__(self, record: Record, arithmetic: Arithmetic) -> None:
        # Weights and prior are divided by their exact sums.
        weights, prior = _integers(record.weights), _integers(record.prior)
        tandem_errors, shared = record.counts.tandem_errors, record.counts.overlaps
        errors, sizes = np.diag(tandem_errors), np.diag(shared)
        all_shared = record.counts.disagreement_overlaps

        def mean(parts: IntArray, sizes: IntArray) -> Any:
            number, whole = arithmetic.exactly, sum(weights) ** sizes.ndim
            sums = _by_size(parts, sizes, weights).items()
            return sum((number(Fraction(part, n * whole)) for n, part in sums), number(0))

        def average(parts: IntArray, sizes: IntArray, size: SampleSize) -> Average:
            sizes = np.maximum(sizes, 1)
            return Average(mean(parts, sizes), mean(sizes - parts, sizes), size)

        def worth(sizes: IntArray) -> SampleSize:
            n_min = int(sizes[np.ix_(*[prior > 0] * sizes.ndim)].min())
            if n_min == 0:
                return SampleSize(arithmetic, None, None, {})
            # Pairs that the prior excludes may have fewer samples, and count for nothing.
            counted = np.minimum(sizes, n_min if record.published else cap(n_min))
            usual = "printed" if record.published else "exact"
            return replace(_in_full(counted, weights, prior, arithmetic), usual=usual)

        pairs = worth(shared)
        all_pairs = pairs if (shared == all_shared).all() else worth(all_shared)
        self.record, self.arithmetic = record, arithmetic
        # Voters that share no sample may always err.
        self.gibbs = average(errors + (sizes == 0), sizes, worth(sizes))
        self.tandem = average(tandem_errors + (shared == 0), shared, pairs)
        self.lone = average(record.counts.lone_errors + (shared == 0), shared, pairs)
        self.disagreement = average(record.counts.disagreements, all_shared, all_pairs)
        profiled = record.profile is not None and sizes[prior > 0].all()
        self.in_full = _in_full(sizes, weights, prior, arithmetic) if profiled else None
        units, shares = voting_units(record.weights), prior / Fraction(sum(prior))
        self.coalitions = Coalitions(units, shares.tolist(), errors.tolist(), sizes.tolist())
        self.smallest_coalition = HALF if record.published else self.coalitions.smallest


def cap(n_min: int) -> int:
    """Size above which sets count as no larger.

    Examples
    --------
    >>> cap(10), cap(1000)
    (11, 2387)
    """
    root = Fraction(math.isqrt(n_min * 10**100), 10**50)
    return max(n_min, int(8 / PI * (root - 1) ** 2))


def _in_full(
    sizes: IntArray, weights: ExactIntegers, prior: ExactIntegers, arithmetic: Arithmetic
) -> SampleSize:
    """Take every set as it is, of voters or, where `sizes` is a matrix, of pairs."""
    number, log_of = arithmetic.exactly, arithmetic.log_of
    total, at_prior = sum(weights), sum(prior)
    whole = total**sizes.ndim
    rate = cost = number(0)
    for n, mass in _by_size(np.ones_like(sizes), sizes, weights).items():
        share = number(Fraction(mass, n * whole))
        rate, cost = rate + share, cost - share * log_of(n)
    cost = cost - rate * arithmetic.log(rate)
    for voter in np.flatnonzero(weights) if (weights != prior).any() else ():
        # The ratio itself may be too large for a float.
        ratio = log_of(Fraction(weights[voter], total)) - log_of(Fraction(prior[voter], at_prior))
        own = np.atleast_1d(sizes[voter])
        partners = weights if sizes.ndim == 2 else np.ones(1, object)
        for n, mass in _by_size(np.ones_like(own), own, partners).items():
            share = Fraction(sizes.ndim * weights[voter] * mass, n * whole)
            cost = cost + number(share) * ratio
    before = _by_size(np.ones_like(sizes), sizes, prior).items()
    masses = {n: Fraction(mass, at_prior**sizes.ndim) for n, mass in before}
    return SampleSize(arithmetic, rate, cost, masses)


def _by_size(parts: IntArray, sizes: IntArray, weights: ExactIntegers) -> dict[int, int]:
    """Sum weights of voters or pairs times parts over each size; sizes have few values."""
    if sizes.ndim == 1:
        numbers, places = np.unique(sizes, return_inverse=True)
        sums = np.zeros(numbers.size, object)
        np.add.at(sums, places, weights * parts)
        return {n: part for n, part in zip(numbers.tolist(), sums, strict=True) if part}
    whole: dict[int, int] = defaultdict(int)
    for voter in np.flatnonzero(weights):
        row = voter, slice(voter + 1)
        partners = np.append(2 * weights[:voter], weights[voter])  # both orders of a pair
        for n, part in _by_size(parts[row], sizes[row], partners).items():
            whole[n] += weights[voter] * part
    return whole


def _integers(weights: Iterable[float]) -> ExactIntegers:
    """Return the smallest integers in proportion to the weights."""
    exact = [Fraction(weight) for weight in weights]
    unit = max(weight.denominator for weight in exact)
    whole = [int(weight * unit) for weight in exact]
    return np.array(whole, object) // math.gcd(*whole)
