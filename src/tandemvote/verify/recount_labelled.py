"""Count the labelled votes again: sets of points as the bits of integers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tandemvote.certificate.file_record import CertificateRecord
from tandemvote.votes import Votes


def other_counts(record: CertificateRecord, votes: Votes) -> Iterator[str]:
    """Say where the labelled counts of a record are not those of the votes."""
    if votes.n_voters != record.n_voters:
        yield (
            f"the file is about {record.n_voters} voters, the votes have {votes.n_voters};"
            " columns that are no voters are left out by --ignore"
        )
        return
    yield from unknown_labels(record, votes, "the votes")
    counts = record.counts
    stated = {
        "points both hold out": counts["overlaps"],
        "common errors": counts["tandem_errors"],
        "lone errors": counts["lone_errors"],
        "disagreements": counts["disagreements"] - counts["unlabelled_disagreements"],
    }
    held_out = bits(votes.held_out)
    wrong = bits(votes.held_out & (votes.predictions != votes.labels))
    says = [bits(votes.held_out & (votes.predictions == c)) for c in range(votes.classes.size)]
    place = 0
    for second in range(votes.n_voters):
        for first in range(second + 1):
            common = held_out[first] & held_out[second]
            agree = sum((label[first] & label[second]).bit_count() for label in says)
            found = (
                common.bit_count(),
                (wrong[first] & wrong[second]).bit_count(),
                (common & (wrong[first] ^ wrong[second])).bit_count(),
                common.bit_count() - agree,
            )
            for (what, triangle), count in zip(stated.items(), found, strict=True):
                if triangle[place] != count:
                    yield (
                        f"voters {first} and {second} have {triangle[place]} {what} in the file and"
                        f" {count} in the votes"
                    )
            place += 1


def unknown_labels(record: CertificateRecord, votes: Votes, where: str) -> Iterator[str]:
    """Say whether votes have labels that the record does not know."""
    known = set(map(written, record.classes))
    for label in map(written, votes.classes.tolist()):
        if label not in known:
            yield f"{where} have the label {label!r:.40}, which is not among those of the file"
            return


def written(label: Any) -> str:
    """Return a label as text; the file may have been made from numbers, and tables are text."""
    return str(int(label) if isinstance(label, float) and label.is_integer() else label)


def bits(planes: NDArray[Any]) -> list[int]:
    """Return each row of a boolean array as one integer, a bit a point."""
    return [int.from_bytes(row.tobytes(), "big") for row in np.packbits(planes, axis=1)]
