"""Messages: parameters as options, findings with commands to paste; a closed pipe ends nothing."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import typer

from tandemvote.votes.printable import printable

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn

    from tandemvote.auditing import Finding, Findings
    from tandemvote.auditing.finding import Cure

OPTIONS = {"categories": "category", "missing_values": "missing", "X_unlabeled": "unlabeled"}
"""Parameters whose options have other names."""

ADVICE = {
    "row_order": "If neighboring rows belong together, pass --groups COLUMN; if rows are in the"
    " order of time, certify with --order COLUMN, which tests the latest rows.",
    "missing_target": "Add the labels; texts such as NaN and None count as missing. Rows without"
    " one are excluded by --allow missing_target, and the bound does not cover them unless labels"
    " are missing at random.",
}
"""Advice for findings on the command line; that of the library names parameters."""


def as_option(name: str, value: Any) -> str:
    """Return a parameter as it is typed on the command line.

    Examples
    --------
    >>> as_option("drop", ["row id", "b"]), as_option("trusted", True)
    ("--drop 'row id' --drop b", '--trusted')
    """
    option = "--" + OPTIONS.get(name, name).replace("_", "-")
    values = value if isinstance(value, list | tuple) else [value]
    words = [option] if value is True else [w for each in values for w in (option, str(each))]
    return shlex.join(words)


def as_text(error: Exception) -> str:
    """Return the message of an error on one printable line, its parameters as options."""
    parameters = getattr(error, "parameters", {}).items()
    options = {f"{name}={value!r}": as_option(name, value) for name, value in parameters}
    named = "|".join(map(re.escape, options)) or "(?!)"
    words = re.sub(rf"(?<!\w)({named})(?!\w)", lambda found: options[found[0]], str(error))
    return printable(" ".join(words.split()))


def finding_lines(findings: Iterable[Finding]) -> Iterator[str]:
    """Yield findings with the options that cure them."""
    from tandemvote.auditing.finding import cures

    for each in findings:
        words = [f"{_options(cure)} ({cure.effect})" for cure in cures(each)]
        advice = f"Pass {' or '.join(words)}." if words else ADVICE.get(each.code, each.advice)
        yield printable(str(replace(each, advice=advice)))


def describe(findings: Findings, arguments: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a message about findings that are errors."""
    from tandemvote.auditing.finding import cures

    n_errors = len(findings.errors)
    yield f"Error: the audit of the data found {n_errors} error{'s' * (n_errors > 1)}."
    yield from (f"  {line}" for line in finding_lines(findings))
    fixes = [
        next(map(_options, cures(each)), as_option("allow", each.code)) for each in findings.errors
    ]
    command = " ".join([shlex.join(["tandemvote", *arguments]), *dict.fromkeys(fixes)])
    yield f"Correct the data, or decide: {printable(command)}"


def _options(cure: Cure) -> str:
    return " ".join(as_option(name, values) for name, values in cure.parameters.items())


def say(text: str, *, err: bool = False, newline: bool = True) -> None:
    """Print; if nobody reads any more, go on, so that the exit code stays what it is."""
    try:
        typer.echo(text, err=err, nl=newline)
    except BrokenPipeError:
        stream = sys.stderr if err else sys.stdout
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def progress(*columns: ProgressColumn) -> Progress:
    """Return bars or clocks that a terminal shows until the work is done, and a log never."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
