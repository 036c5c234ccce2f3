"""Profiles of unlabeled samples that no votes have."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from tandemvote.verify.coalitions import voting_units
from tandemvote.verify.document import DISAGREEMENT, CertificateRecord
from tandemvote.verify.fields import FloatArray

ROUNDING = 1e-9
"""By how much shares that were added up in floating point may exceed 1."""

MOST_SUMS = 2**17
"""Most sums of weights that are listed: of 17 weights and 2 classes, or of 500 equal weights."""


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
    possible = (leads >= 0) & (others >= 0) & (rest >= -ROUNDING)
    possible &= rest <= max(len(record.classes) - 2, 0) * others + ROUNDING
    possible &= np.maximum(leads, others) >= weights.max() - ROUNDING
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
        room = 10 * ROUNDING * leads.size
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
    return np.asarray(nearest <= 2 * ROUNDING)
