"""How every certificate is printed, shown in a notebook and turned into a frame."""

from __future__ import annotations

import html
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tandemvote.extras import import_extra
from tandemvote.spelling import printable

if TYPE_CHECKING:
    import pandas

GROUPED = "one random row of each group: the bound is about a random row of a random new group"
"""Line of certificates whose samples are one random row of each group."""


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


def about(share: float) -> str:
    """Percent to one decimal, or to two digits if that would say nothing.

    Examples
    --------
    >>> about(0.02826), about(0.00012)
    ('2.8 %', '0.012 %')
    """
    shown = 100 * share
    return f"{shown:.1f} %" if shown >= 0.1 or not shown else f"{shown:.2g} %"
