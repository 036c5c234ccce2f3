"""Why some cells differ from the paper: a small committed table, matched to cells."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ANY = "*"
FIELDS = ("group", "dataset", "bagging", "weighting", "column")


@dataclass(frozen=True)
class Explanation:
    """A reason, and the cells it is about; ``*`` stands for anything.

    Examples
    --------
    >>> looser = Explanation("bounds", "*", "*", "*", "c2", "The published C2 is looser.")
    >>> cell = {"group": "bounds", "dataset": "Splice", "bagging": "full",
    ...         "weighting": "uniform", "column": "c2"}
    >>> looser.covers(cell)
    True
    """

    group: str
    dataset: str
    bagging: str
    weighting: str
    column: str
    reason: str

    def covers(self, cell: dict[str, Any]) -> bool:
        """Tell whether the reason is about the cell."""
        return all(getattr(self, field) in (ANY, cell[field]) for field in FIELDS)


def read_explanations(path: Path) -> list[Explanation]:
    """Read the table; a missing file holds no explanations."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return [Explanation(**row) for row in csv.DictReader(file)]


def explain(cell: dict[str, Any], explanations: list[Explanation]) -> str | None:
    """Return the first reason that covers the cell, or None."""
    return next((known.reason for known in explanations if known.covers(cell)), None)
