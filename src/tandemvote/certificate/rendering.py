"""How certificates are printed and shown in a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tandemvote.spelling import printable


@dataclass(frozen=True)
class TextTable:
    r"""Rows of text under named columns, each aligned by "<" or ">".

    Examples
    --------
    >>> table = TextTable(["bound", "value"], "<>", [["FO", "0.2"], ["TND", "0.1"]])
    >>> print("\n".join(table.lines()))
      bound  value
      FO       0.2
      TND      0.1
    """

    columns: Sequence[str] = ()
    alignment: str = ""
    rows: Sequence[Sequence[str]] = ()

    def lines(self) -> list[str]:
        """Return the table as text, one line per row."""
        table = [[printable(cell) for cell in row] for row in (self.columns, *self.rows)]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = []
        for row in table:
            aligned = zip(row, self.alignment, widths, strict=True)
            cells = (f"{cell:{side}{width}}" for cell, side, width in aligned)
            lines.append(f"  {'  '.join(cells)}".rstrip())
        return lines


def as_text(headline: str, lines: Sequence[str], table: TextTable | None = None) -> str:
    """Return a headline, indented lines below it, and a table."""
    below = [*(f"  {printable(line)}" for line in lines)]
    below += table.lines() if table is not None and table.rows else []
    return "\n".join([headline, *below])


def rate(share: float) -> str:
    """Return an observed rate in percent, to one decimal or to two digits if that shows more.

    Examples
    --------
    >>> rate(0.02826), rate(0.00012)
    ('2.8%', '0.012%')
    """
    shown = 100 * share
    return f"{shown:.1f}%" if shown >= 0.1 or not shown else f"{shown:.2g}%"
