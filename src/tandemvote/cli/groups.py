"""Groups of points for --by: the true class, the predicted one, or a column."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import typer

from tandemvote.cli.data import read_labelled
from tandemvote.cli.options import DataOptions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tandemvote.certificate.by_group import GroupCertificates
    from tandemvote.certification import Certification
    from tandemvote.tables import Dataset

WORDS = ("class", "predicted")
NAMES_OF_VOTES = re.compile(r"label|voter\d+")


def certify_by(found: Certification, groups: dict[str, Any]) -> GroupCertificates | None:
    """Certify each group by the bounds of the certificate that apply to some of the points."""
    from tandemvote.api.groups import certify_groups  # noqa: PLC0415
    from tandemvote.certificate.certificate import TEST_SET, VOTE_PROFILE  # noqa: PLC0415

    if not groups:
        return None
    if found.votes is None:
        raise typer.BadParameter("--by needs predictions that fit in memory.")
    tested = found.test_votes if found.test_votes is found.votes else None
    skipped = {VOTE_PROFILE} if tested is not None else {VOTE_PROFILE, TEST_SET}
    candidates = [name for name in found.certificate.candidates if name not in skipped]
    request = replace(found.request, bound=candidates or "auto")
    whole = replace(found, request=request, profile=None, test_votes=tested)
    return replace(certify_groups(whole, groups), certificate=found.certificate)


def columns_beside_votes(groups: dict[str, Any]) -> dict[str, list[str]]:
    """Return columns for a table of votes with which verify can count groups again, as text."""
    columns = {name: values for name, values in groups.items() if not isinstance(values, str)}
    for name in columns:
        if NAMES_OF_VOTES.fullmatch(name):
            raise typer.BadParameter(
                f"--by {name}: --votes writes a column of this name. Rename it in the data, or"
                " leave out --votes."
            )
    return {name: [_spelled(value) for value in values] for name, values in columns.items()}


def _spelled(value: Any) -> str:
    if value is None:
        return ""
    return str(int(value) if isinstance(value, float) and value.is_integer() else value)


def columns_of_data(
    by: list[str], path: str, dataset: Dataset, options: DataOptions, rows: Any = slice(None)
) -> dict[str, Any]:
    """Return what some rows are grouped by; columns may be features, or dropped ones."""
    return {
        name: name if name in WORDS else _column(name, path, dataset, options)[rows]
        for name in ("class" if name == options.target else name for name in by)
    }


def columns_of_votes(by: list[str], path: str) -> dict[str, Any]:
    """Return the same for a table of predictions."""
    from tandemvote.tables.votes_table import read_column  # noqa: PLC0415

    return {name: name if name in WORDS else read_column(path, name) for name in by}


def _column(name: str, path: str, dataset: Dataset, options: DataOptions) -> NDArray[Any]:
    import numpy as np  # noqa: PLC0415

    from tandemvote.api.groupings import MOST_GROUPS  # noqa: PLC0415
    from tandemvote.tables.column_kinds import category_number  # noqa: PLC0415

    if name not in (dataset.feature_names or ()):
        dataset = _with_column(name, path, dataset, options)
    numbers = dataset.X[:, list(dataset.feature_names or ()).index(name)]
    categories = dataset.categories.get(name)
    if categories is None:
        distinct = np.unique(numbers).size
        if distinct > MOST_GROUPS:
            raise typer.BadParameter(
                f"--by {name}: {distinct} different values are more than {MOST_GROUPS}, too many"
                " for groups. Cut them into a column of a few ranges before looking at the labels."
            )
        known = numbers[~np.isnan(numbers)]
        kind = int if (known == np.rint(known)).all() else float
        values: list[Any] = [None if np.isnan(number) else kind(number) for number in numbers]
    else:
        text = {category_number(each): each for each in (None, *categories)}
        values = [text.get(number, "another") for number in numbers]
    return np.array(values, dtype=object)


def _with_column(name: str, path: str, dataset: Dataset, options: DataOptions) -> Dataset:
    """Read the file again with a column that the voters do not use."""
    again = read_labelled(
        path,
        replace(
            options,
            drop=[each for each in options.drop if each != name],
            keep=[*options.keep, name],
        ),
    )
    if again.y.tolist() != dataset.y.tolist():
        raise typer.BadParameter(
            f"--by {name}: with this column other rows are left out, so its values are not known"
            " for all points. Leave out --drop-missing or --drop-duplicates."
        )
    return again
