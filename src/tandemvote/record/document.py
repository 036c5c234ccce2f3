"""The file of certificates, version 1: its one definition, with the form checked and nothing more.

A file is JSON. Each field of a record is read and written by its type, or by the kind it is
annotated with; `json_schema` describes them all. Whether the numbers follow from the counts is
checked by `tandemvote.verify`, with formulas of its own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple

import numpy as np

from tandemvote.auditing import SEVERITIES, Finding
from tandemvote.metrics.metric import AT_LEAST, AT_MOST, METRICS
from tandemvote.record import encodings as kinds
from tandemvote.record.assumptions import standard_assumptions
from tandemvote.record.encodings import MAX_SAMPLES, FloatArray, IntArray
from tandemvote.record.json_text import CertificateFileError, canonical, shortened
from tandemvote.votes.decimals import rounded_down, rounded_up
from tandemvote.votes.names import GIVEN, MINIMIZABLE, TEST_SET
from tandemvote.votes.pair_counts import PairCounts
from tandemvote.votes.profile import Shares
from tandemvote.votes.votes import REFEREE, TIES

SCHEMA = "tandemvote/certificates/1"

SIZES = ("overlaps", "disagreement_overlaps")

OBSERVED_ABOVE_BOUND = "observed_above_bound"
"""Code of the finding that every certificate has whose observed error exceeds its bound."""

FITTED = (*MINIMIZABLE, GIVEN)
"""Kinds of fitted weights: the bound that they minimize, or given ones of any origin."""

MAX_VOTERS = 5000
"""Above it one pair matrix alone takes more than 200 MB."""

MAX_SIZES = 10**6
"""Distinct numbers of samples that pairs share: the verifier keeps an exact fraction for each."""

MAX_PROFILE = 5 * 10**5
"""Unlabeled samples whose profile a file may hold: checking takes a logarithm for each."""

MAX_RECORDS = 1001

MAX_PAIRS = 2**25
"""Pairs of voters in all certificates together, each of which is checked by itself."""

Count = Annotated[int, kinds.integer(0, MAX_SAMPLES)]
Label = Annotated[Any, kinds.LABEL]
StatedFinding = Annotated[Finding, kinds.record(Finding, severity=kinds.one_of(*SEVERITIES))]


class ErrorCount(NamedTuple):
    """A number of errors, and of the samples on which they could have occurred."""

    n_errors: Count
    n_samples: Count


@dataclass(frozen=True, kw_only=True)
class Group:
    """The samples whose value `by` something is `label`, or is missing if the label is None."""

    by: str
    label: Label | None

    @property
    def samples(self) -> str:
        """The samples in words."""
        by = self.by[:40] if self.by.replace(" ", "_").isidentifier() else shortened(self.by)
        if self.label is None:
            return f"the samples where {by} is missing"
        label = repr(self.label) if isinstance(self.label, float) else shortened(self.label)
        return f"the samples where {by} = {label}"


@dataclass(frozen=True, kw_only=True)
class Grouping:
    """One way to group the samples, with all labels that share its part of delta."""

    by: str
    labels: tuple[Label | None, ...]


@dataclass(frozen=True, kw_only=True)
class Measure:
    """Counts from which a metric other than the error bound is computed.

    Each of the `tests` is a binomial rate: one of the class `positive`, one per class if that is
    None, or one per distinct cost above the smallest. `costs` is the matrix by rows: true classes,
    then predicted classes. With a referee, every class in first place counts as predicted.
    `observed` has the same counts for the vote of the voters alone. `other` is the limit on the
    other side; then each side has half of delta.
    """

    positive: Label | None
    costs: tuple[float, ...]
    tests: tuple[ErrorCount, ...]
    observed: tuple[ErrorCount, ...]
    other: float | None


COUNTS = kinds.matrices(PairCounts, n_voters=kinds.integer(1, MAX_VOTERS))
PROFILE = kinds.by_rows(Shares, n_samples=kinds.integer(1, MAX_PROFILE))


@dataclass(frozen=True, eq=False, kw_only=True)
class Record:
    """One certificate: the fields of the file, from which everything else follows.

    The bound is the smallest of the `candidates`, values by name, each at an equal share of
    `delta`. If `ties` is "referee", a classifier that is not among the voters breaks ties.
    `class_counts` are the labeled samples of each class, `voted` the errors of the vote on samples
    that some voter was tested on ("observed" in the file), `test` those that count in the test-set
    bound. `fitted` is one of `FITTED`, None if the weights were fixed. `members` is a digest of the
    tested models, `n_trees` the number of trees of each, `latest` the time of the first test
    samples if these are the latest. The `profile` is about the vote, or about the `deployed`
    classifier that is certified. A file also states what follows, as `FOLLOWING` lists it; what was
    read is in `stated`.
    """

    metric: Annotated[str, kinds.one_of(*METRICS)] = "error"
    delta: float
    candidates: Mapping[str, float]
    published: bool
    deployed: str | None
    ties: Annotated[str, kinds.one_of(*TIES)]
    members: Annotated[str | None, kinds.optional(kinds.DIGEST)] = None
    n_trees: Count | None = None
    one_row_per_group: bool
    latest: str | None
    group: Group | None = None
    measure: Measure | None = None
    class_counts: tuple[Count, ...]
    voted: ErrorCount | None
    test: ErrorCount | None
    weights: Annotated[FloatArray, kinds.FLOATS]
    fitted: Annotated[str | None, kinds.optional(kinds.one_of(*FITTED))]
    prior: Annotated[FloatArray, kinds.FLOATS]
    classes: tuple[Label, ...]
    findings: tuple[StatedFinding, ...]
    assumptions: tuple[str, ...]
    profile: Annotated[Shares | None, kinds.optional(PROFILE)]
    counts: Annotated[PairCounts, COUNTS]
    stated: Mapping[str, Any] = field(default_factory=dict)

    @property
    def bound(self) -> str:
        """Name of the smallest candidate."""
        return min(self.candidates, key=self.candidates.__getitem__)

    @property
    def value(self) -> float:
        """The smallest candidate."""
        return self.candidates[self.bound]

    @property
    def printed(self) -> str:
        """The value rounded to the safe side."""
        return (rounded_up if self.direction == AT_MOST else rounded_down)(self.value)

    @property
    def direction(self) -> str:
        """The side from which the metric is bounded."""
        return METRICS[self.metric].direction

    @property
    def n_voters(self) -> int:
        """Number of voters."""
        return len(self.weights)

    @property
    def n_samples(self) -> int:
        """Number of labeled samples."""
        return sum(self.class_counts)

    @property
    def has_referee(self) -> bool:
        """True if a referee breaks ties."""
        return self.ties == REFEREE

    @property
    def n_unlabeled(self) -> int:
        """Number of unlabeled samples that are counted."""
        return int((self.counts.disagreement_overlaps - self.counts.overlaps)[0, 0])

    @property
    def shared(self) -> dict[str, IntArray]:
        """Numbers of labeled samples that two voters have in common, by what they have there."""
        held_out, errors = self.counts.overlaps, self.counts.tandem_errors
        differ = self.counts.disagreements - self.counts.unlabeled_disagreements
        return {
            "held-out samples": held_out,
            "errors": errors,
            "correct predictions": held_out - errors - self.counts.lone_errors,
            "equal predictions": held_out - differ,
        }

    @property
    def unlabeled_agreements(self) -> IntArray:
        """Numbers of unlabeled samples on which two voters predict the same class."""
        return self.n_unlabeled - self.counts.unlabeled_disagreements

    @property
    def totals(self) -> dict[str, IntArray]:
        """Numbers of labeled samples, apart from those that voters share."""
        stated = {
            "samples by class": self.class_counts,
            "errors and samples of the vote": self.voted,
            "test errors": self.test and (self.test.n_errors,),
        }
        return {name: np.array(each) for name, each in stated.items() if each is not None}

    def standard_assumptions(self, *, drawn: bool = False) -> tuple[str, ...]:
        """List what it rests on, and draws of test samples, which a file does not show."""
        return standard_assumptions(
            profile=self.profile is not None,
            test_set=TEST_SET in self.candidates,
            deployed=self.deployed is not None,
            referee=self.has_referee,
            one_row_per_group=self.one_row_per_group,
            drawn=drawn or self.one_row_per_group or self.profile is not None,
            split=bool((self.counts.overlaps < self.n_samples).any()),
            latest=self.latest is not None,
            one_voter=self.n_voters == 1,
            measure=self.measure is not None,
        )


FOLLOWING = {
    "direction": kinds.one_of(AT_MOST, AT_LEAST),
    "value": kinds.FLOAT,
    "printed": kinds.TEXT,
    "bound": kinds.TEXT,
}
"""Fields of a file that follow from others: properties of a record."""


def _record_kind() -> kinds.Kind:
    """Read fields and what follows from them. "observed" is the name of a property in Python."""
    own = kinds.kinds_of(Record)
    del own["stated"]
    form = kinds.fields(**FOLLOWING, **own | {"observed": own.pop("voted")})

    def read(value: Any, place: str) -> Record:
        found = form.read(value, place)
        stated = {name: found.pop(name) for name in FOLLOWING}
        return Record(voted=found.pop("observed"), **found, stated=stated)

    def write(record: Record) -> dict[str, Any]:
        values = kinds.attributes(record, [*FOLLOWING, *kinds.kinds_of(Record)])
        return dict(form.write(values | {"observed": record.voted}))

    return kinds.Kind(read, form.schema, write)


@dataclass(frozen=True, eq=False, kw_only=True)
class Document:
    """A file: a certificate, and certificates of groups of its samples.

    The first certificate is about all samples. `groupings` list what the others were chosen from.
    `expected_digest` is the digest of everything else in the file.
    """

    schema: Annotated[str, kinds.one_of(SCHEMA)] = SCHEMA
    versions: Mapping[str, str]
    groupings: tuple[Grouping, ...]
    certificates: Annotated[tuple[Record, ...], kinds.many(_record_kind())]
    digest: str = ""
    expected_digest: str = ""

    @property
    def whole(self) -> Record:
        """The certificate about all samples."""
        return self.certificates[0]

    @property
    def groups(self) -> list[tuple[Group, Record]]:
        """The certificates of groups, each with its group."""
        return [(each.group, each) for each in self.certificates if each.group is not None]

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> Document:
        """Check the form of a parsed file."""
        FORM["schema"].read(document.get("schema"), "schema")
        _check_size(document)
        stated = kinds.fields(**FORM).read(document, "")
        if not stated["certificates"]:
            raise CertificateFileError("certificates is empty; expected at least one certificate.")
        for number, record in enumerate(stated["certificates"]):
            for problem in _wrong_form(record, first=number == 0):
                raise CertificateFileError(f"certificates[{number}]{problem}.")
        return cls(**stated, expected_digest=digest_of(document))

    def to_json(self) -> dict[str, Any]:
        """Return what the file holds; raise an error for labels that it cannot hold."""
        document = {
            name: kind.write(getattr(self, name)) for name, kind in FORM.items() if name != "digest"
        }
        return {**document, "digest": digest_of(document)}


def _check_size(document: dict[str, Any]) -> None:
    """Raise an error before certificates are unpacked that together take too much memory."""
    try:
        records = [*document["certificates"]]
        sizes = [int(each["counts"]["n_voters"]) for each in records]
        profiles = [each["profile"] for each in records[1:]]
    except (KeyError, TypeError, ValueError) as error:
        raise CertificateFileError("The certificates, or parts of them, are missing.") from error
    if len(records) > MAX_RECORDS or sum(n * (n + 1) // 2 for n in sizes) > MAX_PAIRS:
        raise CertificateFileError(
            f"The file has more than {MAX_RECORDS} certificates, or more than {MAX_PAIRS} pairs of"
            " voters in all. Certify fewer groups, or fewer voters."
        )
    if any(each is not None for each in profiles):
        raise CertificateFileError("A certificate of a group has a profile; expected null.")


def _wrong_form(record: Record, *, first: bool) -> Iterator[str]:
    """List what is wrong with the parts of a record taken together."""
    n_voters, n_classes = len(record.counts.overlaps), len(record.classes)
    for name, expected in (("weights", n_voters), ("prior", n_voters), ("class_counts", n_classes)):
        if len(given := getattr(record, name)) != expected:
            yield f".{name} has {len(given)} numbers; expected {expected}"
    if not record.candidates or len({*map(type, record.classes)}) != 1:
        yield " has no candidates, no classes, or classes of several kinds"
    if (record.group is None) != first:
        yield ".group does not fit: only the first certificate of a file is about all samples"
    if max(int(counts.max()) for counts in vars(record.counts).values()) > MAX_SAMPLES:
        yield f".counts has more than {MAX_SAMPLES} samples"
    if max(np.unique(getattr(record.counts, name)).size for name in SIZES) > MAX_SIZES:
        yield f".counts has more than {MAX_SIZES} different numbers of common samples"


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of certificate files, generated from their definition."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Certificate file of tandemvote, version 1",
        **kinds.fields(**FORM).schema,
    }


FORM = kinds.kinds_of(Document)
del FORM["expected_digest"]  # which is computed


def digest_of(document: dict[str, Any]) -> str:
    """Return the SHA-256 of the canonical JSON of everything but the digest itself."""
    rest = {key: value for key, value in document.items() if key != "digest"}
    return f"sha256:{hashlib.sha256(canonical(rest).encode('utf-8')).hexdigest()}"
