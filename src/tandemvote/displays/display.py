"""The base class of displays, and colors that the color-blind can distinguish.

The colors keep a contrast of 3 to 1 on white and on near-black. Text and axes have matplotlib's
own colors, so that a picture follows the reader's style sheet.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from tandemvote.extras import import_extra

if TYPE_CHECKING:
    import matplotlib.axes
    import pandas

Axes: TypeAlias = "matplotlib.axes.Axes"

ACCENT = "#1a7fc1"
"""The subject of the picture: the reported bound, the weights."""

SECOND = "#d2610c"
"""What it is compared with: observed errors, equal weights."""

MUTED = "#868c96"
"""Everything else."""

Self = TypeVar("Self", bound="Display")


class Display(ABC):
    """Numbers that can be drawn and returned as a pandas DataFrame."""

    def plot(self: Self, ax: Axes | None = None) -> Self:
        """Draw into `ax`, or into a new figure; return itself, with `ax_` and `figure_`."""
        if ax is None:
            pyplot = import_extra("matplotlib.pyplot", "report")
            _, ax = pyplot.subplots(figsize=self._size(), layout="constrained")
        ax.spines[["top", "right"]].set_visible(False)
        self._draw(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def save(self, path: str | os.PathLike[str]) -> None:
        """Draw into a file: .svg, .png or .pdf."""
        figure: Any = self.plot().figure_
        figure.savefig(path)
        import_extra("matplotlib.pyplot", "report").close(figure)

    def frame(self) -> pandas.DataFrame:
        """Return the numbers behind the picture as a pandas DataFrame."""
        frame = import_extra("pandas", "report").DataFrame(self._columns())
        return frame.set_index(frame.columns[0])

    @property
    def description(self) -> str:
        """The picture in words, for screen readers."""
        return self._words()

    def _size(self) -> tuple[float, float]:
        """Width and height of a new figure, in inches."""
        return 6.0, 3.2

    @abstractmethod
    def _words(self) -> str: ...

    @abstractmethod
    def _draw(self, ax: Axes) -> None: ...

    @abstractmethod
    def _columns(self) -> dict[Any, Any]:
        """Return the columns of the DataFrame; the first one becomes its index."""
