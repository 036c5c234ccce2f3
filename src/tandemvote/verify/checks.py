"""Check every claim of a certificate file, in order, until one fails."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from numpy.typing import ArrayLike

from tandemvote.certificate.file_record import CertificateRecord
from tandemvote.certificate.file_text import CertificateFileError, read_document
from tandemvote.verify.arithmetic import FLOATS, Arithmetic, Balls
from tandemvote.verify.averages import gather
from tandemvote.verify.groups import wrong_groups
from tandemvote.verify.possible_counts import impossible_counts
from tandemvote.verify.recount import group_values, recount
from tandemvote.verify.rules import RULES, Truth
from tandemvote.verify.stated_values import told_apart, wrong_decimal, wrong_value
from tandemvote.votes import Votes

SUM_TOLERANCE = Fraction(1, 10**9)


@dataclass(frozen=True)
class Verdict:
    """The result of checking a certificate file.

    Attributes
    ----------
    record : CertificateRecord
        What the file says.
    problem : str or None
        The first thing that does not hold, in words.
    enclosures : dict of str to Truth
        For every bound checked, what it really is.
    recounted_groups : tuple of str
        What the groups are by whose points were counted again.
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
    path: str | os.PathLike[str],
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
    path : path
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
    record = CertificateRecord.from_document(read_document(path))
    return verify_record(
        record, rigorous=rigorous, votes=votes, unlabelled=unlabelled, test=test, columns=columns
    )


def verify_record(
    record: CertificateRecord,
    *,
    rigorous: bool = False,
    votes: Votes | None = None,
    unlabelled: ArrayLike | None = None,
    test: Votes | None = None,
    columns: Mapping[str, Sequence[str]] | None = None,
) -> Verdict:
    """Check what a certificate file says; see `verify_file`."""
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
        truth = enclosures[name] = RULES[name].at(seen, delta, arithmetic, stated.value)
        what, value = f"the {name} bound", Fraction(stated.value)
        yield from wrong_value(what, value, truth, rigorous=arithmetic.rigorous)
        yield from wrong_decimal(what, stated.value, stated.printed)
    yield from _wrong_guarantee(record)
    yield from wrong_groups(record, arithmetic)
    yield from recounted
    if record.digest != record.expected_digest:
        yield (
            "the digest does not match the rest of the file, though all numbers hold: words"
            " (notes, attestations, labels, versions) or counts were changed after it was written"
        )


def _wrong_weights(record: CertificateRecord) -> Iterator[str]:
    for name, weights in (("weights", record.weights), ("prior", record.prior)):
        lowest = min(weights)
        if lowest < 0:
            yield f"the {name} are {lowest} at voter {weights.index(lowest)}, below 0"
        total = sum(map(Fraction, weights), Fraction(0))
        if abs(total - 1) > SUM_TOLERANCE:
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
    for name in record.bounds:
        if RULES[name].two_classes and len(record.classes) > 2:
            yield f"the {name} bound holds for two classes only; there are {len(record.classes)}"
    if record.deployed is not None:
        for name in {"vote_profile", *record.bounds} - {"vote_profile"}:
            yield f"the {name} bound is about the vote, and the file about another classifier"
        if record.profile is None:
            yield "the file is about another classifier than the vote and has no profile of it"
    if ("vote_profile" in record.bounds) != (record.profile is not None):
        yield "the vote_profile bound is stated without a profile, or a profile without its bound"
    if "test_set" in record.bounds and record.test is None:
        yield "the test_set bound is stated without the counts of a test set"
    if "test_set" not in record.bounds and record.test is not None:
        yield "a test set is stated without its bound"


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
