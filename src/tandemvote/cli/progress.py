"""Progress of a long run: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Protocol

import typer

if TYPE_CHECKING:
    from tandemvote.experiments.cells import Cell

SECONDS_BETWEEN_LINES = 10.0


class Progress(Protocol):
    """Told of the cells of a run as they are done."""

    def start(self, n_left: int, n_done: int) -> None:
        """Say how many cells are left and how many were done before."""

    def advance(self, cell: Cell) -> None:
        """Say that a cell is stored."""


class PlainProgress:
    """One line now and then, for logs."""

    def __init__(self) -> None:
        self.n_left = self.n_run = 0
        self.said = self.started = monotonic()

    def start(self, n_left: int, n_done: int) -> None:
        """Say what is left."""
        self.n_left, self.started = n_left, monotonic()
        typer.echo(f"Cells to run: {n_left}; done before: {n_done}")

    def advance(self, cell: Cell) -> None:
        """Say a line unless the last one is fresh."""
        self.n_run += 1
        now = monotonic()
        if now - self.said >= SECONDS_BETWEEN_LINES or self.n_run == self.n_left:
            self.said = now
            minutes = (now - self.started) / 60
            typer.echo(f"{self.n_run}/{self.n_left} cells, {minutes:.1f} min: {cell.name}")


@contextmanager
def shown() -> Iterator[Progress]:
    """Give the progress display that suits the output."""
    if not sys.stdout.isatty():
        yield PlainProgress()
        return
    from rich.progress import (  # noqa: PLC0415
        BarColumn,
        MofNCompleteColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as Bars  # noqa: PLC0415

    with Bars(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    ) as bars:
        yield _BarProgress(bars)


@contextmanager
def counted(n_points: int) -> Iterator[Callable[[int], object]]:
    """Give what to tell of points counted; it shows them on standard error.

    Parameters
    ----------
    n_points : int
        How many there are in all.
    """
    if not sys.stderr.isatty():
        yield _PlainCount(n_points)
        return
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import Progress as Bars  # noqa: PLC0415

    with Bars(*Bars.get_default_columns(), console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task("points", total=n_points)
        yield lambda n_more: bars.advance(task, n_more)


class _PlainCount:
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


class _BarProgress:
    def __init__(self, bars: object) -> None:
        self.bars = bars
        self.task = bars.add_task("cells", total=None)  # type: ignore[attr-defined]

    def start(self, n_left: int, n_done: int) -> None:
        self.bars.update(self.task, total=n_left + n_done, completed=n_done)  # type: ignore[attr-defined]

    def advance(self, cell: Cell) -> None:
        self.bars.update(self.task, advance=1, description=cell.name)  # type: ignore[attr-defined]
