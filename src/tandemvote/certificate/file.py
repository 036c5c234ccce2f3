"""From a certificate to its file and back."""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tandemvote.atomic_files import written_whole
from tandemvote.certificate.certificate import Certificate
from tandemvote.certificate.groups import GroupCertificates
from tandemvote.metrics.metric import AT_MOST
from tandemvote.record.document import (
    PAIR_COUNTS,
    TEST_SET,
    CertificateRecord,
    Document,
    StatedTest,
)
from tandemvote.record.json_text import CertificateFileError, parse_document
from tandemvote.verify import verify_file
from tandemvote.votes.counts import VoteCounts
from tandemvote.votes.decimals import rounded_down, rounded_up
from tandemvote.votes.evidence import Evidence, VoteResult
from tandemvote.votes.profile import VoteProfile

SAME = (
    *("metric", "delta", "candidates", "published", "members", "group", "measure"),
    *("n_trees", "latest", "findings", "assumptions"),
)
"""Fields that a certificate and its record have in common."""

DERIVED = ("direction", "value", "bound", "deployed", "ties", "fitted", "one_row_per_group")
"""Fields of a record that a certificate computes."""


def save_certificate(certificate: Certificate, path: str | os.PathLike[str]) -> Path:
    """Write the file of a certificate and its groups; readers see the old file or the new one."""
    path = Path(path)
    text = json.dumps(document_of(certificate).to_json(), indent=1) + "\n"
    # What a reader does not accept is not written.
    Document.from_json(parse_document(text.encode("ascii")))
    with written_whole(path) as unfinished:
        unfinished.write_bytes(text.encode("ascii"))
    return path


def load_certificate(path: str | os.PathLike[str] | Document) -> Certificate:
    """Verify a file, or the document that was read from it, then construct its certificate."""
    verdict = verify_file(path)
    if verdict.problem is not None:
        name = "The document" if isinstance(path, Document) else path
        raise CertificateFileError(f"{name} is not a valid certificate: {verdict.problem}.")
    document = verdict.document
    whole, *members = (certificate_of(each, document) for each in document.certificates)
    if not members:
        return whole
    return replace(whole, groups=GroupCertificates(whole, tuple(members), document.groupings))


def document_of(certificate: Certificate) -> Document:
    """Return the definition of the file of a certificate and its groups."""
    groups = certificate.groups
    return Document(
        versions=certificate.versions,
        groupings=() if groups is None else groups.groupings,
        certificates=tuple(map(record_of, [certificate, *(groups or ())])),
    )


def record_of(certificate: Certificate) -> CertificateRecord:
    """Return one certificate as its file holds it."""
    counts, profile, vote = certificate.counts, certificate.profile, certificate.evidence.vote
    classes, observed, test = _labels(counts.classes), None, None
    if vote is not None:
        observed = StatedTest(n_errors=vote.n_errors, n_samples=vote.n_voted)
        if TEST_SET in certificate.candidates:
            test = StatedTest(n_errors=vote.n_test_errors or 0, n_samples=counts.n_samples)
    printed = rounded_up if certificate.direction == AT_MOST else rounded_down
    return CertificateRecord(
        **{name: getattr(certificate, name) for name in SAME + DERIVED},
        printed=printed(certificate.value),
        class_counts=tuple(counts.class_counts[each] for each in classes),
        observed=observed,
        test=test,
        weights=tuple(certificate.weights.tolist()),
        prior=tuple(certificate.prior.tolist()),
        classes=classes,
        profile=None if profile is None else {"leads": profile.leads, "gaps": profile.gaps},
        counts={name: getattr(counts, name) for name in PAIR_COUNTS},
    )


def certificate_of(record: CertificateRecord, document: Document) -> Certificate:
    """Return the certificate of a verified record."""
    weights, vote, profile = np.array(record.weights), None, None
    if record.observed is not None:
        n_errors, n_voted = record.observed
        n_test_errors = None if record.test is None else record.test.n_errors
        vote = VoteResult(weights, record.ties, n_voted, n_errors, n_test_errors)
    if record.profile is not None:
        profile = VoteProfile(**record.profile, weights=weights, deployed=record.deployed)
    numbers = dict(zip(record.classes, record.class_counts, strict=True))
    matrices: dict[str, Any] = {**record.counts}
    counts = VoteCounts(
        errors=np.diag(matrices["tandem_errors"]),
        sizes=np.diag(matrices["overlaps"]),
        classes=np.array(record.classes),
        class_counts=+Counter(numbers),
        one_row_per_group=record.one_row_per_group,
        **matrices,
    )
    return Certificate(
        **{name: getattr(record, name) for name in SAME},
        evidence=Evidence(counts, vote, profile, record.fitted),
        weights=weights,
        prior=np.array(record.prior),
        versions=document.versions,
    )


def _labels(classes: NDArray[Any]) -> tuple[Any, ...]:
    # tolist makes integers of some dates.
    return tuple(classes if classes.dtype.kind in "mM" else classes.tolist())
