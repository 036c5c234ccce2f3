"""Count the votes on unlabelled points again, and let them vote again.

Where the certificate rests on the disagreement bound, the weights may depend on one half of the
points and the profile of the vote is that of the other; else both are about all of them. Halves and
the order of the profile are drawn with a seed that every file shares.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tandemvote.certificate.file_record import CertificateRecord
from tandemvote.verify.recount_labelled import bits, unknown_labels
from tandemvote.votes import Votes

SEED = 20201206

ROUNDING = 1e-9
"""How far a share may be from the sum of the weights behind it."""


def other_unlabelled(record: CertificateRecord, votes: Votes) -> Iterator[str]:
    """Say where the unlabelled counts and the profile of a record are not those of the votes."""
    if votes.n_voters != record.n_voters:
        yield (
            f"the file is about {record.n_voters} voters, {votes.n_voters} predict the unlabelled"
            " points"
        )
        return
    yield from unknown_labels(record, votes, "the votes on unlabelled points")
    n_counted = int((record.counts["disagreement_overlaps"] - record.counts["overlaps"])[0])
    n_profile = 0 if record.profile is None else len(record.profile[0])
    every = np.arange(votes.n_samples)
    counted, profiled = every, every
    if n_counted + n_profile == votes.n_samples and n_profile:
        order = np.random.default_rng(SEED).permutation(votes.n_samples)
        counted, profiled = (np.sort(half) for half in np.array_split(order, 2))
    if n_counted != counted.size or n_profile not in (0, profiled.size):
        yield (
            f"the file counts {n_counted} unlabelled points and has a profile of {n_profile}; the"
            f" votes are about {votes.n_samples}"
        )
        return
    yield from _other_disagreements(record, votes.predictions[:, counted], votes.classes.size)
    if record.profile is not None:
        yield from _other_profile(record, votes.predictions[:, profiled], votes.classes.size)


def _other_disagreements(
    record: CertificateRecord, said: NDArray[np.integer], n_classes: int
) -> Iterator[str]:
    triangle = record.counts["unlabelled_disagreements"]
    says = [bits(said == label) for label in range(n_classes)]
    place = 0
    for second in range(len(said)):
        for first in range(second + 1):
            agree = sum((label[first] & label[second]).bit_count() for label in says)
            if triangle[place] != said.shape[1] - agree:
                yield (
                    f"voters {first} and {second} disagree on {triangle[place]} unlabelled points"
                    f" in the file and on {said.shape[1] - agree} in the votes"
                )
            place += 1


def _other_profile(
    record: CertificateRecord, said: NDArray[np.integer], n_classes: int
) -> Iterator[str]:
    shares = np.zeros((max(n_classes, 2), said.shape[1]))
    for weight, labels in zip(record.weights, said, strict=True):
        shares[labels, np.arange(labels.size)] += weight
    shares.sort(axis=0)
    order = np.random.default_rng(SEED).permutation(said.shape[1])
    leads, gaps = shares[-1, order], shares[-1, order] - shares[-2, order]
    for what, stated, found in zip(
        ("a largest share", "a lead"), record.profile or (), (leads, gaps), strict=True
    ):
        other = np.flatnonzero(~(np.abs(stated - found) <= ROUNDING))
        if other.size:
            point = int(other[0])
            yield (
                f"at unlabelled point {int(order[point])} the vote has {what} of"
                f" {stated[point]:.10g} in the file and of {found[point]:.10g} in the votes"
            )
