"""Errors of the audit in one message, with the corrected command to paste."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tandemvote.cli.messages import in_options

if TYPE_CHECKING:
    from tandemvote.auditing import Finding, Findings


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
