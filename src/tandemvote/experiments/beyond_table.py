"""The table of the family beyond the paper: every bound on every data set."""

from __future__ import annotations

from types import MappingProxyType

import pandas as pd

from tandemvote.datasets.errors import number_of
from tandemvote.experiments.frames import dataset_order, shown, summarise
from tandemvote.experiments.layout import Heading, Mark, TextCell, TextTable, mark_smallest
from tandemvote.experiments.tables import ABSENT, DATASET, TEST_RISK

WITHOUT_FURTHER_LABELS = MappingProxyType(
    {
        "first_order": Heading("FO", "FO"),
        "tandem": Heading("TND", "TND"),
        "c_tandem": Heading("CTD", "CTD"),
        "sharp_first_order": Heading("FO, sharp", "FO, sharp"),
        "sharp_tandem": Heading("TND, sharp", "TND, sharp"),
        "c_box": Heading("CBOX", "CBOX"),
        "second_order": Heading("SO", "SO"),
        "vote_profile": Heading("VP", "VP"),
    }
)
"""Columns of the bounds that need no label beside those the forest was grown on."""

WITH_FURTHER_LABELS = MappingProxyType(
    {"dirichlet": Heading("DIR", "DIR"), "test_set": Heading("TEST", "TEST")}
)
"""Columns of the bounds that spend labels of the test part."""

DECIMALS = 4

CAPTION = (
    "Forests of 100 trees, full bagging, uniform weights, delta = 0.05: means. FO, TND and CTD are "
    "as published; FO and TND sharp, CBOX and SO use harmonic sample sizes. VP also sees the test "
    "inputs, without labels. DIR is about another vote, with weights fitted on half of the test "
    "part, whose labels it spends; TEST spends all of them. Of those that spend none the tightest "
    "is bold, the second tightest underlined; ≥1 says nothing."
)


def beyond_summary(rows: pd.DataFrame) -> pd.DataFrame:
    """Summarise the rows by data set."""
    return summarise(rows, ["dataset"])


def beyond_table(rows: pd.DataFrame) -> TextTable:
    """Return one line a data set, those without rows included.

    Parameters
    ----------
    rows : DataFrame
        The table ``beyond``, one row a repetition.
    """
    summary, names = beyond_summary(rows), shown(rows)
    counts = rows.groupby("dataset")["repetition"].count()
    uneven = counts.nunique() > 1
    headings = [TEST_RISK, *WITHOUT_FURTHER_LABELS.values(), *WITH_FURTHER_LABELS.values()]
    lines = []
    for name in dataset_order(rows["dataset"]):
        if name in summary.index:
            cells = _cells(summary.loc[name])
        else:
            cells = [TextCell(ABSENT), *[TextCell("")] * (len(headings) - 1)]
        count = [TextCell(str(counts.get(name, 0)))] if uneven else []
        lines.append((TextCell(names.get(name, name)), *cells, *count))
    return TextTable(
        name="beyond-bounds",
        caption=CAPTION + ("" if uneven else f" {number_of(counts.iloc[0], 'repetition')}."),
        headings=(
            DATASET,
            *headings,
            *([Heading("repetitions", "Repetitions")] if uneven else []),
        ),
        rows=tuple(lines),
    )


def _cells(means: pd.Series) -> list[TextCell]:
    free = [float(means[column, "mean"]) for column in WITHOUT_FURTHER_LABELS]
    dear = [float(means[column, "mean"]) for column in WITH_FURTHER_LABELS]
    return [
        TextCell(f"{means['test_risk', 'mean']:.{DECIMALS}f}"),
        *map(_cell, free, mark_smallest(list(free), decimals=DECIMALS)),
        *(_cell(value, Mark.NONE) for value in dear),
    ]


def _cell(value: float, mark: Mark) -> TextCell:
    text = f"{value:.{DECIMALS}f}"
    return TextCell("≥1") if float(text) >= 1 else TextCell(text, mark)
