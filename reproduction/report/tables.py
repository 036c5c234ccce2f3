"""The tables of the paper's appendix, from rows alone and in its layout."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import pandas as pd

from reproduction.datasets.catalog import CATALOG, paper_csv
from reproduction.experiments.protocol import LEARNERS
from reproduction.report.frames import BOUND_LABELS, dataset_order, forest_summary, shown, summarise
from reproduction.report.layout import Heading, Mark, TextCell, TextTable, mark_smallest
from tandemvote.tables.errors import number_of

ABSENT = "not available here"
DATASET = Heading("data set", "Dataset")
TEST_RISK = Heading("test risk", r"$\hat L(\mathrm{MV}, S_{test})$")
BOUND_COLUMNS = ("first_order", "c1", "c2", "c_tandem", "tandem")
STATISTICS = {
    "test_risk": (TEST_RISK, 5),
    "gibbs_loss": (Heading("Gibbs loss", r"$E_\rho[\hat L]$"), 5),
    "n_min": (Heading("smallest held-out set", r"$\min |S_h|$"), 2),
    "disagreement": (Heading("disagreement", r"$E_{\rho^2}[\hat D]$"), 5),
    "tandem_loss": (Heading("tandem loss", r"$E_{\rho^2}[\hat L]$"), 5),
    "n_min_pairs": (Heading("smallest overlap", r"$\min |S_h \cap S_{h'}|$"), 2),
}
RISK_COLUMNS = {
    "uniform": Heading("uniform", r"$\hat L(\mathrm{MV}_u, S_{test})$"),
    "first_order": Heading("FO-optimized", r"$\hat L(\mathrm{MV}_{\rho^*_{FO}}, S_{test})$"),
    "tandem": Heading("TND-optimized", r"$\hat L(\mathrm{MV}_{\rho^*_{TND}}, S_{test})$"),
}
NUMBERS = {
    "bounds": {"full": "I.2", "reduced": "I.4"},
    "statistics": {"full": "I.3", "reduced": "I.5"},
    "test risk": {"full": "I.6", "reduced": "I.7"},
}
"""Numbers of the tables in the paper."""

BAGGING_WORDS = {"full": "bagging", "reduced": "reduced bagging"}


def all_tables(forests: pd.DataFrame, names: Mapping[str, str]) -> list[TextTable]:
    """Return every table of the appendix in its order, without those that would be empty.

    `names` say how to write each data set that has rows, there or elsewhere.
    """
    present = set(forests.loc[forests["weighting"] == "uniform", "bagging"])
    baggings = [bagging for bagging in BAGGING_WORDS if bagging in present]
    return [
        *([dataset_table(names)] if names.keys() & CATALOG.keys() else []),
        *(
            make(forests, bagging)
            for bagging in baggings
            for make in (bound_table, statistics_table)
        ),
        *(test_risk_table(forests, bagging) for bagging in baggings),
    ]


def dataset_table(names: Mapping[str, str]) -> TextTable:
    """Return the paper's overview of its data sets, marking those without rows here."""
    columns = ("N", "d", "c", "c_min", "c_max", "source")
    latex = ("$N$", "$d$", "$c$", r"$c_{\min}$", r"$c_{\max}$", "Source")
    return TextTable(
        name="datasets",
        caption="Table I.1. "
        "The paper's data sets. c_min and c_max are the smallest and largest class "
        "frequency.",
        headings=(DATASET, *map(Heading, columns, latex)),
        rows=tuple(
            (
                TextCell(names.get(row["dataset"], f"{row['dataset']} ({ABSENT})")),
                *(TextCell(row[column]) for column in columns),
            )
            for row in paper_csv("datasets")
        ),
    )


def bound_table(forests: pd.DataFrame, bagging: str) -> TextTable:
    """Return test risk and bounds of uniformly weighted forests, the tightest marked."""
    summary = forest_summary(forests)

    def cells(name: str) -> list[TextCell]:
        means = summary.loc[(name, bagging, "uniform")]
        values = [_present(means[column, "mean"]) for column in BOUND_COLUMNS]
        marks = mark_smallest(values)
        return [
            _with_deviation(means, "test_risk", Mark.NONE),
            *(
                _with_deviation(means, column, mark)
                for column, mark in zip(BOUND_COLUMNS, marks, strict=True)
            ),
        ]

    return _table(
        f"uniform-{bagging}-bounds",
        caption=f"Table {NUMBERS['bounds'][bagging]}. "
        f"Bounds with {BAGGING_WORDS[bagging]} and uniform weights: mean (standard "
        "deviation). The tightest bound is bold, the second tightest underlined. C1 and C2 are "
        "defined for two classes only; ≥1 says nothing.",
        headings=[TEST_RISK, *(_bound_heading(column) for column in BOUND_COLUMNS)],
        rows=forests,
        counted=_uniform(forests, bagging),
        cells=cells,
    )


def statistics_table(forests: pd.DataFrame, bagging: str) -> TextTable:
    """Return the quantities behind the bounds of uniformly weighted forests."""
    summary = forest_summary(forests)

    def cells(name: str) -> list[TextCell]:
        means = summary.loc[(name, bagging, "uniform")]
        return [
            TextCell(f"{means[column, 'mean']:.{decimals}f}")
            for column, (_, decimals) in STATISTICS.items()
        ]

    return _table(
        f"uniform-{bagging}-statistics",
        caption=f"Table {NUMBERS['statistics'][bagging]}. "
        f"Statistics with {BAGGING_WORDS[bagging]} and "
        "uniform weights: means.",
        headings=[heading for heading, _ in STATISTICS.values()],
        rows=forests,
        counted=_uniform(forests, bagging),
        cells=cells,
    )


def test_risk_table(forests: pd.DataFrame, bagging: str) -> TextTable:
    """Return test risks of uniform and optimized weights, the best marked."""
    summary = forest_summary(forests)

    def cells(name: str) -> list[TextCell]:
        rows = summary.reindex([(name, bagging, weighting) for weighting in RISK_COLUMNS])
        marks = mark_smallest([_present(risk) for risk in rows["test_risk", "mean"]])
        return [
            _with_deviation(means, "test_risk", mark)
            for (_, means), mark in zip(rows.iterrows(), marks, strict=True)
        ]

    return _table(
        f"optimized-{bagging}-test-risk",
        caption=f"Table {NUMBERS['test risk'][bagging]}. "
        f"Test risk with {BAGGING_WORDS[bagging]} after optimizing the weights: mean "
        "(standard deviation). The best is bold, the second best underlined.",
        headings=list(RISK_COLUMNS.values()),
        rows=forests,
        counted=_uniform(forests, bagging),
        cells=cells,
    )


test_risk_table.__test__ = False  # type: ignore[attr-defined]  # its name looks like a test


def _table(
    name: str,
    *,
    caption: str,
    headings: list[Heading],
    rows: pd.DataFrame,
    counted: pd.DataFrame,
    cells: Callable[[str], list[TextCell]],
) -> TextTable:
    """Lay out one line per data set; `cells` makes those of a set that has `counted` rows."""
    repetitions = counted.groupby("dataset")["repetition"].count()
    names, uneven = shown(rows), repetitions.nunique() > 1
    lines = []
    for dataset in dataset_order(rows["dataset"]):
        if dataset not in repetitions.index:
            filling = [TextCell(ABSENT), *[TextCell("")] * (len(headings) - 1)]
        else:
            filling = cells(dataset)
        count = [TextCell(str(repetitions.get(dataset, 0)))] if uneven else []
        lines.append((TextCell(names.get(dataset, dataset)), *filling, *count))
    if not uneven and len(repetitions):
        caption += f" {number_of(repetitions.iloc[0], 'repetition')}."
    count_heading = [Heading("repetitions", "Repetitions")] if uneven else []
    return TextTable(name, caption, (DATASET, *headings, *count_heading), tuple(lines))


def learner_table(
    name: str,
    *,
    caption: str,
    headings: list[str],
    rows: pd.DataFrame,
    cells: Callable[[str, str], list[str]],
    repetitions: str = "repetitions",
) -> TextTable:
    """Lay out one line per data set and learner that have rows, with `cells` of these two.

    The last column, called `repetitions`, counts those of the rows.
    """
    names, counts = shown(rows), rows.groupby(["dataset", "learner"])["repetition"].nunique()
    lines = [
        (names.get(dataset, dataset), learner, *cells(dataset, learner), str(counts[key]))
        for dataset in dataset_order(rows["dataset"])
        for learner in LEARNERS
        if (key := (dataset, learner)) in counts.index
    ]
    texts = ["learner", *headings, repetitions]
    return TextTable(
        name,
        caption,
        headings=(DATASET, *(Heading(text, text.replace("%", r"\%")) for text in texts)),
        rows=tuple(tuple(map(TextCell, line)) for line in lines),
    )


def _uniform(forests: pd.DataFrame, bagging: str) -> pd.DataFrame:
    return forests[(forests["bagging"] == bagging) & (forests["weighting"] == "uniform")]


def _bound_heading(column: str) -> Heading:
    label = BOUND_LABELS[column]
    return Heading(label, rf"$\mathrm{{{label}}}$")


def _present(value: float) -> float | None:
    return None if pd.isna(value) else float(value)


def _with_deviation(means: pd.Series, column: str, mark: Mark) -> TextCell:
    value = _present(means[column, "mean"])
    if value is None:
        return TextCell("-")
    if round(value, 5) >= 1:
        return TextCell("≥1")
    deviation = means[column, "std"]
    after = "" if pd.isna(deviation) else f" ({deviation:.5f})"
    return TextCell(f"{value:.5f}", mark, after)


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
"""Columns of the bounds that need no label except those the forest was grown on."""

WITH_FURTHER_LABELS = MappingProxyType({"test_set": Heading("TEST", "TEST")})
"""Columns of the bounds that spend labels of the test part."""

DECIMALS = 4

CAPTION = (
    "Forests of 100 trees, full bagging, uniform weights, delta = 0.05: means. FO, TND and CTD are "
    "as published; FO and TND sharp, CBOX and SO use harmonic sample sizes. VP also sees the test "
    "inputs, without labels; TEST uses their labels. Of the others the tightest is bold, the "
    "second tightest underlined; ≥1 says nothing."
)


def beyond_summary(rows: pd.DataFrame) -> pd.DataFrame:
    """Summarise the rows by data set."""
    return summarise(rows, ["dataset"])


def beyond_table(rows: pd.DataFrame) -> TextTable:
    """Return one line per data set of the table ``beyond``, those without rows included."""
    summary = beyond_summary(rows)
    return _table(
        "beyond-bounds",
        caption=CAPTION,
        headings=[TEST_RISK, *WITHOUT_FURTHER_LABELS.values(), *WITH_FURTHER_LABELS.values()],
        rows=rows,
        counted=rows,
        cells=lambda name: _cells(summary.loc[name]),
    )


def _cells(means: pd.Series) -> list[TextCell]:
    without = [float(means[column, "mean"]) for column in WITHOUT_FURTHER_LABELS]
    with_labels = [float(means[column, "mean"]) for column in WITH_FURTHER_LABELS]
    return [
        TextCell(f"{means['test_risk', 'mean']:.{DECIMALS}f}"),
        *map(_cell, without, mark_smallest(list(without), decimals=DECIMALS)),
        *(_cell(value, Mark.NONE) for value in with_labels),
    ]


def _cell(value: float, mark: Mark) -> TextCell:
    text = f"{value:.{DECIMALS}f}"
    return TextCell("≥1") if float(text) >= 1 else TextCell(text, mark)
