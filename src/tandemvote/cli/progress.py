"""What is being done, and how long it may take."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import typer

WORTH_A_LINE = 10.0
"""Seconds of work that a log, which shows no clock, is told of."""


def seconds_of(work: Callable[[], Any]) -> float:
    """Measure a small part of the work."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


@contextmanager
def shown(what: str, *, seconds: float) -> Iterator[None]:
    """Show a clock on a terminal, and a line in a log if the work is long."""
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn  # noqa: PLC0415

    console, about = Console(stderr=True), duration(seconds)
    if not console.is_terminal:
        if seconds >= WORTH_A_LINE:
            typer.echo(f"{what}: about {about}.", err=True)
        yield
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as clock:
        clock.add_task(f"{what}, about {about}")
        yield


def duration(seconds: float) -> str:
    """Say how long, roughly.

    Examples
    --------
    >>> duration(0.2), duration(75), duration(7000)
    ('1 s', '75 s', '1.9 h')
    """
    if seconds < 100:
        return f"{max(1, round(seconds))} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
