"""Messages: parameters become options, findings a command to paste; a closed pipe ends nothing."""

from __future__ import annotations

import ast
import os
import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn

    from tandemvote.auditing import Finding, Findings

NAMES = (
    "allow bound by confidence decimal drop empty_as_error error groups keep max_error order power"
    " target test_size ties trusted weights"
)
OPTIONS = {
    **{name: f"--{name.replace('_', '-')}" for name in NAMES.split()},
    "categories": "--category",
    "missing_values": "--missing",
    "X_unlabeled": "--unlabeled",
}
"""Parameters as messages name them, such as ``bound='tandem'``, and their options."""

OPTION_WORDS = {name: option for name, option in OPTIONS.items() if "_" in name} | {
    "referee=False": "--scheme holdout",
    "CertifiedClassifier": "--scheme committee",
    "groups has": "--groups has",
    "order has": "--order has",
    "Pass more samples": "Give more rows",
    ", or pass an array": "",
}
"""Other words of the library, and what they are called on the command line."""

ASSIGNED = re.compile(
    rf"\b({'|'.join(OPTIONS)})=(\[[^]]*\]|\([^)]*\)|'[^']*'|\"[^\"]*\"|\w+(?:\.\w+)*)"
)


def in_options(message: str) -> str:
    """Replace the parameters that a message of the library names by options.

    Examples
    --------
    >>> in_options("Pass drop=['row id', 'b'], trusted=True or target=COLUMN.")
    "Pass --drop 'row id' --drop b, --trusted or --target COLUMN."
    """
    message = ASSIGNED.sub(_typed, message)
    for word, option in OPTION_WORDS.items():
        message = message.replace(word, option)
    return message


def _typed(assigned: re.Match[str]) -> str:
    """Return ``name=value`` as it is typed on the command line."""
    option, value = OPTIONS[assigned[1]], assigned[2]
    with suppress(ValueError, SyntaxError):  # of names, as in target=COLUMN
        value = ast.literal_eval(value)
    if value is True:
        return option
    values = value if isinstance(value, list | tuple) else [value]
    return " ".join(f"{option} {shlex.quote(str(each))}" for each in values)


def describe(findings: Findings, arguments: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a message about findings that are errors."""
    n_errors = len(findings.errors)
    yield f"Error: the audit of the data found {n_errors} error{'s' * (n_errors > 1)}."
    yield from (f"  {in_options(str(each))}" for each in findings)
    fixes = dict.fromkeys(fix for each in findings.errors for fix in _fix(each))
    words = [word for fix in fixes for word in fix]
    yield f"Correct the data, or decide: {shlex.join(['tandemvote', *arguments, *words])}"


def _fix(error: Finding) -> list[tuple[str, ...]]:
    """Return options that a user may choose for an error."""
    match error.code:
        case "identifier":
            return [("--drop", name) for name in error.columns]
        case "grouped_rows" if error.columns != ("index",):
            return [("--groups", error.columns[0])]
        case "stray_text":  # such as 'n.d.' in row 18
            cells = [text.rpartition(" in row ")[0] for text in error.evidence.values()]
            return [("--missing", cell.strip("'\"")) for cell in cells]
        case "decimal_comma":
            return [("--decimal", ",")]
    return [("--allow", error.code)]


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
