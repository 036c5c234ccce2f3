"""Count again whatever the counts of a certificate were made from."""

from __future__ import annotations

from collections.abc import Iterator

from numpy.typing import ArrayLike

from tandemvote.certificate.file_record import CertificateRecord
from tandemvote.verify.recount_labelled import other_counts
from tandemvote.verify.recount_test_set import other_test_set
from tandemvote.verify.recount_unlabelled import other_unlabelled
from tandemvote.votes import Votes


def recount(
    record: CertificateRecord, votes: Votes | None, unlabelled: ArrayLike | None, test: Votes | None
) -> Iterator[str]:
    """Say where a record is not what counting again gives, as far as there is something to count.

    Parameters
    ----------
    record : CertificateRecord
    votes : Votes or None
        The labelled votes.
    unlabelled : array_like of shape (n_voters, n_points) or None
        Predictions of the voters on points without labels.
    test : Votes or None
        Votes on the test set: of all voters, or of the vote itself as a single one.
    """
    if votes is not None:
        yield from other_counts(record, votes)
    if unlabelled is not None:
        yield from other_unlabelled(record, Votes.without_labels(unlabelled))
    if test is not None:
        yield from other_test_set(record, test)
