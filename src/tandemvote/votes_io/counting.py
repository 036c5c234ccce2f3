"""Count votes in parts, here or on a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from operator import add
from typing import Any

from tandemvote.counts import VoteCounts
from tandemvote.extras import import_extra
from tandemvote.votes import Votes, check_some_voter_tested

# Enough for fast workers to take over from slow ones, few enough for little to be sent.
PIECES_PER_THREAD = 4
# How often a piece that failed is tried again: a disk or network may come back.
RETRIES = 2


def count_votes(
    votes: Iterable[Votes], *, client: Any = None, progress: Callable[[int], object] | None = None
) -> VoteCounts:
    """Count votes in parts: disjoint samples of the same voters, in any order.

    Parameters
    ----------
    votes : iterable of Votes
        For example `VoteFiles`. One `Votes` is held in memory at a time.
    client : distributed.Client, optional
        Dask cluster to count on, for votes with a method ``split`` such as `VoteFiles`: the workers
        read them. Every part is counted once, even if workers die.
    progress : callable, optional
        Called with the number of samples counted since the last call.

    Returns
    -------
    VoteCounts

    Examples
    --------
    >>> parts = [Votes.from_predictions([[0, 1]], [0, 0]), Votes.from_predictions([[1]], [1])]
    >>> count_votes(parts).sizes.tolist()
    [3]
    """
    counts = None
    for part in _count_each(votes) if client is None else _count_on_cluster(client, votes):
        counts = part if counts is None else counts + part
        if progress is not None and part.tally is not None:
            progress(part.tally.n_samples)
    if counts is None:
        raise ValueError("There are no votes to count. Pass at least one labeled sample.")
    check_some_voter_tested(counts.sizes)
    return counts


def _count_each(shards: Iterable[Votes]) -> Iterator[VoteCounts]:
    for votes in shards:
        if not isinstance(votes, Votes):
            raise TypeError(
                f"An object of type {type(votes).__name__} was given; expected Votes. Wrap"
                " predictions and labels in Votes.from_predictions."
            )
        yield VoteCounts.from_votes(votes)


def _count_on_cluster(client: Any, shards: Any) -> Iterator[VoteCounts]:
    """Yield one sum per piece, as the workers finish.

    Every piece is one task with its own key. What a dead worker was counting, or had counted
    and not handed over, is counted again under the same key, and each key is taken once.
    """
    distributed = import_extra("distributed", "dask")
    client.wait_for_workers(1)
    pieces = shards.split(PIECES_PER_THREAD * sum(client.nthreads().values()))
    # pure=False: new keys in every call, since files may have changed after an earlier count.
    futures = client.map(_count_piece, pieces, pure=False, retries=RETRIES)
    try:
        for future in distributed.as_completed(futures, client.loop):
            yield future.result()  # waits again if the worker died since
    finally:
        client.cancel(futures)


def _count_piece(piece: Iterable[Votes]) -> VoteCounts:
    return reduce(add, _count_each(piece))
