"""A table as data, and as Markdown and LaTeX."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

NO_BREAKS = dict.fromkeys("\r\n", " ")
MARKDOWN = str.maketrans(NO_BREAKS | {mark: f"\\{mark}" for mark in r"\`*_[]<>|~$&"})
LATEX = str.maketrans(
    NO_BREAKS
    | {mark: f"\\{mark}" for mark in "&%$#_{}"}
    | {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
    }
)


class Mark(Enum):
    """The markup around the text of a cell, in Markdown and in LaTeX."""

    NONE = ("{}", "{}")
    BOLD = ("**{}**", r"\textbf{{{}}}")
    UNDERLINE = ("<u>{}</u>", r"\underline{{{}}}")


@dataclass(frozen=True)
class TextCell:
    """A number or word, marked, and what follows it unmarked, such as a standard deviation."""

    text: str
    mark: Mark = Mark.NONE
    after: str = ""

    def markdown(self) -> str:
        """Return the cell's Markdown."""
        return self.mark.value[0].format(escape_markdown(self.text)) + escape_markdown(self.after)

    def latex(self) -> str:
        """Return the cell's LaTeX."""
        return self.mark.value[1].format(escape_latex(self.text)) + escape_latex(self.after)


@dataclass(frozen=True)
class Heading:
    """A column's name: plain for Markdown, with formulas for LaTeX."""

    plain: str
    latex: str


@dataclass(frozen=True)
class TextTable:
    r"""A table ready to be written.

    Examples
    --------
    >>> table = TextTable(
    ...     name="demo", caption="Two bounds.",
    ...     headings=(Heading("data set", "Dataset"), Heading("TND", r"$\mathrm{TND}$")),
    ...     rows=((TextCell("Letter"), TextCell("0.46613", Mark.BOLD, " (0.00374)")),),
    ... )
    >>> print(table.markdown())
    | data set | TND |
    |---|---|
    | Letter | **0.46613** (0.00374) |
    """

    name: str
    caption: str
    headings: tuple[Heading, ...]
    rows: tuple[tuple[TextCell, ...], ...]

    def markdown(self) -> str:
        """Return the table as Markdown, without its caption."""
        return markdown_table(
            [heading.plain for heading in self.headings],
            [[cell.markdown() for cell in row] for row in self.rows],
        )

    def latex(self) -> str:
        """Return the table as LaTeX with booktabs rules, as the paper has them."""
        columns = "l" + "c" * (len(self.headings) - 1)
        body = [" & ".join(cell.latex() for cell in row) + r" \\" for row in self.rows]
        return "\n".join(
            [
                r"\begin{table}[ht]",
                rf"\caption{{{escape_latex(self.caption)}}}",
                r"\centering",
                rf"\begin{{tabular}}{{@{{}}{columns}@{{}}}}\toprule",
                " & ".join(heading.latex for heading in self.headings) + r" \\",
                r"\midrule",
                *body,
                r"\bottomrule",
                r"\end{tabular}",
                r"\end{table}",
            ]
        )


def markdown_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Lay out cells that are Markdown already."""
    lines = ["| " + " | ".join(row) + " |" for row in (headings, *rows)]
    return "\n".join([lines[0], "|" + "---|" * len(headings), *lines[1:]])


def mark_smallest(values: list[float | None], *, decimals: int = 5) -> list[Mark]:
    """Mark the smallest value bold and the second smallest underlined, as they are printed.

    Values that print alike are marked alike; after two equal bold ones nothing is second. Values of
    1 or more say nothing and None is absent: neither is marked.

    Examples
    --------
    >>> [mark.name for mark in mark_smallest([0.4, 0.2, None, 0.3, 1.0])]
    ['NONE', 'BOLD', 'NONE', 'UNDERLINE', 'NONE']
    >>> [mark.name for mark in mark_smallest([0.0, 0.0, 0.1])]
    ['BOLD', 'BOLD', 'NONE']
    """
    printed = [
        None if value is None or round(value, decimals) >= 1 else round(value, decimals)
        for value in values
    ]
    ranked = sorted(value for value in printed if value is not None)
    first = ranked[0] if ranked else None
    second = ranked[1] if len(ranked) > 1 and ranked[1] != first else None

    def mark(value: float | None) -> Mark:
        if value is None:
            return Mark.NONE
        return {first: Mark.BOLD, second: Mark.UNDERLINE}.get(value, Mark.NONE)

    return [mark(value) for value in printed]


def escape_latex(text: str) -> str:
    r"""Return text that LaTeX prints as it is.

    Examples
    --------
    >>> escape_latex("my_set & yours ≥1")
    'my\\_set \\& yours $\\ge 1$'
    """
    return text.translate(LATEX).replace("≥1", r"$\ge 1$")


def escape_markdown(text: str) -> str:
    r"""Return text that Markdown shows as it is, in a table too.

    Examples
    --------
    >>> print(escape_markdown("a|b *c*"))
    a\|b \*c\*
    """
    return text.translate(MARKDOWN)
