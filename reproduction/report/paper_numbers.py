"""The paper's numbers, as printed in its tables and published with its figures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reproduction.datasets.catalog import paper_csv

PAPER_REPETITIONS = 50

BOUND_COLUMNS = {
    "test_risk": "test_risk",
    "FO": "first_order",
    "C1": "c1",
    "C2": "c2",
    "CTD": "c_tandem",
    "TND": "tandem",
}
STATISTIC_COLUMNS = {
    "gibbs_loss": "gibbs_loss",
    "min_validation_size": "n_min",
    "disagreement": "disagreement",
    "tandem_loss": "tandem_loss",
    "min_overlap_size": "n_min_pairs",
}
WEIGHTING_COLUMNS = {"FO_optimized": "first_order", "TND_optimized": "tandem"}
UNLABELED_COLUMNS = {
    "test_risk": "test_risk",
    "FO": "first_order",
    "TND": "tandem",
    "DIS": "disagreement_bound",
}


@dataclass(frozen=True)
class PaperCell:
    """One number of the paper and what it is called in the rows."""

    group: str  # of tables or figures
    dataset: str
    bagging: str
    weighting: str
    column: str
    value: float | None  # None where the paper prints >1
    sd: float | None  # over repetitions, where printed
    repetitions: int
    resolution: float  # unit of the last printed digit
    labeled_fraction: float | None = None  # in the unlabeled experiment


def paper_cells() -> list[PaperCell]:
    """List every number of the paper once.

    Examples
    --------
    >>> cells = paper_cells()
    >>> next(cell.value for cell in cells if cell.dataset == "Letter" and cell.column == "tandem")
    0.46613
    """
    return [
        _cell(row, printed, group=group, bagging=row.get("bagging", bagging), vote=vote)
        for table, group, bagging, columns in _tables()
        for row in paper_csv(table)
        for printed, vote in columns.items()
        if row[printed]
    ]


def _tables() -> Iterator[tuple[str, str, str, dict[str, tuple[str, str]]]]:
    """Yield the name of each table, its group and bagging, and what its columns are.

    That is a weighting and a column of the rows, by the name that the table prints.
    """

    def uniform(columns: dict[str, str]) -> dict[str, tuple[str, str]]:
        return {printed: ("uniform", column) for printed, column in columns.items()}

    risks = {printed: (weighting, "test_risk") for printed, weighting in WEIGHTING_COLUMNS.items()}
    bounds = {
        f"{printed}_{label}": (weighting, BOUND_COLUMNS[label])
        for printed, weighting in WEIGHTING_COLUMNS.items()
        for label in ("FO", "TND")
    }
    for bagging in ("full", "reduced"):
        yield f"uniform_{bagging}_bounds", "bounds", bagging, uniform(BOUND_COLUMNS)
        yield f"uniform_{bagging}_statistics", "statistics", bagging, uniform(STATISTIC_COLUMNS)
        yield f"optimized_{bagging}_test_risk", "optimized test risk", bagging, risks
    yield "optimized_bounds", "optimized bounds", "", bounds
    yield "unlabeled", "unlabeled", "full", uniform(UNLABELED_COLUMNS)


def _cell(
    row: dict[str, str], printed: str, *, group: str, bagging: str, vote: tuple[str, str]
) -> PaperCell:
    text, fraction = row[printed], row.get("labeled_fraction")
    weighting, column = vote
    above_one = text == ">1" or float(text) > 1
    return PaperCell(
        group=group,
        dataset=row["dataset"],
        bagging=bagging,
        weighting=weighting,
        column=column,
        value=None if above_one and not column.startswith("n_min") else float(text),
        sd=float(row[f"{printed}_sd"]) if row.get(f"{printed}_sd") else None,
        repetitions=int(row.get("repeats", PAPER_REPETITIONS)),
        resolution=10.0 ** -len(text.partition(".")[2]),
        labeled_fraction=None if fraction is None else float(fraction),
    )
