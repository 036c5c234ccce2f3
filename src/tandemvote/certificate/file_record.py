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
    pack_numbers,
    unpack,
    unpack_numbers,
)
from tandemvote.certificate.file_fields import (
    boolean,
    decimal,
    fields,
    integer,
    many,
    number,
    one_of,
    optional,
    text,
    texts_by_name,
)
from tandemvote.certificate.file_text import CertificateFileError, canonical, shortened

SCHEMA = "tandemvote/certificate/2"

SCHEMAS = ("tandemvote/certificate/1", SCHEMA)
"""Those that can be read. The first knew no assumption about test points."""

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
"""Different numbers of points pairs may share: a checker keeps an exact fraction for each."""

MAX_PROFILE = 5 * 10**5
"""Unlabelled points whose profile a file may hold: checking takes a logarithm for each."""

LARGEST_LABEL = 2**63 - 1

LABELS = {
    "text": text,
    "integer": integer(-LARGEST_LABEL, LARGEST_LABEL),
    "float": number,
    "boolean": boolean,
}
"""Kinds of labels: the labels of a file are all of one kind."""

FORM = fields(
    schema=one_of(*SCHEMAS),
    guarantee=fields(bound=text, value=number, printed=decimal),
    confidence=fields(delta=number, share=number, candidates=many(text)),
    sharpening=one_of("harmonic", "paper"),
    bounds=many(fields(name=text, value=number, printed=decimal, delta=number)),
    weights=many(number),
    prior=many(number),
    counts=fields(
        encoding=one_of(ENCODING),
        n_voters=integer(1, MAX_VOTERS),
        **dict.fromkeys(PAIR_COUNTS, text),
    ),
    profile=optional(
        fields(
            n_points=integer(1, MAX_PROFILE),
            encoding=one_of(PROFILE_ENCODING),
            leads=text,
            gaps=text,
        )
    ),
    test=optional(fields(n_errors=integer(0, MAX_POINTS), n_samples=integer(0, MAX_POINTS))),
    classes=fields(kind=one_of(*LABELS), labels=lambda value, place: value),
    attestations=many(text),
    notes=many(text),
    versions=texts_by_name,
    digest=text,
)
"""The form of a file."""


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
    n_voters: int
    counts: Mapping[str, IntArray]
    profile: tuple[FloatArray, FloatArray] | None
    test: tuple[int, int] | None
    classes: tuple[Any, ...]
    attestations: tuple[str, ...]
    notes: tuple[str, ...]
    versions: Mapping[str, str]
    digest: str = ""
    expected_digest: str = ""

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
        said = FORM(document, "")
        counts, profile, test = said.pop("counts"), said.pop("profile"), said.pop("test")
        stated, classes = said.pop("bounds"), said.pop("classes")
        n_voters = counts["n_voters"]
        for name in ("weights", "prior"):
            if len(said[name]) != n_voters:
                raise CertificateFileError(
                    f"{name} is a list of {len(said[name])} numbers, not of {n_voters}, one for"
                    " each voter."
                )
        bounds: dict[str, StatedBound] = {}
        for part in stated:
            name = part.pop("name")
            if name in bounds:
                raise CertificateFileError(f"The bound {shortened(name)} is stated twice.")
            bounds[name] = StatedBound(**part)
        record = cls(
            **said.pop("guarantee"),
            **said.pop("confidence"),
            **said,
            bounds=bounds,
            n_voters=n_voters,
            counts={name: _triangle(counts[name], n_voters, name) for name in PAIR_COUNTS},
            profile=None if profile is None else _profile(**profile),
            test=None if test is None else (test["n_errors"], test["n_samples"]),
            classes=many(LABELS[classes["kind"]])(classes["labels"], "classes.labels"),
            expected_digest=digest_of(document),
        )
        if not record.candidates or not record.classes:
            raise CertificateFileError("confidence.candidates or classes.labels is empty.")
        return record

    def to_document(self) -> dict[str, Any]:
        """Return what the file of this record holds.

        Raises
        ------
        ValueError
            If the record is larger than a file may be, or has labels that JSON cannot hold.
        """
        self._refuse_too_large()
        document = {
            "schema": self.schema,
            "guarantee": {
                "bound": self.bound,
                "value": self.value.hex(),
                "printed": self.printed,
            },
            "confidence": {
                "delta": self.delta.hex(),
                "candidates": list(self.candidates),
                "share": self.share.hex(),
            },
            "sharpening": self.sharpening,
            "bounds": [
                {
                    "name": name,
                    "value": stated.value.hex(),
                    "printed": stated.printed,
                    "delta": stated.delta.hex(),
                }
                for name, stated in self.bounds.items()
            ],
            "attestations": list(self.attestations),
            "notes": list(self.notes),
            "classes": self._labels(),
            "profile": None
            if self.profile is None
            else {
                "n_points": self.profile[0].size,
                "encoding": PROFILE_ENCODING,
                "leads": pack_numbers(self.profile[0]),
                "gaps": pack_numbers(self.profile[1]),
            },
            "test": None
            if self.test is None
            else {"n_errors": self.test[0], "n_samples": self.test[1]},
            "versions": dict(self.versions),
            "weights": [weight.hex() for weight in self.weights],
            "prior": [weight.hex() for weight in self.prior],
            "counts": {
                "n_voters": self.n_voters,
                "encoding": ENCODING,
                **{name: pack_numbers(self.counts[name]) for name in PAIR_COUNTS},
            },
        }
        return {**document, "digest": digest_of(document)}

    def _labels(self) -> dict[str, Any]:
        kind = label_kind(self.classes)
        written = [label.hex() if kind == "float" else label for label in self.classes]
        return {"kind": kind, "labels": written}

    def _refuse_too_large(self) -> None:
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


def _triangle(packed: str, n_voters: int, name: str) -> IntArray:
    triangle = unpack(packed, n_voters, name)
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


def _profile(*, n_points: int, leads: str, gaps: str, **_: str) -> tuple[FloatArray, FloatArray]:
    return (
        unpack_numbers(leads, n_points, "profile.leads"),
        unpack_numbers(gaps, n_points, "profile.gaps"),
    )


def label_kind(labels: tuple[Any, ...]) -> str:
    """Return the kind of labels, one of `LABELS`.

    Examples
    --------
    >>> label_kind(("no", "yes")), label_kind((0, 1))
    ('text', 'integer')
    """
    kinds = {type(label) for label in labels}
    known = {str: "text", bool: "boolean", float: "float", int: "integer"}
    too_large = kinds == {int} and max(map(abs, labels)) > LARGEST_LABEL
    if len(kinds) != 1 or not kinds <= set(known) or too_large:
        raise ValueError(
            f"Labels such as {labels[0]!r} cannot be written to a certificate file. Convert them"
            " to text or integers before certifying."
        )
    return known[kinds.pop()]
