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

from tandemvote.certificate.certificate import Certificate
from tandemvote.certificate.groups import GroupCertificates
from tandemvote.confusion import AT_MOST
from tandemvote.counts import VoteCounts, VoteTally
from tandemvote.decimals import rounded_down, rounded_up
from tandemvote.verify import verify_file
from tandemvote.verify.document import (
    PAIR_COUNTS,
    TEST_SET,
    CertificateRecord,
    Document,
    StatedTest,
)
from tandemvote.verify.json_text import CertificateFileError, parse_document
from tandemvote.voting import VoteProfile
from tandemvote.whole_files import written_whole

SAME = (
    *("metric", "delta", "candidates", "published", "fitted", "members", "group", "measure"),
    *("n_trees", "one_row_per_group", "latest", "findings", "assumptions"),
)
"""Fields that a certificate and its record have in common."""

DERIVED = ("direction", "value", "bound", "deployed")
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
    counts, profile, tally = certificate.counts, certificate.profile, certificate.counts.tally
    classes = _labels(counts.classes)
    observed = None
    if tally is not None and tally.n_errors is not None and tally.n_voted is not None:
        observed = StatedTest(n_errors=tally.n_errors, n_samples=tally.n_voted)
    test = None
    if TEST_SET in certificate.candidates and tally is not None:
        test = StatedTest(n_errors=tally.n_test_errors or 0, n_samples=tally.n_samples)
    printed = rounded_up if certificate.direction == AT_MOST else rounded_down
    return CertificateRecord(
        **{name: getattr(certificate, name) for name in SAME + DERIVED},
        printed=printed(certificate.value),
        class_counts=None if tally is None else tuple(tally.class_counts[each] for each in classes),
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
    tally = None
    if record.class_counts is not None:
        numbers = zip(record.classes, record.class_counts, strict=True)
        tally = VoteTally(Counter({label: number for label, number in numbers if number}))
        if record.observed is not None:
            seen = record.observed
            tally = replace(tally, n_voted=seen.n_samples, n_errors=seen.n_errors)
        if record.test is not None:
            tally = replace(tally, n_test_errors=record.test.n_errors)
    profile = record.profile
    return Certificate(
        **{name: getattr(record, name) for name in SAME},
        weights=np.array(record.weights),
        prior=np.array(record.prior),
        counts=VoteCounts(
            errors=np.diag(record.counts["tandem_errors"]),
            sizes=np.diag(record.counts["overlaps"]),
            classes=np.array(record.classes),
            tally=tally,
            **record.counts,
        ),
        profile=None if profile is None else VoteProfile(**profile, deployed=record.deployed),
        versions=document.versions,
    )


def _labels(classes: NDArray[Any]) -> tuple[Any, ...]:
    # tolist makes integers of some dates.
    return tuple(classes if classes.dtype.kind in "mM" else classes.tolist())
