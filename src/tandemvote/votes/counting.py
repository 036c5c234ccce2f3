"""Count votes in parts, here or on a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial, reduce
from operator import add
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tandemvote.inequalities.outward import FloatArray
from tandemvote.votes.counts import VoteCounts
from tandemvote.votes.evidence import Evidence
from tandemvote.votes.extras import import_extra
from tandemvote.votes.names import GIVEN
from tandemvote.votes.votes import Votes, check_voters_tested
from tandemvote.votes.weighted_vote import votable

# Enough for fast workers to take over from slow ones, few enough for little to be sent.
PIECES_PER_THREAD = 4
# How often a piece that failed is tried again: a disk or network may come back.
RETRIES = 2


def count_votes(
    votes: Iterable[Votes],
    *,
    weights: ArrayLike | None = None,
    vote: bool = True,
    client: Any = None,
    progress: Callable[[int], object] | None = None,
) -> Evidence:
    """Count votes in parts: disjoint samples of the same voters, in any order.

    Parameters
    ----------
    votes : iterable of Votes
        For example `VoteFiles`. One `Votes` is held in memory at a time.
    weights : array_like of shape (n_voters,), optional
        Weights of the vote whose errors are counted; equal weights by default.
    vote : bool, default=True
        Whether to count the errors of the vote.
    client : distributed.Client, optional
        Dask cluster to count on, for votes with a method ``split`` such as `VoteFiles`: the workers
        read them. Every part is counted once, even if workers die.
    progress : callable, optional
        Called with the number of samples counted since the last call.

    Returns
    -------
    Evidence
        The counts, and the result of the vote of these weights.

    Examples
    --------
    >>> parts = [Votes.from_predictions([[0, 1]], [0, 0]), Votes.from_predictions([[1]], [1])]
    >>> evidence = count_votes(parts)
    >>> evidence.counts.sizes.tolist(), evidence.vote.n_errors
    ([3], 1)
    """
    rho = None if weights is None else votable(np.asarray(weights, float))
    parts: Iterator[Evidence]
    if client is None:
        parts = (_count(shard, rho, vote) for shard in votes)
    else:
        parts = _on_cluster(client, votes, partial(_count_piece, weights=rho, vote=vote))
    total = None
    for part in parts:
        total = part if total is None else total + part
        if progress is not None:
            progress(part.counts.n_samples)
    if total is None:
        raise ValueError("There are no votes to count. Pass at least one labeled sample.")
    check_voters_tested(total.counts.sizes)
    return total


def _count_piece(shards: Iterable[Votes], weights: FloatArray | None, vote: bool) -> Evidence:
    return reduce(add, (_count(votes, weights, vote) for votes in shards))


def _count(votes: Votes, weights: FloatArray | None, vote: bool) -> Evidence:
    if not isinstance(votes, Votes):
        raise TypeError(
            f"An object of type {type(votes).__name__} was given; expected Votes. Wrap"
            " predictions and labels in Votes.from_predictions."
        )
    if not vote:
        return Evidence(VoteCounts.from_votes(votes))
    return Evidence.of(votes, weights, fitted=None if weights is None else GIVEN)


def _on_cluster(
    client: Any, shards: Any, count: Callable[[Iterable[Votes]], Evidence]
) -> Iterator[Evidence]:
    """Yield one sum per piece, as the workers finish.

    Every piece is one task with its own key. What a dead worker was counting, or had counted
    and not handed over, is counted again under the same key, and each key is taken once.
    """
    distributed = import_extra("distributed", "dask")
    client.wait_for_workers(1)
    pieces = shards.split(PIECES_PER_THREAD * sum(client.nthreads().values()))
    # pure=False: new keys in every call, since files may have changed after an earlier count.
    futures = client.map(count, pieces, pure=False, retries=RETRIES)
    try:
        for future in distributed.as_completed(futures, client.loop):
            yield future.result()  # waits again if the worker died since
    finally:
        client.cancel(futures)
