"""What a certificate file says, as numbers and words, with its form checked and nothing more.

A file is JSON of the published schema (``certificate.schema.json`` in this folder). Whether its
numbers follow from its counts is not asked here: `tandemvote.verify` does, by formulas of its own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tandemvote.assumptions import missing_assumptions
from tandemvote.certificate.file_arrays import (
    FloatArray,
    IntArray,
    n_voters_of,
    pack_numbers,
    unpack,
    unpack_numbers,
)
from tandemvote.certificate.file_fields import (
    BOUNDS,
    CLASSES,
    DECIMAL,
    MAX_POINTS,
    NUMBER,
    TEST,
    TEXT,
    TEXTS_BY_NAME,
    Kind,
    StatedBound,
    converted,
    fields,
    integer,
    many,
    one_of,
    optional,
)
from tandemvote.certificate.file_groups import GROUPS, GroupsRecord
from tandemvote.certificate.file_text import CertificateFileError, canonical

SCHEMAS = tuple(f"tandemvote/certificate/{number}" for number in (1, 2, 3, 4))
"""Those that can be read. The first knew no assumption about test points, the first two no
classifier but the vote, and the first three no groups."""

SCHEMA = SCHEMAS[-1]
ADDED = {"deployed": SCHEMAS[2], "groups": SCHEMAS[3]}
"""Fields and the schemas that brought them."""

ENCODING = "base64(zlib(little-endian int64, lower triangle by rows))"
PROFILE_ENCODING = "base64(zlib(little-endian float64))"

PAIR_COUNTS = (
    "tandem_errors",
    "overlaps",
    "disagreements",
    "disagreement_overlaps",
    "lone_errors",
    "unlabelled_disagreements",
)

SIZES = ("overlaps", "disagreement_overlaps")

MAX_VOTERS = 5000
"""Above it one pair matrix alone takes more than 200 MB."""

MAX_SIZES = 10**6
"""Different numbers of points pairs may share: a checker keeps an exact fraction for each."""

MAX_PROFILE = 5 * 10**5
"""Unlabelled points whose profile a file may hold: checking takes a logarithm for each."""


@dataclass(frozen=True, eq=False, kw_only=True)
class CertificateRecord:
    """Everything a certificate file says.

    Attributes
    ----------
    bound, value, printed : str, float, str
        The guarantee: name of the bound, its value, and how that is printed.
    delta, share : float
        Failure probability of the certificate, and of each candidate.
    candidates : tuple of str
        Bounds among which the smallest counts.
    counts : mapping of str to ndarray of int64, shape (n_voters (n_voters + 1) / 2,)
        Lower triangles of the matrices in `PAIR_COUNTS`.
    profile : tuple of two ndarrays of float64, shape (n_points,), or None
        Share of the voters behind the vote, or the deployed classifier, at each unlabelled point,
        and its lead over any other.
    deployed : str or None
        Name of the classifier that the guarantee is about, if it is not the vote.
    test : tuple of int or None
        Errors and points of the test set, if there was one.
    groups : GroupsRecord or None
        What is said besides about groups of points.
    classes : tuple
        Labels: all text, all integers, all floats or all booleans.
    digest, expected_digest : str
        The digest in the file, and that of the rest of the file.
    """

    schema: str = SCHEMA
    bound: str
    value: float
    printed: str
    delta: float
    share: float
    candidates: tuple[str, ...]
    sharpening: str
    bounds: Mapping[str, StatedBound]
    weights: tuple[float, ...]
    prior: tuple[float, ...]
    counts: Mapping[str, IntArray]
    profile: tuple[FloatArray, FloatArray] | None
    deployed: str | None = None
    test: tuple[int, int] | None
    groups: GroupsRecord | None = None
    classes: tuple[Any, ...]
    attestations: tuple[str, ...]
    notes: tuple[str, ...]
    versions: Mapping[str, str]
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
            test_set=self.test is not None and self.schema != SCHEMAS[0],
            deployed=self.deployed is not None,
            by_group=self.groups is not None,
        )

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> CertificateRecord:
        """Check the form of a parsed file.

        Raises
        ------
        CertificateFileError
            If a part is missing, unknown or of the wrong kind.
        """
        said = fields(**_form(document.get("schema"))).read(document, "")
        n_voters = document["counts"]["n_voters"]
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
        if said.get("groups") is not None:
            said["groups"].refuse_too_many(n_voters)
        return cls(**said, expected_digest=digest_of(document))

    def to_document(self) -> dict[str, Any]:
        """Return what the file of this record holds.

        Raises
        ------
        ValueError
            If the record is larger than a file may be, or has labels that JSON cannot hold.
        """
        self._refuse_too_large()
        said = {**vars(self), **dict.fromkeys(SECTIONS, vars(self))}
        form = _form(self.schema)
        document = {n: kind.write(said[n]) for n, kind in form.items() if n != "digest"}
        return {**document, "digest": digest_of(document)}

    def _refuse_too_large(self) -> None:
        if self.groups is not None:
            self.groups.refuse_too_many(self.n_voters)
        largest = int(self.counts["disagreement_overlaps"].max())
        if self.n_voters > MAX_VOTERS or largest > MAX_POINTS:
            raise ValueError(
                f"A certificate file holds up to {MAX_VOTERS} voters and {MAX_POINTS} points; this"
                f" one has {self.n_voters} and {largest}. Leave out voters of weight 0 with"
                " `prune`."
            )
        if any(too_many_sizes(self.counts[name]) for name in SIZES):
            raise ValueError(
                f"A certificate file holds up to {MAX_SIZES} different numbers of points that two"
                " voters share; this one has more. Train fewer voters, or hold out the same points"
                " for all of them."
            )
        if self.profile is not None and self.profile[0].size > MAX_PROFILE:
            raise ValueError(
                f"A certificate file holds up to {MAX_PROFILE} unlabelled points; this certificate"
                f" has {self.profile[0].size}. Certify with fewer: the bound hardly needs more."
            )


def digest_of(document: dict[str, Any]) -> str:
    """Return the SHA-256 of the canonical JSON of everything but the digest itself.

    Examples
    --------
    >>> digest_of({"a": 1}) == digest_of({"digest": "?", "a": 1})
    True
    """
    rest = {key: value for key, value in document.items() if key != "digest"}
    return f"sha256:{hashlib.sha256(canonical(rest).encode('utf-8')).hexdigest()}"


def too_many_sizes(points: IntArray) -> bool:
    """Whether there are more different numbers of points than a file may hold.

    Examples
    --------
    >>> too_many_sizes(np.arange(10)), too_many_sizes(np.arange(2 * MAX_SIZES))
    (False, True)
    """
    return points.size > MAX_SIZES and np.unique(points).size > MAX_SIZES


def _unpacked_counts(packed: dict[str, Any]) -> dict[str, IntArray]:
    counts = {name: unpack(packed[name], packed["n_voters"], name) for name in PAIR_COUNTS}
    for name, triangle in counts.items():
        if triangle.max() > MAX_POINTS:
            raise CertificateFileError(
                f"counts.{name} goes up to {triangle.max()}; the limit is {MAX_POINTS} points."
            )
        if name in SIZES and too_many_sizes(triangle):
            raise CertificateFileError(
                f"counts.{name} has more than {MAX_SIZES} different numbers of points; the limit"
                f" is {MAX_SIZES}."
            )
    return counts


def _packed_counts(counts: Mapping[str, IntArray]) -> dict[str, Any]:
    packed = {name: pack_numbers(counts[name]) for name in PAIR_COUNTS}
    return {"n_voters": n_voters_of(counts["overlaps"]), "encoding": ENCODING, **packed}


def _unpacked_profile(packed: dict[str, Any]) -> tuple[FloatArray, ...]:
    names = ("leads", "gaps")
    return tuple(unpack_numbers(packed[n], packed["n_points"], f"profile.{n}") for n in names)


def _packed_profile(profile: tuple[FloatArray, FloatArray]) -> dict[str, Any]:
    leads, gaps = map(pack_numbers, profile)
    n_points = profile[0].size
    return {"n_points": n_points, "encoding": PROFILE_ENCODING, "leads": leads, "gaps": gaps}


SECTIONS = ("guarantee", "confidence")
"""Objects of a file whose fields are attributes of the record."""

FORM: dict[str, Kind] = {
    "schema": one_of(*SCHEMAS),
    "guarantee": fields(bound=TEXT, value=NUMBER, printed=DECIMAL),
    "confidence": fields(delta=NUMBER, candidates=many(TEXT), share=NUMBER),
    "sharpening": one_of("harmonic", "paper"),
    "bounds": BOUNDS,
    "attestations": many(TEXT),
    "notes": many(TEXT),
    "classes": CLASSES,
    "profile": optional(
        converted(
            fields(
                n_points=integer(1, MAX_PROFILE),
                encoding=one_of(PROFILE_ENCODING),
                leads=TEXT,
                gaps=TEXT,
            ),
            _unpacked_profile,
            _packed_profile,
        )
    ),
    "deployed": optional(TEXT),
    "test": optional(TEST),
    "groups": optional(GROUPS),
    "versions": TEXTS_BY_NAME,
    "weights": many(NUMBER),
    "prior": many(NUMBER),
    "counts": converted(
        fields(
            n_voters=integer(1, MAX_VOTERS),
            encoding=one_of(ENCODING),
            **dict.fromkeys(PAIR_COUNTS, TEXT),
        ),
        _unpacked_counts,
        _packed_counts,
    ),
    "digest": TEXT,
}
"""The fields of a file, how they are read and how they are written."""


def _form(schema: object) -> dict[str, Kind]:
    """Return the fields of a file of some schema."""
    known = SCHEMAS[: SCHEMAS.index(schema) + 1] if schema in SCHEMAS else SCHEMAS
    return {name: kind for name, kind in FORM.items() if ADDED.get(name, known[0]) in known}
