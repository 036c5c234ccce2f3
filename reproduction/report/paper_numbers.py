"""The paper's numbers, as printed in its tables and published with its figures."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PAPER = Path(__file__).parents[1] / "paper"
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
UNLABELLED_COLUMNS = {
    "test_risk": "test_risk",
    "FO": "first_order",
    "TND": "tandem",
    "DIS": "disagreement_bound",
}


@dataclass(frozen=True)
class PaperCell:
    """One number of the paper and what it is called in the rows.

    Attributes
    ----------
    group : str
        Which table or figure it comes from.
    dataset, bagging, weighting, column : str
        Where to look in the rows.
    value : float or None
        None where the paper prints ``>1``.
    sd : float or None
        Standard deviation over repetitions, where printed.
    repetitions : int
    resolution : float
        Unit of the last printed digit.
    labelled_fraction : float or None
        For the unlabelled experiment.
    """

    group: str
    dataset: str
    bagging: str
    weighting: str
    column: str
    value: float | None
    sd: float | None
    repetitions: int
    resolution: float
    labelled_fraction: float | None = None


def paper_csv(name: str) -> list[dict[str, str]]:
    """Read one of the tables in ``paper/``.

    Examples
    --------
    >>> paper_csv("uniform_full_bounds")[0]["TND"]
    '0.57882'
    """
    text = (PAPER / f"{name}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


def paper_cells() -> list[PaperCell]:
    """List every number of the paper once.

    Examples
    --------
    >>> cells = paper_cells()
    >>> next(cell.value for cell in cells if cell.dataset == "Letter" and cell.column == "tandem")
    0.46613
    """
    return [*_forest_cells(), *_optimised_bounds(), *_unlabelled_cells()]


def _forest_cells() -> Iterator[PaperCell]:
    for bagging in ("full", "reduced"):
        for name, group, columns in (
            (f"uniform_{bagging}_bounds", "bounds", BOUND_COLUMNS),
            (f"uniform_{bagging}_statistics", "statistics", STATISTIC_COLUMNS),
        ):
            for row in paper_csv(name):
                for printed, column in columns.items():
                    yield from _cell(
                        row,
                        printed,
                        group=group,
                        bagging=bagging,
                        weighting="uniform",
                        column=column,
                    )
        for row in paper_csv(f"optimized_{bagging}_test_risk"):
            for printed, weighting in WEIGHTING_COLUMNS.items():
                yield from _cell(
                    row,
                    printed,
                    group="optimised test risk",
                    bagging=bagging,
                    weighting=weighting,
                    column="test_risk",
                )


def _optimised_bounds() -> Iterator[PaperCell]:
    for row in paper_csv("optimized_bounds"):
        for prefix, weighting in WEIGHTING_COLUMNS.items():
            for label in ("FO", "TND"):
                yield from _cell(
                    row,
                    f"{prefix}_{label}",
                    group="optimised bounds",
                    bagging=row["bagging"],
                    weighting=weighting,
                    column=BOUND_COLUMNS[label],
                )


def _unlabelled_cells() -> Iterator[PaperCell]:
    for row in paper_csv("unlabelled"):
        for printed, column in UNLABELLED_COLUMNS.items():
            yield from _cell(
                row,
                printed,
                group="unlabelled",
                bagging="full",
                weighting="uniform",
                column=column,
            )


def _cell(
    row: dict[str, str], printed: str, *, group: str, bagging: str, weighting: str, column: str
) -> Iterator[PaperCell]:
    """Yield the cell unless the paper leaves it empty."""
    text = row[printed]
    if not text:
        return
    above_one = text == ">1" or float(text) > 1
    fraction = row.get("labelled_fraction")
    yield PaperCell(
        group=group,
        dataset=row["dataset"],
        bagging=bagging,
        weighting=weighting,
        column=column,
        value=None if above_one and not column.startswith("n_min") else float(text),
        sd=float(row[f"{printed}_sd"]) if row.get(f"{printed}_sd") else None,
        repetitions=int(row.get("repeats", PAPER_REPETITIONS)),
        resolution=10.0 ** -len(text.partition(".")[2]),
        labelled_fraction=None if fraction is None else float(fraction),
    )
