"""How every certificate is printed, shown in a notebook and turned into a frame."""

from __future__ import annotations

import html
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from numpy.typing import NDArray

from tandemvote.bounds import BoundValue
from tandemvote.certificate.decimals import percent, rounded_up
from tandemvote.counting.counts import FloatArray
from tandemvote.extras import import_extra
from tandemvote.hard_vote import vote_of
from tandemvote.spelling import printable
from tandemvote.votes import Voters

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class Table:
    """Rows of text under named columns, each aligned by "<" or ">"; the chosen row is marked.

    Examples
    --------
    >>> for line in Table(["bound", "value"], "<>", [["FO", "0.2"], ["TND", "0.1"]], 1).lines():
    ...     print(line)
        bound  value
        FO       0.2
      * TND      0.1
    """

    columns: Sequence[str] = ()
    alignment: str = ""
    rows: Sequence[Sequence[str]] = ()
    chosen: int | None = None
    footer: str = ""

    def lines(self) -> list[str]:
        """Return the table as text, one line per row."""
        table = [self.columns, *([printable(cell) for cell in row] for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = []
        for number, row in enumerate(table, start=-1):
            mark = "*" if number == self.chosen else " "
            aligned = zip(row, self.alignment, widths, strict=True)
            cells = (f"{cell:{side}{width}}" for cell, side, width in aligned)
            lines.append(f"  {mark} {'  '.join(cells)}".rstrip())
        return [*lines, *([f"    {self.footer}"] if self.footer else [])]

    def to_html(self) -> str:
        """Return the table as HTML, the chosen row in bold."""
        header = "".join(f"<th>{html.escape(name)}</th>" for name in self.columns)
        rows = ""
        for number, row in enumerate(self.rows):
            style = " style=font-weight:bold" if number == self.chosen else ""
            cells = "".join(f"<td>{html.escape(printable(cell))}</td>" for cell in row)
            rows += f"<tr{style}>{cells}</tr>"
        table = f"<table><thead><tr>{header}</tr></thead><tbody>{rows}</tbody></table>"
        return f"{table}<p>{html.escape(self.footer)}</p>" if self.footer else table


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Statement(ABC):
    """A promise that holds with probability 1 - delta, what it rests on, and how it is shown."""

    delta: float
    assumptions: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @property
    @abstractmethod
    def guarantee(self) -> str:
        """The promise in words."""

    def to_frame(self) -> pandas.DataFrame:
        """Return the numbers behind the guarantee as a pandas frame."""
        pandas = import_extra("pandas", "report")
        frame = pandas.DataFrame(self._records())
        return frame.set_index(frame.columns[0])

    def __repr__(self) -> str:
        table = self._table()
        lines = [self._headline(), *(f"  {line}" for line in self._basis())]
        lines += ["", *table.lines()] if table.rows else []
        return "\n".join([*lines, *(f"  note: {printable(note)}" for note in self.notes)])

    def _repr_html_(self) -> str:
        table = self._table()
        listed = "".join(
            f"<li>{html.escape(printable(text))}</li>" for text in (*self.notes, *self.assumptions)
        )
        return (
            f"<div><p><strong>{html.escape(self._headline())}</strong><br>"
            f"{html.escape('; '.join(self._basis()))}</p>{table.to_html() if table.rows else ''}"
            f"<details><summary>What it rests on</summary><ul>{listed}</ul></details></div>"
        )

    @abstractmethod
    def _headline(self) -> str:
        """Return the guarantee in one short line."""

    @abstractmethod
    def _basis(self) -> list[str]:
        """Return lines that say what the guarantee is about and comes from."""

    def _table(self) -> Table:
        """Return the numbers to show; a table without rows is left out."""
        return Table()

    @abstractmethod
    def _records(self) -> list[dict[str, Any]]:
        """Return the rows of the frame; the first column is its index."""


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class VoteStatement(Statement):
    """A promise about the error of one weighted vote."""

    value: float
    bound: str
    weights: FloatArray
    bounds: Mapping[str, BoundValue]
    voters: Voters | None = None
    observed: float | None = None
    guessing: float | None = None

    _drawn: ClassVar[str] = "the data"
    """What the probability is over."""

    @property
    def _subject(self) -> str:
        """What errs."""
        return "this weighted majority vote" if self.weights.size > 1 else "this classifier"

    @property
    def guarantee(self) -> str:
        """The promise in one sentence."""
        if self.value >= 1.0:
            return (
                f"No guarantee: the bound reported ({self.bound}) shows nothing below an error of"
                f" 100 % with probability {percent(self.delta)}."
            )
        return (
            f"With probability at least {percent(self.delta)} over the draw of {self._drawn},"
            f" {self._subject} errs on at most {rounded_up(100 * self.value, 1)} % of new points."
        )

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict by the vote that was certified, where the certificate came with its voters.

        The label with the largest total weight counts at each point; ties go to the smallest class.
        """
        return vote_of(self.voters, X, self.weights)

    def _headline(self) -> str:
        promised = f"guaranteed at most {rounded_up(100 * self.value, 1)} %"
        parts = [f"{promised if self.value < 1.0 else 'no guarantee'} ({percent(self.delta)})"]
        if self.observed is not None:
            parts.insert(0, f"observed {about(self.observed)}")
        if self.guessing is not None:
            parts.append(f"guessing {about(self.guessing)}")
        return ", ".join(parts)

    def _records(self) -> list[dict[str, Any]]:
        return [
            {"bound": name, "label": found.label, "value": found.value, "delta": found.delta}
            for name, found in self.bounds.items()
        ]


def about(share: float) -> str:
    """Percent to one decimal, or to two digits if that would say nothing.

    Examples
    --------
    >>> about(0.02826), about(0.00012)
    ('2.8 %', '0.012 %')
    """
    shown = 100 * share
    return f"{shown:.1f} %" if shown >= 0.1 or not shown else f"{shown:.2g} %"
