"""Let the voters vote again on the test set, and count the errors."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tandemvote.certificate.file_record import CertificateRecord
from tandemvote.verify.recount_labelled import written
from tandemvote.votes import Votes

BITS = 52
"""Weights are voted with as whole numbers that sum to less than 2^52, so that ties are ties."""


def other_test_set(record: CertificateRecord, votes: Votes) -> Iterator[str]:
    """Say where the errors on the test set are not those of the votes.

    Parameters
    ----------
    record : CertificateRecord
    votes : Votes
        All voters, which vote with the weights of the file; or one, which is the vote itself.
    """
    if record.test is None:
        yield "the file has no test set"
        return
    weights = record.weights if votes.n_voters > 1 else (1.0,)
    if votes.n_voters != len(weights):
        yield (
            f"the file is about {record.n_voters} voters, {votes.n_voters} predict the test set;"
            " one alone would be the vote itself"
        )
        return
    silent = np.argwhere(~votes.held_out & (np.array(weights) > 0)[:, None])
    if silent.size:
        yield f"voter {silent[0][0]} predicts nothing at test point {silent[0][1]}"
        return
    place = {written(label): number for number, label in enumerate(record.classes)}
    ranks = [place.get(written(label), len(place)) for label in votes.classes.tolist()]
    order = np.argsort(ranks, kind="stable")
    n_errors = int((order[_winners(votes, weights, order)] != votes.labels).sum())
    if (n_errors, votes.n_samples) != record.test:
        yield (
            f"the vote errs on {record.test[0]} of {record.test[1]} test points in the file and on"
            f" {n_errors} of {votes.n_samples} in the votes"
        )


def _winners(votes: Votes, weights: Sequence[float], order: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the place in the order of the label that wins at each point, of equals the first."""
    scale = 2 ** (BITS - math.frexp(math.fsum(weights))[1])
    totals = np.zeros((votes.classes.size, votes.n_samples), np.int64)
    for weight, labels in zip(weights, votes.predictions, strict=True):
        totals[labels, np.arange(labels.size)] += round(Fraction(weight) * scale)
    return np.asarray(totals[order].argmax(axis=0))
