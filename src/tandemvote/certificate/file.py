"""From a certificate to its file and back."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from tandemvote.assumptions import GROUPS
from tandemvote.bounds import Averages, BoundValue, get_bound
from tandemvote.certificate.by_group import GroupCertificates
from tandemvote.certificate.certificate import TEST_SET, VOTE_PROFILE, Certificate
from tandemvote.certificate.decimals import rounded_up
from tandemvote.certificate.file_fields import kinds_of, label_kind
from tandemvote.certificate.file_record import (
    PAIR_COUNTS,
    CertificateRecord,
    GroupRecord,
    GroupsRecord,
    StatedBound,
)
from tandemvote.certificate.file_text import CertificateFileError, read_document, shortened
from tandemvote.counting.counts import VoteCounts
from tandemvote.hard_vote import VoteProfile

TOLERANCE = 1e-9
"""How far a stored value may be from the one computed on loading."""

SAME = (
    "value",
    "bound",
    "delta",
    "sharpening",
    "candidates",
    "notes",
    "versions",
    "one_row_per_group",
)
"""Attributes that a certificate and its record have in common."""


def save_certificate(
    certificate: Certificate,
    path: str | os.PathLike[str],
    groups: GroupCertificates | None = None,
) -> Path:
    """Write the file of a certificate and of groups; readers see the old file or the new one."""
    path = Path(path)
    text = json.dumps(document_of(certificate, groups), indent=1) + "\n"
    temporary = path.with_name(f".{path.name}.{uuid4().hex}.part")
    try:
        with temporary.open("x", encoding="ascii", newline="\n") as stream:
            stream.write(text)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return path


def load_certificate(path: str | os.PathLike[str]) -> Certificate:
    """Read a certificate, refusing one whose digest or numbers do not hold."""
    record = CertificateRecord.from_document(read_document(path))
    if record.digest != record.expected_digest:
        raise CertificateFileError(
            f"{path} was changed after it was written: its digest does not match. Run"
            " `tandemvote verify` to see what does not hold."
        )
    try:
        return certificate_of(record)
    except ValueError as error:
        raise CertificateFileError(f"{path} is no valid certificate: {error}") from error


def document_of(
    certificate: Certificate, groups: GroupCertificates | None = None
) -> dict[str, Any]:
    """Return what the file of a certificate holds."""
    return record_of(certificate, groups).to_document()


def record_of(
    certificate: Certificate, groups: GroupCertificates | None = None
) -> CertificateRecord:
    """Return what a certificate says, and what is said of groups, as its file would say it."""
    counts, profile = certificate.counts, certificate.profile
    test = certificate.bounds.get(TEST_SET)
    return CertificateRecord(
        **{name: getattr(certificate, name) for name in SAME},
        printed=rounded_up(certificate.value),
        share=certificate.delta / len(certificate.candidates),
        bounds=_stated(certificate.bounds),
        weights=tuple(certificate.weights.tolist()),
        prior=tuple(certificate.prior.tolist()),
        counts={name: getattr(counts, name) for name in PAIR_COUNTS},
        profile=None if profile is None else {"leads": profile.leads, "gaps": profile.gaps},
        deployed=certificate.deployed,
        test=None if test is None else (int(test.terms["n_errors"]), int(test.terms["n_samples"])),
        groups=None if groups is None else _groups_record_of(groups),
        classes=_labels(counts.classes),
        attestations=(*certificate.assumptions, *([] if groups is None else [GROUPS])),
    )


def _stated(bounds: Mapping[str, BoundValue]) -> dict[str, StatedBound]:
    return {
        name: StatedBound(value=bound.value, printed=rounded_up(bound.value), delta=bound.delta)
        for name, bound in bounds.items()
    }


def _groups_record_of(groups: GroupCertificates) -> GroupsRecord:
    members = []
    for each in groups:
        said = {name: getattr(each, name) for name in kinds_of(GroupRecord)}
        label = None if each.label is None else _labels(np.array([each.label]))[0]
        members.append(GroupRecord(**{**said, "label": label, "bounds": _stated(each.bounds)}))
    return GroupsRecord(
        n_groups=len(groups),
        n_samples=groups.n_samples,
        candidates=groups.candidates,
        members=tuple(members),
    )


def certificate_of(record: CertificateRecord) -> Certificate:
    """Return the certificate of a record, each of whose numbers is computed again."""
    if record.missing_attestations:
        raise CertificateFileError(f"The attestations do not say: {record.missing_attestations[0]}")
    counts = VoteCounts(
        errors=np.diag(record.counts["tandem_errors"]),
        sizes=np.diag(record.counts["overlaps"]),
        classes=np.array(record.classes),
        **record.counts,
    )
    weights, prior = np.array(record.weights), np.array(record.prior)
    if record.deployed is not None and (
        record.profile is None or set(record.bounds) != {VOTE_PROFILE}
    ):
        raise CertificateFileError(
            f"The file is about {shortened(record.deployed)}, of which only the bound vote_profile"
            " with its profile says something."
        )
    profile = (
        None if record.profile is None else VoteProfile(**record.profile, deployed=record.deployed)
    )
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
    chosen = [bounds[name] for name in record.candidates if name in bounds]
    if not (
        len(chosen) == len(record.candidates)
        and {each.delta for each in chosen} == {record.delta / len(chosen)}
        and record.bound in record.candidates
        and record.value == bounds[record.bound].value == min(map(float, chosen))
    ):
        raise CertificateFileError(
            f"The guarantee {record.value} is not the smallest of its candidates at their share of"
            " delta. Run `tandemvote verify` to see what does not hold."
        )
    return Certificate(
        **{name: getattr(record, name) for name in SAME},
        weights=weights,
        prior=prior,
        bounds=bounds,
        counts=counts,
        profile=profile,
        assumptions=record.attestations,
    )


def _evaluate(name: str, record: CertificateRecord, averages: Averages, delta: float) -> BoundValue:
    bound = get_bound(name)
    if name == TEST_SET and record.test is not None:
        terms = dict(zip(("n_errors", "n_samples"), record.test, strict=True))
        return BoundValue(name, bound.label, bound.formula(**terms, delta=delta), delta, terms)
    if name == TEST_SET or not bound.applies_to(averages.counts):
        raise CertificateFileError(f"The bound {name!r} does not apply to these counts.")
    return bound.at(averages, delta)


def _labels(classes: NDArray[Any]) -> tuple[Any, ...]:
    # Of dates numpy may make integers, which are other labels.
    labels = tuple(classes if classes.dtype.kind in "mM" else classes.tolist())
    label_kind(labels)
    return labels
