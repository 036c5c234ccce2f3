"""Counts that no votes can have: of a voter, of a pair, and of a plurality vote.

The conditions are necessary, exact, and cheap for any number of voters. They do not prove counts:
a forger may choose possible ones. Only the votes prove counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from tandemvote.record.document import Record
from tandemvote.record.encodings import IntArray
from tandemvote.verify.arithmetic import HALF
from tandemvote.verify.coalitions import TIE_ROUNDING, voting_units
from tandemvote.verify.recount import ROUNDING
from tandemvote.votes.names import DISAGREEMENT


def impossible_counts(record: Record) -> Iterator[str]:
    """List what is impossible about the counts of a record."""
    yield from _impossible_pairs(record)
    yield from _impossible_profile(record)
    if sorted(set(record.classes)) != [*record.classes]:
        yield "the classes are not sorted, or a label is listed twice; ties go to the first class"
    if len(record.classes) == 1 and record.counts.tandem_errors.any():
        yield "voters err although there is only one class"
    yield from _impossible_vote(record)


def _impossible_pairs(record: Record) -> Iterator[str]:
    """List counts of a pair of voters that contradict each other or those of each voter."""
    held_out, *_, equal = record.shared.values()
    itself = np.diag(equal - held_out) | (np.diag(record.unlabeled_agreements) - record.n_unlabeled)
    for voter in np.flatnonzero(itself)[:1]:
        yield f"voter {voter} disagrees with itself"
    for what, low, part, high in _limits_of_pairs(record):
        for i, j in np.argwhere(np.tril((part < low) | (part > high)))[:1]:
            possible = f"between {np.broadcast_to(low, part.shape)[i, j]} and {high[i, j]}"
            yield f"voters {j} and {i} have {part[i, j]} {what}, which must be {possible}"
    if (record.counts.disagreement_overlaps - held_out != record.n_unlabeled).any():
        yield "the number of unlabeled samples differs from pair to pair"


def _limits_of_pairs(
    record: Record,
) -> Iterator[tuple[str, IntArray | int, IntArray, IntArray]]:
    """Yield what is counted of each pair and its limits, one by one: matrices may be large."""
    unlabeled = {"equal predictions of unlabeled samples": record.unlabeled_agreements}
    for what, common in {**record.shared, **unlabeled}.items():
        own = np.diag(common)
        yield f"common {what}", 0, common, np.minimum.outer(own, own)
    held_out, wrong, right, equal = record.shared.values()
    # Of a voter's e errors among n samples, those on the o common samples number at most min(e, o)
    # and at least e - (n - o), and no fewer than the common errors.
    errors, sizes = np.diag(wrong)[:, np.newaxis], np.diag(held_out)[:, np.newaxis]
    least, most = np.maximum(wrong, errors - sizes + held_out), np.minimum(errors, held_out)
    both = held_out + wrong - right
    yield "errors on common samples", least + least.T, both, most + most.T
    # Voters agree where both are right, and may where both err: with two classes they do.
    agreed = right + wrong
    yield "equal predictions", agreed if len(record.classes) <= 2 else right, equal, agreed


def _impossible_profile(record: Record) -> Iterator[str]:
    """List shares of the weight that no vote has.

    The classes apart from the classifier's and the next one share the rest, each with at most as
    much as the latter.
    """
    if record.profile is None:
        return
    leads, gaps = record.profile.leads, record.profile.gaps
    others, of_vote = leads - gaps, record.deployed is None
    rest, n_others = 1 - leads - others, max(len(record.classes) - 2, 0)
    possible = (leads >= 0) & (others >= 0) & ((gaps >= 0) | (not of_vote))
    possible &= (rest >= -ROUNDING) & (rest <= n_others * others + ROUNDING)
    for sample in np.flatnonzero(~possible)[:1]:
        whose = "the vote" if of_vote else "the deployed classifier"
        yield (
            f"at unlabeled sample {sample} {whose} has a share of {leads[sample]:g} and a lead of"
            f" {gaps[sample]:g}, which no votes have"
        )
    # Weights that minimize the disagreement bound use one half of the samples.
    if record.n_unlabeled - leads.size not in (0, int(record.fitted == DISAGREEMENT)):
        yield f"the counts have {record.n_unlabeled} unlabeled samples, the profile {leads.size}"


def _impossible_vote(record: Record) -> Iterator[str]:
    """Compare errors of the vote with those of its voters, where all vote on the same samples."""
    sizes, errors = np.diag(record.counts.overlaps), np.diag(record.counts.tandem_errors)
    if record.test is not None and (sizes != record.test.n_samples).any():
        yield f"the voters are not all tested on the {record.test.n_samples} test samples"
    units = np.array(voting_units(record.weights), object)
    voting = np.flatnonzero(units)
    units, total = units[voting].tolist(), sum(units[voting] * errors[voting])
    for what, stated in (("observed", record.voted), ("test", record.test)):
        if stated is None or (sizes[voting] != stated.n_samples).any():
            continue
        alone = what == "test" and record.has_referee
        least, most = erring_weight(units, len(record.classes), alone=alone)
        right = stated.n_samples - stated.n_errors
        if not stated.n_errors * least <= total <= stated.n_errors * sum(units) + right * most:
            yield (
                f"the {what} errors are {stated.n_errors} on {stated.n_samples} samples, which the"
                " errors of the voters rule out"
            )


def erring_weight(
    units: list[int], n_classes: int, *, alone: bool
) -> tuple[int | Fraction, int | Fraction]:
    """Least weight of the voters that err where the vote errs, and the most where it does not.

    Where the vote is right, the true class has at least as much weight as each of the others. It is
    `alone` in first place, or else the vote is in error, if a referee breaks ties. Where the vote
    errs, another class has at least as much weight as the true one. Equal weights are counted;
    shares of others are taken for equal where they differ by rounding only.
    """
    whole, n_voters = sum(units), len(units)
    if len({*units}) == 1:
        behind_true = -(-(n_voters + alone * (n_classes - 1)) // n_classes)
        return -(-n_voters // 2) * units[0], (n_voters - behind_true) * units[0]
    largest = (1 + TIE_ROUNDING) * Fraction(n_classes - 1, n_classes)
    return (HALF - TIE_ROUNDING) * whole, largest * whole
