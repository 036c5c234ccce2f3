"""The tables that commands read, and the groups of their points for --by."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import typer
from numpy.typing import NDArray

from tandemvote.api.groupings import MOST_GROUPS
from tandemvote.api.groups import certify_groups
from tandemvote.certificate.by_group import PREDICTED_CLASS, TRUE_CLASS, GroupCertificates
from tandemvote.certificate.certificate import VOTE_PROFILE
from tandemvote.certification import Certification
from tandemvote.cli.options import Reading
from tandemvote.tables import Dataset, DatasetError, read_table
from tandemvote.tables.columns import FEWEST_ROWS
from tandemvote.tables.errors import number_of
from tandemvote.tables.table_file import read_further
from tandemvote.tables.votes_table import read_column

GROUPS_OF_VOTES = {"class": TRUE_CLASS, "predicted": PREDICTED_CLASS}
NAMES_OF_VOTES = re.compile(r"label|voter\d+")

Groups = dict[str, Any]
"""What points are grouped by: one of `GROUPS_OF_VOTES`, or one value per point."""


def read_data(
    path: str, reading: Reading, *, by: Collection[str] = (), groups: str | None = None
) -> Dataset:
    """Read DATA and report on the error stream how."""
    dataset = read_table(
        path,
        target=reading.target,
        drop=reading.drop,
        keep=reading.keep,
        drop_unlabelled=reading.drop_unlabelled or reading.use_unlabelled,
        beside=[name for name in by if name not in (*GROUPS_OF_VOTES, reading.target)],
        groups=groups,
        **reading.arguments,
    )
    if dataset.n_samples < FEWEST_ROWS:
        raise DatasetError(
            f"{path} has {number_of(dataset.n_samples, 'row')}; fewer than {FEWEST_ROWS} show"
            " nothing. Give more rows: thousands for a useful guarantee."
        )
    typer.echo(f"Read {dataset.n_samples:,} rows: {dataset.columns_summary}.", err=True)
    say_notes(f"{note}." for note in dataset.notes)
    return dataset


def say_notes(notes: Iterable[str]) -> None:
    """Say on the error stream what to know before anything is computed."""
    for note in notes:
        typer.echo(f"Note: {note}", err=True)


def unlabelled_points(
    dataset: Dataset, reading: Reading, path: Path | None
) -> tuple[NDArray[Any] | None, list[str]]:
    """Return the points without labels that were asked for, if any, and what to know of them.

    Where rows with gaps were left out of DATA, those of a file would be of another source; and
    where copies were, they are left out as well.
    """
    if reading.use_unlabelled and dataset.X_unlabelled is None:
        raise DatasetError(
            f"{dataset.name}: every row has a label, so --use-unlabelled finds none. Leave it out."
        )
    if path is None:
        return dataset.X_unlabelled if reading.use_unlabelled else None, []
    points, found = read_further(path, like=dataset, **reading.arguments)
    notes = [f"Unlabelled points: {note}." for note in found]
    say_notes(notes)
    return points, notes


def refuse_ambiguous(by: Collection[str], columns: Collection[str]) -> None:
    """Refuse a word for the true or the predicted class that is the name of another column."""
    for name, meaning in GROUPS_OF_VOTES.items():
        if name in by and name in columns:
            raise typer.BadParameter(
                f"--by {name} may mean the {meaning} or the column {name!r}. Rename the column."
            )


def groups_of_data(by: Collection[str], dataset: Dataset) -> Groups:
    """Return what the rows of a table are grouped by."""
    refuse_ambiguous(by, [name for name, *_ in dataset.columns if name != dataset.target])
    groups: Groups = {}
    for name in by:
        if name not in dataset.beside:
            word = "class" if name == dataset.target else name
            groups[word] = word
            continue
        groups[name] = dataset.beside[name]
        distinct = len(set(dataset.beside[name]))
        if distinct > MOST_GROUPS:
            raise typer.BadParameter(
                f"--by {name}: {distinct} different values are more than {MOST_GROUPS}, too many"
                " for groups. Cut them into a column of a few ranges before looking at the labels."
            )
    return groups


def select_rows(groups: Groups, rows: Any) -> Groups:
    """Return the groups of some rows alone."""
    return {
        name: values if isinstance(values, str) else values[rows] for name, values in groups.items()
    }


def groups_of_predictions(by: Collection[str], path: str) -> Groups:
    """Return the same for a table of predictions."""
    return {name: name if name in GROUPS_OF_VOTES else read_column(path, name) for name in by}


def refuse_names_of_votes(groups: Groups) -> None:
    """Reject columns with the name of a column of votes."""
    for name, values in groups.items():
        if not isinstance(values, str) and NAMES_OF_VOTES.fullmatch(name):
            raise typer.BadParameter(
                f"--by {name}: --votes writes a column of this name. Rename it in the data, or"
                " leave out --votes."
            )


def columns_beside_votes(groups: Groups) -> dict[str, list[str]]:
    """Return columns for a table of votes with which verify can count groups again, as text."""
    return {
        name: ["" if value is None else str(value) for value in values]
        for name, values in groups.items()
        if not isinstance(values, str)
    }


def certify_by(found: Certification, groups: Groups) -> GroupCertificates | None:
    """Certify each group by the bounds of the certificate that apply to some of the points."""
    if not groups:
        return None
    if found.votes is None:
        raise typer.BadParameter("--by needs predictions that fit in memory.")
    candidates = [name for name in found.certificate.candidates if name != VOTE_PROFILE]
    request = replace(found.request, bound=candidates or "auto")
    whole = replace(found, request=request, profile=None)
    return replace(certify_groups(whole, groups), certificate=found.certificate)
