"""What a certificate file says, as numbers and words, with its form checked and nothing more.

A file is JSON of the published schema (``certificate.schema.json`` in this folder). Each field of
a record is read and written by its type or the kind it is annotated with. Whether the numbers
follow from the counts is not asked here: `tandemvote.verify` does, by formulas of its own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from tandemvote.assumptions import missing_assumptions
from tandemvote.certificate import file_fields as kinds
from tandemvote.certificate.file_fields import MAX_POINTS, FloatArray, IntArray
from tandemvote.certificate.file_text import CertificateFileError, canonical, shortened

SCHEMA = "tandemvote/certificate/4"

SECTIONS = {
    "guarantee": ("bound", "value", "printed"),
    "confidence": ("delta", "candidates", "share"),
}
"""Objects of a file whose fields are attributes of the record."""

PAIRS = ("tandem_errors", "overlaps", "lone_errors")
"""Counts of a group: predictions are right or wrong, so disagreements are lone errors."""

SIZES = ("overlaps", "disagreement_overlaps")
PAIR_COUNTS = (*PAIRS, "disagreements", "disagreement_overlaps", "unlabelled_disagreements")

MAX_VOTERS = 5000
"""Above it one pair matrix alone takes more than 200 MB."""

MAX_SIZES = 10**6
"""Different numbers of points pairs may share: a checker keeps an exact fraction for each."""

MAX_PROFILE = 5 * 10**5
"""Unlabelled points whose profile a file may hold: checking takes a logarithm for each."""

MAX_GROUPS = 1000

MAX_PAIRS = 2**25
"""Pairs of voters in all groups together, each of which is checked by itself."""


Printed = Annotated[str, kinds.DECIMAL]


@dataclass(frozen=True, kw_only=True)
class StatedBound:
    """One bound as a file states it: its value, how that is printed, and the delta it was given."""

    value: float
    printed: Printed
    delta: float


def _bounds_by_name(stated: tuple[dict[str, Any], ...]) -> dict[str, StatedBound]:
    bounds: dict[str, StatedBound] = {}
    for part in stated:
        name = part.pop("name")
        if name in bounds:
            raise CertificateFileError(f"The bound {shortened(name)} is stated twice.")
        bounds[name] = StatedBound(**part)
    return bounds


BOUNDS = kinds.converted(
    kinds.many(kinds.fields(name=kinds.TEXT, **kinds.kinds_of(StatedBound))),
    _bounds_by_name,
    lambda bounds: [{"name": name, **vars(stated)} for name, stated in bounds.items()],
)
Bounds = Annotated[Mapping[str, StatedBound], BOUNDS]

COUNT = kinds.integer(0, MAX_POINTS)
TESTED = kinds.optional(kinds.pair(n_errors=COUNT, n_samples=COUNT))
Tested = Annotated[tuple[int, int] | None, TESTED]
"""Errors and points, where the vote itself was tested."""


def _only(labels: tuple[Any, ...]) -> Any:
    if len(labels) != 1:
        kinds.refuse(labels, "groups.members.label", "one label")
    return labels[0]


LABEL = kinds.optional(kinds.converted(kinds.CLASSES, _only, lambda label: (label,)))
PACKED_PAIRS = kinds.optional(kinds.fields(**dict.fromkeys(PAIRS, kinds.TEXT)))


@dataclass(frozen=True, eq=False, kw_only=True)
class GroupRecord:
    """What a file says about the points of one group.

    They have the `label`, or lack one if it is None, in what they are grouped `by`. Their counts
    stay packed until they are needed: there may be many.
    """

    by: str
    label: Annotated[Any, LABEL]
    n_points: Annotated[int, COUNT]
    bounds: Bounds
    test: Tested
    counts: Annotated[Mapping[str, str] | None, PACKED_PAIRS]

    @property
    def points(self) -> str:
        """Which points this is about."""
        plain = self.by.replace(" ", "_").isidentifier()
        by = self.by[:40] if plain else shortened(self.by)
        if self.label is None:
            return f"the points where {by} is missing"
        label = repr(self.label) if isinstance(self.label, float) else shortened(self.label)
        return f"the points where {by} = {label}"

    @property
    def printed(self) -> str | None:
        """The smallest upper limit of the error as it is printed, None if that says nothing."""
        best = min(self.bounds.values(), key=lambda stated: stated.value, default=None)
        return None if best is None or best.value >= 1.0 else best.printed

    def unpacked(self, n_voters: int) -> dict[str, IntArray]:
        """Return the matrices in `PAIRS`."""
        packed, place = (self.counts or {}).items(), "groups.members.counts"
        return {
            name: kinds.unpack_matrix(text, n_voters, f"{place}.{name}") for name, text in packed
        }


@dataclass(frozen=True, eq=False, kw_only=True)
class GroupsRecord:
    """What a file says about groups, all at once with its failure probability.

    That was divided among `n_groups`, of which some may not be in the file; `n_samples` are the
    labelled points in these groups or not.
    """

    n_groups: Annotated[int, kinds.integer(1, MAX_GROUPS)]
    n_samples: Annotated[int, kinds.integer(1, MAX_POINTS)]
    candidates: tuple[str, ...]
    members: tuple[GroupRecord, ...]


COUNTS = kinds.arrays(PAIR_COUNTS, kinds.MATRIX, n_voters=kinds.integer(1, MAX_VOTERS))
PROFILE = kinds.arrays(("leads", "gaps"), kinds.VECTOR, n_points=kinds.integer(1, MAX_PROFILE))


@dataclass(frozen=True, eq=False, kw_only=True)
class CertificateRecord:
    """Everything a certificate file says.

    The guarantee is the `value` of a `bound`, the smallest of the `candidates`, each of which has
    its `share` of delta. `counts` are the matrices in `PAIR_COUNTS`. The `profile` has, for every
    unlabelled point, the share of the voters behind the vote, or behind the `deployed` classifier
    that the guarantee is about ("leads"), and its lead over any other label ("gaps"). A voter
    without held-out samples is untested; `one_row_per_group` is the sampling unit of all samples.
    `expected_digest` is that of the rest of the file.
    """

    schema: Annotated[str, kinds.one_of(SCHEMA)] = SCHEMA
    bound: str
    value: float
    printed: Printed
    delta: float
    candidates: tuple[str, ...]
    share: float
    sharpening: Annotated[str, kinds.one_of("harmonic", "paper")]
    bounds: Bounds
    attestations: tuple[str, ...]
    notes: tuple[str, ...]
    classes: Annotated[tuple[Any, ...], kinds.CLASSES]
    profile: Annotated[Mapping[str, FloatArray] | None, kinds.optional(PROFILE)]
    deployed: str | None
    test: Tested
    one_row_per_group: bool
    groups: GroupsRecord | None
    versions: Annotated[Mapping[str, str], kinds.TEXTS_BY_NAME]
    weights: tuple[float, ...]
    prior: tuple[float, ...]
    counts: Annotated[Mapping[str, IntArray], COUNTS]
    digest: str = ""
    expected_digest: str = ""

    @property
    def n_voters(self) -> int:
        """Number of voters."""
        return len(self.weights)

    @property
    def missing_attestations(self) -> tuple[str, ...]:
        """What the certificate rests on and its attestations do not say."""
        return missing_assumptions(
            self.attestations,
            profile=self.profile is not None,
            test_set=self.test is not None,
            deployed=self.deployed is not None,
            by_group=self.groups is not None,
            untested=bool((np.diag(self.counts["overlaps"]) == 0).any()),
            one_row_per_group=self.one_row_per_group,
            one_voter=self.n_voters == 1,
        )

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> CertificateRecord:
        """Check the form of a parsed file, and refuse it if a part is missing, unknown or wrong."""
        said = kinds.fields(**FORM).read(document, "")
        n_voters = len(said["counts"]["overlaps"])
        for name in ("weights", "prior"):
            if len(said[name]) != n_voters:
                raise CertificateFileError(
                    f"{name} is a list of {len(said[name])} numbers, not of {n_voters}, one for"
                    " each voter."
                )
        for section in SECTIONS:
            said |= said.pop(section)
        if not said["candidates"] or not said["classes"]:
            raise CertificateFileError("confidence.candidates or classes.labels is empty.")
        record = cls(**said, expected_digest=digest_of(document))
        record._refuse_too_large()
        return record

    def to_document(self) -> dict[str, Any]:
        """Return what the file holds; refuse what is too large for one, or labels unfit for it."""
        self._refuse_too_large()
        said = {**vars(self), **dict.fromkeys(SECTIONS, vars(self))}
        document = {n: kind.write(said[n]) for n, kind in FORM.items() if n != "digest"}
        return {**document, "digest": digest_of(document)}

    def _refuse_too_large(self) -> None:
        members = () if self.groups is None else self.groups.members
        n_pairs = self.n_voters * (self.n_voters + 1) // 2
        n_pairs *= sum(each.counts is not None for each in members)
        n_profile = 0 if self.profile is None else len(self.profile["leads"])
        n_sizes = max(np.unique(self.counts[name]).size for name in SIZES)
        fewer = "Certify fewer groups, or on points that no voter saw, which needs no pairs."
        alike = "Train fewer voters, or hold out the same points for all of them."
        for found, most, what, way_out in (
            (self.n_voters, MAX_VOTERS, "voters", "Train fewer voters."),
            (max(n.max() for n in self.counts.values()), MAX_POINTS, "points", "Take fewer."),
            (n_sizes, MAX_SIZES, "different numbers of points that two voters share", alike),
            (n_profile, MAX_PROFILE, "unlabelled points", "The bound hardly needs more."),
            (len(members), MAX_GROUPS, "groups", fewer),
            (n_pairs, MAX_PAIRS, "pairs of voters in all groups together", fewer),
        ):
            if found > most:
                raise CertificateFileError(
                    f"A certificate file holds up to {most} {what}; this one has {found}. {way_out}"
                )


def _form() -> dict[str, kinds.Kind]:
    """Return the kinds of all fields of a file."""
    form = kinds.kinds_of(CertificateRecord)
    del form["expected_digest"]  # which is computed
    sections = {
        section: kinds.fields(**{name: form.pop(name) for name in names})
        for section, names in SECTIONS.items()
    }
    return {"schema": form.pop("schema"), **sections, **form}


FORM = _form()


def digest_of(document: dict[str, Any]) -> str:
    """Return the SHA-256 of the canonical JSON of everything but the digest itself."""
    rest = {key: value for key, value in document.items() if key != "digest"}
    return f"sha256:{hashlib.sha256(canonical(rest).encode('utf-8')).hexdigest()}"
