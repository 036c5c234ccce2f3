"""Whether some votes have the counts of a file, decided for few voters by an integer program.

Samples are of the same kind if they have the same class and the same predictions. The unknowns are
the numbers of samples of each kind; every count of a file is a sum of some of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp

from tandemvote.verify.document import DISAGREEMENT, UNLABELED, CertificateRecord
from tandemvote.verify.fields import IntArray
from tandemvote.verify.recount import (
    Mask,
    indicators,
    labeled_sets,
    leads_and_gaps,
    unlabeled_sets,
)
from tandemvote.votes import Votes

MOST_KINDS = 1000
"""Kinds of samples up to which the program is solved, in some hundredths of a second."""

MOST_COUNTED = 10**6
"""Samples up to which the solver's tolerance of 1e-6 is below one sample by far."""

LIMITS = {"node_limit": 1000, "time_limit": 60}
"""Beyond them counts are taken to be possible. The time is for a busy machine: 15 ms are common."""

NEARBY_SHARE = 1e-7

Sums = list[tuple[NDArray[Any], int]]
"""Which kinds of samples a count is a sum of, and the count."""


def impossible_votes(record: CertificateRecord) -> Iterator[str]:
    """Report counts of a record that no votes have."""
    if int(max(matrix.max() for matrix in record.counts.values())) > MOST_COUNTED:
        return
    if not _is_solvable(_labeled(record)):
        yield "no votes on labeled samples have these counts"
    if not _is_solvable(_unlabeled(record)):
        yield "no votes on unlabeled samples have these counts"


def _labeled(record: CertificateRecord) -> Sums:
    k, n = len(record.classes), record.n_samples
    some = range(-1, k)  # -1 for a voter that is not tested on a sample
    sizes = np.diag(record.counts["overlaps"]).tolist()
    states = [some[:1] if not size else some[1:] if size == n else some for size in sizes]
    kinds = _kinds([range(k), *states])
    if not kinds.size:
        return []
    votes = Votes(
        predictions=np.maximum(kinds[1:], 0),
        labels=kinds[0],
        held_out=kinds[1:] >= 0,
        classes=np.array(record.classes),
        unlabeled=kinds[1:, :0],
    )
    sums: Sums = []
    for what, sets in labeled_sets(votes).items():
        sums += _pairs(sets, record.shared[what])
    for what, planes in indicators(record, votes).items():
        sums += zip(planes, record.totals[what].tolist(), strict=True)
    return sums


def _unlabeled(record: CertificateRecord) -> Sums:
    """Return the same for unlabeled samples; the deployed classifier predicts them as well."""
    n_voters = record.n_voters
    kinds = _kinds([range(len(record.classes))] * (n_voters + (record.deployed is not None)))
    if not kinds.size:
        return []
    sums = _pairs(unlabeled_sets(record, kinds[:n_voters]), record.shared[UNLABELED])
    # Weights that minimize the disagreement bound have a profile of other samples.
    if record.profile is not None and record.fitted != DISAGREEMENT:
        of_kinds = np.column_stack(leads_and_gaps(record, kinds))
        profile = np.column_stack([*record.profile.values()])
        for share in np.unique(np.round(of_kinds, 9), axis=0):
            near, number = (_is_near(shares, share) for shares in (of_kinds, profile))
            sums.append((near, int(number.sum())))
    return sums


def _pairs(sets: Sequence[Mask], counts: IntArray) -> Sums:
    """Return the sums that the common members of the sets of two voters are."""
    return [
        (np.sum([each[i] & each[j] for each in sets], axis=0), int(counts[i, j]))
        for i, j in combinations_with_replacement(range(len(counts)), 2)
    ]


def _is_near(shares: NDArray[Any], share: NDArray[Any]) -> Mask:
    return np.asarray((np.abs(shares - share) < NEARBY_SHARE).all(axis=1))


def _kinds(states: Sequence[range]) -> NDArray[np.intp]:
    """List all combinations of states, one per column; none if there are too many."""
    if np.prod([float(len(each)) for each in states]) > MOST_KINDS:
        return np.empty((len(states), 0), np.intp)
    return np.array([*product(*states)], np.intp).T


def _is_solvable(sums: Sums) -> bool:
    """Return False if the program is proven to have no solution, with and without presolve."""
    if not sums:
        return True
    matrix, stated = np.array([row for row, _ in sums], float), [number for _, number in sums]
    constraint = LinearConstraint(matrix, stated, stated)
    return not all(
        milp(
            np.zeros(matrix.shape[1]),
            constraints=constraint,
            integrality=np.ones(matrix.shape[1]),
            bounds=Bounds(0, np.inf),
            options={**LIMITS, "presolve": presolve},
        ).status
        == 2
        for presolve in (True, False)
    )
