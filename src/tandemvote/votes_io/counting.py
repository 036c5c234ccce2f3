"""Count votes in parts, here or on a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tandemvote.abstention import check_empty_rows
from tandemvote.counts import VoteCounts
from tandemvote.extras import import_extra
from tandemvote.votes import Votes, check_some_voter_tested

# Enough for fast workers to take over from slow ones, few enough for little to be sent.
PIECES_PER_THREAD = 4
# How often a piece that failed is tried again: a disk or network may come back.
RETRIES = 2

Shards = Iterable[Votes | Iterable[Votes]]
Part = tuple[VoteCounts, int]  # counts, and their number of samples


def count_votes(
    votes: Shards, *, client: Any = None, progress: Callable[[int], object] | None = None
) -> VoteCounts:
    """Count votes in parts: disjoint samples of the same voters, in any order.

    Parameters
    ----------
    votes : iterable of Votes, or of iterables of Votes
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
    parts = _count_shards(votes) if client is None else _count_on_cluster(client, votes)
    counts, _ = _add_up(parts, progress)
    check_some_voter_tested(counts.sizes)
    if hasattr(votes, "row_groups"):  # in files, a voter may also abstain where a cell is empty
        check_empty_rows(counts)
    return counts


def _count_shards(shards: Shards) -> Iterator[Part]:
    for shard in shards:
        for votes in shard if isinstance(shard, Iterable) else [shard]:
            if not isinstance(votes, Votes):
                raise TypeError(
                    f"An object of type {type(votes).__name__} was given; expected Votes. Wrap"
                    " predictions and labels in Votes.from_predictions."
                )
            yield VoteCounts.from_votes(votes), votes.n_samples


def _count_on_cluster(client: Any, shards: Any) -> Iterator[Part]:
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


def _count_piece(piece: Shards) -> Part:
    return _add_up(_count_shards(piece))


def _add_up(parts: Iterable[Part], progress: Callable[[int], object] | None = None) -> Part:
    counts, n_samples = None, 0
    for part, n_part in parts:
        counts, n_samples = part if counts is None else counts + part, n_samples + n_part
        if progress is not None:
            progress(n_part)
    if counts is None:
        raise ValueError("There are no votes to count. Pass at least one labeled sample.")
    return counts, n_samples
