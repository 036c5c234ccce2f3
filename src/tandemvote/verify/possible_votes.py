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

from tandemvote.verify.document import DISAGREEMENT, CertificateRecord
from tandemvote.verify.recount import losable, shares_behind, winners
from tandemvote.votes import Votes

MOST_KINDS = 1000
"""Kinds of samples up to which the program is solved, in some hundredths of a second."""

MOST_COUNTED = 10**6
"""Samples up to which the solver's tolerance of 1e-6 is below one sample by far."""

SECONDS = 5
"""After this time the counts are taken to be possible."""

NEARBY_SHARE = 1e-7


def impossible_votes(record: CertificateRecord) -> Iterator[str]:
    """Report counts of a record that no votes have."""
    if int(max(matrix.max() for matrix in record.counts.values())) > MOST_COUNTED:
        return
    if not _solvable(*_labeled(record)):
        yield "no votes on labeled samples have these counts"
    if not _solvable(*_unlabeled(record)):
        yield "no votes on unlabeled samples have these counts"


def _labeled(record: CertificateRecord) -> tuple[list[Any], list[int]]:
    """Return which kinds of labeled samples each count is a sum of, and the counts."""
    k, counts, n = len(record.classes), record.counts, record.n_samples
    sizes = np.diag(counts["overlaps"])
    some = range(-1, k)  # -1 for a voter that is not tested on a sample
    states = [some[:1] if not size else some[1:] if size == n else some for size in sizes.tolist()]
    kinds = _kinds([range(k), *states])
    truth, predictions = kinds[0], kinds[1:]
    tested, wrong = predictions >= 0, predictions != truth
    rows: list[Any] = []
    stated: list[int] = []
    if record.class_counts is not None:
        rows += [truth == label for label in range(k)]
        stated += record.class_counts
    labeled = counts["disagreements"] - counts["unlabeled_disagreements"]
    for i, j in combinations_with_replacement(range(record.n_voters), 2):
        both = tested[i] & tested[j]
        rows += [both, both & wrong[i] & wrong[j], both & (wrong[i] ^ wrong[j])]
        rows += [both & (predictions[i] != predictions[j])]
        stated += [counts[name][i, j] for name in ("overlaps", "tandem_errors", "lone_errors")]
        stated += [labeled[i, j]]
    votes = Votes(
        predictions=np.maximum(predictions, 0),
        labels=truth,
        held_out=tested,
        classes=np.array(record.classes),
        unlabeled=predictions[:, :0],
    )
    if record.observed is not None and truth.size:
        predicted = winners(record, votes)
        rows += [predicted >= 0, (predicted >= 0) & (predicted != truth)]
        stated += [record.observed.n_samples, record.observed.n_errors]
    if record.test is not None and record.untested.any() and truth.size:
        rows.append(losable(record.weights, votes, ~record.untested))
        stated.append(record.test.n_errors)
    return rows, stated


def _unlabeled(record: CertificateRecord) -> tuple[list[Any], list[int]]:
    """Return the same for unlabeled samples; the deployed classifier predicts them as well."""
    k, n_voters, counts = len(record.classes), record.n_voters, record.counts
    kinds = _kinds([range(k)] * (n_voters + (record.deployed is not None)))
    rows, stated = [np.ones(kinds.shape[1], bool)], []
    stated.append((counts["disagreement_overlaps"] - counts["overlaps"])[0, 0])
    for i, j in combinations_with_replacement(range(n_voters), 2):
        rows.append(kinds[i] != kinds[j])
        stated.append(counts["unlabeled_disagreements"][i, j])
    # Weights that minimize the disagreement bound have a profile of other samples.
    if record.profile is not None and record.fitted != DISAGREEMENT and kinds.size:
        of_kinds = np.column_stack(shares_behind(record, kinds, k))
        profile = np.column_stack([*record.profile.values()])
        for share in np.unique(np.round(of_kinds, 9), axis=0):
            near, number = (_is_near(shares, share) for shares in (of_kinds, profile))
            rows.append(near)
            stated.append(int(number.sum()))
    return rows, stated


def _is_near(shares: NDArray[Any], share: NDArray[Any]) -> NDArray[np.bool_]:
    return np.asarray((np.abs(shares - share) < NEARBY_SHARE).all(axis=1))


def _kinds(states: Sequence[range]) -> NDArray[np.intp]:
    """List all combinations of states, one per column; none if there are too many."""
    if np.prod([float(len(each)) for each in states]) > MOST_KINDS:
        return np.empty((len(states), 0), np.intp)
    return np.array([*product(*states)], np.intp).T


def _solvable(rows: list[Any], stated: list[int]) -> bool:
    """Return False if the program is proven to have no solution, with and without presolve."""
    matrix = np.array(rows, float)
    if not matrix.size:
        return True
    constraint = LinearConstraint(matrix, stated, stated)
    return not all(
        milp(
            np.zeros(matrix.shape[1]),
            constraints=constraint,
            integrality=np.ones(matrix.shape[1]),
            bounds=Bounds(0, np.inf),
            options={"time_limit": SECONDS, "presolve": presolve},
        ).status
        == 2
        for presolve in (True, False)
    )
