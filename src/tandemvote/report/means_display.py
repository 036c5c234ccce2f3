"""Mean bounds of several settings on one axis, against the mean test risk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tandemvote.certificate import rounded_up
from tandemvote.displays import Display
from tandemvote.displays.display import open_frame, text_colour
from tandemvote.displays.palette import ACCENT, MUTED, SECOND

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

TEST_RISK = "test risk"

LOOKS = {
    TEST_RISK: ("|", SECOND),
    "FO": ("s", MUTED),
    "TND": ("o", ACCENT),
    "DIS": ("D", ACCENT),
    "C1": ("^", MUTED),
    "C2": ("v", MUTED),
    "CTD": ("x", MUTED),
}
"""Marker and colour; shapes alone tell the bounds apart where colours do not."""


@dataclass(eq=False, kw_only=True)
class MeansDisplay(Display):
    """One line a setting, one mark a bound.

    Attributes
    ----------
    means : DataFrame
        Rows are settings such as data sets; columns are "test risk" and labels of bounds; NaN where
        a bound is not defined.

    Examples
    --------
    >>> import pandas
    >>> means = pandas.DataFrame({"test risk": [0.03125], "TND": [0.5]}, index=["Letter"])
    >>> MeansDisplay(means=means).description
    'Means: Letter test risk 0.032, TND 0.500.'
    """

    means: pandas.DataFrame

    def frame(self) -> pandas.DataFrame:
        """Return the means."""
        return self.means

    @property
    def description(self) -> str:
        """The picture in words."""
        lines = (
            f"{name} "
            + ", ".join(f"{label} {rounded_up(value)}" for label, value in row.dropna().items())
            for name, row in self.means.iterrows()
        )
        return f"Means: {'; '.join(lines)}."

    def _draw(self, ax: Axes) -> None:
        rows = range(len(self.means))
        for row in rows:
            ax.axhline(row, color=text_colour(), linewidth=0.4, alpha=0.35, zorder=0)
        for label in self.means.columns:
            marker, colour = LOOKS.get(str(label), (".", MUTED))
            values = self.means[label].to_numpy()
            ax.plot(
                values,
                rows,
                marker,
                color=colour,
                label=label,
                linestyle="none",
                fillstyle="none" if marker in "s^v" else "full",
                markersize=10 if marker == "|" else 6,
                markeredgewidth=3 if marker == "|" else 1.2,
                clip_on=False,
            )
        # A name is a name, whatever dollar signs it holds.
        ax.set_yticks(list(rows), [str(name) for name in self.means.index], parse_math=False)
        ax.set_ylim(len(self.means) - 0.5, -0.5)
        ax.set_xlim(0, 1)
        ax.set_xlabel("error rate, mean over repetitions")
        ax.tick_params(axis="y", length=0)
        ax.legend(
            loc="lower center",
            bbox_to_anchor=(0.4, 1),
            ncols=4,
            frameon=False,
            handletextpad=0.1,
            columnspacing=1,
        )
        open_frame(ax)
        ax.spines["left"].set_visible(False)
