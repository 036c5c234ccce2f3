"""The report of an experiment, from its stored rows alone."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tandemvote.displays.extra import report_extra
from tandemvote.report.means_display import TEST_RISK, MeansDisplay
from tandemvote.report.page import render, write
from tandemvote.report.pictures import Picture, draw

if TYPE_CHECKING:
    import pandas

SETTINGS = {"dataset": "{}", "bagging": "{} bagging", "weighting": "{} weights"}
"""Columns that can make sections, and how a section is headed."""


@dataclass(frozen=True)
class MeanCell:
    """A mean over repetitions; None where the bound is not defined."""

    mean: float | None
    deviation: float | None
    smallest: bool


@dataclass(frozen=True)
class MeanRow:
    """A line of a section's table."""

    name: str
    n_repetitions: int
    cells: tuple[MeanCell, ...]


@dataclass(frozen=True)
class Section:
    """One setting: its table and its picture."""

    name: str
    heading: str
    row_heading: str
    columns: tuple[str, ...]
    rows: tuple[MeanRow, ...]
    picture: Picture


@dataclass(frozen=True)
class Held:
    """How often a bound fell below the error on the test set."""

    label: str
    n_votes: int
    n_below: int


def render_experiment_report(
    rows: pandas.DataFrame,
    *,
    title: str = "Bounds and test errors of majority votes",
    description: str | None = None,
    command: str | None = None,
) -> str:
    """Return the report of an experiment as one HTML page that needs no other file.

    Parameters
    ----------
    rows : DataFrame
        One row a measured vote, as in ``forests.csv`` or ``unlabelled.csv`` of a reproduction:
        ``dataset``, ``test_risk``, bounds by column, and ``bagging`` and ``weighting`` or
        ``labelled_fraction``.
    title, description : str, optional
        Heading of the page, and what was done, in words.
    command : str, optional
        What to type to get the rows again.

    Returns
    -------
    str

    Examples
    --------
    >>> import pandas
    >>> rows = pandas.DataFrame(
    ...     {"dataset": ["Letter", "Letter"], "weighting": ["uniform", "uniform"],
    ...      "test_risk": [0.035, 0.037], "first_order": [0.414, 0.416], "tandem": [0.466, 0.468]}
    ... )
    >>> page = render_experiment_report(rows)
    >>> "2 measured votes on 1 data set" in page, "<strong>0.415</strong>" in page
    (True, True)
    """
    labels = _bound_columns(rows)
    numbers = rows.rename(columns={"test_risk": TEST_RISK, **labels})
    columns = [TEST_RISK, *labels.values()]
    # Rows read as text are numbers all the same; an empty cell is a bound that is not defined.
    numbers[columns] = numbers[columns].apply(report_extra("pandas").to_numeric)
    sections = list(_sections(numbers, columns))
    repetitions = sorted({row.n_repetitions for section in sections for row in section.rows})
    return render(
        "experiment.html",
        title=title,
        description=description,
        command=command,
        n_rows=len(rows),
        n_datasets=rows["dataset"].nunique(),
        repetitions=_repetitions_in_words(repetitions),
        held=_held(numbers, columns[1:]),
        sections=sections,
        versions=sorted(set(rows["versions"])) if "versions" in rows else [],
    )


def write_experiment_report(
    path: str | os.PathLike[str], rows: pandas.DataFrame, **options: Any
) -> Path:
    """Write the report of an experiment to a file and return where.

    Parameters
    ----------
    path : str or path
        An existing file is overwritten.
    rows : DataFrame
    **options
        As in `render_experiment_report`.
    """
    return write(path, render_experiment_report(rows, **options))


def _bound_columns(rows: pandas.DataFrame) -> dict[str, str]:
    from tandemvote.experiments.frames import BOUND_LABELS  # noqa: PLC0415  needs pandas

    missing = {"dataset", "test_risk"} - set(rows.columns)
    labels = {name: label for name, label in BOUND_LABELS.items() if name in rows.columns}
    if missing or not labels or not len(rows):
        lacking = ", ".join(sorted(missing)) or ("a row" if labels else "a column of bounds")
        raise ValueError(
            f"The rows of an experiment lack {lacking}; there are {len(rows)} rows with the columns"
            f" {', '.join(map(str, rows.columns))}. Pass rows as in forests.csv."
        )
    return labels


def _sections(numbers: pandas.DataFrame, columns: list[str]) -> Iterator[Section]:
    unlabelled = "labelled_fraction" in numbers
    row_key = "labelled_fraction" if unlabelled else "dataset"
    by = [name for name in SETTINGS if name in numbers and name != row_key]
    groups = numbers.groupby(by, sort=False) if by else [((), numbers)]
    for number, (values, group) in enumerate(groups):
        words = ", ".join(map(str.format, (SETTINGS[setting] for setting in by), map(str, values)))
        table = group.groupby(row_key, sort=unlabelled)[columns]
        means, deviations, sizes = table.mean(), table.std(), table.size()
        kept = [label for label in columns if means[label].notna().any()]
        yield Section(
            name=f"setting-{number}",
            heading=words or "all votes",
            row_heading="labelled fraction" if unlabelled else "data set",
            columns=tuple(kept),
            rows=tuple(
                MeanRow(
                    str(name),
                    int(sizes[name]),
                    _cells(means.loc[name, kept], deviations.loc[name, kept]),
                )
                for name in means.index
            ),
            picture=draw(
                MeansDisplay(means=means[kept]),
                name=f"means-{number}",
                caption="Mean bounds and mean error on the test set (bar).",
                height=1.4 + 0.26 * len(means),
            ),
        )


def _cells(means: pandas.Series, deviations: pandas.Series) -> tuple[MeanCell, ...]:
    bounds = means.drop(TEST_RISK)
    smallest = bounds.min()
    return tuple(
        MeanCell(
            mean=None if mean != mean else float(mean),  # noqa: PLR0124  NaN differs from itself
            deviation=None if deviation != deviation else float(deviation),  # noqa: PLR0124
            smallest=label != TEST_RISK and mean == smallest and mean < 1.0,
        )
        for label, mean, deviation in zip(means.index, means, deviations, strict=True)
    )


def _held(numbers: pandas.DataFrame, labels: list[str]) -> list[Held]:
    return [
        Held(
            label,
            n_votes=int(numbers[label].notna().sum()),
            n_below=int((numbers[label] < numbers[TEST_RISK]).sum()),
        )
        for label in labels
    ]


def _repetitions_in_words(repetitions: list[int]) -> str:
    """Say how often each setting was repeated.

    Examples
    --------
    >>> _repetitions_in_words([1]), _repetitions_in_words([2, 50])
    ('1 repetition', '2 to 50 repetitions')
    """
    if repetitions == [1]:
        return "1 repetition"
    few, many = repetitions[0], repetitions[-1]
    return f"{many} repetitions" if few == many else f"{few} to {many} repetitions"
