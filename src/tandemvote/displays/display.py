"""The base class of displays, and colors that the color-blind can distinguish.

The colors keep a contrast of 3 to 1 on white and on near-black. Text and axes have matplotlib's
own colors, so that a picture follows the reader's style sheet.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import IO, TYPE_CHECKING, Any, Self, TypeAlias

from tandemvote.votes.extras import import_extra

if TYPE_CHECKING:
    import matplotlib.axes

Axes: TypeAlias = "matplotlib.axes.Axes"

ACCENT = "#1a7fc1"
"""The subject of the picture, such as the reported bound."""

SECOND = "#d2610c"
"""The comparison next to it, such as observed errors."""

MUTED = "#868c96"
"""Everything else."""


class Display(ABC):
    """A picture of a result.

    Examples
    --------
    >>> from tandemvote import Votes
    >>> from tandemvote.displays import ProfileDisplay
    >>> display = ProfileDisplay(Votes.from_predictions([[0, 1, 1]], [0, 1, 0]))
    >>> display.description
    'Histogram of the weight Z that is wrong, over 3 samples: Z >= 1/2 at 33.3% of them, mean of \
2 Z 0.667, mean of 4 Z^2 1.33.'
    """

    description: str
    """The picture in words, for screen readers."""

    width, height = 6.0, 3.2
    """Size of a new figure in inches."""

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw into `ax`, or into a new figure; return itself, with `ax_` and `figure_`."""
        if ax is None:
            pyplot = import_extra("matplotlib.pyplot", "report")
            _, ax = pyplot.subplots(figsize=(self.width, self.height), layout="constrained")
        ax.spines[["top", "right"]].set_visible(False)
        self._draw(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def save(self, path: str | os.PathLike[str] | IO[str], **options: Any) -> None:
        """Draw into a file: .svg, .png or .pdf; with options of matplotlib's savefig."""
        figures = import_extra("matplotlib.figure", "report")
        figure = figures.Figure(figsize=(self.width, self.height), layout="constrained")
        self.plot(figure.subplots())
        figure.savefig(path, **options)

    @abstractmethod
    def _draw(self, ax: Axes) -> None: ...


def draw_names(ax: Axes, names: Sequence[str]) -> None:
    """Name the rows of a picture, from the top."""
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.4, -0.6)
