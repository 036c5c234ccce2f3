"""Names next to points, placed so that none covers another name or a point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

FONT_SIZE = 6.5
LETTER_WIDTH = 0.6 * FONT_SIZE
DOT = 3.0

PLACES = (
    ("left", "center", 5, 0),
    ("right", "center", -5, 0),
    ("center", "bottom", 0, 4),
    ("center", "top", 0, -4),
    ("left", "bottom", 4, 3),
    ("right", "bottom", -4, 3),
    ("left", "top", 4, -3),
    ("right", "top", -4, -3),
)
"""Alignment of the name and its offset from the point, in the order of preference."""


@dataclass(frozen=True)
class Box:
    """A rectangle in typographic points."""

    left: float
    bottom: float
    right: float
    top: float

    def overlap(self, other: Box) -> float:
        """Area shared with another rectangle.

        Examples
        --------
        >>> Box(0, 0, 2, 2).overlap(Box(1, 1, 3, 3))
        1
        >>> Box(0, 0, 1, 1).overlap(Box(2, 0, 3, 1))
        0
        """
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.top, other.top) - max(self.bottom, other.bottom)
        return max(width, 0) * max(height, 0)


def name_points(axes: Axes, x: NDArray[Any], y: NDArray[Any], names: Sequence[str]) -> None:
    """Write each name at the first place around its point where it covers nothing.

    Positions are those of the figure as it is now; a later layout moves them little.
    """
    figure = axes.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()
    points = axes.transData.transform(np.column_stack([x, y])) * 72 / figure.dpi
    taken = [Box(px - DOT, py - DOT, px + DOT, py + DOT) for px, py in points]
    for (px, py), name, at in zip(points, names, zip(x, y, strict=True), strict=True):
        boxes = [_box(px, py, name, place) for place in PLACES]
        costs = [sum(box.overlap(other) for other in taken) for box in boxes]
        best = int(np.argmin(costs))  # the first of equals
        taken.append(boxes[best])
        horizontal, vertical, dx, dy = PLACES[best]
        axes.annotate(
            name,
            at,
            xytext=(dx, dy),
            textcoords="offset points",
            ha=horizontal,
            va=vertical,
            fontsize=FONT_SIZE,
        )


def _box(x: float, y: float, name: str, place: tuple[str, str, int, int]) -> Box:
    horizontal, vertical, dx, dy = place
    width, height = LETTER_WIDTH * (len(name) + 1), 1.2 * FONT_SIZE
    left = x + dx - {"left": 0.0, "center": 0.5, "right": 1.0}[horizontal] * width
    bottom = y + dy - {"bottom": 0.0, "center": 0.5, "top": 1.0}[vertical] * height
    return Box(left, bottom, left + width, bottom + height)
