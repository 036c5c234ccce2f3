"""What a finding is, and what it rests on: means of our rows, and the paper's own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

import pandas as pd

from reproduction.report.paper_numbers import paper_cells


@dataclass(frozen=True)
class Finding:
    """A claim of the paper, the rule that decides it, what the rows say, and the verdict."""

    claim: str
    rule: str
    measured: str
    holds: bool

    @classmethod
    def of_parts(cls, claim: str, rule: str, parts: list[tuple[str, bool]]) -> Finding | None:
        """Join what parts of the rows say, and whether the rule holds there; None without any."""
        texts, verdicts = [text for text, _ in parts], [bool(holds) for _, holds in parts]
        return cls(claim, rule, "; ".join(texts), all(verdicts)) if parts else None


@dataclass(frozen=True, eq=False)
class Evidence:
    """Rows of the paper's data sets, and how to write their names.

    Examples
    --------
    >>> rows = pd.DataFrame({
    ...     "dataset": ["USPS", "USPS"], "bagging": "full", "weighting": "uniform",
    ...     "tandem": [0.25, 0.75],
    ... })
    >>> evidence = Evidence(rows, rows, rows, {"USPS": "USPS (reconstructed)"})
    >>> evidence.means("full", "uniform")["tandem"].to_dict()
    {'USPS': 0.5}
    >>> evidence.listed(["USPS"]), evidence.listed([])
    ('USPS (reconstructed)', 'none')
    """

    forests: pd.DataFrame
    unlabeled: pd.DataFrame
    weights: pd.DataFrame
    names: dict[str, str]

    def rows(self, bagging: str, weighting: str) -> pd.DataFrame:
        """Return the rows of one kind of vote."""
        forests = self.forests
        return forests[(forests["bagging"] == bagging) & (forests["weighting"] == weighting)]

    def means(self, bagging: str, weighting: str) -> pd.DataFrame:
        """Return the means of one kind of vote, one row per data set."""
        return self.rows(bagging, weighting).groupby("dataset").mean(numeric_only=True)

    def written(self, name: str) -> str:
        """Return how to write a data set."""
        return self.names.get(name, name)

    def listed(self, names: Iterable[str]) -> str:
        """Return the names of data sets, separated by commas, or "none"."""
        return ", ".join(self.written(name) for name in sorted(names, key=str.casefold)) or "none"


@cache
def _paper_frame() -> pd.DataFrame:
    frame = pd.DataFrame(paper_cells())
    return frame.assign(value=frame["value"].fillna(1.0))  # printed as >1, which says nothing


def paper_means(bagging: str, weighting: str) -> pd.DataFrame:
    """Return the paper's means of one kind of vote, named as in the rows.

    Examples
    --------
    >>> float(paper_means("full", "uniform").loc["Letter", "tandem"])
    0.46613
    """
    frame = _paper_frame()
    chosen = frame["labeled_fraction"].isna()
    chosen &= (frame["bagging"] == bagging) & (frame["weighting"] == weighting)
    return frame[chosen].pivot(index="dataset", columns="column", values="value")


def paper_unlabeled(column: str) -> pd.DataFrame:
    """Return the paper's means of the unlabeled experiment, one column per labeled fraction."""
    frame = _paper_frame()
    chosen = frame["labeled_fraction"].notna() & (frame["column"] == column)
    return frame[chosen].pivot(index="dataset", columns="labeled_fraction", values="value")
