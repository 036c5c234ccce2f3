"""The file of certificates, version 1: its one definition, with the form checked and nothing more.

A file is JSON. Each field of a record is read and written by its type, or by the kind it is
annotated with. Whether the numbers follow from the counts is checked by the rest of
`tandemvote.verify`, with formulas of its own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from tandemvote.assumptions import missing_assumptions
from tandemvote.auditing import SEVERITIES
from tandemvote.verify import fields as kinds
from tandemvote.verify.fields import MAX_SAMPLES, FloatArray, IntArray
from tandemvote.verify.json_text import CertificateFileError, canonical, shortened

SCHEMA = "tandemvote/certificates/1"

PAIR_COUNTS = (
    "tandem_errors",
    "overlaps",
    "lone_errors",
    "disagreements",
    "disagreement_overlaps",
    "unlabeled_disagreements",
)
SIZES = ("overlaps", "disagreement_overlaps")

HELD_OUT, ERRORS, CORRECT = "held-out samples", "errors", "correct predictions"
AGREEMENTS, UNLABELED = "equal predictions", "equal predictions of unlabeled samples"

CLASS, PREDICTED = "class", "predicted"
"""Groupings that need no column."""

PUBLISHED, SHARPENED = "published", "sharpened"
ROWS, ONE_ROW_PER_GROUP = "rows", "one row per group"
TEST_SET, VOTE_PROFILE, DISAGREEMENT = "test_set", "vote_profile", "disagreement"

METRICS = {
    "error": "at most",
    "accuracy": "at least",
    "recall": "at least",
    "precision": "at least",
    "f1": "at least",
    "specificity": "at least",
    "balanced_accuracy": "at least",
    "cost": "at most",
}
"""Metrics of the confusion matrix, and the side from which each is bounded."""


MAX_VOTERS = 5000
"""Above it one pair matrix alone takes more than 200 MB."""

MAX_SIZES = 10**6
"""Distinct numbers of samples that pairs share: the verifier keeps an exact fraction for each."""

MAX_PROFILE = 5 * 10**5
"""Unlabeled samples whose profile a file may hold: checking takes a logarithm for each."""

MAX_GROUPS = 1000

MAX_PAIRS = 2**25
"""Pairs of voters in all certificates together, each of which is checked by itself."""

FEWER = "Certify fewer groups, or fewer voters."

Decimals = Annotated[str, kinds.DECIMAL]
Count = Annotated[int, kinds.integer(0, MAX_SAMPLES)]
Texts = Annotated[Mapping[str, str], kinds.TEXTS_BY_NAME]


@dataclass(frozen=True, kw_only=True)
class StatedBound:
    """A candidate: its value, and how that is printed."""

    name: str
    value: float
    printed: Decimals


@dataclass(frozen=True, kw_only=True)
class StatedFinding:
    """What was found in the data, as `tandemvote.auditing.Finding`."""

    code: str
    severity: Annotated[str, kinds.one_of(*SEVERITIES)]
    message: str
    advice: str
    columns: tuple[str, ...]
    evidence: Texts
    overridden: bool


@dataclass(frozen=True, kw_only=True)
class StatedTest:
    """A number of errors, and of the samples on which they could have occurred."""

    n_errors: Count
    n_samples: Count


def _only(labels: tuple[Any, ...]) -> Any:
    if len(labels) != 1:
        kinds.reject(labels, "group.label", "one label")
    return labels[0]


LABEL = kinds.optional(kinds.converted(kinds.CLASSES, _only, lambda label: (label,)))


@dataclass(frozen=True, kw_only=True)
class Group:
    """The samples whose value `by` something is `label`, or is missing if the label is None."""

    by: str
    label: Annotated[Any, LABEL]

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
    labels: tuple[Annotated[Any, LABEL], ...]


@dataclass(frozen=True, kw_only=True)
class Measure:
    """What a metric other than the error bound is computed from.

    Each of the `tests` is a binomial rate: one of the class `positive`, one per class if that is
    None, or one per distinct cost above the smallest. `costs` is the matrix by rows: true classes,
    then predicted classes. With untested voters, a class counts as predicted if it can win.
    `observed` has the same counts for the vote of the tested voters. `other` is the limit on the
    other side; then each side has half of delta.
    """

    positive: Annotated[Any, LABEL]
    costs: tuple[float, ...]
    tests: tuple[StatedTest, ...]
    observed: tuple[StatedTest, ...]
    other: float | None


COUNTS = kinds.matrices(PAIR_COUNTS, n_voters=kinds.integer(1, MAX_VOTERS))
PROFILE = kinds.grouped(("leads", "gaps"), n_samples=kinds.integer(1, MAX_PROFILE))


@dataclass(frozen=True, eq=False, kw_only=True)
class CertificateRecord:
    """One certificate of a file.

    The bound is the smallest of the `candidates`, each at an equal share of `delta`. A voter
    without held-out samples is untested. `class_counts` are the labeled samples of each class,
    `observed` the errors of the vote on samples that some voter was tested on, `test` those that
    count in the test-set bound. `fitted` is the bound that the weights minimize, None if
    the weights were fixed. `members` is a digest of the tested models. The `profile` has, for every
    unlabeled sample, the share of the voters behind the vote, or behind the `deployed` classifier
    that the certificate is about ("leads"), and its lead over any other class ("gaps").
    """

    metric: Annotated[str, kinds.one_of(*METRICS)]
    direction: Annotated[str, kinds.one_of("at most", "at least")]
    value: float
    printed: Decimals
    bound: str
    delta: float
    candidates: tuple[StatedBound, ...]
    form: Annotated[str, kinds.one_of(SHARPENED, PUBLISHED)]
    deployed: str | None
    members: str | None
    sampling: Annotated[str, kinds.one_of(ROWS, ONE_ROW_PER_GROUP)]
    group: Group | None
    measure: Measure | None
    class_counts: tuple[Count, ...] | None
    observed: StatedTest | None
    test: StatedTest | None
    weights: tuple[float, ...]
    fitted: str | None
    prior: tuple[float, ...]
    classes: Annotated[tuple[Any, ...], kinds.CLASSES]
    findings: tuple[StatedFinding, ...]
    assumptions: tuple[str, ...]
    profile: Annotated[Mapping[str, FloatArray] | None, kinds.optional(PROFILE)]
    counts: Annotated[Mapping[str, IntArray], COUNTS]

    @property
    def n_voters(self) -> int:
        """Number of voters."""
        return len(self.weights)

    @property
    def n_samples(self) -> int | None:
        """Number of labeled samples, if it is known."""
        return None if self.class_counts is None else sum(self.class_counts)

    @property
    def untested(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Voters without held-out samples, where the others are tested together."""
        sizes = np.diag(self.counts["overlaps"])
        return np.asarray((sizes == 0) & sizes.any() & (TEST_SET in self.stated))

    @property
    def n_unlabeled(self) -> int:
        """Number of unlabeled samples that are counted."""
        return int((self.counts["disagreement_overlaps"] - self.counts["overlaps"])[0, 0])

    @property
    def shared(self) -> dict[str, IntArray]:
        """Numbers of common members of the sets that two voters have, by what the members are."""
        held_out, errors = self.counts["overlaps"], self.counts["tandem_errors"]
        differ = self.counts["unlabeled_disagreements"]
        return {
            HELD_OUT: held_out,
            ERRORS: errors,
            CORRECT: held_out - errors - self.counts["lone_errors"],
            AGREEMENTS: held_out - (self.counts["disagreements"] - differ),
            UNLABELED: self.n_unlabeled - differ,
        }

    @property
    def totals(self) -> dict[str, IntArray]:
        """Numbers of labeled samples, apart from those that voters share."""
        seen, test = self.observed, self.test
        stated = {
            "samples by class": self.class_counts,
            "errors and samples of the vote": seen and (seen.n_errors, seen.n_samples),
            "test errors": test and (test.n_errors,),
        }
        return {name: np.array(each) for name, each in stated.items() if each is not None}

    @property
    def stated(self) -> dict[str, StatedBound]:
        """The candidates by name."""
        return {each.name: each for each in self.candidates}

    @property
    def missing_assumptions(self) -> tuple[str, ...]:
        """Assumptions that the certificate rests on and does not list."""
        return missing_assumptions(
            self.assumptions,
            profile=self.profile is not None,
            test_set=TEST_SET in self.stated,
            deployed=self.deployed is not None,
            untested=bool(self.untested.any()),
            one_row_per_group=self.sampling == ONE_ROW_PER_GROUP,
            one_voter=self.n_voters == 1,
            measure=self.measure is not None,
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class Document:
    """A file: a certificate, and certificates of groups of its samples.

    The first certificate is about all samples. `groupings` list what the others were chosen from.
    `expected_digest` is the digest of everything else in the file.
    """

    schema: Annotated[str, kinds.one_of(SCHEMA)] = SCHEMA
    versions: Texts
    groupings: tuple[Grouping, ...]
    certificates: tuple[CertificateRecord, ...]
    digest: str = ""
    expected_digest: str = ""

    @property
    def whole(self) -> CertificateRecord:
        """The certificate about all samples."""
        return self.certificates[0]

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> Document:
        """Check the form of a parsed file."""
        _check_claims(document)
        stated = kinds.fields(**FORM).read(document, "")
        found = cls(**stated, expected_digest=digest_of(document))
        found._check_form()
        return found

    def to_json(self) -> dict[str, Any]:
        """Return what the file holds; raise an error for labels or sizes that it cannot hold."""
        self._check_form()
        document = {
            name: kind.write(getattr(self, name)) for name, kind in FORM.items() if name != "digest"
        }
        return {**document, "digest": digest_of(document)}

    def _check_form(self) -> None:
        if not self.certificates:
            raise CertificateFileError("certificates is empty; expected at least one certificate.")
        for number, each in enumerate(self.certificates):
            n_voters = len(each.counts["overlaps"])
            for name in ("weights", "prior"):
                if len(getattr(each, name)) != n_voters:
                    raise CertificateFileError(
                        f"certificates[{number}].{name} has {len(getattr(each, name))} numbers;"
                        f" expected {n_voters}, one per voter."
                    )
            if len(each.class_counts or each.classes) != len(each.classes):
                raise CertificateFileError(
                    f"certificates[{number}].class_counts has {len(each.class_counts or ())}"
                    f" numbers; expected {len(each.classes)}, one per class."
                )
            if not each.candidates or not each.classes or len(each.stated) < len(each.candidates):
                raise CertificateFileError(
                    f"certificates[{number}] has no candidates, one twice, or no classes."
                )
            if (each.group is None) != (number == 0):
                raise CertificateFileError(
                    f"certificates[{number}].group does not fit: the first certificate of a file is"
                    " about all samples, and every other one about a group of them."
                )
        self._check_sizes()

    def _check_sizes(self) -> None:
        n_voters, n_groups = self.whole.n_voters, len(self.certificates) - 1
        _check_groups(n_groups, n_voters * (n_voters + 1) // 2 * n_groups)
        counts = [matrix for each in self.certificates for matrix in each.counts.values()]
        sizes = [each.counts[name] for each in self.certificates for name in SIZES]
        profiles = [each.profile["leads"] for each in self.certificates if each.profile]
        for found, most, what, way_out in (
            (max(map(len, counts)), MAX_VOTERS, "voters", "Train fewer voters."),
            (max(int(n.max()) for n in counts), MAX_SAMPLES, "samples", "Use fewer samples."),
            (max(np.unique(n).size for n in sizes), MAX_SIZES, "distinct overlaps", FEWER),
            (max(map(len, profiles), default=0), MAX_PROFILE, "unlabeled samples", "Use fewer."),
        ):
            if found > most:
                raise CertificateFileError(
                    f"A certificate file holds up to {most} {what}; this one has {found}. {way_out}"
                )


def _check_claims(document: dict[str, Any]) -> None:
    """Raise an error before groups are unpacked that together take too much memory."""
    certificates = document.get("certificates")
    groups = certificates[1:] if isinstance(certificates, list) else []
    n_pairs = 0
    for number, each in enumerate(groups, 1):
        if not isinstance(each, dict) or not isinstance(each.get("counts"), dict):
            continue  # which is found when it is read
        if each.get("profile") is not None:
            raise CertificateFileError(f"certificates[{number}].profile is not null in a group.")
        n_voters = each["counts"].get("n_voters")
        n_pairs += n_voters * (n_voters + 1) // 2 if isinstance(n_voters, int) else 0
    _check_groups(len(groups), n_pairs)


def _check_groups(n_groups: int, n_pairs: int) -> None:
    for found, most, what in (
        (n_groups, MAX_GROUPS, "groups"),
        (n_pairs, MAX_PAIRS, "pairs of voters in all groups together"),
    ):
        if found > most:
            raise CertificateFileError(
                f"A certificate file holds up to {most} {what}; this one has {found}. {FEWER}"
            )


FORM = kinds.kinds_of(Document)
del FORM["expected_digest"]  # which is computed


def digest_of(document: dict[str, Any]) -> str:
    """Return the SHA-256 of the canonical JSON of everything but the digest itself."""
    rest = {key: value for key, value in document.items() if key != "digest"}
    return f"sha256:{hashlib.sha256(canonical(rest).encode('utf-8')).hexdigest()}"
