r"""Counts that no votes can have: of a voter, of a pair, and of three or more voters together.

For each voter i let S_i be its held-out samples, W_i those it gets wrong, R_i those it gets right,
and P_i, on labeled or on unlabeled samples, the pairs of a sample and the label that i gives it.
The matrices of a file count the intersections of such sets, two at a time. For any sets

.. math::

    |A_i \cap A_j| + |A_i \cap A_k| - |A_j \cap A_k| \le |A_i|, \qquad
    |A_i| + |A_j| + |A_k| - |A_i \cap A_j| - |A_i \cap A_k| - |A_j \cap A_k|
    \le |A_i \cup A_j \cup A_k|,

and sums of squares over all samples are not negative. With integers b_i, any number c, K classes,
the o_ij common and the u unlabeled samples, T_ij tandem, L_ij lone errors and D_ij disagreements,

.. math::

    \sum_x \Big(\sum_i b_i (1[x \in W_i] - c 1[x \in S_i])\Big)^2
    &= \sum_{ij} b_i b_j \big(T_{ij} - c (2 T_{ij} + L_{ij}) + c^2 o_{ij}\big) \ge 0, \\
    \sum_{ij} b_i b_j \big((K - 1) o_{ij} - K D_{ij}\big) &\ge 0,

the second because the indicators of the labels, minus 1 / K, are vectors as well. All of it is
checked in integers, so honest counts never fail. Where b comes from does not matter: all ones, the
weights, or what an eigenvector in floating point proposes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, product

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cholesky, eigh

from tandemvote.verify.coalitions import voting_units
from tandemvote.verify.document import DISAGREEMENT, CertificateRecord
from tandemvote.verify.fields import FloatArray, IntArray

ROUNDING = 1e-9
"""By how much shares that were added up in floating point may exceed 1."""

MOST_VOTERS = 2000
"""Of more voters only the heaviest are checked: what is impossible for some is so for all."""

MOST_TRIPLES = 2**25
"""About this many triples are checked: all up to 320 voters, else those of the heaviest."""

MOST_SUMS = 2**17
"""Most sums of weights that are listed: of 17 weights and 2 classes, or of 500 equal weights."""

Counts = dict[str, IntArray]

LARGEST_COEFFICIENT = 2**10
"""Of b: products with 2,000 counts of 10^10 must fit in 64 bits."""


def impossible_counts(record: CertificateRecord) -> Iterator[str]:
    """Say what is impossible about the counts of a record."""
    yield from _impossible_pairs(record)
    if record.profile is not None:
        of_vote, n_classes = record.deployed is None, len(record.classes)
        shares, weights = record.profile, np.array(record.weights)
        problem = impossible_profile(
            **shares, weights=weights, n_classes=n_classes, of_vote=of_vote
        )
        yield from [problem] if problem else _other_disagreements(record, **shares)
    if len(set(record.classes)) < len(record.classes):
        yield "a label is listed twice among the classes"
    if sorted(record.classes) != [*record.classes]:
        yield "the classes are not sorted, and ties go to the first of them"
    if len(record.classes) == 1 and record.counts["tandem_errors"].any():
        yield "voters err although there is only one class"
    test = record.test
    if test is not None and not 0 <= test.n_errors <= test.n_samples:
        yield f"a test set of {test.n_samples} samples shows {test.n_errors} errors"
    yield from _impossible_test_of_some(record)
    yield from _impossible_sets(record)


def _impossible_test_of_some(record: CertificateRecord) -> Iterator[str]:
    """Check the errors of a vote on a test set against the errors of its tested voters.

    Let w be the weight of the tested voters, u that of the others, and z the weight that errs at a
    sample. It is not an error of the vote if 2 z < w - u, so the sum of z limits these errors from
    above. Two voters whose common errors are always lost limit them from below, and so does the sum
    of the squares of z if there are two classes.
    """
    overlaps, errors = record.counts["overlaps"], np.diag(record.counts["tandem_errors"])
    tested = np.diag(overlaps) > 0
    if record.test is None or not tested.any():
        return
    n_errors, n_samples = record.test.n_errors, record.test.n_samples
    if (overlaps[np.ix_(tested, tested)] != n_samples).any():
        yield f"the tested voters are not all tested on the {n_samples} samples of the test set"
    if record.n_voters == 1 and n_errors != errors[0]:
        yield f"the only voter errs on {errors[0]} samples, its vote on {n_errors}"
    units = voting_units(record.weights)
    u = sum(unit for unit, known in zip(units, tested, strict=True) if not known)
    lead = sum(units) - 2 * u
    if lead <= 0:
        yield "voters without held-out samples have at least half of the weight"
        return
    erring = sum(unit * int(wrong) for unit, wrong in zip(units, errors, strict=True))
    # Where two voters err, whichever classes they predict, the better of them is a rival.
    unit = np.array(units, float)
    one, other = np.broadcast_arrays(unit[:, None], unit[None, :])
    rival = one + other if len(record.classes) <= 2 else np.maximum(one, other)
    both = np.where(np.eye(len(units), dtype=bool), one, one + other)
    rival = np.where(np.eye(len(units), dtype=bool), one, rival)
    own = sum(units) - u - both
    lost = own <= rival + u if u else own < rival  # a tie of tested voters may be won
    fewest = int((record.counts["tandem_errors"] * lost).max(initial=0))
    if n_errors < fewest:
        yield f"two voters that lose the vote err together on {fewest} samples, not {n_errors}"
    if len(record.classes) <= 2:
        # Then z <= lead / 2 without an error, and z <= w with one; multiply by z and add up.
        squares = unit @ record.counts["tandem_errors"] @ unit
        needed = (2.0 * squares - float(lead) * erring) / float((sum(units) - u) * sum(units))
        if n_errors < needed - ROUNDING * n_samples - ROUNDING:
            yield f"the tested voters err together too often for {n_errors} errors of the vote"
    # Ties up to rounding count as errors: they must not be a reason here.
    room = 2 * int(ROUNDING * sum(units)) * n_samples + n_samples * len(units)
    if 2 * erring + room < lead * n_errors:
        yield f"the tested voters err too rarely for {n_errors} errors of the committee"


def _impossible_pairs(record: CertificateRecord) -> Iterator[str]:
    for what, low, part, high, of_what in _limits_of_pairs(record.counts):
        for i, j in np.argwhere(np.tril((part < low) | (part > high)))[:1]:
            fewest = np.broadcast_to(low, part.shape)[i, j]
            among = f"and not {fewest} to {high[i, j]}," if fewest else f"among {high[i, j]}"
            yield f"voters {j} and {i} have {part[i, j]} {what} {among} {of_what}"
    for voter in np.flatnonzero(np.diag(record.counts["disagreements"]))[:1]:
        yield f"voter {voter} disagrees with itself"
    n_unlabeled = record.counts["disagreement_overlaps"] - record.counts["overlaps"]
    if (n_unlabeled != n_unlabeled[0, 0]).any():
        yield "the number of unlabeled samples differs from pair to pair"
    labeled = record.counts["disagreements"] - record.counts["unlabeled_disagreements"]
    if len(record.classes) <= 2 and (record.counts["lone_errors"] != labeled).any():
        yield "of two classes, voters disagree where not exactly one of them errs"


def _limits_of_pairs(
    counts: Mapping[str, IntArray],
) -> Iterator[tuple[str, IntArray | int, IntArray, IntArray, str]]:
    """Give what is counted of each pair, between which limits, and what the upper one is.

    One after the other, because the matrices may be large.
    """
    both_wrong, overlaps, lone = (
        counts[name] for name in ("tandem_errors", "overlaps", "lone_errors")
    )
    unlabeled, among_all = counts["unlabeled_disagreements"], counts["disagreement_overlaps"]
    errors, sizes = (np.diag(count)[:, np.newaxis] for count in (both_wrong, overlaps))
    yield "tandem errors", 0, both_wrong, overlaps, "common held-out samples"
    yield "tandem errors", 0, both_wrong, np.minimum(errors, errors.T), "errors of one of them"
    yield "common samples", 0, overlaps, np.minimum(sizes, sizes.T), "samples of one of them"
    labeled = counts["disagreements"] - unlabeled
    yield "labeled disagreements", 0, labeled, overlaps, "common held-out samples"
    yield "unlabeled disagreements", 0, unlabeled, among_all - overlaps, "unlabeled samples"
    yield "lone errors", 0, lone, labeled, "labeled disagreements"
    not_both = "samples on which they do not both err"
    yield "lone errors", 0, lone, overlaps - both_wrong, not_both
    # Of a voter's e errors among n samples, those on the o common samples number at most min(e, o)
    # and at least e - (n - o), and no fewer than the tandem errors, which are not lone.
    least = np.maximum(both_wrong, errors - sizes + overlaps) - both_wrong
    least = least + least.T
    most = np.minimum(errors, overlaps) - both_wrong
    most = most + most.T
    yield "lone errors", least, lone, most, "that their own and their tandem errors allow"
    by_one = "samples on which one of them errs"
    yield "labeled disagreements", 0, labeled, lone + both_wrong, by_one


def impossible_profile(
    leads: FloatArray, gaps: FloatArray, weights: FloatArray, *, n_classes: int, of_vote: bool
) -> str | None:
    """Return where the shares behind a classifier are not sums of the weights of voters.

    The classes apart from the classifier's and the next one share the rest, each with at most as
    much as the latter.
    """
    others = leads - gaps
    rest = 1 - leads - others
    possible = (leads >= 0) & (others >= 0) & (rest >= -ROUNDING)
    possible &= rest <= max(n_classes - 2, 0) * others + ROUNDING
    possible &= np.maximum(leads, others) >= weights.max() - ROUNDING
    possible &= (gaps >= 0) | (not of_vote)
    possible[possible] = _are_sums(leads[possible], others[possible], weights, n_classes)
    if possible.all():
        return None
    sample, whose = int(possible.argmin()), "the vote" if of_vote else "the deployed classifier"
    return (
        f"at unlabeled sample {sample} {whose} has a share of {leads[sample]:g} and a lead of"
        f" {gaps[sample]:g}, which no votes with these weights have"
    )


def _other_disagreements(
    record: CertificateRecord, leads: FloatArray, gaps: FloatArray
) -> Iterator[str]:
    """Compare a profile with the disagreements on the same samples.

    Two random voters agree with the probability that is the sum of the squares of all shares. The
    K - 2 classes that share the rest r have at least r^2 / (K - 2) and, if none has more than b, at
    most r min(r, b). Weights that minimize the disagreement bound rest on other samples.
    """
    counts, weights, k = record.counts, np.array(record.weights), len(record.classes)
    n_counted = int((counts["disagreement_overlaps"] - counts["overlaps"])[0, 0])
    halved = record.fitted == DISAGREEMENT
    if n_counted - leads.size not in (0, int(halved)):
        yield f"the counts have {n_counted} unlabeled samples, the profile {leads.size}"
    elif not halved:
        others, room = leads - gaps, 10 * ROUNDING * leads.size
        rest, two = 1 - leads - others, 1 - leads**2 - others**2
        fewest = (two - rest * np.minimum(rest, others)).sum() - room
        most = (two - rest**2 / max(k - 2, 1)).sum() + room
        against = counts["unlabeled_disagreements"] @ weights
        # Each voter disagrees with all that do not predict its class, the best supported at most.
        each = (1 - np.maximum(leads, others)).sum() - room
        if not fewest <= weights @ against <= most or (against < each)[weights > 0].any():
            yield "the disagreements on unlabeled samples do not fit the profile of these samples"


def _are_sums(
    leads: FloatArray, others: FloatArray, weights: FloatArray, n_classes: int
) -> NDArray[np.bool_]:
    """Return True where shares are sums of the weights of disjoint sets of voters.

    Sets are listed by their sums, equal ones once. If there are too many, all sums are accepted.
    """
    sums = np.zeros((1, 2), np.int64)
    units = [unit for unit in voting_units(weights.tolist()) if unit]
    for unit in units:
        steps = [[unit, 0], [0, unit]] if n_classes <= 2 else [[0, 0], [unit, 0], [0, unit]]
        sums = np.unique(np.concatenate([sums + np.array(step) for step in steps]), axis=0)
        if len(sums) > MOST_SUMS:
            return np.ones(leads.size, bool)
    low = _cells(sums / sum(units), 0.0)
    fits = np.zeros(leads.size, bool)
    shares = np.column_stack([leads, others])
    # A share next to the edge of a cell may belong to a sum on the other side.
    for shift in product((-ROUNDING, ROUNDING), repeat=2):
        fits |= np.isin(_cells(shares, np.array(shift)), low)
    return fits


def _cells(shares: FloatArray, shift: FloatArray | float) -> IntArray:
    """Number the cells of a grid that pairs of shares lie in; cells are 4e-9 wide."""
    first, second = np.floor((shares + shift) / (4 * ROUNDING)).astype(np.int64).T
    return np.asarray(first * 2**30 + second)


def _impossible_sets(record: CertificateRecord) -> Iterator[str]:
    """Say which counts are not those of any sets; pairs must be possible already."""
    if record.n_voters < 3:
        return
    weights = np.array(record.weights)
    heaviest = np.argsort(-weights, kind="stable")[:MOST_VOTERS]
    pairs = np.ix_(heaviest, heaviest)
    counts = {name: matrix[pairs] for name, matrix in record.counts.items()}
    counts["disagreements"] -= counts["unlabeled_disagreements"]  # from here on the labeled ones
    counts["unlabeled"] = counts["disagreement_overlaps"] - counts["overlaps"]
    for voters, problem in _impossible_triples(counts, len(record.classes)):
        first, second, third = sorted(heaviest[list(voters)].tolist())
        yield f"voters {first}, {second} and {third} {problem}"
    yield from _negative_squares(counts, len(record.classes), weights[heaviest])


def _impossible_triples(counts: Counts, k: int) -> Iterator[tuple[tuple[int, int, int], str]]:
    """Give places of three voters and what is impossible about them."""
    held_out, wrong = counts["overlaps"], counts["tandem_errors"]
    differ, n_unlabeled = counts["unlabeled_disagreements"], int(counts["unlabeled"][0, 0])
    sets = {
        "held-out samples": held_out,
        "errors": wrong,
        "correct predictions": held_out - wrong - counts["lone_errors"],
        "predictions": held_out - counts["disagreements"],
    }
    if n_unlabeled:
        sets["predictions of unlabeled samples"] = n_unlabeled - differ
    for pivot in range(min(len(wrong), max(MOST_TRIPLES // len(wrong) ** 2, 1))):
        for what, shared in sets.items():
            own, row = np.diag(shared), shared[pivot]
            fits = np.add.outer(row, row) - shared <= own[pivot]
            fits &= row[:, np.newaxis] + shared - row <= own[:, np.newaxis]
            for others in _first(~fits):
                yield (pivot, *others), f"share {what} as no three voters can"
        # All three sets meet at most where two do.
        row = held_out[pivot]
        most = _union_at_least(held_out, pivot) + np.minimum(np.minimum.outer(row, row), held_out)
        for what in ("errors", "correct predictions"):
            for others in _first(_union_at_least(sets[what], pivot) > most):
                yield (pivot, *others), f"have more {what} than samples, each counted once"
        if n_unlabeled and k <= 2:
            around = differ + np.add.outer(differ[pivot], differ[pivot])
            for others in _first((around > 2 * n_unlabeled) | (around % 2 == 1)):
                yield (pivot, *others), "disagree on unlabeled samples as no three can on 2 labels"


def _union_at_least(shared: IntArray, pivot: int) -> IntArray:
    """Return the fewest members that the union of the pivot's and two other sets can have."""
    own, row = np.diag(shared), shared[pivot]
    return own[pivot] + np.add.outer(own - row, own - row) - shared


def _negative_squares(counts: Counts, k: int, weights: FloatArray) -> Iterator[str]:
    held_out, wrong, lone = counts["overlaps"], counts["tandem_errors"], counts["lone_errors"]
    common = (held_out == held_out[0, 0]).all()
    n, errors = int(held_out[0, 0]), np.diag(wrong)
    # What could be negative somewhere.
    share = np.trace(wrong) / max(np.trace(held_out), 1)
    forms = [wrong - c * (2 * wrong + lone) + c**2 * held_out for c in (0.0, share, 1.0)]
    among = [(held_out, counts["disagreements"])]
    if counts["unlabeled"].any():
        among.append((counts["unlabeled"], counts["unlabeled_disagreements"]))
    forms += [(k - 1) * points - k * differ for points, differ in among]
    if common and n:
        forms.append(wrong - np.outer(errors, errors.astype(float)) / n)
    plain = np.ones(weights.size, np.int64), _as_integers(weights)
    for b in chain(plain, _coefficients(forms)):
        t, single, o = (_square(b, matrix) for matrix in (wrong, lone, held_out))
        # A quadratic in c that is nowhere negative.
        if min(t, o, o - t - single) < 0 or (2 * t + single) ** 2 > 4 * t * o:
            yield "the errors of all voters together are not those of any samples"
        for points, differ in among:
            if (k - 1) * _square(b, points) < k * _square(b, differ):
                yield "the disagreements of all voters together are not those of any samples"
    if common:
        # On common samples the number of voters that err is an integer: no square is needed.
        total = int(errors.sum())
        some = total // max(n, 1)
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


def _first(bad: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """Give the first place where something is true, if there is one."""
    if bad.any():
        first, second = np.unravel_index(int(bad.argmax()), bad.shape)
        yield int(first), int(second)
