"""From a certificate to its file and back."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from tandemvote.bounds import Averages, BoundValue, get_bound
from tandemvote.certificate.certificate import TEST_SET, Certificate
from tandemvote.certificate.decimals import rounded_up
from tandemvote.certificate.file_arrays import full, pack, pack_numbers
from tandemvote.certificate.file_record import (
    ENCODING,
    MAX_POINTS,
    MAX_PROFILE,
    MAX_SIZES,
    MAX_VOTERS,
    PAIR_COUNTS,
    PROFILE_ENCODING,
    SCHEMA,
    SIZES,
    CertificateRecord,
    digest_of,
    too_many_sizes,
)
from tandemvote.certificate.file_text import CertificateFileError, read_document
from tandemvote.counting.counts import VoteCounts
from tandemvote.profile import VoteProfile

TOLERANCE = 1e-9
"""How far a stored value may be from the one computed on loading."""


def save_certificate(certificate: Certificate, path: str | os.PathLike[str]) -> Path:
    """Write the certificate's file; a reader sees the old file or the whole new one.

    Raises
    ------
    ValueError
        If the certificate is larger than a file may be, or has labels JSON cannot hold.
    """
    path = Path(path)
    text = json.dumps(document_of(certificate), indent=1) + "\n"
    temporary = path.with_name(f".{path.name}.{uuid4().hex}.part")
    try:
        with temporary.open("x", encoding="ascii", newline="\n") as stream:
            stream.write(text)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return path


def load_certificate(path: str | os.PathLike[str]) -> Certificate:
    """Read a certificate, refusing one whose digest or numbers do not hold.

    Raises
    ------
    CertificateFileError
        If the file is no certificate, was changed, or states what its counts do not give.
    """
    record = CertificateRecord.from_document(read_document(path))
    if record.digest != record.expected_digest:
        raise CertificateFileError(
            f"{path} was changed after it was written: its digest does not match. Run"
            " `tandemvote verify` to see what does not hold."
        )
    try:
        return certificate_of(record)
    except CertificateFileError:
        raise
    except ValueError as error:
        raise CertificateFileError(f"{path} is no valid certificate: {error}") from error


def document_of(certificate: Certificate) -> dict[str, Any]:
    """Return what the file of a certificate holds."""
    counts = certificate.counts
    largest = int(counts.disagreement_overlaps.max())
    if counts.n_voters > MAX_VOTERS or largest > MAX_POINTS:
        raise ValueError(
            f"A certificate file holds up to {MAX_VOTERS} voters and {MAX_POINTS} points; this one"
            f" has {counts.n_voters} and {largest}. Leave out voters of weight 0 with `prune`."
        )
    if any(too_many_sizes(getattr(counts, name)) for name in SIZES):
        raise ValueError(
            f"A certificate file holds up to {MAX_SIZES} different numbers of points that two"
            " voters share; this one has more. Train fewer voters, or hold out the same points for"
            " all of them."
        )
    profile = certificate.profile
    if profile is not None and profile.n_points > MAX_PROFILE:
        raise ValueError(
            f"A certificate file holds up to {MAX_PROFILE} unlabelled points; this certificate has"
            f" {profile.n_points}. Certify with fewer: the bound hardly needs more."
        )
    test = certificate.bounds.get(TEST_SET)
    document = {
        "schema": SCHEMA,
        "guarantee": {
            "bound": str(certificate.bound),
            "value": certificate.value.hex(),
            "printed": rounded_up(certificate.value),
        },
        "confidence": {
            "delta": float(certificate.delta).hex(),
            "candidates": [str(name) for name in certificate.candidates],
            "share": float(certificate.delta / len(certificate.candidates)).hex(),
        },
        "sharpening": str(certificate.sharpening),
        "bounds": [
            {
                "name": name,
                "value": bound.value.hex(),
                "printed": rounded_up(bound.value),
                "delta": float(bound.delta).hex(),
            }
            for name, bound in certificate.bounds.items()
        ],
        "attestations": list(certificate.assumptions),
        "notes": list(certificate.notes),
        "classes": _labels(counts.classes),
        "profile": None
        if profile is None
        else {
            "n_points": profile.n_points,
            "encoding": PROFILE_ENCODING,
            "leads": pack_numbers(profile.leads),
            "gaps": pack_numbers(profile.gaps),
        },
        "test": None if test is None else {name: int(n) for name, n in test.terms.items()},
        "versions": dict(certificate.versions),
        "weights": [weight.hex() for weight in certificate.weights.tolist()],
        "prior": [weight.hex() for weight in certificate.prior.tolist()],
        "counts": {
            "n_voters": counts.n_voters,
            "encoding": ENCODING,
            **{name: pack(getattr(counts, name)) for name in PAIR_COUNTS},
        },
    }
    return {**document, "digest": digest_of(document)}


def certificate_of(record: CertificateRecord) -> Certificate:
    """Return the certificate of a record, each of whose numbers is computed again."""
    if record.missing_attestations:
        raise CertificateFileError(f"The attestations do not say: {record.missing_attestations[0]}")
    matrices = {name: full(triangle) for name, triangle in record.counts.items()}
    counts = VoteCounts(
        errors=np.diag(matrices["tandem_errors"]),
        sizes=np.diag(matrices["overlaps"]),
        classes=np.array(record.classes),
        **matrices,
    )
    weights, prior = np.array(record.weights), np.array(record.prior)
    profile = None if record.profile is None else VoteProfile(*record.profile)
    averages = replace(Averages.of(counts, weights, prior, record.sharpening), profile=profile)
    bounds = {}
    for name, stated in record.bounds.items():
        found = _evaluate(name, record, averages, stated.delta)
        if not abs(found.value - stated.value) <= TOLERANCE:
            raise CertificateFileError(
                f"The bound {name!r} is {stated.value} in the file and {found.value} by its own"
                " counts."
            )
        bounds[name] = replace(found, value=stated.value)
    shares = {bounds[name].delta for name in record.candidates if name in bounds}
    best = min((bounds[n].value for n in record.candidates if n in bounds), default=None)
    if shares != {record.delta / len(record.candidates)} or not (
        record.bound in record.candidates and record.value == bounds[record.bound].value == best
    ):
        raise CertificateFileError(
            f"The guarantee {record.value} is not the smallest of its candidates at their share of"
            " delta. Run `tandemvote verify` to see what does not hold."
        )
    return Certificate(
        value=record.value,
        bound=record.bound,
        delta=record.delta,
        weights=weights,
        prior=prior,
        sharpening=record.sharpening,
        candidates=record.candidates,
        bounds=bounds,
        counts=counts,
        profile=profile,
        assumptions=record.attestations,
        notes=record.notes,
        versions=record.versions,
    )


def _evaluate(name: str, record: CertificateRecord, averages: Averages, delta: float) -> BoundValue:
    bound = get_bound(name)
    if name == TEST_SET and record.test is not None:
        terms = dict(zip(("n_errors", "n_samples"), record.test, strict=True))
        return BoundValue(name, bound.label, bound.formula(**terms, delta=delta), delta, terms)
    if name == TEST_SET or not bound.applies_to(averages.counts):
        raise CertificateFileError(f"The bound {name!r} does not apply to these counts.")
    return bound.at(averages, delta)


def _labels(classes: NDArray[Any]) -> dict[str, Any]:
    labels = classes.tolist()
    kinds = {type(label) for label in labels}
    if kinds == {str}:
        return {"kind": "text", "labels": labels}
    if kinds == {bool}:
        return {"kind": "boolean", "labels": labels}
    if kinds == {float}:
        return {"kind": "float", "labels": [label.hex() for label in labels]}
    if kinds == {int} and max(map(abs, labels)) < 2**63:
        return {"kind": "integer", "labels": labels}
    raise ValueError(
        f"Labels such as {labels[0]!r} cannot be written to a certificate file. Convert them to"
        " text or integers before certifying."
    )
