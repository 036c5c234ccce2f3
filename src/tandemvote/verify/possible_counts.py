r"""Counts that no votes can have: of a voter, of a pair, and of all voters together.

For each voter i a file counts, two at a time, the common members of some sets: its held-out samples
S_i, its errors W_i, its correct predictions, and the pairs of a sample and the label that it
predicts. Sums of squares over all samples are not negative. With integers b_i, any number c, K
classes, o_ij common samples, T_ij common errors, C_ij common correct predictions and A_ij equal
predictions,

.. math::

    \sum_x \Big(\sum_i b_i (1[x \in W_i] - c 1[x \in S_i])\Big)^2
    &= \sum_{ij} b_i b_j \big(T_{ij} - c (o_{ij} + T_{ij} - C_{ij}) + c^2 o_{ij}\big) \ge 0, \\
    \sum_{ij} b_i b_j \big(K A_{ij} - o_{ij}\big) &\ge 0,

the second because the indicators of the labels, minus 1 / K, are vectors as well. All of it is
checked in integers, so honest counts never fail; with b all ones, and with the weights, since the
bounds are averages over them. Of few voters `possible_votes` decides.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tandemvote.verify.coalitions import voting_units
from tandemvote.verify.document import CertificateRecord
from tandemvote.verify.kinds import IntArray

LARGEST_COEFFICIENT = 2**10
"""Of b: products with 5,000 counts of 10^10 must fit in 64 bits."""


def impossible_counts(record: CertificateRecord) -> Iterator[str]:
    """List what is impossible about the counts of a record."""
    yield from _impossible_pairs(record)
    if sorted(set(record.classes)) != [*record.classes]:
        yield "the classes are not sorted, or a label is listed twice; ties go to the first class"
    if len(record.classes) == 1 and record.counts["tandem_errors"].any():
        yield "voters err although there is only one class"
    yield from _impossible_test(record)
    yield from _negative_squares(record)


def _impossible_pairs(record: CertificateRecord) -> Iterator[str]:
    """List counts of a pair of voters that contradict each other or those of each voter."""
    held_out, *_, equal = record.shared.values()
    itself = np.diag(equal - held_out) | (np.diag(record.unlabeled_agreements) - record.n_unlabeled)
    for voter in np.flatnonzero(itself)[:1]:
        yield f"voter {voter} disagrees with itself"
    for what, low, part, high in _limits_of_pairs(record):
        for i, j in np.argwhere(np.tril((part < low) | (part > high)))[:1]:
            possible = f"between {np.broadcast_to(low, part.shape)[i, j]} and {high[i, j]}"
            yield f"voters {j} and {i} have {part[i, j]} {what}, which must be {possible}"
    if (record.counts["disagreement_overlaps"] - held_out != record.n_unlabeled).any():
        yield "the number of unlabeled samples differs from pair to pair"


def _limits_of_pairs(
    record: CertificateRecord,
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


def _impossible_test(record: CertificateRecord) -> Iterator[str]:
    """Check the errors of a vote on a test set against the errors of its tested voters.

    Two voters whose common errors are always lost limit them from below.
    """
    overlaps, wrong = record.counts["overlaps"], record.counts["tandem_errors"]
    tested = np.diag(overlaps) > 0
    if record.test is None or not tested.any():
        return
    n_errors, n_samples = record.test.n_errors, record.test.n_samples
    if (overlaps[np.ix_(tested, tested)] != n_samples).any():
        yield f"the tested voters are not all tested on the {n_samples} samples of the test set"
    units = np.array(voting_units(record.weights), np.int64)  # with a sum below 2^52
    whole, u = int(units.sum()), int(units[~tested].sum())
    if 2 * u >= whole:
        yield "voters without held-out samples have at least half of the weight"
    # Where two voters err, whichever classes they predict, the heavier of them is a rival.
    both, rival = np.add.outer(units, units), np.maximum.outer(units, units)
    np.fill_diagonal(both, units)
    margin = whole - u - both - rival - u  # without untested voters, a tie may be won
    fewest = int(wrong[margin <= 0 if u else margin < 0].max(initial=0))
    if n_errors < fewest:
        yield f"two voters that lose the vote err together on {fewest} samples, not {n_errors}"


def _negative_squares(record: CertificateRecord) -> Iterator[str]:
    """List sums of squares that are negative."""
    k, weights = len(record.classes), np.array(record.weights)
    matrices = *record.shared.values(), record.unlabeled_agreements
    rounded = np.rint(weights * (LARGEST_COEFFICIENT / weights.max())).astype(np.int64)
    for b in (np.ones_like(rounded), rounded):
        # The sums may exceed 64 bits.
        o, t, r, equal, unlabeled = (int(b.astype(object) @ (each @ b)) for each in matrices)
        # A quadratic in c that is nowhere negative.
        if min(o, t, r) < 0 or (o + t - r) ** 2 > 4 * t * o:
            yield "the errors of all voters together are not those of any samples"
        if k * equal < o or k * unlabeled < record.n_unlabeled * int(b.sum()) ** 2:
            yield "the disagreements of all voters together are not those of any samples"
