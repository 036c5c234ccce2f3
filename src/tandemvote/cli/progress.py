"""What a long count says of itself: a bar on a terminal, a line now and then in a log."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

import typer

SECONDS_BETWEEN_LINES = 10.0


@contextmanager
def counted(n_points: int) -> Iterator[Callable[[int], object]]:
    """Yield a function to call with each number of points counted; shows them on standard error.

    Parameters
    ----------
    n_points : int
        How many there are in all.
    """
    if not sys.stderr.isatty():
        yield _Lines(n_points)
        return
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import Progress  # noqa: PLC0415

    columns, console = Progress.get_default_columns(), Console(stderr=True)
    with Progress(*columns, console=console, transient=True) as bars:
        task = bars.add_task("points", total=n_points)
        yield lambda n_more: bars.advance(task, n_more)


class _Lines:
    def __init__(self, n_points: int) -> None:
        self.n_points, self.n_counted = n_points, 0
        self.said = self.started = monotonic()

    def __call__(self, n_more: int) -> None:
        self.n_counted += n_more
        now = monotonic()
        if now - self.said >= SECONDS_BETWEEN_LINES:
            self.said = now
            minutes = (now - self.started) / 60
            typer.echo(f"{self.n_counted}/{self.n_points} points, {minutes:.1f} min", err=True)
