"""How long work runs: on a Dask cluster if one is given, and with a progress bar in a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from joblib import parallel_config
from rich.console import Console
from rich.progress import Progress, ProgressColumn

from tandemvote.extras import import_extra


def progress(*columns: ProgressColumn) -> Progress:
    """Return bars or clocks that a terminal shows until the work is done, and a log never."""
    console = Console(stderr=True)
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


@contextmanager
def connected(address: str | None) -> Iterator[Any]:
    """Yield the client of a Dask cluster to count on, which joblib uses too; or None."""
    if address is None:
        yield None
        return
    distributed = import_extra("distributed", "dask")
    with distributed.Client(address) as client, parallel_config("dask"):
        yield client
