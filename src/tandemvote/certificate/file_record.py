"""What a certificate file says, as numbers and words, with its form checked and nothing more.

Whether the numbers follow from the counts is not asked here: `tandemvote.verify` does, by formulas
of its own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tandemvote.assumptions import missing_assumptions
from tandemvote.certificate.file_arrays import FloatArray, IntArray, unpack, unpack_numbers
from tandemvote.certificate.file_fields import Fields
from tandemvote.certificate.file_text import CertificateFileError, canonical

SCHEMA = "tandemvote/certificate/2"

SCHEMAS = ("tandemvote/certificate/1", SCHEMA)
"""Those that can be read. The first knew no assumption about test points."""

SHARPENINGS = ("harmonic", "paper")
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

MAX_POINTS = 10**10
"""No count may exceed it: the exact moments of larger samples would take minutes to recompute."""

MAX_SIZES = 10**6
"""Different numbers of points pairs may share: to a checker each is an exact fraction to keep."""

MAX_PROFILE = 5 * 10**5
"""Unlabelled points whose profile a file may hold: checking takes a logarithm for each."""

NUMBERS_OF_LABELS = {"integer": int, "float": float, "boolean": bool, "text": str}


@dataclass(frozen=True, kw_only=True)
class StatedBound:
    """One bound as a file states it.

    Attributes
    ----------
    value : float
        The number behind the printed one.
    printed : str
        Decimal text, rounded up.
    delta : float
        Failure probability this bound was given.
    """

    value: float
    printed: str
    delta: float


@dataclass(frozen=True, eq=False, kw_only=True)
class CertificateRecord:
    """Everything a certificate file says.

    Attributes
    ----------
    schema : str
    bound, value, printed : str, float, str
        The guarantee: name of the bound, its value, and how that is printed.
    delta, share : float
        Failure probability of the certificate, and of each candidate.
    candidates : tuple of str
        Bounds among which the smallest counts.
    sharpening : str
        Name of the way in which sets of different sizes make up a sample size.
    bounds : mapping of str to StatedBound
    weights, prior : tuple of float
    n_voters : int
    counts : mapping of str to ndarray of int64, shape (n_voters (n_voters + 1) / 2,)
        Lower triangles of the matrices in `PAIR_COUNTS`.
    profile : tuple of two ndarrays of float64, shape (n_points,), or None
        Largest share of the vote at each unlabelled point, and its lead over the second.
    test : tuple of int or None
        Errors and points of the test set, if there was one.
    classes : tuple
        Labels: all text, all integers, all floats or all booleans.
    attestations, notes : tuple of str
    versions : mapping of str to str
    digest, expected_digest : str
        The digest in the file, and that of the rest of the file.
    """

    schema: str
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
    n_voters: int
    counts: Mapping[str, IntArray]
    profile: tuple[FloatArray, FloatArray] | None
    test: tuple[int, int] | None
    classes: tuple[Any, ...]
    attestations: tuple[str, ...]
    notes: tuple[str, ...]
    versions: Mapping[str, str]
    digest: str
    expected_digest: str

    @property
    def missing_attestations(self) -> tuple[str, ...]:
        """What the certificate rests on and its attestations do not say."""
        return missing_assumptions(
            self.attestations,
            profile=self.profile is not None,
            test_set=self.test is not None and self.schema != SCHEMAS[0],
        )

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> CertificateRecord:
        """Check the form of a parsed file.

        Raises
        ------
        CertificateFileError
            If a part is missing, unknown or of the wrong kind.
        """
        fields = Fields(document)
        schema = fields.one_of("schema", SCHEMAS)
        guarantee = fields.object("guarantee")
        confidence = fields.object("confidence")
        counts = fields.object("counts")
        counts.one_of("encoding", (ENCODING,))
        n_voters = counts.integer("n_voters", least=1, most=MAX_VOTERS)
        record = cls(
            schema=schema,
            bound=guarantee.text("bound"),
            value=guarantee.number("value"),
            printed=guarantee.decimal("printed"),
            delta=confidence.number("delta"),
            share=confidence.number("share"),
            candidates=confidence.texts("candidates"),
            sharpening=fields.one_of("sharpening", SHARPENINGS),
            bounds=_bounds(fields),
            weights=fields.numbers("weights", n_voters),
            prior=fields.numbers("prior", n_voters),
            n_voters=n_voters,
            counts={name: _triangle(counts, name, n_voters) for name in PAIR_COUNTS},
            profile=_profile(fields),
            test=_test(fields),
            classes=_classes(fields.object("classes")),
            attestations=fields.texts("attestations"),
            notes=fields.texts("notes"),
            versions=fields.texts_by_name("versions"),
            digest=fields.text("digest"),
            expected_digest=digest_of(document),
        )
        for part in (guarantee, confidence, counts, fields):
            part.must_be_all_read()
        if not record.candidates or not record.classes:
            raise CertificateFileError("confidence.candidates or classes.labels is empty.")
        return record


def digest_of(document: dict[str, Any]) -> str:
    """Return the SHA-256 of the canonical JSON of everything but the digest itself.

    Examples
    --------
    >>> digest_of({"a": 1}) == digest_of({"digest": "?", "a": 1})
    True
    """
    rest = {key: value for key, value in document.items() if key != "digest"}
    return f"sha256:{hashlib.sha256(canonical(rest).encode('utf-8')).hexdigest()}"


def _bounds(fields: Fields) -> dict[str, StatedBound]:
    stated: dict[str, StatedBound] = {}
    for part in fields.objects("bounds"):
        name = part.text("name")
        if name in stated:
            raise CertificateFileError(f"The bound {name[:40]!r} is stated twice.")
        stated[name] = StatedBound(
            value=part.number("value"), printed=part.decimal("printed"), delta=part.number("delta")
        )
        part.must_be_all_read()
    return stated


def _triangle(counts: Fields, name: str, n_voters: int) -> IntArray:
    triangle = unpack(counts.text(name), n_voters, name)
    if triangle.max() > MAX_POINTS:
        raise CertificateFileError(
            f"counts.{name} goes up to {triangle.max()}; the limit is {MAX_POINTS} points."
        )
    if name in SIZES and too_many_sizes(triangle):
        raise CertificateFileError(
            f"counts.{name} has more than {MAX_SIZES} different numbers of points; the limit is"
            f" {MAX_SIZES}."
        )
    return triangle


def too_many_sizes(points: IntArray) -> bool:
    """Whether there are more different numbers of points than a file may hold.

    Examples
    --------
    >>> too_many_sizes(np.arange(10)), too_many_sizes(np.arange(2 * MAX_SIZES))
    (False, True)
    """
    return points.size > MAX_SIZES and np.unique(points).size > MAX_SIZES


def _profile(fields: Fields) -> tuple[FloatArray, FloatArray] | None:
    part = fields.optional_object("profile")
    if part is None:
        return None
    n_points = part.integer("n_points", least=1, most=MAX_PROFILE)
    part.one_of("encoding", (PROFILE_ENCODING,))
    leads, gaps = (
        unpack_numbers(part.text(name), n_points, f"profile.{name}") for name in ("leads", "gaps")
    )
    part.must_be_all_read()
    return leads, gaps


def _test(fields: Fields) -> tuple[int, int] | None:
    part = fields.optional_object("test")
    if part is None:
        return None
    pair = tuple(part.integer(name, least=0, most=MAX_POINTS) for name in ("n_errors", "n_samples"))
    part.must_be_all_read()
    return pair[0], pair[1]


def _classes(part: Fields) -> tuple[Any, ...]:
    kind = part.text("kind")
    if kind not in NUMBERS_OF_LABELS:
        raise CertificateFileError(
            f"classes.kind is {kind[:40]!r}; known are {', '.join(NUMBERS_OF_LABELS)}."
        )
    labels: tuple[Any, ...]
    if kind == "text":
        labels = part.texts("labels")
    elif kind == "float":
        labels = part.numbers("labels", None)
    else:
        labels = part.plain("labels", NUMBERS_OF_LABELS[kind])
    part.must_be_all_read()
    return labels
