"""``tandemvote audit``: what is suspicious about a table."""

from __future__ import annotations

import json
from dataclasses import asdict

from tandemvote.cli import options
from tandemvote.cli.messages import finding_lines, say


@options.grouped
def audit(
    data: str = options.DATA,
    *,
    columns: options.Columns,
    drawing: options.Drawing,
    reading: options.FileReading,
    as_json: bool = options.JSON,
) -> None:
    """Report what is suspicious about DATA, before an error rate is certified.

    Leaks and groups are looked for outside the test set of certify, which the seed determines.

    For example:

    tandemvote audit visits.csv --target outcome

    Exit codes: 0 no errors; 2 errors that --allow does not override.
    """
    from tandemvote.auditing import FindingsError
    from tandemvote.cli.training import audited, read_data

    table = read_data(data, columns, reading, order=drawing.order)
    try:
        findings, error = audited(table, columns, drawing), None
    except FindingsError as raised:
        findings, error = raised.findings, raised
    if as_json:
        say(json.dumps([asdict(each) for each in findings], indent=2))
    elif error is None:
        say("\n".join(finding_lines(findings)) or str(findings))
    if error is not None:
        raise error
