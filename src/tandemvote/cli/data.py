"""The tables that certify reads, and the groups of their rows."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import typer
from numpy.typing import NDArray

from tandemvote.auditing import Finding
from tandemvote.certificate.groups import MAX_GROUPS
from tandemvote.cli.combinations import CLASS, PREDICTED, check_ambiguous
from tandemvote.cli.messages import say
from tandemvote.cli.options import Reading
from tandemvote.tables import Dataset, DatasetError, read_table
from tandemvote.tables.columns import FEWEST_ROWS
from tandemvote.tables.errors import number_of
from tandemvote.tables.table_file import read_further

NAMES_OF_VOTES = re.compile(r"label|voter\d+")


def read_data(
    path: Path, reading: Reading, *, by: Collection[str] = (), groups: str | None = None
) -> Dataset:
    """Read DATA and report on the error stream how."""
    dataset = read_table(
        path,
        target=reading.target,
        drop=reading.drop,
        keep=reading.keep,
        drop_unlabeled=reading.drop_unlabeled or reading.use_unlabeled,
        beside=[name for name in by if name not in (CLASS, PREDICTED, reading.target)],
        groups=groups,
        **reading.arguments,
    )
    if dataset.n_samples < FEWEST_ROWS:
        raise DatasetError(
            f"{path} has {number_of(dataset.n_samples, 'row')}; at least {FEWEST_ROWS} are"
            " required, thousands for a useful bound. Give more rows."
        )
    say(f"Read {dataset.n_samples:,} rows: {dataset.columns_summary}.", err=True)
    return dataset


def read_unlabeled(
    dataset: Dataset, reading: Reading, path: Path | None
) -> tuple[NDArray[Any] | None, list[Finding]]:
    """Return the unlabeled rows to use, if any, and findings about those that were excluded.

    Rows with missing entries and copies are excluded as in DATA, so that both are drawn from the
    same distribution.
    """
    if reading.use_unlabeled and dataset.X_unlabeled is None:
        raise DatasetError(
            f"{dataset.name}: every row has a label, so --use-unlabeled has no effect. Remove it."
        )
    if path is None:
        return dataset.X_unlabeled if reading.use_unlabeled else None, []
    rows, findings = read_further(path, like=dataset, **reading.arguments)
    return rows, [replace(each, message=f"Unlabeled rows: {each.message}") for each in findings]


def groupings(by: Collection[str], dataset: Dataset) -> dict[str, Any]:
    """Return what to group the rows of a table by: "class", "predicted", or a column."""
    check_ambiguous(by, [name for name, *_ in dataset.columns if name != dataset.target])
    for name in {*by} & {*dataset.beside}:
        distinct = len({*dataset.beside[name]})
        if distinct > MAX_GROUPS:  # known before the training
            raise typer.BadParameter(
                f"--by {name} has {distinct} distinct values; at most {MAX_GROUPS} are supported."
                " Bin the column with edges chosen without looking at this data."
            )
    words = {name: CLASS if name == dataset.target else name for name in by}
    return {word: dataset.beside.get(name, word) for name, word in words.items()}


def check_names_of_votes(columns: Collection[str]) -> None:
    """Reject columns with the name of a column of votes."""
    for name in columns:
        if NAMES_OF_VOTES.fullmatch(name):
            raise typer.BadParameter(
                f"--by {name}: --votes writes a column of this name. Rename it in the data, or"
                " remove --votes."
            )
