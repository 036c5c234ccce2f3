"""Check every claim of a certificate file, in order, until one fails."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from fractions import Fraction

from numpy.typing import ArrayLike

from tandemvote.certificate.file_record import CertificateRecord, StatedBound
from tandemvote.certificate.file_text import CertificateFileError, read_document
from tandemvote.verify.arithmetic import FLOATS, Arithmetic, Balls
from tandemvote.verify.averages import gather
from tandemvote.verify.possible_counts import impossible_counts
from tandemvote.verify.recount import recount
from tandemvote.verify.rules import RULES, Truth
from tandemvote.votes import Votes

TOLERANCE = Fraction(1, 10**9)
"""How far above the truth a stated value may be; without rigour also how far below."""

MAGNIFIED = TOLERANCE / 20
"""The same, times the smallest denominator of a formula that divides."""

SUM_TOLERANCE = Fraction(1, 10**9)

LARGEST_SHOWN = 10**6
"""No number of a certificate is large; of one that is, no more is shown."""


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
    """

    record: CertificateRecord
    problem: str | None
    enclosures: dict[str, Truth]

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

    Raises
    ------
    CertificateFileError
        If the file cannot be read as a certificate.
    """
    record = CertificateRecord.from_document(read_document(path))
    return verify_record(record, rigorous=rigorous, votes=votes, unlabelled=unlabelled, test=test)


def verify_record(
    record: CertificateRecord,
    *,
    rigorous: bool = False,
    votes: Votes | None = None,
    unlabelled: ArrayLike | None = None,
    test: Votes | None = None,
) -> Verdict:
    """Check what a certificate file says; see `verify_file`."""
    for name in (*record.bounds, *record.candidates):
        if name not in RULES:
            raise CertificateFileError(
                f"The bound {name[:40]!r} is unknown; known are {', '.join(RULES)}."
            )
    arithmetic = Balls() if rigorous else FLOATS
    enclosures: dict[str, Truth] = {}
    with arithmetic.context():
        recounted = recount(record, votes, unlabelled, test)
        problem = next(_problems(record, arithmetic, recounted, enclosures), None)
    return Verdict(record, problem, enclosures)


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
        yield from _wrong_value(name, stated, truth, rigorous=arithmetic.rigorous)
        yield from _wrong_decimal(f"the {name} bound", stated.value, stated.printed)
    yield from _wrong_guarantee(record)
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


def _wrong_value(name: str, stated: StatedBound, truth: Truth, *, rigorous: bool) -> Iterator[str]:
    value = Fraction(stated.value)
    if truth.problem is not None:
        yield truth.problem
    if truth.or_one and value == 1:
        return
    slack = TOLERANCE
    if truth.smallest_denominator < MAGNIFIED / TOLERANCE:
        slack = MAGNIFIED / max(truth.smallest_denominator, MAGNIFIED)
    if value < (truth.high if rigorous else truth.high - slack):
        shown, real = told_apart(value, truth.low)
        yield f"the {name} bound is {shown} in the file and at least {real} by its own counts"
    if value > truth.low + slack:
        shown, real = told_apart(value, truth.high)
        yield f"the {name} bound is {shown} in the file and only {real} by its own counts"


def _wrong_decimal(what: str, value: float, printed: str) -> Iterator[str]:
    last_place = int(Decimal(printed).as_tuple().exponent)
    excess = Fraction(printed) - Fraction(value)
    as_we_print = str(Decimal(printed)) == printed and last_place <= -3
    if not as_we_print or not 0 <= excess < Fraction(1, 10**-last_place):
        yield f"{what} is {value!r} in the file, but printed as {printed}"


def _wrong_guarantee(record: CertificateRecord) -> Iterator[str]:
    if record.bound not in record.candidates:
        yield f"the guarantee rests on {record.bound[:40]!r}, which is no candidate"
    smallest = min(record.bounds[name].value for name in record.candidates)
    if not record.value == record.bounds[record.bound].value == smallest:
        yield (
            f"the guarantee is {record.value!r} by {record.bound}; the smallest of the candidates"
            f" is {smallest!r}"
        )
    yield from _wrong_decimal("the guarantee", record.value, record.printed)


def told_apart(first: Fraction, second: Fraction) -> tuple[str, str]:
    """Return both numbers with as many decimals as it takes to tell them apart.

    Examples
    --------
    >>> told_apart(Fraction("0.3812"), Fraction("0.38199"))
    ('0.381', '0.382')
    >>> told_apart(Fraction(10**300), Fraction(1))
    ('more than 1000000', '1.000')
    """
    for decimals in range(3, 40):
        texts = [_decimal_text(number, decimals) for number in (first, second)]
        if texts[0] != texts[1]:
            break
    return texts[0], texts[1]


def _decimal_text(number: Fraction, decimals: int) -> str:
    if abs(number) > LARGEST_SHOWN:
        return f"{'less than -' if number < 0 else 'more than '}{LARGEST_SHOWN}"
    with localcontext(Context(prec=60)):
        return f"{Decimal(number.numerator) / number.denominator:.{decimals}f}"
