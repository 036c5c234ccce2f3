"""The tables that commands read, and the groups of their rows."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import typer

from tandemvote.auditing import Findings, check_findings
from tandemvote.auditing.checks import audit
from tandemvote.certificate.groups import MAX_GROUPS
from tandemvote.cli.messages import say
from tandemvote.cli.options import CLASS, PREDICTED, Columns, FileReading, groupings
from tandemvote.spelling import printable
from tandemvote.tables import DatasetError, Table, read_table
from tandemvote.tables.errors import number_of

FEWEST_ROWS = 20
ROWS = ("grouped_rows", "sorted_rows", "time_order")


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
        others=[name for name in by if name not in (CLASS, PREDICTED, columns.target)],
        **vars(reading),
    )
    if len(table.y) < FEWEST_ROWS:
        raise DatasetError(
            f"{path} has {number_of(len(table.y), 'row')}; at least {FEWEST_ROWS} are required,"
            " thousands for a useful bound. Give more rows."
        )
    say(f"Read {printable(table.summary)}.", err=True)
    return table


def audited(table: Table, columns: Columns, unlabeled: Any = None) -> Findings:
    """Audit a table; raise all errors at once, unless they are overridden."""
    groups = None if columns.groups is None else table.others[columns.groups]
    found = [*audit(table.raw[[*table.kinds]], table.y, groups=groups)]
    if columns.drop:  # what a dropped column shows about the rows is still true
        about = audit(table.raw, table.y, groups=groups)
        found = [each for each in found if each.code not in ROWS]
        found += [each for each in about if each.code in ROWS]
    if unlabeled is not None:
        about = audit(table.X, X_unlabeled=unlabeled)
        found += [each for each in about if "unlabeled" in each.message]
    return check_findings([*table.findings, *found], columns.allow)


def read_groupings(by: Collection[str], table: Table) -> dict[str, Any]:
    """Return what to group the rows of a table by: "class", "predicted", or a column."""
    names = groupings(by, table.target, [*table.kinds, *table.excluded])
    for name in {*names} & {*table.others}:
        distinct = len({*table.others[name]})
        if distinct > MAX_GROUPS:  # known before the training
            raise typer.BadParameter(
                f"--by {name} has {distinct} distinct values; at most {MAX_GROUPS} are supported."
                " Bin the column with edges chosen without looking at this data."
            )
    return {name: table.others.get(name, name) for name in names}
