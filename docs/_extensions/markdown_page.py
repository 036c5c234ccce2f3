"""Show a generated Markdown file inside a page: ``.. markdown-file:: path``.

It knows what the tables of a reproduction are made of: headings, paragraphs, lists, tables,
pictures, code and bold text. Everything else is shown as it stands.
"""

import re
from itertools import groupby
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import Directive
from docutils.statemachine import StringList
from sphinx.application import Sphinx

UNDERLINES = {1: "=", 2: "-", 3: "~", 4: "'"}


def inline(text: str) -> str:
    """Escape what reStructuredText would read as markup; keep code and bold text."""
    pieces = re.split(r"(`[^`]+`|\*\*[^*]+\*\*)", re.sub(r"</?u>", "", text))
    for position, piece in enumerate(pieces):
        if piece.startswith("`"):
            pieces[position] = f"\\ ``{piece[1:-1]}``\\ "
        elif piece.startswith("**") and piece != "**":
            pieces[position] = f"\\ **{escape(piece[2:-2]).strip()}**\\ "
        else:
            links = re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", piece)
            pieces[position] = escape(links)
    return "".join(pieces)


def escape(text: str) -> str:
    """Put a backslash before every character with a meaning of its own."""
    return re.sub(r"([\\*`|_<>])", r"\\\1", text)


def table(lines: list[str]) -> list[str]:
    """Turn the lines of a pipe table into a list-table."""
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines]
    body = [rows[0], *rows[2:]]
    out = [".. list-table::", "   :header-rows: 1", "   :class: small-table", ""]
    for row in body:
        for position, cell in enumerate(row):
            out.append(f"   {'* -' if position == 0 else '  -'} {inline(cell)}".rstrip())
    return [*out, ""]


def convert(text: str, *, folder: str) -> list[str]:
    """Return the file as reStructuredText; `folder` leads from the page to its pictures."""
    out: list[str] = []
    for is_table, group in groupby(text.splitlines(), key=lambda line: line.startswith("|")):
        lines = list(group)
        if is_table:
            out += ["", *table(lines)]
            continue
        for line in lines:
            heading = re.match(r"(#+) (.*)", line)
            picture = re.match(r"!\[([^\]]*)\]\(([^)]+)\)", line)
            bullet = re.match(r"(\s*)- (.*)", line)
            if heading:
                title = inline(heading[2])
                out += ["", title, UNDERLINES[len(heading[1])] * (len(title) + 2), ""]
            elif picture:
                out += ["", f".. image:: {folder}/{picture[2]}", f"   :alt: {picture[1]}", ""]
            elif bullet:
                out += [f"{bullet[1]}- {inline(bullet[2])}"]
            else:
                indent = line[: len(line) - len(line.lstrip())]
                out += [indent + inline(line.strip())]
    return out


class MarkdownFile(Directive):
    """Insert a Markdown file given by its path from the page, if it is there."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Convert the file and let the page read it on."""
        environment = self.state.document.settings.env
        page = Path(environment.doc2path(environment.docname))
        path = page.parent / self.arguments[0]
        environment.note_dependency(str(path))
        if not path.exists():
            return [nodes.paragraph("", f"{path.name} has not been generated yet.")]
        # The page has a title of its own; the file's would be a second one.
        text = re.sub(r"\A# .*\n", "", path.read_text(encoding="utf-8"))
        lines = convert(text, folder=str(Path(self.arguments[0]).parent))
        self.state_machine.insert_input(StringList(lines, str(path)), str(path))
        return []


def setup(app: Sphinx):
    """Register the directive."""
    app.add_directive("markdown-file", MarkdownFile)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
