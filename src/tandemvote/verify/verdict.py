"""Check every claim of a certificate file, in order, until one fails."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain

import numpy as np
from numpy.typing import ArrayLike

from tandemvote.auditing import Findings
from tandemvote.record.assumptions import GROUPS
from tandemvote.record.document import OBSERVED_ABOVE_BOUND, Document, Group, Grouping, Record
from tandemvote.record.encodings import IntArray
from tandemvote.record.json_text import CertificateFileError, read_document, shortened
from tandemvote.verify.arithmetic import Arithmetic, Balls
from tandemvote.verify.averages import Quantities
from tandemvote.verify.measures import wrong_measure
from tandemvote.verify.possible_counts import impossible_counts
from tandemvote.verify.recount import recount
from tandemvote.verify.rules import RULES
from tandemvote.verify.truths import as_different_texts, wrong_value
from tandemvote.votes.confidence import MAX_DELTA
from tandemvote.votes.names import CLASS, DISAGREEMENT, PREDICTED, TEST_SET, VOTE_PROFILE
from tandemvote.votes.votes import Votes

DELTA_ROUNDING = Fraction(1, 10**12)
"""Largest relative difference of a group's part of delta from the exact one."""


@dataclass(frozen=True)
class Verdict:
    """The result of checking a certificate file.

    Attributes
    ----------
    document : Document
        What the file holds.
    problem : str or None
        The first thing that is wrong, in words; None if everything holds.
    unchecked : tuple of str
        What the file states about groups and nothing that was given could check.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from tandemvote import Votes, certify
    >>> certificate = certify(Votes.from_predictions([[0, 1] * 200], [0, 1] * 200))
    >>> with TemporaryDirectory() as folder:
    ...     verdict = verify_file(certificate.save(f"{folder}/certificate.json"))
    >>> verdict.valid, verdict.problem
    (True, None)
    """

    document: Document
    problem: str | None
    unchecked: tuple[str, ...] = ()

    @property
    def valid(self) -> bool:
        """True if everything holds."""
        return self.problem is None


def verify_file(
    path: str | os.PathLike[str] | Document,
    *,
    rigorous: bool = False,
    votes: Votes | None = None,
    unlabeled: ArrayLike | None = None,
    columns: Mapping[str, Sequence[str]] | None = None,
) -> Verdict:
    """Check a certificate file with the verifier's own formulas.

    Every number must follow from the counts, weights and priors in the file. The assumptions are
    not checked, since no file can prove them. The counts are checked against the `votes` and
    `unlabeled` predictions that are given.

    Parameters
    ----------
    path : path or Document
        The file, or what was read from it.
    rigorous : bool, default=False
        Calculate with balls (requires python-flint), so that each stated value provably covers the
        true one. Otherwise calculate in floating point, to 1e-9.
    votes : Votes, default=None
        The labeled votes, to be counted again.
    unlabeled : array_like of shape (n_voters, n_samples), default=None
        Predictions on the unlabeled samples, to be counted again; the deployed classifier last.
    columns : mapping of str to sequence of str, default=None
        Values that the samples are grouped by, apart from classes. Missing values are empty.

    Returns
    -------
    Verdict
        Whether everything holds, and the first problem if something does not.

    Raises
    ------
    CertificateFileError
        If the file cannot be read as a certificate, or takes too long to verify.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from tandemvote import Votes, certify
    >>> votes = Votes.from_predictions([[0, 1] * 200], [0, 1] * 200)
    >>> others = Votes.from_predictions([[0, 1] * 200], [0, 1] * 199 + [1, 1])
    >>> with TemporaryDirectory() as folder:
    ...     path = certify(votes).save(f"{folder}/certificate.json")
    ...     verify_file(path, votes=others).problem
    'the numbers of common errors differ: 0 in the file and 1 in the votes'
    """
    document = path if isinstance(path, Document) else Document.from_json(read_document(path))
    for name in chain(*(record.candidates for record in document.certificates)):
        if name not in RULES:
            known = ", ".join(RULES)
            raise CertificateFileError(
                f"The verifier has no rule for the bound {shortened(name)}, so it cannot recompute"
                f" the value. It has rules for {known}."
            )
    n_voters, columns = sum(each.n_voters for each in document.certificates), columns or {}
    arithmetic = Balls(n_voters) if rigorous else Arithmetic(n_voters)
    with arithmetic.context():
        problems = chain(
            _problems(document, arithmetic), recount(document, votes, unlabeled, columns)
        )
        problem = next(problems, None)
    unchecked = tuple(
        f"whether {each.by[:40]!r} has other values than the {len(each.labels)} in the file"
        for each in document.groupings
        if each.by not in {*columns, CLASS, PREDICTED}
    )
    return Verdict(document, problem, unchecked)


def _problems(document: Document, arithmetic: Arithmetic) -> Iterator[str]:
    """List what is wrong with a file by itself; each check may rely on those before it."""
    whole = document.whole
    for text in whole.standard_assumptions():
        if text not in whole.assumptions:
            yield f"the assumptions lack one that the certificate rests on: {text!r}"
    yield from _wrong_record(whole, arithmetic, Fraction(whole.delta))
    if len({each.by for each in document.groupings}) < len(document.groupings):
        yield "a grouping is stated twice"
    for grouping in document.groupings:
        yield from _wrong_grouping(document, grouping)
    for group, record in document.groups:
        problems = _wrong_group(document, group, record, arithmetic)
        yield from (f"on {group.samples}: {problem}" for problem in problems)
    tests = {(group.by, group.label): record.test for group, record in document.groups}
    for label in whole.classes:
        seen = [test for by in (CLASS, PREDICTED) if (test := tests.get((by, label)))]
        if len({test.n_samples - test.n_errors for test in seen}) > 1:
            yield f"the groups by class and by predicted class differ in the hits of {label!r:.40}"
    if document.digest != document.expected_digest:
        yield "the digest does not match: words or counts were changed after the file was written"


def _wrong_record(record: Record, arithmetic: Arithmetic, delta: Fraction) -> Iterator[str]:
    """List what is wrong with one certificate, whose exact failure probability is `delta`."""
    yield from _wrong_weights(record)
    if not 0 < record.delta <= MAX_DELTA:
        yield f"delta is {record.delta:g}; expected more than 0 and at most {MAX_DELTA}"
    yield from _inapplicable(record)
    yield from _wrong_totals(record)
    yield from impossible_counts(record)
    seen = Quantities(record, arithmetic)
    if record.measure is not None:
        yield from wrong_measure(seen, delta)
    else:
        share = delta / len(record.candidates)  # exactly, not as rounded
        for name, value in record.candidates.items():
            truth = RULES[name](seen, share)
            yield from wrong_value(f"the {name} bound", Fraction(value), truth, arithmetic)
    yield from _wrong_value(record)
    for each in Findings(record.findings).errors:
        yield f"the finding {each.code[:40]!r} is an error that nobody overrode"


def _wrong_weights(record: Record) -> Iterator[str]:
    """List weights that are negative, do not sum to 1, or are positive where the prior is 0."""
    for name, weights in (("weights", record.weights), ("prior", record.prior)):
        voter = int(weights.argmin())
        if weights[voter] < 0:
            yield f"the {name} are {weights[voter]} at voter {voter}, below 0"
        total = sum(map(Fraction, weights), Fraction(0))
        if abs(total - 1) > 1e-9:
            shown, _ = as_different_texts(total, Fraction(1))
            yield f"the {name} sum to {shown}, not to 1"
    for voter, (weight, before) in enumerate(zip(record.weights, record.prior, strict=True)):
        if weight > 0 and before == 0:
            yield f"voter {voter} has weight {weight:.3g} but prior 0, so no bound exists"


def _inapplicable(record: Record) -> Iterator[str]:
    """List bounds that do not fit the classes, the voters or the counts."""
    names, n_classes = set(record.candidates), len(record.classes)
    if record.fitted == DISAGREEMENT and n_classes > 2:
        yield f"weights are fitted for two classes only; there are {n_classes}"
    if record.measure is None and record.metric != "error":
        yield f"the counts of {record.metric} are missing"
    if record.deployed is not None and names != {VOTE_PROFILE}:
        yield "bounds other than vote_profile are not about the deployed classifier"
    if VOTE_PROFILE in names and record.profile is None:
        yield "the vote_profile bound requires a profile"
    if (TEST_SET in names) != (record.test is not None):
        yield "the test_set bound requires the counts of a test set, and these require the bound"
    if TEST_SET in names and record.fitted is not None:
        yield "the test_set bound requires weights that were not fitted"
    if record.has_referee and names != {TEST_SET}:
        yield "bounds other than test_set are not about a vote whose ties a referee breaks"


def _wrong_totals(record: Record) -> Iterator[str]:
    """List numbers of samples, and of errors on them, that contradict each other."""
    n, seen, test = record.n_samples, record.voted, record.test
    largest = int(record.counts.overlaps.max())
    if test is not None and test.n_samples != n:
        yield f"the vote is tested on {test.n_samples} of {n} samples"
    if largest > n:
        yield f"{largest} of {n} samples are held out"
    for what, each in (("observed", seen), ("test", test)):
        if each is not None and not each.n_errors <= each.n_samples <= n:
            yield f"the {what} errors are {each.n_errors} on {each.n_samples} of {n} samples"
    # A referee can only add errors: ties of the true class count as errors.
    more = seen and test and (seen.n_errors > test.n_errors if record.has_referee else seen != test)
    if seen and test and (more or seen.n_samples != test.n_samples):
        yield (
            f"the observed errors are {seen.n_errors} on {seen.n_samples} samples, and the test"
            f" errors {test.n_errors} on {test.n_samples}"
        )


def _wrong_value(record: Record) -> Iterator[str]:
    """List what does not follow from the candidates and the metric, or lacks its finding.

    An observed error above the value requires the finding that reports it.
    """
    for name, stated in record.stated.items():
        if stated != (true := getattr(record, name)):
            yield f"the {name} is stated as {stated!r:.40}, but it is {true!r}"
    value, seen, codes = record.value, record.voted, [each.code for each in record.findings]
    error = seen.n_errors / max(seen.n_samples, 1) if seen and record.measure is None else 0.0
    if error > value and OBSERVED_ABOVE_BOUND not in codes:
        yield f"the observed error is above the bound; no finding {OBSERVED_ABOVE_BOUND} says so"


def _wrong_grouping(document: Document, grouping: Grouping) -> Iterator[str]:
    """List what is wrong with the groups of one grouping taken together."""
    whole, by = document.whole, grouping.by[:40]
    members = [record for group, record in document.groups if group.by == grouping.by]
    labels = [(type(label), label) for label in grouping.labels]
    if not labels or len(set(labels)) < len(labels):
        yield f"the grouping by {by!r} lists no label, or one twice"
    if grouping.by in (CLASS, PREDICTED) and {*labels} != {
        (type(label), label) for label in whole.classes
    }:
        yield f"the grouping by {by!r} does not list the classes of the file"
    if grouping.by == PREDICTED and (TEST_SET not in whole.candidates or whole.has_referee):
        yield "groups by predicted class require a test of the vote itself"
    if len(members) < len(labels):
        yield f"the grouping by {by!r} lists {len(labels)} groups; {len(members)} are certified"
    if any(_differing(each, whole, "weights", "classes") for each in members):
        return  # which is found with the group
    for name, total in _additive(whole).items():  # every sample is in one group
        parts = sum((_additive(each).get(name, 0 * total) for each in members), 0 * total)
        if (parts != total).any():
            more = "more" if (parts > total).any() else "fewer"
            yield f"the groups by {by!r} have {more} {name} than all samples"


def _differing(one: Record, other: Record, *names: str) -> list[str]:
    pairs = ((name, getattr(one, name), getattr(other, name)) for name in names)
    return [name for name, own, theirs in pairs if not np.array_equal(own, theirs)]


def _additive(record: Record) -> dict[str, IntArray]:
    """Return what disjoint groups of samples add up to."""
    return record.totals | {f"common {name}": each for name, each in record.shared.items()}


def _wrong_group(
    document: Document, group: Group, record: Record, arithmetic: Arithmetic
) -> Iterator[str]:
    """List where a group differs from the whole in its vote or bound, or lacks its share of delta.

    A group that is not listed, or stated twice, could be the luckiest of many.
    """
    whole = document.whole
    labels = [label for each in document.groupings if each.by == group.by for label in each.labels]
    if (type(group.label), group.label) not in [(type(label), label) for label in labels]:
        yield "the group is not listed among the groups that share delta"
    if [each.group for each in document.certificates].count(group) > 1:
        yield "the group is stated twice"
    same = ("weights", "prior", "fitted", "members", "classes", "deployed", "ties")
    for name in _differing(record, whole, *same, "published", "one_row_per_group", "latest"):
        yield f"its {name} differ from those of the certificate on all samples"
    if record.candidates.keys() != whole.candidates.keys() or VOTE_PROFILE in record.candidates:
        yield "its candidates are not those of the certificate on all samples"
    if record.profile is not None or record.counts.unlabeled_disagreements.any():
        yield "unlabeled samples belong to no group"
    due = Fraction(whole.delta) / len(document.groupings) / len(labels)
    if abs(Fraction(record.delta) - due) > DELTA_ROUNDING * due:
        yield f"its delta is {record.delta:g}; its share is {float(due):g}"
    for text in {*whole.assumptions, GROUPS} - {*record.assumptions}:
        yield f"its assumptions lack one that the certificate rests on: {text!r}"
    if group.by in (CLASS, PREDICTED):
        own = record.class_counts[record.classes.index(group.label)]
        yield from _wrong_class(group, record, own)
    yield from _wrong_record(record, arithmetic, due)


def _wrong_class(group: Group, record: Record, own: int) -> Iterator[str]:
    """List what is wrong with a group by class, which counts `own` samples of its class."""
    if group.by == CLASS and record.n_samples != own:
        yield "some of its samples are of another class"
    seen = record.test
    if group.by == PREDICTED and seen is not None and seen.n_samples - seen.n_errors != own:
        yield "its correct predictions are not its samples of the predicted class"
