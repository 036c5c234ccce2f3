"""Why some cells differ from the paper: a small committed table, matched to cells."""

from __future__ import annotations

import csv
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

ANY = "*"
FIELDS = ("group", "dataset", "bagging", "weighting", "column")


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """A reason, and the cells it is about; ``*`` stands for anything.

    Attributes
    ----------
    group, dataset, bagging, weighting, column : str
        As in the comparison.
    labelled_fraction : str
        Of the unlabelled experiment.
    direction : str
        Where ours lies: "below" or "above" the paper's.
    reason : str

    Examples
    --------
    >>> looser = Explanation(
    ...     group="bounds", dataset="*", bagging="*", weighting="*", labelled_fraction="*",
    ...     column="c2", direction="below", reason="The published C2 is looser.",
    ... )
    >>> cell = {"group": "bounds", "dataset": "Splice", "bagging": "full", "weighting": "uniform",
    ...         "labelled_fraction": None, "column": "c2", "difference": -0.01}
    >>> looser.covers(cell), looser.covers({**cell, "difference": 0.01})
    (True, False)
    """

    group: str
    dataset: str
    bagging: str
    weighting: str
    labelled_fraction: str
    column: str
    direction: str
    reason: str

    def covers(self, cell: dict[str, Any]) -> bool:
        """Tell whether the reason is about the cell."""
        # There is no difference where the paper only says that it is above 1, and then ours is not.
        direction = "above" if cell["difference"] > 0 else "below"
        return (
            all(getattr(self, field) in (ANY, cell[field]) for field in FIELDS)
            and self.direction in (ANY, direction)
            and (
                self.labelled_fraction == ANY
                or float(self.labelled_fraction) == cell["labelled_fraction"]
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
