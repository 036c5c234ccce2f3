"""The tables that certify reads, and the groups of their rows."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

import typer

from tandemvote.auditing import Findings, check_findings
from tandemvote.auditing.checks import audit
from tandemvote.certificate.groups import MAX_GROUPS
from tandemvote.cli.combinations import CLASS, PREDICTED, check_ambiguous
from tandemvote.cli.messages import say
from tandemvote.cli.options import Columns, FileReading
from tandemvote.spelling import printable
from tandemvote.tables import DatasetError, Table, read_features, read_table
from tandemvote.tables.errors import number_of

FEWEST_ROWS = 20
ROWS = ("grouped_rows", "sorted_rows", "time_order")
NAMES_OF_VOTES = re.compile(r"label|voter\d+")


def read_data(
    path: str, columns: Columns, reading: FileReading, *, by: Collection[str] = ()
) -> Table:
    """Read DATA and report on the error stream how."""
    table = read_table(
        path,
        target=columns.target,
        drop=columns.drop,
        groups=columns.groups,
        categories=columns.category,
        beside=[name for name in by if name not in (CLASS, PREDICTED, columns.target)],
        **reading.file_options,
    )
    if len(table.y) < FEWEST_ROWS:
        raise DatasetError(
            f"{path} has {number_of(len(table.y), 'row')}; at least {FEWEST_ROWS} are required,"
            " thousands for a useful bound. Give more rows."
        )
    say(f"Read {printable(table.summary)}.", err=True)
    return table


def read_unlabeled(table: Table, columns: Columns, reading: FileReading, path: Path | None) -> Any:
    """Return the features of unlabeled rows."""
    if path is None:
        return None
    return read_features(path, table.columns(), **reading.file_options)[0]


def audited(table: Table, columns: Columns, unlabeled: Any = None) -> Findings:
    """Audit a table; raise all errors at once, unless they are overridden."""
    groups = None if columns.groups is None else table.beside[columns.groups]
    found = [*audit(table.raw, table.y, groups=groups)]
    if columns.drop:  # what a dropped column shows about the rows is still true
        about = audit(table.raw.join(table.dropped), table.y, groups=groups)
        found = [each for each in found if each.code not in ROWS]
        found += [each for each in about if each.code in ROWS]
    if unlabeled is not None:
        about = audit(table.X, X_unlabeled=unlabeled)
        found += [each for each in about if "unlabeled" in each.message]
    return check_findings([*table.findings, *found], columns.allow)


def groupings(by: Collection[str], table: Table) -> dict[str, Any]:
    """Return what to group the rows of a table by: "class", "predicted", or a column."""
    check_ambiguous(by, [*table.kinds, *table.excluded])
    for name in {*by} & {*table.beside}:
        distinct = len({*table.beside[name]})
        if distinct > MAX_GROUPS:  # known before the training
            raise typer.BadParameter(
                f"--by {name} has {distinct} distinct values; at most {MAX_GROUPS} are supported."
                " Bin the column with edges chosen without looking at this data."
            )
    words = {name: CLASS if name == table.target else name for name in by}
    return {word: table.beside.get(name, word) for name, word in words.items()}


def check_names_of_votes(columns: Collection[str]) -> None:
    """Reject columns with the name of a column of votes."""
    for name in columns:
        if NAMES_OF_VOTES.fullmatch(name):
            raise typer.BadParameter(
                f"--by {name}: --votes writes a column of this name. Rename it in the data, or"
                " remove --votes."
            )
