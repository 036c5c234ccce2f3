"""Count votes again, by other means than those that certified them.

Sets of points are the bits of integers. Where a certificate rests on the disagreement bound, its
weights may depend on one half of the unlabelled points and the profile of the vote is that of the
other; otherwise both are about all of them. The halves and the order of the profile are drawn with
a seed that all files share.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandemvote.certificate.file_record import CertificateRecord
from tandemvote.votes import Votes

SEED = 20201206

ROUNDING = 1e-9
"""How far a share may be from the sum of the weights behind it."""

BITS = 52
"""Weights are voted with as whole numbers that sum to less than 2^52, so that ties are ties."""


def recount(
    record: CertificateRecord, votes: Votes | None, unlabelled: ArrayLike | None, test: Votes | None
) -> Iterator[str]:
    """Say where a record differs from a new count of whatever is given.

    Parameters
    ----------
    record : CertificateRecord
    votes : Votes or None
        The labelled votes.
    unlabelled : array_like of shape (n_voters, n_points) or None
        Predictions of the voters on points without labels; those of the deployed classifier, if
        the record is about one, in one more row after them.
    test : Votes or None
        Votes on the test set: of all voters, or of the vote itself as a single one.
    """
    if votes is not None:
        yield from _other_counts(record, votes)
    if unlabelled is not None:
        votes = Votes.without_labels(unlabelled)
        yield from _unknown_labels(record, votes, "the votes on unlabelled points")
        yield from _other_unlabelled(record, votes)
    if test is not None:
        yield from _other_test_set(record, test)


def _other_counts(record: CertificateRecord, votes: Votes) -> Iterator[str]:
    """Say where the labelled counts of a record are not those of the votes."""
    if votes.n_voters != record.n_voters:
        yield (
            f"the file is about {record.n_voters} voters, the votes have {votes.n_voters};"
            " columns that are no voters are left out by --ignore"
        )
        return
    yield from _unknown_labels(record, votes, "the votes")
    counts = record.counts
    stated = {
        "points both hold out": counts["overlaps"],
        "common errors": counts["tandem_errors"],
        "lone errors": counts["lone_errors"],
        "disagreements": counts["disagreements"] - counts["unlabelled_disagreements"],
    }
    held_out = _bits(votes.held_out)
    wrong = _bits(votes.held_out & (votes.predictions != votes.labels))
    says = [_bits(votes.held_out & (votes.predictions == c)) for c in range(votes.classes.size)]
    for place, first, second in _pairs(votes.n_voters):
        common = held_out[first] & held_out[second]
        found = (
            common.bit_count(),
            (wrong[first] & wrong[second]).bit_count(),
            (common & (wrong[first] ^ wrong[second])).bit_count(),
            common.bit_count() - _agreements(says, first, second),
        )
        for (what, triangle), count in zip(stated.items(), found, strict=True):
            if triangle[place] != count:
                yield (
                    f"voters {first} and {second} have {triangle[place]} {what} in the file and"
                    f" {count} in the votes"
                )


def _other_unlabelled(record: CertificateRecord, votes: Votes) -> Iterator[str]:
    """Say where the unlabelled counts and the profile of a record are not those of the votes."""
    expected = record.n_voters + (record.deployed is not None)
    if votes.n_voters != expected:
        also = " and, in the last column, the deployed classifier" * (expected > record.n_voters)
        yield (
            f"the file is about {record.n_voters} voters{also}; {votes.n_voters} predict the"
            " unlabelled points"
        )
        return
    n_counted = int((record.counts["disagreement_overlaps"] - record.counts["overlaps"])[0])
    n_profile = 0 if record.profile is None else len(record.profile[0])
    counted = profiled = np.arange(votes.n_samples)
    if n_counted + n_profile == votes.n_samples and n_profile:
        order = np.random.default_rng(SEED).permutation(votes.n_samples)
        counted, profiled = (np.sort(half) for half in np.array_split(order, 2))
    if n_counted != counted.size or n_profile not in (0, profiled.size):
        yield (
            f"the file counts {n_counted} unlabelled points and has a profile of {n_profile}; the"
            f" votes are about {votes.n_samples}"
        )
        return
    triangle = record.counts["unlabelled_disagreements"]
    says = [_bits(votes.predictions[:, counted] == c) for c in range(votes.classes.size)]
    for place, first, second in _pairs(record.n_voters):
        found = counted.size - _agreements(says, first, second)
        if triangle[place] != found:
            yield (
                f"voters {first} and {second} disagree on {triangle[place]} unlabelled points in"
                f" the file and on {found} in the votes"
            )
    if record.profile is not None:
        yield from _other_profile(record, votes.predictions[:, profiled], votes.classes.size)


def _other_profile(
    record: CertificateRecord, said: NDArray[np.integer], n_classes: int
) -> Iterator[str]:
    shares = np.zeros((max(n_classes, 2), said.shape[1]))
    points = np.arange(said.shape[1])
    for weight, labels in zip(record.weights, said, strict=False):
        shares[labels, points] += weight
    whose = "the vote" if record.deployed is None else "the deployed classifier"
    own = shares.argmax(axis=0) if record.deployed is None else said[-1]
    leads = shares[own, points]
    shares[own, points] = -1.0
    order = np.random.default_rng(SEED).permutation(points.size)
    leads, gaps = leads[order], (leads - shares.max(axis=0))[order]
    for what, stated, found in zip(
        ("a share", "a lead"), record.profile or (), (leads, gaps), strict=True
    ):
        other = np.flatnonzero(~(np.abs(stated - found) <= ROUNDING))
        if other.size:
            point = int(other[0])
            yield (
                f"at unlabelled point {int(order[point])} {whose} has {what} of"
                f" {stated[point]:.10g} in the file and of {found[point]:.10g} in the votes"
            )


def _other_test_set(record: CertificateRecord, votes: Votes) -> Iterator[str]:
    """Say where the errors on the test set are not those of all voters, or of the vote itself."""
    if record.test is None:
        yield "the file has no test set"
        return
    weights = record.weights if votes.n_voters > 1 else (1.0,)
    if votes.n_voters != len(weights):
        yield (
            f"the file is about {record.n_voters} voters, {votes.n_voters} predict the test set;"
            " one alone would be the vote itself"
        )
        return
    silent = np.argwhere(~votes.held_out & (np.array(weights) > 0)[:, None])
    if silent.size:
        yield f"voter {silent[0][0]} predicts nothing at test point {silent[0][1]}"
        return
    place = {_written(label): number for number, label in enumerate(record.classes)}
    ranks = [place.get(_written(label), len(place)) for label in votes.classes.tolist()]
    order = np.argsort(ranks, kind="stable")
    n_errors = int((order[_winners(votes, weights, order)] != votes.labels).sum())
    if (n_errors, votes.n_samples) != record.test:
        yield (
            f"the vote errs on {record.test[0]} of {record.test[1]} test points in the file and on"
            f" {n_errors} of {votes.n_samples} in the votes"
        )


def _winners(votes: Votes, weights: Sequence[float], order: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the place in the order of the label that wins at each point, the first of equals."""
    scale = 2 ** (BITS - math.frexp(math.fsum(weights))[1])
    totals = np.zeros((votes.classes.size, votes.n_samples), np.int64)
    for weight, labels in zip(weights, votes.predictions, strict=True):
        totals[labels, np.arange(labels.size)] += round(Fraction(weight) * scale)
    return np.asarray(totals[order].argmax(axis=0))


def _unknown_labels(record: CertificateRecord, votes: Votes, where: str) -> Iterator[str]:
    known = set(map(_written, record.classes))
    for label in map(_written, votes.classes.tolist()):
        if label not in known:
            yield f"{where} have the label {label!r:.40}, which is not among those of the file"
            return


def _written(label: Any) -> str:
    """Return a label as text; the file may have been made from numbers, and tables are text."""
    return str(int(label) if isinstance(label, float) and label.is_integer() else label)


def _bits(planes: NDArray[Any]) -> list[int]:
    """Return each row of a boolean array as one integer, one bit per point."""
    return [int.from_bytes(row.tobytes(), "big") for row in np.packbits(planes, axis=1)]


def _pairs(n_voters: int) -> Iterator[tuple[int, int, int]]:
    """Give the places of a lower triangle and the two voters of each."""
    rows, columns = np.tril_indices(n_voters)
    for place, (second, first) in enumerate(zip(rows.tolist(), columns.tolist(), strict=True)):
        yield place, first, second


def _agreements(says: list[list[int]], first: int, second: int) -> int:
    return sum((label[first] & label[second]).bit_count() for label in says)
