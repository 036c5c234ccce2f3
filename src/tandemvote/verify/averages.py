"""Losses averaged over the weights, in exact integers until the last division."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tandemvote.certificate.file_fields import full
from tandemvote.certificate.file_record import CertificateRecord
from tandemvote.verify.arithmetic import Arithmetic
from tandemvote.verify.coalitions import HALF, Coalitions, voting_units
from tandemvote.verify.inverses import Rate
from tandemvote.verify.sample_sizes import SAMPLE_SIZES, SampleSize, uncapped

IntArray = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """The quantities in the theorems, as the file's counts and weights give them.

    Attributes
    ----------
    gibbs, tandem, disagreement, labelled_disagreement : Rate
    neither : number
        Rate at which a pair neither errs together nor disagrees, on labelled points.
    lone : Rate
        Rate at which exactly one of a pair errs.
    voters, pairs, disagreement_pairs : SampleSize
        What the averages over voters, over pairs and of disagreement are worth.
    pairs_at_prior : SampleSize
        What averages over pairs would be worth, were the weights the prior.
    in_full, in_full_at_prior : SampleSize or None
        Sample sizes of voters without a cap; None where there is no profile or a set is empty.
    profile : tuple of two ndarrays or None
    deployed : bool
        Whether the profile is that of another classifier than the vote.
    fixed_in_advance : bool
        Whether all voters share one hold-out and the weights are the prior.
    test : tuple of int or None
        Errors and points of the test set.
    coalitions : Coalitions
    smallest_coalition : Fraction
        Weight that the voters who err must have to make the vote wrong; one half as published.
    """

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
    profile: tuple[NDArray[np.float64], NDArray[np.float64]] | None
    deployed: bool
    fixed_in_advance: bool
    test: tuple[int, int] | None
    coalitions: Coalitions
    smallest_coalition: Fraction


def gather(record: CertificateRecord, arithmetic: Arithmetic) -> Evidence:
    """Average the counts of a record, with its weights and prior divided by their exact sums."""
    weights, prior = _integers(record.weights), _integers(record.prior)
    counts = record.counts
    labelled = counts["disagreements"] - counts["unlabelled_disagreements"]
    overlaps, all_overlaps = counts["overlaps"], counts["disagreement_overlaps"]
    neither = overlaps - counts["tandem_errors"] - labelled
    itself = diagonal(record.n_voters)
    coalitions = Coalitions(
        units=voting_units(record.weights),
        prior=tuple(Fraction(before, sum(prior)) for before in prior),
        errors=tuple(counts["tandem_errors"][itself].tolist()),
        sizes=tuple(overlaps[itself].tolist()),
    )

    def size(sizes: IntArray, over: list[int] = weights) -> SampleSize:
        return SAMPLE_SIZES[record.sharpening](sizes, over, prior, arithmetic)

    def in_full(over: list[int]) -> SampleSize | None:
        sizes = overlaps[itself]
        if record.profile is None or any(w and not n for w, n in zip(over, sizes, strict=True)):
            return None
        return uncapped(sizes, over, prior, arithmetic)

    def average(part: IntArray, whole: IntArray, *, without_points: int) -> Rate:
        groups = _pair_groups(part, whole, weights, without_points)
        return _rate(groups, sum(weights) ** 2, arithmetic)

    pairs = size(full(overlaps))
    labelled_alone = (overlaps == all_overlaps).all()
    return Evidence(
        gibbs=_rate(
            _groups(weights, counts["tandem_errors"][itself], overlaps[itself], 1),
            sum(weights),
            arithmetic,
        ),
        tandem=average(counts["tandem_errors"], overlaps, without_points=1),
        disagreement=average(counts["disagreements"], all_overlaps, without_points=0),
        labelled_disagreement=average(labelled, overlaps, without_points=0),
        neither=average(neither, overlaps, without_points=0).part,
        lone=average(counts["lone_errors"], overlaps, without_points=1),
        voters=size(overlaps[itself]),
        pairs=pairs,
        disagreement_pairs=pairs if labelled_alone else size(full(all_overlaps)),
        pairs_at_prior=pairs if weights == prior else size(full(overlaps), prior),
        in_full=in_full(weights),
        in_full_at_prior=in_full(prior),
        profile=record.profile,
        deployed=record.deployed is not None,
        fixed_in_advance=bool((overlaps == overlaps[0]).all())
        and all(w * sum(prior) == p * sum(weights) for w, p in zip(weights, prior, strict=True)),
        test=record.test,
        coalitions=coalitions,
        smallest_coalition=HALF if record.sharpening == "paper" else coalitions.smallest,
    )


def diagonal(n_voters: int) -> IntArray:
    """Return the places of the diagonal in a lower triangle stored by rows.

    Examples
    --------
    >>> diagonal(3).tolist()
    [0, 2, 5]
    """
    voters = np.arange(n_voters)
    return voters * (voters + 3) // 2


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
