"""One sum over many shards, wherever each of them is counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeVar

from tandemvote.votes import Votes

if TYPE_CHECKING:
    from distributed import Client


class Summable(Protocol):
    """What adds up, in any order and grouping."""

    def __add__(self: Sum, other: Sum, /) -> Sum:
        """Merge the counts of disjoint points."""


Sum = TypeVar("Sum", bound=Summable)
Shards = Iterable[Votes | Iterable[Votes]]


def total(
    count: Callable[[Votes], Sum],
    shards: Shards,
    *,
    client: Client | None = None,
    progress: Callable[[int], object] | None = None,
) -> Sum:
    """Sum ``count(votes)`` over all votes in the shards.

    Parameters
    ----------
    count : callable
        Takes `Votes`, gives what can be added.
    shards : iterable of Votes, or of iterables of Votes
    client : distributed.Client, optional
        Cluster to count on; each worker adds up what it is given and sends back one sum.
    progress : callable, optional
        Told now and then how many points were counted since it was told last.

    Examples
    --------
    >>> shards = [Votes.from_predictions([[0, 1]], [0, 0]), Votes.from_predictions([[1]], [1])]
    >>> total(lambda votes: int(votes.errors.sum()), shards)
    1
    """
    parts: Iterable[tuple[Sum, int]]
    if client is None:
        parts = _counted(count, shards)
    else:
        from tandemvote.counting.cluster import each_result, pieces_for  # noqa: PLC0415

        parts = each_result(client, partial(_worker_total, count), pieces_for(client, shards))
    result, _ = _added(parts, progress)
    return result


def _counted(count: Callable[[Votes], Sum], shards: Shards) -> Iterator[tuple[Sum, int]]:
    """Give one count after another, each with its number of points."""
    for shard in shards:
        for votes in [shard] if isinstance(shard, Votes) else shard:
            yield count(votes), votes.n_samples


def _worker_total(count: Callable[[Votes], Sum], shards: Shards) -> tuple[Sum, int]:
    """Return all that a worker sends back, however many shards it was given."""
    return _added(_counted(count, shards))


def _added(
    parts: Iterable[tuple[Sum, int]], progress: Callable[[int], object] | None = None
) -> tuple[Sum, int]:
    result, n_points = None, 0
    for part, n_more in parts:
        result, n_points = part if result is None else result + part, n_points + n_more
        if progress is not None:
            progress(n_more)
    if result is None:
        raise ValueError("There are no votes in the shards. Pass at least one labelled point.")
    return result, n_points
