"""Counts that no votes can have: voter by voter and pair by pair.

What only three or more voters together reveal is in `tandemvote.verify.set_sizes`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tandemvote.certificate.file_arrays import FloatArray
from tandemvote.certificate.file_record import CertificateRecord
from tandemvote.verify.averages import IntArray, diagonal
from tandemvote.verify.set_sizes import impossible_sets

ROUNDING = 1e-9
"""By how much shares that were added up in floating point may exceed 1."""


def impossible_counts(record: CertificateRecord) -> Iterator[str]:
    """Say what is impossible about the counts of a record."""
    yield from _impossible_pairs(record)
    if record.profile is not None:
        yield from _impossible_profile(*record.profile, heaviest=max(record.weights))
    if len(set(record.classes)) < len(record.classes):
        yield "a label is listed twice among the classes"
    if len(record.classes) == 1 and record.counts["tandem_errors"].any():
        yield "voters err though there is but one class"
    if record.test is not None and not 0 <= record.test[0] <= record.test[1] != 0:
        yield f"a test set of {record.test[1]} points shows {record.test[0]} errors"
    yield from impossible_sets(record)


def _impossible_pairs(record: CertificateRecord) -> Iterator[str]:
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
    nothing, least, most = np.zeros_like(lone), *_lone_errors(record)
    limits = (
        ("tandem errors", nothing, both_wrong, overlaps, "points both hold out"),
        (
            "tandem errors",
            nothing,
            both_wrong,
            smaller("tandem_errors"),
            "errors of one of them",
        ),
        ("common points", nothing, overlaps, smaller("overlaps"), "points of one of them"),
        ("labelled disagreements", nothing, labelled, overlaps, "points both hold out"),
        ("unlabelled disagreements", nothing, unlabelled, n_unlabelled, "unlabelled points"),
        ("lone errors", nothing, lone, labelled, "labelled disagreements"),
        (
            "lone errors",
            nothing,
            lone,
            overlaps - both_wrong,
            "points on which they do not both err",
        ),
        ("lone errors", least, lone, most, "that their own and their tandem errors allow"),
        (
            "labelled disagreements",
            nothing,
            labelled,
            lone + both_wrong,
            "points on which one of them errs",
        ),
    )
    for what, low, part, high, of_what in limits:
        bad = np.flatnonzero((part < low) | (part > high))
        if bad.size:
            first, second = int(columns[bad[0]]), int(rows[bad[0]])
            among = (
                f"among {high[bad[0]]}"
                if not low[bad[0]]
                else f"and not {low[bad[0]]} to {high[bad[0]]},"
            )
            yield f"voters {first} and {second} have {part[bad[0]]} {what} {among} {of_what}"
    if counts["disagreements"][itself].any():
        voter = int(np.flatnonzero(counts["disagreements"][itself])[0])
        yield f"voter {voter} disagrees with itself"
    if (n_unlabelled != n_unlabelled[0]).any():
        yield "the number of unlabelled points differs from pair to pair"
    if len(record.classes) <= 2 and (lone != labelled).any():
        yield "of two classes, voters disagree where not exactly one of them errs"


def _lone_errors(record: CertificateRecord) -> tuple[IntArray, IntArray]:
    """Return the fewest and the most lone errors that a pair's other counts leave possible.

    Of a voter's e errors among n points, those on the o common points number at most min(e, o) and
    at least e - (n - o), and no fewer than the tandem errors T. Lone errors are the common errors
    of both voters minus 2 T; on common points alone that is e + e' - 2 T.
    """
    rows, columns = np.tril_indices(record.n_voters)
    both_wrong, overlaps = record.counts["tandem_errors"], record.counts["overlaps"]
    errors, sizes = (count[diagonal(record.n_voters)] for count in (both_wrong, overlaps))
    least, most = -2 * both_wrong, -2 * both_wrong
    for voter in (rows, columns):
        elsewhere = sizes[voter] - overlaps
        least = least + np.maximum(both_wrong, errors[voter] - elsewhere)
        most = most + np.minimum(errors[voter], overlaps)
    return least, most


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
