"""Check what a file says about groups: each by its own counts, at its share of delta."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np

from tandemvote.certificate.file_record import PAIRS, CertificateRecord, GroupRecord, GroupsRecord
from tandemvote.verify.arithmetic import Arithmetic
from tandemvote.verify.averages import IntArray, gather
from tandemvote.verify.inverses import binomial_limit
from tandemvote.verify.possible_counts import impossible_counts
from tandemvote.verify.rules import RULES, Truth
from tandemvote.verify.stated_values import told_apart, wrong_decimal, wrong_value

ERRORS = Fraction(9, 10)
"""Part of delta for the errors; the rest is for both limits of the shares."""

ROUNDING = Fraction(1, 10**12)
"""How far a stated part of delta may be from the exact one, relative to it."""

CLASS, NAMED = "true class", "predicted class"
TEST_SET = "test_set"


def wrong_groups(record: CertificateRecord, arithmetic: Arithmetic) -> Iterator[str]:
    """Say what does not hold about the groups of a record."""
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


def on_group(
    record: CertificateRecord, groups: GroupsRecord, group: GroupRecord
) -> CertificateRecord:
    """Return a record about the points of a group alone; its delta is left as it is."""
    found = group.unpacked(record.n_voters)
    weights, prior = record.weights, record.prior
    if not found:  # the vote was tested itself, as a single voter
        found, weights, prior = dict.fromkeys(PAIRS, np.zeros(1, np.int64)), (1.0,), (1.0,)
    counts = {
        **found,
        "disagreements": found["lone_errors"],
        "disagreement_overlaps": found["overlaps"],
        "unlabelled_disagreements": np.zeros_like(found["overlaps"]),
    }
    alone = replace(record, candidates=groups.candidates, bounds=group.bounds, test=group.test)
    return replace(alone, weights=weights, prior=prior, counts=counts, profile=None, groups=None)


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
    if groups.gaps and groups.candidates != (TEST_SET,):
        yield "errors have lower limits without a test set"
    if tested and record.test is not None and groups.n_samples != record.test[1]:
        yield f"the groups are among {groups.n_samples} points, the test set has {record.test[1]}"
    largest = record.counts["overlaps"].max()
    if not tested and groups.n_samples < largest:
        yield f"the groups are among {groups.n_samples} points, of which {largest} are held out"
    for group in groups.members:
        if group.by == CLASS and group.label not in record.classes:
            yield f"on {group.points}: there is no such class"
        if group.by == NAMED and not tested:
            yield f"on {group.points}: only a test set shows how often the vote is right"


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
    if set(groups.candidates) == {TEST_SET}:
        return
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
    part = Fraction(record.delta) / groups.n_groups
    of_error = ERRORS * part / (2 if groups.gaps else 1)
    due = of_error / max(len(groups.candidates), 1)
    n, of_share = group.n_points, (1 - ERRORS) * part / 2
    if set(group.bounds) != (set(groups.candidates) if n else set()):
        yield "the bounds are not those of all groups"
    tested, pairs = TEST_SET in group.bounds, bool(set(group.bounds) - {TEST_SET})
    if (group.test is not None, group.counts is not None) != (tested, pairs):
        yield "the counts are not those that the bounds rest on"
    if group.test is not None and group.test[1] != n:
        yield f"{group.test[1]} of {n} points were tested"
    own = on_group(record, groups, group)
    if own.counts["overlaps"].max() > n:
        yield f"{own.counts['overlaps'].max()} of {n} points are held out"
    yield from impossible_counts(own)
    seen = gather(own, arithmetic)
    for name, stated in group.bounds.items():
        what = f"the {name} bound"
        if abs(Fraction(stated.delta) - due) > ROUNDING * due:
            yield f"{what} was given delta {stated.delta:g}; its share is {float(due):g}"
        if RULES[name].two_classes and len(record.classes) > 2:
            yield f"{what} holds for two classes only; there are {len(record.classes)}"
        truth = RULES[name].at(seen, due, arithmetic, stated.value)
        yield from wrong_value(what, Fraction(stated.value), truth, rigorous=arithmetic.rigorous)
        yield from wrong_decimal(what, stated.value, stated.printed)

    def wrong_limit(what: str, value: Fraction, k: int, n: int, delta: Fraction) -> Iterator[str]:
        ends = arithmetic.ends(binomial_limit(k, n, delta, arithmetic))
        low, high = (min(max(end, Fraction(0)), Fraction(1)) for end in ends)
        yield from wrong_value(what, value, Truth(low, high), rigorous=arithmetic.rigorous)

    low, high, lower = (Fraction(limit) for limit in (*group.share, group.lower))
    if n <= groups.n_samples:
        rest = groups.n_samples - n
        yield from wrong_limit("the largest share", high, n, groups.n_samples, of_share)
        yield from wrong_limit(
            "the largest share of others", 1 - low, rest, groups.n_samples, of_share
        )
    if groups.gaps and group.test is not None:
        right = group.test[1] - group.test[0]
        yield from wrong_limit("the largest share of right answers", 1 - lower, right, n, of_error)
    elif lower:
        shown, _ = told_apart(lower, Fraction(0))
        yield f"the error is at least {shown} in the file, which nothing shows"
