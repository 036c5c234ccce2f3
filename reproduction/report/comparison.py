"""Our means next to the paper's, cell by cell in standard errors, and why some differ."""

from __future__ import annotations

import csv
from dataclasses import dataclass, fields
from math import isnan, nan, sqrt
from pathlib import Path
from typing import Any

import pandas as pd

from reproduction.report.frames import forest_summary, unlabeled_summary
from reproduction.report.paper_numbers import PaperCell, paper_cells

LIMIT = 3.0
"""Differences beyond this many standard errors need an explanation."""

COUNTED_GROUPS = ("bounds", "statistics", "optimized test risk")
"""Groups whose cells make up the share within the limit; the other two the paper only plots."""

UNCOUNTED_COLUMNS = ("c2",)
"""The published C2 drops one edge of its feasible region, so it is looser than the bound itself."""

LEAST_FREEDOM = 9
"""A standard deviation from fewer degrees of freedom is too rough to judge by."""

COMPARED = "compared"
BOTH_ABOVE_ONE = "both above 1"
PAPER_ABOVE_ONE = "paper above 1"
TOO_FEW = "too few repetitions"
NO_ROWS = "not available here"


CELL_COLUMNS = ("group", "dataset", "bagging", "weighting", "labeled_fraction", "column")


def compare(forests: pd.DataFrame, unlabeled: pd.DataFrame) -> pd.DataFrame:
    """Set the means of the rows next to the paper's numbers, one row per number of the paper.

    `standard_errors` is the difference over its standard error, NaN where there is nothing to
    compare.
    """
    summaries = forest_summary(forests), unlabeled_summary(unlabeled)
    return pd.DataFrame([_compared(cell, *summaries) for cell in paper_cells()])


def standard_errors(
    difference: float, *, ours: tuple[float, int], paper: tuple[float | None, int], unit: float
) -> float:
    r"""Difference a - b of two means over its standard error; NaN where repetitions are too few.

    .. math::
        \frac{a - b}{\sqrt{s^2 (1/n_a + 1/n_b) + u^2 / 12}}, \qquad
        s^2 = \frac{(n_a - 1) s_a^2 + (n_b - 1) s_b^2}{n_a + n_b - 2}

    `ours` and `paper` are the standard deviation and the number of repetitions; where the paper
    prints no deviation, s is ours alone. `unit` is u, that of the last printed digit of the paper:
    rounding has variance u^2 / 12.

    Examples
    --------
    >>> round(standard_errors(0.003, ours=(0.005, 50), paper=(0.005, 50), unit=1e-5), 2)
    3.0
    """
    freedom = [ours[1] - 1, 0 if paper[0] is None else paper[1] - 1]
    if sum(freedom) < LEAST_FREEDOM:
        return nan
    squares = [ours[0] ** 2 if ours[1] > 1 else 0.0, (paper[0] or 0.0) ** 2]
    variance = sum(n * square for n, square in zip(freedom, squares, strict=True)) / sum(freedom)
    return difference / sqrt(variance * (1 / ours[1] + 1 / paper[1]) + unit**2 / 12)


def _compared(cell: PaperCell, forests: pd.DataFrame, unlabeled: pd.DataFrame) -> dict[str, object]:
    summary = forests if cell.labeled_fraction is None else unlabeled
    key: tuple[Any, ...] = (cell.dataset, cell.bagging, cell.weighting)
    if cell.labeled_fraction is not None:
        key = (cell.dataset, cell.labeled_fraction)
    row: dict[str, object] = {
        **{name: getattr(cell, name) for name in CELL_COLUMNS},
        **{"ours": nan, "ours_sd": nan, "repetitions": 0},
        "paper": nan if cell.value is None else cell.value,
        "paper_sd": nan if cell.sd is None else cell.sd,
        **{"difference": nan, "standard_errors": nan, "status": NO_ROWS, "counted": False},
    }
    if key not in summary.index:
        return row
    mean, sd, repetitions = (float(value) for value in summary.loc[key, cell.column])
    if not repetitions:
        return row
    row |= {"ours": mean, "ours_sd": sd, "repetitions": int(repetitions)}
    if cell.value is None:
        return row | {"status": BOTH_ABOVE_ONE if mean >= 1 else PAPER_ABOVE_ONE}
    errors = standard_errors(
        mean - cell.value,
        ours=(sd, int(repetitions)),
        paper=(cell.sd, cell.repetitions),
        unit=cell.resolution,
    )
    countable = cell.group in COUNTED_GROUPS and cell.column not in UNCOUNTED_COLUMNS
    return row | {
        "difference": mean - cell.value,
        "standard_errors": errors,
        "status": TOO_FEW if isnan(errors) else COMPARED,
        "counted": countable and not isnan(errors),
    }


def share_within(comparison: pd.DataFrame, limit: float = LIMIT) -> tuple[int, int]:
    """Return how many of the counted cells lie within the limit, and how many are counted."""
    counted = comparison[comparison["counted"]]
    return int((counted["standard_errors"].abs() <= limit).sum()), len(counted)


def beyond_limit(comparison: pd.DataFrame, limit: float = LIMIT) -> pd.DataFrame:
    """Return the cells beyond the limit, the largest difference first.

    Last come those that the paper has above 1 and we below: no standard error measures how far
    they are apart, so they need an explanation whatever the limit is.
    """
    far = comparison["standard_errors"].abs() > limit
    chosen = comparison[far | (comparison["status"] == PAPER_ABOVE_ONE)]
    return chosen.sort_values("standard_errors", key=abs, ascending=False)


ANY = "*"
FIELDS = ("group", "dataset", "bagging", "weighting", "column")


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """A reason, and the cells of the comparison that it is about; ``*`` stands for anything.

    Examples
    --------
    >>> looser = Explanation(
    ...     group="bounds", dataset="*", bagging="*", weighting="*", labeled_fraction="*",
    ...     column="c2", direction="below", reason="The published C2 is looser.",
    ... )
    >>> cell = {"group": "bounds", "dataset": "Splice", "bagging": "full", "weighting": "uniform",
    ...         "labeled_fraction": None, "column": "c2", "difference": -0.01}
    >>> looser.covers(cell), looser.covers({**cell, "difference": 0.01})
    (True, False)
    """

    group: str
    dataset: str
    bagging: str
    weighting: str
    labeled_fraction: str
    column: str
    direction: str  # where ours lies, "below" or "above" the paper's
    reason: str

    def covers(self, cell: dict[str, Any]) -> bool:
        """Return whether the reason is about the cell."""
        # There is no difference where the paper only says that it is above 1, and then ours is not.
        direction = "above" if cell["difference"] > 0 else "below"
        return (
            all(getattr(self, field) in (ANY, cell[field]) for field in FIELDS)
            and self.direction in (ANY, direction)
            and (
                self.labeled_fraction == ANY
                or float(self.labeled_fraction) == cell["labeled_fraction"]
            )
        )


def read_explanations(path: Path) -> list[Explanation]:
    """Read the table; a missing file holds no explanations."""
    if not path.exists():
        return []
    expected = [field.name for field in fields(Explanation)]
    with path.open(newline="", encoding="utf-8") as file:
        rows = csv.DictReader(file)
        if rows.fieldnames != expected:
            raise ValueError(
                f"{path} has the columns {', '.join(rows.fieldnames or ['none'])}. Make them "
                f"{', '.join(expected)}, with * for anything."
            )
        return [Explanation(**row) for row in rows]


def explain(cell: dict[str, Any], explanations: list[Explanation]) -> str | None:
    """Return the first reason that covers the cell, or None."""
    return next((known.reason for known in explanations if known.covers(cell)), None)
