"""What every picture has in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, TypeVar

from tandemvote.extras import import_extra

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

Self = TypeVar("Self", bound="Display")


class Display(ABC):
    """Arrays that know how to draw themselves.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where the picture was drawn, after `plot`.
    figure_ : matplotlib Figure
        The figure around it, after `plot`.
    """

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of a new figure, in inches."""
        return 6.0, 3.2

    def plot(self: Self, ax: Axes | None = None) -> Self:
        """Draw the picture.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        Display
            Itself, with `ax_` and `figure_`.
        """
        if ax is None:
            pyplot = import_extra("matplotlib.pyplot", "report")
            _, ax = pyplot.subplots(figsize=self.size, layout="constrained")
        self._draw(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    @abstractmethod
    def _draw(self, ax: Axes) -> None: ...

    @abstractmethod
    def frame(self) -> pandas.DataFrame:
        """Return the numbers behind the picture as a pandas frame."""

    @property
    @abstractmethod
    def description(self) -> str:
        """The picture in words, for those who do not see it."""


def text_colour() -> str:
    """Colour of text in the reader's style, for lines that belong to the text."""
    return str(import_extra("matplotlib", "report").rcParams["text.color"])


def open_frame(ax: Axes) -> None:
    """Leave only the two axes that carry numbers."""
    ax.spines[["top", "right"]].set_visible(False)
