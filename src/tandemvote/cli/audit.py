"""``tandemvote audit``: what is suspicious about a table."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING

import typer

from tandemvote.cli import options
from tandemvote.cli.messages import in_options, say
from tandemvote.spelling import printable

if TYPE_CHECKING:
    from tandemvote.auditing import Finding


@options.grouped
def audit(
    data: str = typer.Argument(help="CSV, Parquet or Excel file; - for the standard input."),
    *,
    columns: options.Columns,
    reading: options.FileReading,
    as_json: options.Json = False,
) -> None:
    """Report what is suspicious about DATA, before an error rate is certified.

    For example: tandemvote audit visits.csv --target outcome

    Exit codes: 0 no errors; 2 errors that --allow does not override.
    """
    from tandemvote.auditing import FindingsError
    from tandemvote.cli.data import audited, read_data

    table = read_data(data, columns, reading)
    try:
        findings = audited(table, columns)
    except FindingsError as error:
        if as_json:
            say(_as_json(error.findings))
        raise
    say(_as_json(findings) if as_json else printable_lines(findings))


def _as_json(findings: Iterable[Finding]) -> str:
    return json.dumps([asdict(each) for each in findings], indent=2)


def printable_lines(findings: Iterable[Finding]) -> str:
    """Return one line per finding, with options in the place of parameters."""
    lines = [printable(in_options(str(each))) for each in findings]
    return "\n".join(lines) or "The audit found nothing suspicious."
