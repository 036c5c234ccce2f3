"""Counts that no votes can have."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tandemvote.certificate_file.packing import FloatArray
from tandemvote.certificate_file.record import CertificateRecord
from tandemvote.verify.averages import IntArray, diagonal

ROUNDING = 1e-9
"""By how much shares that were added up in floating point may exceed 1."""


def impossible_counts(record: CertificateRecord) -> Iterator[str]:
    """Say what is impossible about the counts of a record, voter by voter and pair by pair."""
    counts = record.counts
    rows, columns = np.tril_indices(record.n_voters)
    itself = diagonal(record.n_voters)

    def smaller(name: str) -> IntArray:
        own = counts[name][itself]
        return np.minimum(own[rows], own[columns])

    both_wrong, overlaps = counts["tandem_errors"], counts["overlaps"]
    unlabelled = counts["unlabelled_disagreements"]
    labelled = counts["disagreements"] - unlabelled
    lone = counts["lone_errors"]
    n_unlabelled = counts["disagreement_overlaps"] - overlaps
    limits = (
        ("tandem errors", both_wrong, overlaps, "points both hold out"),
        ("tandem errors", both_wrong, smaller("tandem_errors"), "errors of one of them"),
        ("common points", overlaps, smaller("overlaps"), "points of one of them"),
        ("labelled disagreements", labelled, overlaps, "points both hold out"),
        ("unlabelled disagreements", unlabelled, n_unlabelled, "unlabelled points"),
        ("lone errors", lone, labelled, "labelled disagreements"),
        ("lone errors", lone, overlaps - both_wrong, "points on which they do not both err"),
    )
    for what, part, whole, of_what in limits:
        bad = np.flatnonzero((part < 0) | (part > whole))
        if bad.size:
            first, second = int(columns[bad[0]]), int(rows[bad[0]])
            yield (
                f"voters {first} and {second} have {part[bad[0]]} {what} among {whole[bad[0]]}"
                f" {of_what}"
            )
    if counts["disagreements"][itself].any():
        voter = int(np.flatnonzero(counts["disagreements"][itself])[0])
        yield f"voter {voter} disagrees with itself"
    if (n_unlabelled != n_unlabelled[0]).any():
        yield "the number of unlabelled points differs from pair to pair"
    if len(record.classes) <= 2 and (lone != labelled).any():
        yield "of two classes, voters disagree where not exactly one of them errs"
    if record.profile is not None:
        yield from _impossible_profile(*record.profile, heaviest=max(record.weights))
    if len(set(record.classes)) < len(record.classes):
        yield "a label is listed twice among the classes"
    if len(record.classes) == 1 and both_wrong.any():
        yield "voters err though there is but one class"
    if record.test is not None and not 0 <= record.test[0] <= record.test[1] != 0:
        yield f"a test set of {record.test[1]} points shows {record.test[0]} errors"


def _impossible_profile(leads: FloatArray, gaps: FloatArray, *, heaviest: float) -> Iterator[str]:
    """The heaviest voter votes for something, and the two largest shares sum to at most 1."""
    possible = (leads >= heaviest - ROUNDING) & (leads <= 1 + ROUNDING)
    possible &= (gaps >= 0) & (gaps <= leads) & (2 * leads - gaps <= 1 + ROUNDING)
    if not possible.all():
        point = int(np.flatnonzero(~possible)[0])
        yield (
            f"at unlabelled point {point} the vote has a largest share of {leads[point]:g} and a"
            f" lead of {gaps[point]:g}"
        )
