"""Check every claim of a certificate file, in order, until one fails."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from tandemvote.certificate.file_fields import IntArray
from tandemvote.certificate.file_record import (
    CertificateRecord,
    GroupRecord,
    GroupsRecord,
    StatedBound,
)
from tandemvote.certificate.file_text import CertificateFileError, read_document
from tandemvote.verify.arithmetic import FLOATS, Arithmetic, Balls
from tandemvote.verify.averages import Evidence, gather
from tandemvote.verify.possible_counts import impossible_counts
from tandemvote.verify.recount import CLASS, NAMED, TEST_SET, group_values, on_group, recount
from tandemvote.verify.rules import RULES, Truth, told_apart, wrong_decimal, wrong_value
from tandemvote.votes import Votes

OF_TWO_CLASSES = {"disagreement", "c1", "c2"}
"""Bounds that hold for two classes only."""

ROUNDING = Fraction(1, 10**12)
"""How far a stated part of delta may be from the exact one, relative to it."""


@dataclass(frozen=True)
class Verdict:
    """The result of checking a certificate file.

    The first `problem` is in words, None if everything holds. `enclosures` say what every bound
    checked really is, `recounted_groups` what the groups are by whose points were counted again.
    """

    record: CertificateRecord
    problem: str | None
    enclosures: dict[str, Truth]
    recounted_groups: tuple[str, ...] = ()

    @property
    def valid(self) -> bool:
        """Whether everything holds."""
        return self.problem is None


def verify_file(
    path: str | os.PathLike[str] | CertificateRecord,
    *,
    rigorous: bool = False,
    votes: Votes | None = None,
    unlabelled: ArrayLike | None = None,
    test: Votes | None = None,
    columns: Mapping[str, Sequence[str]] | None = None,
) -> Verdict:
    """Check a certificate file by the verifier's own formulas.

    Checked is that every number follows from the counts, weights and prior in the file. Not checked
    are the attestations, which no file can prove, and the counting itself, except for the `votes`,
    `unlabelled` and `test` points that are given.

    Parameters
    ----------
    path : path or CertificateRecord
        The file, or what was read from it.
    rigorous : bool
        Calculate in balls (needs python-flint), so that each stated value provably covers the true
        one. Otherwise in floating point, to 1e-9.
    votes : Votes, optional
        The labelled votes, to be counted again.
    unlabelled : array_like of shape (n_voters, n_points), optional
        Predictions of the voters on the unlabelled points, to be counted again.
    test : Votes, optional
        Votes on the test set, to be counted again: of all voters, who then vote with the weights
        of the file, or of a single one, which is taken for the vote itself.
    columns : mapping of str to sequence of str, optional
        What points are grouped by besides classes: of the test set, if groups rest on it, else of
        the labelled votes. Missing values are empty.

    Raises
    ------
    CertificateFileError
        If the file cannot be read as a certificate.
    """
    record = path
    if not isinstance(record, CertificateRecord):
        record = CertificateRecord.from_document(read_document(record))
    of_groups = () if record.groups is None else record.groups.candidates
    for name in (*record.bounds, *record.candidates, *of_groups):
        if name not in RULES:
            raise CertificateFileError(
                f"The bound {name[:40]!r} is unknown; known are {', '.join(RULES)}."
            )
    arithmetic = Balls() if rigorous else FLOATS
    enclosures: dict[str, Truth] = {}
    with arithmetic.context():
        values = group_values(record, votes, test, columns or {})
        recounted = recount(record, votes, unlabelled, test, values)
        problem = next(_problems(record, arithmetic, recounted, enclosures), None)
    return Verdict(record, problem, enclosures, tuple(values))


def _problems(
    record: CertificateRecord,
    arithmetic: Arithmetic,
    recounted: Iterator[str],
    enclosures: dict[str, Truth],
) -> Iterator[str]:
    yield from _wrong_weights(record)
    yield from impossible_counts(record)
    yield from _wrong_confidence(record)
    yield from _inapplicable(record)
    for text in record.missing_attestations:
        yield f"the attestations lack what the certificate rests on: {text!r}"
    seen = gather(record, arithmetic)
    for name, stated in record.bounds.items():
        # Exactly its share, not the share as rounded in the file.
        exact = Fraction(record.delta) / len(record.candidates)
        delta = exact if name in record.candidates else Fraction(stated.delta)
        yield from _wrong_bound(seen, name, stated, delta, enclosures)
    yield from _wrong_guarantee(record)
    yield from wrong_groups(record, arithmetic)
    yield from recounted
    if record.digest != record.expected_digest:
        yield (
            "the digest does not match the rest of the file, though all numbers hold: words"
            " (notes, attestations, labels, versions) or counts were changed after it was written"
        )


def _wrong_bound(
    seen: Evidence, name: str, stated: StatedBound, delta: Fraction, enclosures: dict[str, Truth]
) -> Iterator[str]:
    what = f"the {name} bound"
    value = Fraction(stated.value)
    truth = enclosures[name] = RULES[name](seen, delta, value)
    yield from wrong_value(what, value, truth, seen.arithmetic)
    yield from wrong_decimal(what, stated.value, stated.printed)


def _wrong_weights(record: CertificateRecord) -> Iterator[str]:
    for name, weights in (("weights", record.weights), ("prior", record.prior)):
        lowest = min(weights)
        if lowest < 0:
            yield f"the {name} are {lowest} at voter {weights.index(lowest)}, below 0"
        total = sum(map(Fraction, weights), Fraction(0))
        if abs(total - 1) > 1e-9:
            shown, _ = told_apart(total, Fraction(1))
            yield f"the {name} sum to {shown}, not to 1"
    for voter, (weight, before) in enumerate(zip(record.weights, record.prior, strict=True)):
        if weight > 0 and before == 0:
            yield f"voter {voter} has weight {weight:.3g} but prior 0, so no bound exists"


def _wrong_confidence(record: CertificateRecord) -> Iterator[str]:
    for what, delta in (("delta", record.delta), ("the share of each candidate", record.share)):
        if not 0 < delta < 1:
            yield f"{what} is {delta:g}, not between 0 and 1"
    n_candidates = len(record.candidates)
    if record.share != record.delta / n_candidates:
        yield (
            f"the share of each candidate is {record.share:g}, but delta {record.delta:g} split"
            f" evenly among {n_candidates} gives {record.delta / n_candidates:g}"
        )
    for name, stated in record.bounds.items():
        due = record.share if name in record.candidates else record.delta
        if stated.delta != due:
            yield f"the {name} bound was given delta {stated.delta:g}; its share is {due:g}"


def _inapplicable(record: CertificateRecord) -> Iterator[str]:
    for name in record.candidates:
        if name not in record.bounds:
            yield f"the candidate {name} has no value in the file"
    yield from _too_many_classes(record)
    if record.deployed is not None:
        for name in record.bounds.keys() - {"vote_profile"}:
            yield f"the {name} bound is about the vote, and the file about another classifier"
        if record.profile is None:
            yield "the file is about another classifier than the vote and has no profile of it"
    if ("vote_profile" in record.bounds) != (record.profile is not None):
        yield "the vote_profile bound is stated without a profile, or a profile without its bound"
    if (TEST_SET in record.bounds) != (record.test is not None):
        yield "the test_set bound is stated without the counts of a test set, or these without it"


def _too_many_classes(record: CertificateRecord) -> Iterator[str]:
    for name in record.bounds:
        if name in OF_TWO_CLASSES and len(record.classes) > 2:
            yield f"the {name} bound holds for two classes only; there are {len(record.classes)}"


def _wrong_guarantee(record: CertificateRecord) -> Iterator[str]:
    if record.bound not in record.candidates:
        yield f"the guarantee rests on {record.bound[:40]!r}, which is no candidate"
    smallest = min(record.bounds[name].value for name in record.candidates)
    if not record.value == record.bounds[record.bound].value == smallest:
        yield (
            f"the guarantee is {record.value!r} by {record.bound}; the smallest of the candidates"
            f" is {smallest!r}"
        )
    yield from wrong_decimal("the guarantee", record.value, record.printed)


def wrong_groups(record: CertificateRecord, arithmetic: Arithmetic) -> Iterator[str]:
    """Say what does not hold about the groups: each has its own counts and its share of delta."""
    groups = record.groups
    if groups is None:
        return
    yield from _wrong_division(record, groups)
    for by in dict.fromkeys(group.by for group in groups.members):
        members = [group for group in groups.members if group.by == by]
        yield from _too_many_points(record, groups, members)
        for group in members:
            for problem in _wrong_group(record, groups, group, arithmetic):
                yield f"on {group.points}: {problem}"


def _wrong_division(record: CertificateRecord, groups: GroupsRecord) -> Iterator[str]:
    """Say whether delta is not divided as it should, or a group is none."""
    names = [(group.by, type(group.label), group.label) for group in groups.members]
    if len(names) > groups.n_groups:
        yield (
            f"{len(names)} groups are stated, but delta was divided among {groups.n_groups}: their"
            " parts add up to more than delta"
        )
    if len(set(names)) < len(names):
        yield "a group is stated twice"
    if record.deployed is not None:
        yield "groups of points are about the vote, and the file about another classifier"
    if not groups.candidates or len(set(groups.candidates)) < len(groups.candidates):
        yield "the groups have no bounds, or one twice"
    tested = TEST_SET in groups.candidates
    if "vote_profile" in groups.candidates or (tested and record.test is None):
        yield "the groups rest on unlabelled points, or on a test set that the file does not have"
    if tested and record.test is not None and groups.n_samples != record.test[1]:
        yield f"the groups are among {groups.n_samples} points, the test set has {record.test[1]}"
    largest = record.counts["overlaps"].max()
    if not tested and groups.n_samples < largest:
        yield f"the groups are among {groups.n_samples} points, of which {largest} are held out"
    for group in groups.members:
        if group.by == CLASS and group.label not in record.classes:
            yield f"on {group.points}: there is no such class"
        if group.by == NAMED and not (tested and np.diag(record.counts["overlaps"]).all()):
            yield f"on {group.points}: only a test of all voters shows how often the vote is right"


def _too_many_points(
    record: CertificateRecord, groups: GroupsRecord, members: list[GroupRecord]
) -> Iterator[str]:
    """Say whether groups that have no point in common have more of something than all points."""
    what = f"the groups by {members[0].by[:40]!r} have more"
    if sum(group.n_points for group in members) > groups.n_samples:
        yield f"{what} points than there are"
    if record.test is not None:
        errors, points = zip(*(group.test or (0, 0) for group in members), strict=True)
        if sum(errors) > record.test[0] or sum(points) > record.test[1]:
            yield f"{what} errors or points than the test set"
    totals: dict[str, IntArray] = {}
    for group in members:
        for name, triangle in group.unpacked(record.n_voters).items():
            totals[name] = totals.get(name, 0) + triangle
    for name, total in totals.items():
        if (total > record.counts[name]).any():
            yield f"{what} {name.replace('_', ' ')} than all points have"


def _wrong_group(
    record: CertificateRecord, groups: GroupsRecord, group: GroupRecord, arithmetic: Arithmetic
) -> Iterator[str]:
    due = Fraction(record.delta) / groups.n_groups / max(len(groups.candidates), 1)
    n = group.n_points
    if set(group.bounds) != (set(groups.candidates) if n else set()):
        yield "the bounds are not those of all groups"
    tested, pairs = TEST_SET in group.bounds, bool(set(group.bounds) - {TEST_SET})
    if (group.test is not None, group.counts is not None) != (tested, pairs):
        yield "the counts are not those that the bounds rest on"
    if group.test is not None and group.test[1] != n:
        yield f"{group.test[1]} of {n} points were tested"
    own = on_group(record, group)
    if own.counts["overlaps"].max() > n:
        yield f"{own.counts['overlaps'].max()} of {n} points are held out"
    yield from impossible_counts(own)
    yield from _too_many_classes(own)
    seen = gather(own, arithmetic)
    for name, stated in group.bounds.items():
        if abs(Fraction(stated.delta) - due) > ROUNDING * due:
            yield f"the {name} bound was given delta {stated.delta:g}; its share is {float(due):g}"
        yield from _wrong_bound(seen, name, stated, due, {})
