"""What all displays share: the base class, and colours for every kind of sight.

The colours keep a contrast of 3 to 1 on white and on near-black. Text and axes take matplotlib's
own colours, so that a picture follows the reader's style sheet.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from numpy.typing import ArrayLike

from tandemvote.extras import import_extra

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

ACCENT = "#1a7fc1"
"""What the picture is about: the chosen bound, the weights, the path."""

SECOND = "#d2610c"
"""What it is compared with: test error, uniform weights, the place where a vote errs."""

MUTED = "#868c96"
"""Everything else."""

HEAT = "cividis"
"""Colour map from dark blue to yellow, even in lightness, the same to the colour-blind."""

Self = TypeVar("Self", bound="Display")


class Table(NamedTuple):
    """The numbers behind a picture: columns by name, and what each row is about."""

    columns: dict[Any, Any]
    rows: ArrayLike
    row_name: str | None


class Display(ABC):
    """Arrays that can be drawn and shown as a pandas frame."""

    def plot(self: Self, ax: Axes | None = None) -> Self:
        """Draw into `ax`, or into a new figure; return itself, with `ax_` and `figure_`."""
        if ax is None:
            pyplot = import_extra("matplotlib.pyplot", "report")
            _, ax = pyplot.subplots(figsize=self._size(), layout="constrained")
        self._draw(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def frame(self) -> pandas.DataFrame:
        """Return the numbers behind the picture as a pandas frame."""
        pandas, table = import_extra("pandas", "report"), self._table()
        index = pandas.Index(table.rows, name=table.row_name)
        return pandas.DataFrame(table.columns, index=index)

    @property
    def description(self) -> str:
        """The picture in words, for readers who do not see it."""
        return self._words()

    def _size(self) -> tuple[float, float]:
        """Width and height of a new figure, in inches."""
        return 6.0, 3.2

    @abstractmethod
    def _words(self) -> str: ...

    @abstractmethod
    def _draw(self, ax: Axes) -> None: ...

    @abstractmethod
    def _table(self) -> Table: ...


def open_frame(ax: Axes) -> None:
    """Leave only the two axes that carry numbers."""
    ax.spines[["top", "right"]].set_visible(False)


def name_rows(ax: Axes, names: list[str], largest: float, right: tuple[float, float]) -> None:
    """Name rows from the top, each with a limit of at most `largest` and words to the right of it.

    `right` is where the axis ends if some limit is 1, and in units of the largest one if not.
    """
    ax.set_yticks(range(len(names)), names)
    ax.set_xlim(0, right[0] if largest >= 1.0 else right[1] * largest)
    if largest >= 1.0:
        ax.set_xticks([0.0, 0.5, 1.0])
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    if ax.get_legend_handles_labels()[0]:
        ax.legend(loc="lower right", bbox_to_anchor=(1, 1), frameon=False, borderpad=0)
    open_frame(ax)
    ax.spines["left"].set_visible(False)
