"""Count votes again, by other means than those that certified them.

Sets of points are the bits of integers. Where a certificate rests on the disagreement bound, its
weights may depend on one half of the unlabelled points and the profile of the vote is that of the
other; otherwise both are about all of them. The halves and the order of the profile are drawn with
a seed that all files share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandemvote.certificate.file_fields import IntArray
from tandemvote.certificate.file_record import PAIRS, CertificateRecord, GroupRecord
from tandemvote.verify.coalitions import voting_units
from tandemvote.votes import Votes

SEED = 20201206
CLASS, NAMED, TEST_SET = "true class", "predicted class", "test_set"

ROUNDING = 1e-9
"""How far a share may be from the sum of the weights behind it."""


def recount(
    record: CertificateRecord,
    votes: Votes | None,
    unlabelled: ArrayLike | None,
    test: Votes | None,
    group_values: Mapping[str, Sequence[str]] | None = None,
) -> Iterator[str]:
    """Say where a record differs from a new count of whatever is given, as to `verify_file`.

    Where the record is about a deployed classifier, its predictions are the last row of
    `unlabelled`. Values of groups are those that `group_values` returns.
    """
    if votes is not None:
        yield from _other_counts(record, votes)
    if unlabelled is not None:
        others = Votes.without_labels(unlabelled)
        yield from _unknown_labels(record, others, "the votes on unlabelled points")
        yield from _other_unlabelled(record, others)
    if test is not None:
        yield from _other_test_set(record, test)
    if group_values and record.groups is not None:
        grouped = test if TEST_SET in record.groups.candidates else votes
        assert grouped is not None
        yield from _other_groups(record, grouped, group_values)


def group_values(
    record: CertificateRecord,
    votes: Votes | None,
    test: Votes | None,
    columns: Mapping[str, Sequence[str]],
) -> dict[str, Sequence[str]]:
    """Return what is known of the groups of the labelled points, by what they are grouped by."""
    if record.groups is None:
        return {}
    tested = TEST_SET in record.groups.candidates
    grouped = test if tested else votes
    if grouped is None:
        return {}
    names = np.array([_written(label) for label in grouped.classes.tolist()], object)
    known = {**columns, CLASS: names[grouped.labels].tolist()}
    every_voter = grouped.held_out.any(axis=1).all()
    if tested and every_voter and not any(_other_test_set(record, grouped)):
        known[NAMED] = names[_vote(record, grouped)].tolist()
    return {group.by: known[group.by] for group in record.groups.members if group.by in known}


def on_group(record: CertificateRecord, group: GroupRecord) -> CertificateRecord:
    """Return a record about the points of a group alone; its delta is left as it is."""
    assert record.groups is not None
    found = group.unpacked(record.n_voters)
    weights, prior = record.weights, record.prior
    if not found:  # the vote was tested itself, as a single voter
        found, weights, prior = dict.fromkeys(PAIRS, np.zeros((1, 1), np.int64)), (1.0,), (1.0,)
    everywhere = {"disagreements": found["lone_errors"], "disagreement_overlaps": found["overlaps"]}
    nowhere = {"unlabelled_disagreements": np.zeros_like(found["overlaps"])}
    alone = replace(record, bounds=group.bounds, test=group.test, profile=None, groups=None)
    counts = {**found, **everywhere, **nowhere}
    return replace(alone, weights=weights, prior=prior, counts=counts)


def _other_groups(
    record: CertificateRecord, votes: Votes, values: Mapping[str, Sequence[str]]
) -> Iterator[str]:
    """Say where groups of a record are not those of the votes."""
    groups = record.groups
    assert groups is not None
    if groups.n_samples != votes.n_samples:
        yield f"the groups are among {groups.n_samples} points, the votes are on {votes.n_samples}"
        return
    for group in groups.members:
        if group.by not in values:
            continue
        wanted = "" if group.label is None else _written(group.label)
        own = np.array([value == wanted for value in values[group.by]], bool)
        if own.size != votes.n_samples or own.sum() != group.n_points:
            yield f"{group.points} are {group.n_points} in the file and {own.sum()} in the votes"
            return
        said, labels = votes.predictions[:, own], votes.labels[own]
        inside = replace(votes, predictions=said, labels=labels, held_out=votes.held_out[:, own])
        problems: Iterator[str] = iter(())
        if group.test is not None:
            problems = _other_test_set(replace(record, test=group.test), inside)
        elif group.counts is not None:
            # One wrong label is as good as another.
            inside = replace(inside, predictions=np.where(said == labels, labels, labels == 0))
            problems = _other_counts(on_group(record, group), inside)
        yield from (f"on {group.points}: {problem}" for problem in problems)


def _other_counts(record: CertificateRecord, votes: Votes) -> Iterator[str]:
    """Say where the labelled counts of a record are not those of the votes."""
    if votes.n_voters != record.n_voters:
        yield (
            f"the file is about {record.n_voters} voters, the votes have {votes.n_voters};"
            " columns that are no voters are left out by --ignore"
        )
        return
    yield from _unknown_labels(record, votes, "the votes")
    held_out = _bits(votes.held_out)
    wrong = _bits(votes.held_out & (votes.predictions != votes.labels))
    says = [_bits(votes.held_out & (votes.predictions == c)) for c in range(votes.classes.size)]

    def counted(first: int, second: int) -> dict[str, int]:
        common = held_out[first] & held_out[second]
        return {
            "points both hold out": common.bit_count(),
            "common errors": (wrong[first] & wrong[second]).bit_count(),
            "lone errors": (common & (wrong[first] ^ wrong[second])).bit_count(),
            "disagreements": common.bit_count() - _agreements(says, first, second),
        }

    counts = record.counts
    labelled = counts["disagreements"] - counts["unlabelled_disagreements"]
    stated = (counts["overlaps"], counts["tandem_errors"], counts["lone_errors"], labelled)
    yield from _other_pairs(stated, counted)


def _other_pairs(
    stated: Sequence[IntArray], counted: Callable[[int, int], dict[str, int]]
) -> Iterator[str]:
    """Say where matrices of counts are not those of the pairs of voters."""
    pairs = np.tril_indices(len(stated[0]))
    triangles = (matrix[pairs] for matrix in stated)
    for second, first, *in_file in zip(*pairs, *triangles, strict=True):
        for (what, count), told in zip(counted(first, second).items(), in_file, strict=True):
            if told != count:
                yield (
                    f"voters {first} and {second} have {told} {what} in the file and {count} in the"
                    " votes"
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
    n_counted = int((record.counts["disagreement_overlaps"] - record.counts["overlaps"])[0, 0])
    n_profile = 0 if record.profile is None else len(record.profile["leads"])
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
    says = [_bits(votes.predictions[:, counted] == c) for c in range(votes.classes.size)]

    def disagreements(first: int, second: int) -> dict[str, int]:
        differ = counted.size - _agreements(says, first, second)
        return {"disagreements on unlabelled points": differ}

    yield from _other_pairs([record.counts["unlabelled_disagreements"]], disagreements)
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
    names, in_file = ("a share", "a lead"), (record.profile or {}).values()
    for what, stated, found in zip(names, in_file, (leads, gaps), strict=True):
        for point in np.flatnonzero(~(np.abs(stated - found) <= ROUNDING))[:1]:
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
    tested: NDArray[np.bool_] = np.asarray(votes.held_out.any(axis=1))
    if votes.n_voters > 1 and (tested != (np.diag(record.counts["overlaps"]) > 0)).any():
        yield "the voters that predict the test set are not the tested voters of the file"
        return
    silent = np.argwhere(~votes.held_out & tested[:, None])
    if silent.size:
        yield f"voter {silent[0][0]} predicts nothing at test point {silent[0][1]}"
        return
    if tested.all():
        n_errors = int((_vote(record, votes) != votes.labels).sum())
    else:
        n_errors = _n_losable(record.weights, votes, tested)
    if (n_errors, votes.n_samples) != record.test:
        yield (
            f"the vote errs on {record.test[0]} of {record.test[1]} test points in the file and on"
            f" {n_errors} of {votes.n_samples} in the votes"
        )


def _n_losable(weights: Sequence[float], votes: Votes, tested: NDArray[np.bool_]) -> int:
    """Count the samples on which some votes of the untested voters let another class win.

    For each other class, the untested voters are given to it; ties up to rounding are lost.
    """
    units = np.array(voting_units(weights), object)
    unknown, room = units[~tested].sum(), float(units.sum()) * ROUNDING
    lost = np.zeros(votes.n_samples, bool)
    behind = [
        units @ ((votes.predictions == c) & tested[:, None]) for c in range(votes.classes.size)
    ]
    own = np.array(behind, object)[votes.labels, np.arange(votes.n_samples)]
    for label, rival in enumerate([*behind, 0 * own]):  # and a class that nobody tested predicts
        lost |= (votes.labels != label) & (own - rival - unknown <= room).astype(bool)
    return int(lost.sum())


def _vote(record: CertificateRecord, votes: Votes) -> NDArray[np.intp]:
    """Return the code of the label that wins at each point, the first in the file of equals."""
    weights = record.weights if votes.n_voters > 1 else (1.0,)
    place = {_written(label): number for number, label in enumerate(record.classes)}
    ranks = [place.get(_written(label), len(place)) for label in votes.classes.tolist()]
    order = np.argsort(ranks, kind="stable")
    totals = np.zeros((votes.classes.size, votes.n_samples), np.int64)
    for units, labels in zip(voting_units(weights), votes.predictions, strict=True):
        totals[labels, np.arange(labels.size)] += units
    return np.asarray(order[totals[order].argmax(axis=0)])


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


def _agreements(says: list[list[int]], first: int, second: int) -> int:
    return sum((label[first] & label[second]).bit_count() for label in says)
