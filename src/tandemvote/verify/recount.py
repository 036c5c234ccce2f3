"""Count votes again, by other means than those that certified them.

Sets of samples are the bits of integers. Where a certificate rests on the disagreement bound, its
weights may depend on one half of the unlabeled samples and the profile of the vote is that of the
other; otherwise both are about all of them. The halves and the order of the profile are drawn with
a seed that all files share.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandemvote.verify.coalitions import voting_units
from tandemvote.verify.document import CertificateRecord, Document
from tandemvote.verify.fields import FloatArray, IntArray
from tandemvote.votes import Votes

SEED = 20201206
CLASS, PREDICTED = "class", "predicted"

ROUNDING = 1e-9
"""How far a share may be from the sum of the weights behind it."""


def recount(
    document: Document,
    votes: Votes | None,
    unlabeled: ArrayLike | None,
    values: Mapping[str, Sequence[str]],
) -> Iterator[str]:
    """List where a file differs from a new count of whatever is given, as to `verify_file`.

    Where the file is about a deployed classifier, its predictions are the last row of
    `unlabeled`. `values` are those that `group_values` returns.
    """
    whole = document.whole
    if votes is not None:
        yield from _other_counts(whole, votes)
    if unlabeled is not None:
        others = Votes.without_labels(unlabeled)
        yield from _unknown_labels(whole, others, "the votes on unlabeled samples")
        yield from _other_unlabeled(whole, others)
    for grouping in document.groupings:
        stated = set(map(written, grouping.labels))
        for value in sorted(set(values.get(grouping.by, ())) - stated)[:1]:
            yield (
                f"{grouping.by[:40]!r} has the value {value[:40]!r}, which the file does not"
                " list among the groups that share delta"
            )
    for record in document.certificates[1:]:
        assert record.group is not None
        if record.group.by in values:
            yield from _other_group(record, votes, values[record.group.by])


def group_values(
    document: Document, votes: Votes | None, columns: Mapping[str, Sequence[str]]
) -> dict[str, Sequence[str]]:
    """Return the known values of each grouping of the labeled samples."""
    known = dict(columns)
    if votes is not None:
        names = np.array([written(label) for label in votes.classes.tolist()], object)
        known[CLASS] = names[votes.labels].tolist()
        if votes.held_out.all() and votes.n_voters == document.whole.n_voters:
            known[PREDICTED] = names[winners(document.whole, votes)].tolist()
    used = [each.by for each in document.groupings if each.by in known]
    return {name: [written(value) for value in known[name]] for name in used}


def _other_group(
    record: CertificateRecord, votes: Votes | None, values: Sequence[str]
) -> Iterator[str]:
    """List where a certificate of a group differs from the column and the votes on its samples."""
    assert record.group is not None
    wanted = written(record.group.label)
    inside = np.array([value == wanted for value in values], bool)
    n_samples = inside.size if votes is None else votes.n_samples
    if inside.size != n_samples or inside.sum() != record.n_samples:
        yield (
            f"{record.group.samples} are {record.n_samples} in the file and {inside.sum()} in the"
            " column"
        )
    elif inside.any() and votes is not None:
        votes = replace(
            votes,
            predictions=votes.predictions[:, inside],
            labels=votes.labels[inside],
            held_out=votes.held_out[:, inside],
        )
        problems = _other_counts(record, votes)
        yield from (f"on {record.group.samples}: {problem}" for problem in problems)


def _other_counts(record: CertificateRecord, votes: Votes) -> Iterator[str]:
    """Say where the labeled counts of a record are not those of the votes."""
    if votes.n_voters != record.n_voters:
        yield (
            f"the file is about {record.n_voters} voters, the votes have {votes.n_voters};"
            " exclude other columns with --ignore"
        )
        return
    yield from _unknown_labels(record, votes, "the votes")
    held_out = _bits(votes.held_out)
    wrong = _bits(votes.held_out & (votes.predictions != votes.labels))
    says = [_bits(votes.held_out & (votes.predictions == c)) for c in range(votes.classes.size)]

    def counted(first: int, second: int) -> dict[str, int]:
        common = held_out[first] & held_out[second]
        return {
            "common held-out samples": common.bit_count(),
            "common errors": (wrong[first] & wrong[second]).bit_count(),
            "lone errors": (common & (wrong[first] ^ wrong[second])).bit_count(),
            "disagreements": common.bit_count() - _agreements(says, first, second),
        }

    counts = record.counts
    labeled = counts["disagreements"] - counts["unlabeled_disagreements"]
    stated = (counts["overlaps"], counts["tandem_errors"], counts["lone_errors"], labeled)
    yield from _other_pairs(stated, counted)
    if votes.n_samples != record.n_samples:
        yield f"the file counts {record.n_samples} samples, the votes have {votes.n_samples}"
    numbers = Counter(written(label) for label in votes.classes[votes.labels].tolist())
    for label, stated_number in zip(record.classes, record.class_counts or (), strict=False):
        if numbers[written(label)] != stated_number:
            yield (
                f"{stated_number} samples are of the class {label!r:.40} in the file, and"
                f" {numbers[written(label)]} in the votes"
            )
    if record.observed is not None:
        predicted = winners(record, votes)
        voted = predicted >= 0
        found = int((predicted != votes.labels)[voted].sum()), int(voted.sum())
        if found != (record.observed.n_errors, record.observed.n_samples):
            yield (
                f"the vote is wrong on {record.observed.n_errors} of {record.observed.n_samples}"
                f" samples in the file, and on {found[0]} of {found[1]} in the votes"
            )
    if record.test is not None:
        yield from _other_test(record, votes)


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


def _other_unlabeled(record: CertificateRecord, votes: Votes) -> Iterator[str]:
    """Say where the unlabeled counts and the profile of a record are not those of the votes."""
    expected = record.n_voters + (record.deployed is not None)
    if votes.n_voters != expected:
        also = " and, in the last column, the deployed classifier" * (expected > record.n_voters)
        yield (
            f"the file is about {record.n_voters} voters{also}; {votes.n_voters} predict the"
            " unlabeled samples"
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
            f"the file counts {n_counted} unlabeled samples and has a profile of {n_profile}; the"
            f" votes are about {votes.n_samples}"
        )
        return
    says = [_bits(votes.predictions[:, counted] == c) for c in range(votes.classes.size)]

    def disagreements(first: int, second: int) -> dict[str, int]:
        differ = counted.size - _agreements(says, first, second)
        return {"disagreements on unlabeled samples": differ}

    yield from _other_pairs([record.counts["unlabeled_disagreements"]], disagreements)
    if record.profile is not None:
        yield from _other_profile(record, votes.predictions[:, profiled], votes.classes.size)


def _other_profile(
    record: CertificateRecord, predictions: NDArray[np.integer], n_classes: int
) -> Iterator[str]:
    order = np.random.default_rng(SEED).permutation(predictions.shape[1])
    whose = "the vote" if record.deployed is None else "the deployed classifier"
    counted = shares_behind(record, predictions, n_classes)
    names, in_file = ("a share", "a lead"), (record.profile or {}).values()
    for what, stated, shares in zip(names, in_file, counted, strict=True):
        for place in np.flatnonzero(~(np.abs(stated - shares[order]) <= ROUNDING))[:1]:
            sample = int(order[place])
            yield (
                f"at unlabeled sample {sample} {whose} has {what} of {stated[place]:.10g} in the"
                f" file and of {shares[sample]:.10g} in the votes"
            )


def shares_behind(
    record: CertificateRecord, predictions: NDArray[np.integer], n_classes: int
) -> tuple[FloatArray, FloatArray]:
    """Return the share of the vote, or of the deployed classifier in the last row, and its lead."""
    places = np.arange(predictions.shape[1])
    shares = np.zeros((max(n_classes, 2), places.size))
    for weight, labels in zip(record.weights, predictions, strict=False):
        shares[labels, places] += weight
    chosen = shares.argmax(axis=0) if record.deployed is None else predictions[-1]
    leads = shares[chosen, places]
    shares[chosen, places] = -1.0
    return leads, leads - shares.max(axis=0)


def _other_test(record: CertificateRecord, votes: Votes) -> Iterator[str]:
    """List where the errors of the vote in a record are not those of the votes."""
    assert record.test is not None
    tested: NDArray[np.bool_] = np.asarray(votes.held_out.any(axis=1))
    silent = np.argwhere(~votes.held_out & tested[:, None])
    if silent.size:
        yield f"voter {silent[0][0]} predicts nothing at test sample {silent[0][1]}"
        return
    if tested.all():
        n_errors = int((winners(record, votes) != votes.labels).sum())
    else:
        n_errors = int(losable(record.weights, votes, tested).sum())
    if n_errors != record.test.n_errors:
        yield (
            f"the vote errs on {record.test.n_errors} of {record.test.n_samples} test samples in"
            f" the file and on {n_errors} of {votes.n_samples} in the votes"
        )


def losable(weights: Sequence[float], votes: Votes, tested: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return True where some votes of the untested voters let another class win.

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
    return lost


def winners(record: CertificateRecord, votes: Votes) -> NDArray[np.intp]:
    """Return the code of the class that wins at each sample, -1 where no tested voter has weight.

    Ties go to the first class of the file, or to the first voter's where voters are missing.
    """
    place = {written(label): number for number, label in enumerate(record.classes)}
    ranks = [place.get(written(label), len(place)) for label in votes.classes.tolist()]
    order = np.argsort(ranks, kind="stable")
    units, samples = np.array(voting_units(record.weights)), np.arange(votes.n_samples)
    totals = np.zeros((votes.classes.size, votes.n_samples), np.int64)
    for unit, labels, held_out in zip(units, votes.predictions, votes.held_out, strict=True):
        totals[labels, samples] += unit * held_out
    most = totals.max(axis=0)
    first = order[totals[order].argmax(axis=0)]
    partial = ~votes.held_out[units > 0].all(axis=0)
    for voter in np.flatnonzero(units)[::-1]:
        labels = votes.predictions[voter]
        leads = partial & votes.held_out[voter] & (totals[labels, samples] == most)
        first = np.where(leads, labels, first)
    return np.asarray(np.where(most > 0, first, -1))


def _unknown_labels(record: CertificateRecord, votes: Votes, where: str) -> Iterator[str]:
    known = set(map(written, record.classes))
    for label in map(written, votes.classes.tolist()):
        if label not in known:
            yield f"{where} have the label {label!r:.40}, which is not among those of the file"
            return


def written(label: Any) -> str:
    """Return a label as text, as it is in a table: 1 for 1.0, nothing for a missing one."""
    return (
        ""
        if label is None
        else str(int(label) if isinstance(label, float) and label.is_integer() else label)
    )


def _bits(planes: NDArray[Any]) -> list[int]:
    """Return each row of a boolean array as one integer, one bit per sample."""
    return [int.from_bytes(row.tobytes(), "big") for row in np.packbits(planes, axis=1)]


def _agreements(says: list[list[int]], first: int, second: int) -> int:
    return sum((label[first] & label[second]).bit_count() for label in says)
