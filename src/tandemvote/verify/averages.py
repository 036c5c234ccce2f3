r"""Losses averaged over the weights, exactly, and how many points such an average is worth.

That is the smallest set of points or every set in full: for weights w over sets of sizes n and a
prior pi, harmonic sample sizes allow the divergence

.. math:: \sum_p a_p \ln\frac{w_p}{\pi_p} - \sum_p a_p \ln n_p - A \ln A
    + A \ln\frac{\sum_p \pi_p \xi(n_p)}{\delta}, \qquad a_p = \frac{w_p}{n_p}, \quad A = \sum_p a_p,

per point, where sizes above 8/pi (sqrt(n_min) - 1)^2 count as that.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np

from tandemvote.certificate.file_fields import FloatArray, IntArray, full
from tandemvote.certificate.file_record import CertificateRecord
from tandemvote.verify.arithmetic import Arithmetic
from tandemvote.verify.coalitions import HALF, Coalitions, voting_units
from tandemvote.verify.inverses import PI, Rate, moment

MomentOf = Callable[[int, Arithmetic], Any]


@dataclass(frozen=True, eq=False)
class SampleSize:
    """How many points an average over voters or pairs is worth.

    `rate` is A, one over the number of points, None without points; `cost` are the terms that do
    not depend on delta, `masses` the prior's mass on each size, and `means` those of moments that
    were asked for. `as_printed` keeps the printed moment, where the exact one is smaller.
    """

    arithmetic: Arithmetic
    rate: Any
    cost: Any
    masses: dict[int, Fraction]
    as_printed: bool = False
    means: dict[MomentOf, Any] = field(default_factory=dict)

    def allowed(self, delta: Fraction, printed: MomentOf) -> Any | None:
        """Divergence allowed per point; None without points. `printed` is the paper's moment."""
        if self.rate is None:
            return None
        number, log = self.arithmetic.exactly, self.arithmetic.log
        of = moment if printed is two_roots and not self.as_printed else printed
        if of not in self.means:
            parts = [number(mass) * of(n, self.arithmetic) for n, mass in self.masses.items()]
            self.means[of] = sum(parts[1:], parts[0])
        return self.cost + self.rate * (log(self.means[of]) - self.arithmetic.log_of(delta))


def two_roots(n: int, arithmetic: Arithmetic) -> Any:
    """Give the printed moment, 2 sqrt(n)."""
    return 2 * arithmetic.sqrt(arithmetic.exactly(n))


def moment_and_size(n: int, arithmetic: Arithmetic) -> Any:
    """Give the moment of three outcomes."""
    return moment(n, arithmetic) + n


def no_moment(n: int, arithmetic: Arithmetic) -> Any:
    """Give 1, where an inequality has no moment to pay for."""
    return arithmetic.exactly(1)


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """The quantities in the theorems, as the file's counts and weights give them.

    `neither` is the rate at which a pair neither errs together nor disagrees, on labelled points,
    `lone` that at which exactly one errs. `voters`, `pairs` and `disagreement_pairs` are what
    averages are worth, `pairs_at_prior` what they would be worth, were the weights the prior;
    `in_full` counts voters' sets without a cap, and is None without a profile or points. Voters
    that make the vote wrong have at least the weight `smallest_coalition`, one half as published.
    Weights are `fixed_in_advance` if they are the prior and all voters share one hold-out.
    """

    arithmetic: Arithmetic
    gibbs: Rate
    tandem: Rate
    disagreement: Rate
    labelled_disagreement: Rate
    neither: Any
    lone: Rate
    voters: SampleSize
    pairs: SampleSize
    disagreement_pairs: SampleSize
    pairs_at_prior: SampleSize
    in_full: SampleSize | None
    in_full_at_prior: SampleSize | None
    profile: tuple[FloatArray, FloatArray] | None
    deployed: bool
    fixed_in_advance: bool
    test: tuple[int, int] | None
    coalitions: Coalitions
    smallest_coalition: Fraction


def gather(record: CertificateRecord, arithmetic: Arithmetic) -> Evidence:
    """Average the counts of a record, with its weights and prior divided by their exact sums."""
    weights, prior = _integers(record.weights), _integers(record.prior)
    counts = record.counts
    errors, overlaps = counts["tandem_errors"], counts["overlaps"]
    all_overlaps = counts["disagreement_overlaps"]
    labelled = counts["disagreements"] - counts["unlabelled_disagreements"]
    itself = diagonal(record.n_voters)
    sizes, matrix = overlaps[itself], full(overlaps)
    coalitions = Coalitions(
        units=voting_units(record.weights),
        prior=tuple(Fraction(before, sum(prior)) for before in prior),
        errors=tuple(errors[itself].tolist()),
        sizes=tuple(sizes.tolist()),
    )

    def worth(sizes: IntArray, over: list[int] = weights) -> SampleSize:
        counted = smallest if record.sharpening == "paper" else harmonic
        return counted(sizes, over, prior, arithmetic)

    def in_full(over: list[int]) -> SampleSize | None:
        if record.profile is None or any(w and not n for w, n in zip(over, sizes, strict=True)):
            return None
        return uncapped(sizes, over, prior, arithmetic)

    def average(part: IntArray, whole: IntArray, *, without_points: int) -> Rate:
        groups = _pair_groups(part, whole, weights, without_points)
        return _rate(groups, sum(weights) ** 2, arithmetic)

    pairs = worth(matrix)
    single = _groups(weights, errors[itself], sizes, 1)
    return Evidence(
        arithmetic=arithmetic,
        gibbs=_rate(single, sum(weights), arithmetic),
        tandem=average(errors, overlaps, without_points=1),
        disagreement=average(counts["disagreements"], all_overlaps, without_points=0),
        labelled_disagreement=average(labelled, overlaps, without_points=0),
        neither=average(overlaps - errors - labelled, overlaps, without_points=0).part,
        lone=average(counts["lone_errors"], overlaps, without_points=1),
        voters=worth(sizes),
        pairs=pairs,
        disagreement_pairs=pairs if (overlaps == all_overlaps).all() else worth(full(all_overlaps)),
        pairs_at_prior=pairs if weights == prior else worth(matrix, prior),
        in_full=in_full(weights),
        in_full_at_prior=in_full(prior),
        profile=record.profile,
        deployed=record.deployed is not None,
        fixed_in_advance=bool((overlaps == overlaps[0]).all()) and _proportional(weights, prior),
        test=record.test,
        coalitions=coalitions,
        smallest_coalition=HALF if record.sharpening == "paper" else coalitions.smallest,
    )


def smallest(
    sizes: IntArray, weights: list[int], prior: list[int], arithmetic: Arithmetic
) -> SampleSize:
    """Take the smallest set of voters with a prior, with KL of voters or of pairs."""
    n = _n_min(sizes, prior)
    if n == 0:
        return SampleSize(arithmetic, None, None, {})
    divergence = arithmetic.exactly(0)
    for weight, ratio in zip(weights, _log_ratios(weights, prior, arithmetic), strict=True):
        divergence = divergence + arithmetic.exactly(Fraction(weight, sum(weights))) * ratio
    rate = arithmetic.exactly(Fraction(1, n))
    cost = rate * sizes.ndim * divergence
    return SampleSize(arithmetic, rate, cost, {n: Fraction(1)}, as_printed=True)


def harmonic(
    sizes: IntArray, weights: list[int], prior: list[int], arithmetic: Arithmetic
) -> SampleSize:
    """Take every set, of voters or of pairs (where `sizes` is a matrix), up to the cap."""
    n_min = _n_min(sizes, prior)
    if n_min == 0:
        return SampleSize(arithmetic, None, None, {})
    return uncapped(np.minimum(sizes, cap(n_min)), weights, prior, arithmetic)


def uncapped(
    sizes: IntArray, weights: list[int], prior: list[int], arithmetic: Arithmetic
) -> SampleSize:
    """Take every set as it is; those with weight must have points."""
    number = arithmetic.exactly
    before, whole = sum(prior) ** sizes.ndim, sum(weights) ** sizes.ndim
    masses = {n: Fraction(mass, before) for n, mass in _mass_by_size(sizes, prior).items() if mass}
    rate = cost = number(0)
    for n, mass in _mass_by_size(sizes, weights).items():
        share = number(Fraction(mass, n * whole))
        rate, cost = rate + share, cost - share * arithmetic.log(number(n))
    cost = cost - rate * arithmetic.log(rate)
    if not _proportional(weights, prior):
        ratios = _log_ratios(weights, prior, arithmetic)
        for voter, (weight, ratio) in enumerate(zip(weights, ratios, strict=True)):
            if weight:
                for n, mass in _mass_by_partner(sizes, voter, weights).items():
                    share = number(Fraction(sizes.ndim * weight * mass, n * whole))
                    cost = cost + share * ratio
    return SampleSize(arithmetic, rate, cost, masses)


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


def diagonal(n_voters: int) -> IntArray:
    """Return the places of the diagonal in a lower triangle stored by rows."""
    voters = np.arange(n_voters)
    return voters * (voters + 3) // 2


def _log_ratios(weights: list[int], prior: list[int], arithmetic: Arithmetic) -> list[Any]:
    """Logarithms of weight over prior, 0 for voters without weight."""

    def log(part: int, whole: int) -> Any:
        return arithmetic.log(arithmetic.exactly(Fraction(part, whole)))

    # Two logarithms, because the ratio itself may be too large for a float.
    return [
        log(weight, sum(weights)) - log(before, sum(prior)) if weight else arithmetic.exactly(0)
        for weight, before in zip(weights, prior, strict=True)
    ]


def _proportional(weights: list[int], prior: list[int]) -> bool:
    pairs, total, before = zip(weights, prior, strict=True), sum(weights), sum(prior)
    return all(w * before == p * total for w, p in pairs)


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


def _integers(weights: Iterable[float]) -> list[int]:
    """Return the weights in units of their smallest binary digit: exact, and exact to multiply."""
    fractions = [Fraction(weight) for weight in weights]
    unit = max(fraction.denominator for fraction in fractions)
    return [fraction.numerator * (unit // fraction.denominator) for fraction in fractions]


def _groups(
    weights: list[int], part: IntArray, whole: IntArray, without_points: int
) -> dict[int, list[int]]:
    """Sum weight * part and weight over each size of the whole; sizes have few values."""
    groups: dict[int, list[int]] = defaultdict(lambda: [0, 0])
    for weight, count, size in zip(weights, part.tolist(), whole.tolist(), strict=True):
        if weight:
            group = groups[size or 1]
            group[0] += weight * (count if size else without_points)
            group[1] += weight
    return groups


def _pair_groups(
    part: IntArray, whole: IntArray, weights: list[int], without_points: int
) -> dict[int, list[int]]:
    groups: dict[int, list[int]] = defaultdict(lambda: [0, 0])
    doubled = [2 * weight for weight in weights]
    for voter, weight in enumerate(weights):
        if not weight:
            continue
        row = slice(voter * (voter + 1) // 2, (voter + 1) * (voter + 2) // 2)
        partners = [*doubled[:voter], weight]  # a pair of two stands for both its orders
        for size, sums in _groups(partners, part[row], whole[row], without_points).items():
            groups[size][0] += weight * sums[0]
            groups[size][1] += weight * sums[1]
    return groups


def _rate(groups: dict[int, list[int]], total: int, arithmetic: Arithmetic) -> Rate:
    part = rest = arithmetic.exactly(0)
    for size, (sum_of_parts, mass) in groups.items():
        part = part + arithmetic.exactly(Fraction(sum_of_parts, size * total))
        rest = rest + arithmetic.exactly(Fraction(mass * size - sum_of_parts, size * total))
    return Rate(part, rest)
