"""Count votes in parts, here or on a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pickle import loads
from typing import Any

from tandemvote.abstention import check_empty_rows
from tandemvote.counts import VoteCounts
from tandemvote.extras import import_extra
from tandemvote.votes import Votes, check_some_voter_tested

# Enough for fast workers to take over from slow ones, few enough for little to be sent.
PIECES_PER_THREAD = 4
# One piece to count and one to go on with; votes in memory are sent no faster.
IN_FLIGHT_PER_THREAD = 2
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
        Dask cluster to count on. An iterable with a method ``split``, such as `VoteFiles`, is read
        by the workers themselves; other votes are pickled and sent. Every part is counted once,
        even if workers die.
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
    pickle = import_extra("cloudpickle", "dask")
    client.wait_for_workers(1)
    n_threads = sum(client.nthreads().values())
    split = getattr(shards, "split", None)
    pieces = split(PIECES_PER_THREAD * n_threads) if split else ([shard] for shard in shards)
    # Pickled by us, a piece that a worker cannot open is an error of its task.
    packed = map(pickle.dumps, pieces)

    def submit(n_pieces: int) -> Any:
        # pure=False: new keys in every call, since files may have changed after an earlier count.
        return client.map(_count_piece, list(islice(packed, n_pieces)), pure=False, retries=RETRIES)

    ready = distributed.as_completed(submit(IN_FLIGHT_PER_THREAD * n_threads), client.loop)
    try:
        for future in ready:
            part = future.result()  # waits again if the worker died since
            ready.update(submit(1))
            yield part
    finally:
        client.cancel(list(ready.futures))


def _count_piece(packed: bytes) -> Part:
    return _add_up(_count_shards(loads(packed)))


def _add_up(parts: Iterable[Part], progress: Callable[[int], object] | None = None) -> Part:
    counts, n_samples = None, 0
    for part, n_part in parts:
        counts, n_samples = part if counts is None else counts + part, n_samples + n_part
        if progress is not None:
            progress(n_part)
    if counts is None:
        raise ValueError("There are no votes to count. Pass at least one labeled sample.")
    return counts, n_samples
