"""Whether some votes have the counts and the profile of a file.

For few voters an integer program decides, for some more its relaxation. Samples are of the same
kind if they have the same class and the same predictions. The unknowns are the numbers of samples
of each kind; every count of a file is a sum of some of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import LinearConstraint, milp
from scipy.spatial import KDTree

from tandemvote.codes import Codes
from tandemvote.confusion import Tests
from tandemvote.verify import recount
from tandemvote.verify.coalitions import voting_units
from tandemvote.verify.document import DISAGREEMENT, CertificateRecord
from tandemvote.verify.kinds import FloatArray, IntArray
from tandemvote.votes import Votes

MOST_SUMS = 2**17
"""Most sums of weights that are listed: of 17 weights and 2 classes, or of 500 equal weights."""

MOST_KINDS = 1000
"""Kinds of samples up to which the program is solved, in some hundredths of a second."""

MOST_RELAXED = 5000
"""Kinds up to which it is solved in fractions, in about a second, for the samples of a file."""

MOST_COUNTED = 10**6
"""Samples up to which the solver's tolerance of 1e-6 is below one sample by far."""

LIMITS = {"node_limit": 1000, "time_limit": 60}
"""Beyond them counts are taken to be possible. The time is for a busy machine: 15 ms are common."""

NEARBY_SHARE = 1e-7
"""Shares that differ by less are taken for equal."""

Sums = list[tuple[NDArray[Any], int]]
"""Which kinds of samples a count is a sum of, and the count."""


def impossible_profile(record: CertificateRecord) -> Iterator[str]:
    """List what is impossible about the profile of a record, if it has one.

    The classes apart from the classifier's and the next one share the rest, each with at most as
    much as the latter.
    """
    if record.profile is None:
        return
    leads, gaps = record.profile["leads"], record.profile["gaps"]
    weights, others = np.array(record.weights), leads - gaps
    of_vote, rest = record.deployed is None, 1 - leads - others
    possible = (leads >= 0) & (others >= 0) & (rest >= -recount.ROUNDING)
    possible &= rest <= max(len(record.classes) - 2, 0) * others + recount.ROUNDING
    possible &= np.maximum(leads, others) >= weights.max() - recount.ROUNDING
    possible &= (gaps >= 0) | (not of_vote)
    possible[possible] = _are_sums(leads[possible], others[possible], record)
    if possible.all():
        yield from _other_disagreements(record, leads, others)
        return
    sample, whose = int(possible.argmin()), "the vote" if of_vote else "the deployed classifier"
    yield (
        f"at unlabeled sample {sample} {whose} has a share of {leads[sample]:g} and a lead of"
        f" {gaps[sample]:g}, which no votes with these weights have"
    )


def _other_disagreements(
    record: CertificateRecord, leads: FloatArray, others: FloatArray
) -> Iterator[str]:
    """Compare a profile with the disagreements on the same samples.

    Two random voters agree with the probability that is the sum of the squares of all shares. The
    K - 2 classes that share the rest r have at least r^2 / (K - 2) and, if none has more than b, at
    most r min(r, b). Weights that minimize the disagreement bound rest on other samples.
    """
    weights, halved = np.array(record.weights), record.fitted == DISAGREEMENT
    if record.n_unlabeled - leads.size not in (0, int(halved)):
        yield f"the counts have {record.n_unlabeled} unlabeled samples, the profile {leads.size}"
    elif not halved:
        room = 10 * recount.ROUNDING * leads.size
        rest, two = 1 - leads - others, 1 - leads**2 - others**2
        fewest = (two - rest * np.minimum(rest, others)).sum() - room
        most = (two - rest**2 / max(len(record.classes) - 2, 1)).sum() + room
        if not fewest <= weights @ record.counts["unlabeled_disagreements"] @ weights <= most:
            yield "the disagreements on unlabeled samples do not fit the profile of these samples"


def _are_sums(
    leads: FloatArray, others: FloatArray, record: CertificateRecord
) -> NDArray[np.bool_]:
    """Return True where shares are sums of the weights of disjoint sets of voters.

    Sets are listed by their sums, equal ones once. If there are too many, all sums are accepted.
    """
    sums = np.zeros((1, 2), np.int64)
    units = [unit for unit in voting_units(record.weights) if unit]
    steps = [[1, 0], [0, 1], *([[0, 0]] if len(record.classes) > 2 else [])]
    for unit in units:
        sums = np.unique(np.concatenate([sums + unit * np.array(step) for step in steps]), axis=0)
        if len(sums) > MOST_SUMS:
            return np.ones(leads.size, bool)
    nearest, _ = KDTree(sums / sum(units)).query(np.column_stack([leads, others]))
    return np.asarray(nearest <= 2 * recount.ROUNDING)


def impossible_votes(record: CertificateRecord) -> Iterator[str]:
    """Report counts of a record that no votes have."""
    if int(max(matrix.max() for matrix in record.counts.values())) > MOST_COUNTED:
        return
    if not _is_solvable(_labeled(record)):
        yield "no votes on labeled samples have these counts"
    if not _is_solvable(_predicted(record)):
        yield f"no predicted classes have these errors and these counts of {record.metric}"
    if not _is_solvable(_unlabeled(record)):
        yield "no votes on unlabeled samples have these counts"


def _labeled(record: CertificateRecord) -> Sums:
    """Return the sums that counts of labeled samples are, none if there are too many kinds."""
    k, n = len(record.classes), record.n_samples
    some = range(-1, k)  # -1 for a voter that is not tested on a sample
    sizes = np.diag(record.counts["overlaps"]).tolist()
    states = [some[:1] if not size else some[1:] if size == n else some for size in sizes]
    kinds = _kinds([range(k), *states], MOST_KINDS if record.group else MOST_RELAXED)
    if not kinds.size:
        return []
    labels, codes = kinds[0], kinds[1:]
    classes = np.array(record.classes)
    votes = Votes(np.maximum(codes, 0), labels, codes >= 0, classes, codes[:, :0])
    sums: Sums = []
    for sets, counts in zip(recount.labeled_sets(votes), record.shared.values(), strict=True):
        sums += _pairs(sets, counts)
    for what, planes in recount.indicators(record, votes).items():
        sums += zip(planes, record.totals[what].tolist(), strict=True)
    for stated, winners in recount.measured(record, votes).values():
        sums += _tests(record, labels, winners, stated)
    return sums


def _predicted(record: CertificateRecord) -> Sums:
    """Return the counts of a metric; samples of a kind have one class and one predicted class."""
    k, measure = len(record.classes), record.measure
    labels, predicted = kinds = _kinds([range(k)] * 2)
    if measure is None or record.class_counts is None or not kinds.size:
        return []
    sums: Sums = [(labels == code, size) for code, size in enumerate(record.class_counts)]
    if record.observed is not None:
        sums.append((labels != predicted, record.observed.n_errors))
    return sums + _tests(record, labels, np.eye(k, dtype=bool)[predicted], [*measure.observed])


def _tests(record: CertificateRecord, labels: Codes, winners: recount.Mask, stated: Tests) -> Sums:
    """Return the errors and samples of a metric, which are those of all kinds added up."""
    places = range(labels.size)
    of_kinds = [
        recount.counted_tests(record, labels[[place]], winners[[place]]) for place in places
    ]
    planes = np.reshape(of_kinds, (labels.size, -1)).T
    return list(zip(planes, np.ravel(stated).tolist(), strict=True))


def _unlabeled(record: CertificateRecord) -> Sums:
    """Return the sums that counts of unlabeled samples are; the deployed classifier is the last."""
    n_voters = record.n_voters
    kinds = _kinds([range(len(record.classes))] * (n_voters + (record.deployed is not None)))
    if not kinds.size:
        return []
    sums = _pairs(recount.unlabeled_sets(record, kinds[:n_voters]), record.unlabeled_agreements)
    # Weights that minimize the disagreement bound have a profile of other samples.
    if record.profile is not None and record.fitted != DISAGREEMENT:
        of_kinds = np.column_stack(recount.leads_and_gaps(record, kinds))
        profile = np.column_stack([*record.profile.values()])
        for share in np.unique(np.round(of_kinds, 9), axis=0):
            apart = (np.abs(shares - share).max(axis=1) for shares in (of_kinds, profile))
            near, counted = (each < NEARBY_SHARE for each in apart)
            sums.append((near, int(counted.sum())))
    return sums


def _pairs(sets: Sequence[recount.Mask], counts: IntArray) -> Sums:
    """Return the sums that the common members of the sets of two voters are."""
    return [
        (np.sum([each[i] & each[j] for each in sets], axis=0), int(counts[i, j]))
        for i, j in combinations_with_replacement(range(len(counts)), 2)
    ]


def _kinds(states: Sequence[range], most: int = MOST_KINDS) -> NDArray[np.intp]:
    """List all combinations of states, one per column; none if there are too many."""
    if np.prod([float(len(each)) for each in states]) > most:
        return np.empty((len(states), 0), np.intp)
    return np.array([*product(*states)], np.intp).T


def _is_solvable(sums: Sums) -> bool:
    """Return False if the program is proven to have no solution, with and without presolve."""
    if not sums:
        return True
    matrix, stated = np.array([row for row, _ in sums], float), [number for _, number in sums]
    constraint, zeros = LinearConstraint(matrix, stated, stated), np.zeros(matrix.shape[1])
    whole = np.full(zeros.size, zeros.size <= MOST_KINDS)
    results = (  # of unknowns that are not negative
        milp(zeros, constraints=constraint, integrality=whole, options=LIMITS | {"presolve": on})
        for on in (True, False)
    )
    return not all(result.status == 2 for result in results)
