"""Sums over many pieces on a Dask cluster: every piece counted once, whatever dies on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pickle import loads
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

from tandemvote.extras import import_extra

if TYPE_CHECKING:
    from distributed import Client

Piece = TypeVar("Piece")
Result = TypeVar("Result")

PIECES_PER_THREAD = 4
"""Enough for fast workers to take over from slow ones, few enough for little to be sent."""

IN_FLIGHT_PER_THREAD = 2
"""One piece to work on and one to go on with; the others wait here."""

RETRIES = 2
"""How often a piece that failed is tried again: a disk or network may come back."""


def pieces_for(client: Client, shards: Any) -> Iterable[Any]:
    """Cut shards into pieces for the threads of a cluster.

    Parameters
    ----------
    client : distributed.Client
    shards : object with ``split``, or iterable
        What can split itself is cut into a few pieces a thread. Of any other iterable each element
        is a piece of its own.
    """
    if hasattr(shards, "split"):
        return list(shards.split(PIECES_PER_THREAD * n_threads(client)))
    return ([shard] for shard in shards)


def n_threads(client: Client) -> int:
    """Return how many tasks the cluster works on at once; wait for the first worker to come."""
    cluster: Any = client  # its methods carry no types
    if not cluster.nthreads():
        cluster.wait_for_workers(1)
    return sum(cluster.nthreads().values())


def each_result(
    client: Client, function: Callable[[Piece], Result], pieces: Iterable[Piece]
) -> Iterator[Result]:
    """Yield ``function(piece)`` of every piece exactly once, in the order they get ready.

    A piece has one name on the cluster, so a worker that dies takes nothing with it: what it worked
    on, or had finished and not yet handed over, is done again under the same name by another. Its
    result is taken once and then forgotten everywhere.

    Parameters
    ----------
    client : distributed.Client
    function : callable
        Runs on the workers; must give the same result whenever and wherever it is called.
    pieces : iterable
        Pickled, so best descriptions of data that workers can read. Drawn as there is room.

    Raises
    ------
    Exception
        What `function` raised, or ``KilledWorker`` if a piece keeps killing its workers.
    """
    distributed = import_extra("distributed", "dask")
    pickle = import_extra("cloudpickle", "dask")
    cluster: Any = client  # its methods carry no types
    run = uuid4().hex
    # A name of this run only: a file may have changed since a piece of it was counted before.
    named = ((f"tandemvote-{run}-{number}", piece) for number, piece in enumerate(pieces))
    waiting: dict[str, Any] = {}

    def submit(count: int) -> list[Any]:
        new = [
            cluster.submit(_opened, pickle.dumps((function, piece)), key=key, retries=RETRIES)
            for key, piece in islice(named, count)
        ]
        waiting.update((future.key, future) for future in new)
        return new

    ready = distributed.as_completed(submit(IN_FLIGHT_PER_THREAD * n_threads(client)))
    try:
        for future in ready:
            result = future.result()  # waits again if the worker died since
            del waiting[future.key]
            future.release()
            for more in submit(1):
                ready.add(more)
            yield result
    finally:
        cluster.cancel(list(waiting.values()))


def _opened(packed: bytes) -> Any:
    """Run on a worker; packed apart, a piece that cannot be opened there is an error, no hang."""
    function, piece = loads(packed)
    return function(piece)
