"""Displays as SVG elements of a page, in its light or dark colors."""

from __future__ import annotations

import io
import re
import warnings
from typing import Any, NamedTuple

from tandemvote.displays import Display
from tandemvote.displays.display import ACCENT, MUTED, SECOND
from tandemvote.votes.extras import import_extra

INK = "#010203"
"""Placeholder for the page's text color; nothing else is drawn in it."""

INKED = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")

PAGE_COLORS = {INK: "--ink", ACCENT: "--accent", SECOND: "--second", MUTED: "--muted"}
"""Colors, and the variables of the page's style sheet that replace them."""

WIDTH = 4.3
"""Inches: narrow enough that text stays readable when a phone shrinks the picture."""


class Picture(NamedTuple):
    """A drawn display: its caption, the picture in words, and markup for a page."""

    name: str
    caption: str
    description: str
    svg: Any


def draw(display: Display, name: str, caption: str) -> Picture:
    """Draw a display for a page; identifiers in the markup begin with `name`, to be unique."""
    matplotlib = import_extra("matplotlib", "report")
    style = {
        **dict.fromkeys(INKED, INK),
        "font.size": 9.5,
        "axes.titlesize": 10,
        "legend.fontsize": 9,
        "svg.fonttype": "none",  # text stays text: searchable, and set in the page's own font
        "svg.hashsalt": name,  # the same certificate gives the same file
    }
    text = io.StringIO()
    with matplotlib.rc_context(style), warnings.catch_warnings():
        # The reader's browser sets the text, in fonts that matplotlib may not have.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        display.width = WIDTH
        display.save(text, format="svg", transparent=True, metadata={"Date": None})
    markup = import_extra("markupsafe", "report").Markup
    svg = _inline(text.getvalue(), name)
    return Picture(name, caption, display.description, markup(svg))


def _inline(document: str, name: str) -> str:
    """Turn an SVG document into an element of a page with unique identifiers."""
    svg = document[document.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r'\bid="', f'id="{name}-', svg)
    svg = re.sub(r'(href="|url\()#', rf"\1#{name}-", svg)
    svg = re.sub(r'width="[\d.]+pt" height="[\d.]+pt"', "", svg, count=1)
    # Let the page choose the typeface; matplotlib repeats its own in every label.
    svg = re.sub(r"font: ([\d.]+px) [^;\"]*", r"font-size: \1", svg)
    for color, variable in PAGE_COLORS.items():
        svg = svg.replace(color, f"var({variable})")
    return svg.replace("<svg", f'<svg aria-labelledby="{name}-words" role="img"', 1)
