"""Conversion of evidence to the fields and values of a certificate, and back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tandemvote.auditing import Finding
from tandemvote.bounds import get_bound
from tandemvote.certificate.rendering import rate
from tandemvote.record.assumptions import DRAW
from tandemvote.record.document import OBSERVED_ABOVE_BOUND, ErrorCount, Record
from tandemvote.votes.counts import VoteCounts
from tandemvote.votes.evidence import Evidence, VoteResult
from tandemvote.votes.names import TEST_SET, VOTE_PROFILE
from tandemvote.votes.profile import VoteProfile
from tandemvote.votes.votes import Votes

if TYPE_CHECKING:
    from tandemvote.certificate.certificate import Certificate


def fields_of(evidence: Evidence, candidates: Collection[str]) -> dict[str, Any]:
    """Return the fields of a certificate that follow from its evidence, and the evidence."""
    counts, vote, labels, test = evidence.counts, evidence.vote, evidence.counts.classes, None
    # tolist makes integers of some dates.
    classes = tuple(labels if labels.dtype.kind in "mM" else labels.tolist())
    if vote is not None and TEST_SET in candidates:
        test = ErrorCount(vote.n_test_errors or 0, counts.n_samples)
    return {
        "deployed": evidence.deployed,
        "ties": evidence.ties,
        "one_row_per_group": counts.one_row_per_group,
        "latest": counts.latest,
        "class_counts": tuple(counts.class_counts[each] for each in classes),
        "voted": None if vote is None else ErrorCount(vote.n_errors, vote.n_voted),
        "test": test,
        "fitted": evidence.fitted,
        "classes": classes,
        "profile": evidence.profile,
        "counts": counts,
        "evidence": evidence,
    }


def evidence_of(record: Record) -> Evidence:
    """Return the evidence of a verified record."""
    vote, profile = None, None
    if record.voted is not None:
        n_test_errors = None if record.test is None else record.test.n_errors
        n_errors, n_voted = record.voted
        vote = VoteResult(record.weights, record.ties, n_voted, n_errors, n_test_errors)
    if record.profile is not None:
        shares = record.profile.leads, record.profile.gaps
        profile = VoteProfile(*shares, record.weights, record.deployed)
    counts = VoteCounts(
        errors=np.diag(record.counts.tandem_errors),
        sizes=np.diag(record.counts.overlaps),
        classes=np.array(record.classes),
        class_counts=+Counter(dict(zip(record.classes, record.class_counts, strict=True))),
        one_row_per_group=record.one_row_per_group,
        latest=record.latest,
        group=None if record.group is None else record.group.samples,
        drawn=DRAW in record.assumptions,
        **vars(record.counts),
    )
    return Evidence(counts, vote, profile, record.fitted)


def with_values(certificate: Certificate) -> Certificate:
    """Evaluate the candidates at equal shares of delta; report a larger observed error."""
    share, values = certificate.delta / len(certificate.candidates), {}
    for name in certificate.candidates:
        # One of the best bounds may be for two classes only; it has its share of delta anyway.
        applies = get_bound(name).applies(certificate.evidence) is None
        values[name] = certificate.evaluate(name, share) if applies else 1.0
    if certificate.profile is not None and VOTE_PROFILE not in values:
        # Unlabeled samples of another distribution raise a ContradictionError, whatever the bound.
        certificate.evaluate(VOTE_PROFILE)
    observed, value, findings = certificate.observed, min(values.values()), certificate.findings
    if observed is not None and observed > value:
        above = Finding(
            code=OBSERVED_ABOVE_BOUND,
            severity="warning",
            message=f"The observed error {rate(observed)} is larger than the bound {rate(value)}."
            " It may come from fewer voters at each sample than the vote has.",
            advice="Check that held-out samples were not chosen by looking at the data, and that"
            " voters do not abstain on hard ones.",
        )
        findings = (*findings, above)
    return replace(certificate, candidates=values, findings=findings)


def votes_for(request: str, certificate: Certificate) -> Votes:
    """Return the votes, or raise ValueError unless it is the error bound on all samples."""
    votes, group = certificate.votes, certificate.group
    if votes is None or certificate.measure is not None or group is not None:
        samples = "all samples" if group is None else group.samples
        source = ", from counts or a file" if votes is None else ""
        raise ValueError(
            f"{request} requires the certificate of the error rate on all samples, with its votes;"
            f" this one is about {certificate.metric} on {samples}{source}. Use the one that"
            " certify returns for models or Votes."
        )
    return votes
