r"""Counts that no votes can have: of a voter, of a pair, and of three or more voters together.

For each voter i a file counts, two at a time, the common members of some sets A_i: its held-out
samples, its errors, its correct predictions, and the pairs of a sample and the label that it
predicts. For any sets

.. math::

    |A_i \cap A_j| + |A_i \cap A_k| - |A_j \cap A_k| \le |A_i|, \qquad
    |A_i| + |A_j| + |A_k| - |A_i \cap A_j| - |A_i \cap A_k| - |A_j \cap A_k|
    \le |A_i \cup A_j \cup A_k|,

and sums of squares over all samples are not negative. With integers b_i, any number c, K classes,
o_ij common samples, T_ij common errors, C_ij common correct predictions and D_ij disagreements,

.. math::

    \sum_x \Big(\sum_i b_i (1[x \in W_i] - c 1[x \in S_i])\Big)^2
    &= \sum_{ij} b_i b_j \big(T_{ij} - c (o_{ij} + T_{ij} - C_{ij}) + c^2 o_{ij}\big) \ge 0, \\
    \sum_{ij} b_i b_j \big((K - 1) o_{ij} - K D_{ij}\big) &\ge 0,

where S_i are the held-out samples and W_i the errors; the second because the indicators of the
labels, minus 1 / K, are vectors as well. All of it is checked in integers, so honest counts never
fail. Where b comes from does not matter: all ones, the weights, or what an eigenvector in floating
point proposes.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cholesky, eigh

from tandemvote.verify.coalitions import voting_units
from tandemvote.verify.document import (
    AGREEMENTS,
    CORRECT,
    ERRORS,
    HELD_OUT,
    UNLABELED,
    CertificateRecord,
)
from tandemvote.verify.fields import FloatArray, IntArray

ROUNDING = 1e-9
"""Ties up to it count as errors where voters are untested."""

MOST_VOTERS = 2000
"""Of more voters only the heaviest are checked: what is impossible for some is so for all."""

MOST_TRIPLES = 2**25
"""About this many triples are checked: all up to 320 voters, else those of the heaviest."""

LARGEST_COEFFICIENT = 2**10
"""Of b: products with 2,000 counts of 10^10 must fit in 64 bits."""


def impossible_counts(record: CertificateRecord) -> Iterator[str]:
    """List what is impossible about the counts of a record."""
    yield from _impossible_pairs(record)
    if len(set(record.classes)) < len(record.classes):
        yield "a label is listed twice among the classes"
    if sorted(record.classes) != [*record.classes]:
        yield "the classes are not sorted, and ties go to the first of them"
    if len(record.classes) == 1 and record.counts["tandem_errors"].any():
        yield "voters err although there is only one class"
    yield from _impossible_test(record)
    yield from _impossible_sets(record)


def _impossible_pairs(record: CertificateRecord) -> Iterator[str]:
    shared, two = record.shared, len(record.classes) <= 2
    held_out, wrong, right = (shared[name] for name in (HELD_OUT, ERRORS, CORRECT))
    for what, among in ((AGREEMENTS, np.diag(held_out)), (UNLABELED, record.n_unlabeled)):
        for voter in np.flatnonzero(np.diag(shared[what]) != among)[:1]:
            yield f"voter {voter} disagrees with itself"
    limits = []
    for what, common in shared.items():
        own = np.diag(common)
        limits.append((f"common {what}", 0 * common, common, np.minimum.outer(own, own)))
    # Of a voter's e errors among n samples, those on the o common samples number at most min(e, o)
    # and at least e - (n - o), and no fewer than the common errors.
    errors, sizes = np.diag(wrong)[:, np.newaxis], np.diag(held_out)[:, np.newaxis]
    least, most = np.maximum(wrong, errors - sizes + held_out), np.minimum(errors, held_out)
    both = held_out + wrong - right
    limits.append(("errors on common samples", least + least.T, both, most + most.T))
    # Voters agree where both are right, and may where both err: with two classes they do.
    agreed = right + wrong
    limits.append((AGREEMENTS, agreed if two else right, shared[AGREEMENTS], agreed))
    for what, low, part, high in limits:
        for i, j in np.argwhere(np.tril((part < low) | (part > high)))[:1]:
            possible = f"between {low[i, j]} and {high[i, j]}"
            yield f"voters {j} and {i} have {part[i, j]} {what}, which must be {possible}"
    if (record.counts["disagreement_overlaps"] - held_out != record.n_unlabeled).any():
        yield "the number of unlabeled samples differs from pair to pair"


def _impossible_test(record: CertificateRecord) -> Iterator[str]:
    """Check the errors of a vote on a test set against the errors of its tested voters.

    Let w be the weight of the tested voters, u that of the others, and z the weight that errs at a
    sample. It is not an error of the vote if 2 z < w - u, so the sum of z limits these errors from
    above. Two voters whose common errors are always lost limit them from below.
    """
    overlaps, wrong = record.counts["overlaps"], record.counts["tandem_errors"]
    tested = np.diag(overlaps) > 0
    if record.test is None or not tested.any():
        return
    n_errors, n_samples = record.test.n_errors, record.test.n_samples
    if (overlaps[np.ix_(tested, tested)] != n_samples).any():
        yield f"the tested voters are not all tested on the {n_samples} samples of the test set"
    units = np.array(voting_units(record.weights), object)
    whole, u = int(units.sum()), int(units[~tested].sum())
    if 2 * u >= whole:
        yield "voters without held-out samples have at least half of the weight"
        return
    # Where two voters err, whichever classes they predict, the better of them is a rival.
    both, alone = np.add.outer(units, units), np.maximum.outer(units, units)
    rival = both if len(record.classes) <= 2 else alone
    np.fill_diagonal(both, units)
    np.fill_diagonal(rival, units)
    margin = whole - u - both - rival - u  # without untested voters, a tie may be won
    fewest = int(wrong[(margin <= 0 if u else margin < 0).astype(bool)].max(initial=0))
    if n_errors < fewest:
        yield f"two voters that lose the vote err together on {fewest} samples, not {n_errors}"
    # Ties up to rounding count as errors: they must not be a reason here.
    erring = int(units @ np.diag(wrong).astype(object))
    room = 2 * int(ROUNDING * whole) * n_samples + n_samples * len(units)
    if 2 * erring + room < (whole - 2 * u) * n_errors:
        yield f"the tested voters err too rarely for {n_errors} errors of the committee"


def _impossible_sets(record: CertificateRecord) -> Iterator[str]:
    """List counts that are not those of any sets; pairs must be possible already."""
    if record.n_voters < 3:
        return
    weights, k = np.array(record.weights), len(record.classes)
    heaviest = np.argsort(-weights, kind="stable")[:MOST_VOTERS]
    shared = {name: counts[np.ix_(heaviest, heaviest)] for name, counts in record.shared.items()}
    if not record.n_unlabeled:
        del shared[UNLABELED]
    for voters, problem in _impossible_triples(shared, k):
        first, second, third = sorted(heaviest[list(voters)].tolist())
        yield f"voters {first}, {second} and {third} {problem}"
    yield from _negative_squares(shared, k, weights[heaviest])


def _impossible_triples(
    shared: dict[str, IntArray], k: int
) -> Iterator[tuple[tuple[int, int, int], str]]:
    """Yield places of three voters and what is impossible about them."""
    held_out = shared[HELD_OUT]
    for pivot in range(min(len(held_out), max(MOST_TRIPLES // len(held_out) ** 2, 1))):
        for what, common in shared.items():
            own, row = np.diag(common), common[pivot]
            fits = np.add.outer(row, row) - common <= own[pivot]
            fits &= row[:, np.newaxis] + common - row <= own[:, np.newaxis]
            for others in _first(~fits):
                yield (pivot, *others), f"share {what} as no three voters can"
        # All three sets meet at most where two do.
        row = held_out[pivot]
        most = _union_at_least(held_out, pivot) + np.minimum(np.minimum.outer(row, row), held_out)
        for what in (ERRORS, CORRECT):
            for others in _first(_union_at_least(shared[what], pivot) > most):
                yield (pivot, *others), f"have more {what} than samples, each counted once"
        if UNLABELED in shared and k <= 2:
            differ = shared[UNLABELED][0, 0] - shared[UNLABELED]
            around = differ + np.add.outer(differ[pivot], differ[pivot])
            for others in _first((around > 2 * shared[UNLABELED][0, 0]) | (around % 2 == 1)):
                yield (pivot, *others), "disagree on unlabeled samples as no three can on 2 labels"


def _union_at_least(common: IntArray, pivot: int) -> IntArray:
    """Return the fewest members that the union of the pivot's and two other sets can have."""
    own, row = np.diag(common), common[pivot]
    return own[pivot] + np.add.outer(own - row, own - row) - common


def _negative_squares(shared: dict[str, IntArray], k: int, weights: FloatArray) -> Iterator[str]:
    held_out, wrong = shared[HELD_OUT], shared[ERRORS]
    either = held_out + wrong - shared[CORRECT]
    n, errors = int(held_out[0, 0]), np.diag(wrong)
    common = n > 0 and (held_out == n).all()
    # What could be negative somewhere: k agreements - samples = (k - 1) samples - k disagreements.
    share = np.trace(wrong) / max(np.trace(held_out), 1)
    labels = [k * shared[AGREEMENTS] - held_out]
    if UNLABELED in shared:
        labels.append(k * shared[UNLABELED] - shared[UNLABELED][0, 0])
    forms = [wrong - c * either + c**2 * held_out for c in (0.0, share, 1.0)] + labels
    if common:
        forms.append(wrong - np.outer(errors, errors.astype(float)) / n)
    plain = np.ones(weights.size, np.int64), _as_integers(weights)
    for b in chain(plain, _coefficients(forms)):
        t, s, o = (_square(b, matrix) for matrix in (wrong, either, held_out))
        # A quadratic in c that is nowhere negative.
        if min(t, o, o + t - s) < 0 or s**2 > 4 * t * o:
            yield "the errors of all voters together are not those of any samples"
        if any(_square(b, form) < 0 for form in labels):
            yield "the disagreements of all voters together are not those of any samples"
    if common:
        # On common samples the number of voters that err is an integer: no square is needed.
        total = int(errors.sum())
        some = total // n
        if int(wrong.sum()) - (2 * some + 1) * total + some * (some + 1) * n < 0:
            yield "the errors of all voters together are not those of any samples"


def _coefficients(forms: list[FloatArray]) -> Iterator[IntArray]:
    """Propose coefficients b at which one of some quadratic forms is negative, if there are any."""
    for form in filter(np.any, forms):
        try:
            cholesky(form / np.abs(form).max() + 1e-9 * np.eye(len(form)), check_finite=False)
        except LinAlgError:  # it seems to be negative somewhere
            yield _as_integers(eigh(form.astype(float), subset_by_index=[0, 0])[1][:, 0])


def _as_integers(b: FloatArray) -> IntArray:
    return np.rint(b * (LARGEST_COEFFICIENT / np.abs(b).max())).astype(np.int64)


def _square(b: IntArray, matrix: IntArray) -> int:
    """Return the quadratic form exactly: the sum may exceed 64 bits."""
    return int(b.astype(object) @ (matrix @ b))


def _first(bad: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return the first place where something is true, if there is one."""
    return [(int(i), int(j)) for i, j in np.argwhere(bad)[:1]]
