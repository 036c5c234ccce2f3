"""Forest plot: one row per group, with what was observed, what is certified, and its size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tandemvote.certificate.by_group import GroupCertificates, GroupGuarantee
from tandemvote.certificate.decimals import rounded_up
from tandemvote.displays.display import ACCENT, MUTED, SECOND, Display, Table, open_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDEST_NAME = 30
"""Characters of a group's name that are shown."""


@dataclass(eq=False, kw_only=True)
class GroupsDisplay(Display):
    """How often the vote can err on the points of each group.

    Attributes
    ----------
    groups : tuple of GroupGuarantee
        In the order of the picture.

    Examples
    --------
    >>> from tandemvote import Votes, certify_by_group
    >>> votes = Votes.from_predictions([[0, 1] * 200], [0, 1] * 200)
    >>> found = certify_by_group(votes, groups="class")
    >>> GroupsDisplay.from_certificates(found).description
    'Errors by group, at most: 0 0.019 (200 points), 1 0.019 (200 points).'
    """

    groups: tuple[GroupGuarantee, ...]

    @classmethod
    def from_certificates(cls, certificates: GroupCertificates) -> GroupsDisplay:
        """Take the guarantees of `certify_by_group`."""
        return cls(groups=certificates.guarantees)

    def _size(self) -> tuple[float, float]:
        return 6.0, 1.1 + 0.35 * len(self.groups)

    def _words(self) -> str:
        listed = ", ".join(
            f"{name} {_limit(each)} ({each.n_points} points)"
            for name, each in zip(self._names, self.groups, strict=True)
        )
        return f"Errors by group, at most: {listed}."

    @property
    def _names(self) -> list[str]:
        several = len({each.by for each in self.groups}) > 1
        return [(f"{each.by}: " if several else "") + each.name for each in self.groups]

    def _table(self) -> Table:
        shown = ("by", "n_points", "observed", "lower", "value", "remark")
        columns = {name: [getattr(each, name) for each in self.groups] for name in shown}
        return Table(columns, [each.name for each in self.groups], "group")

    def _draw(self, ax: Axes) -> None:
        most = max(each.n_points for each in self.groups)
        for row, each in enumerate(self.groups):
            colour = ACCENT if each.value < 1.0 else MUTED
            ax.plot([each.lower, each.value], [row, row], color=colour, linewidth=2)
            ends = [each.value, *([each.lower] if each.lower else [])]
            ax.plot(ends, [row] * len(ends), "|", color=colour, markersize=11, markeredgewidth=2)
            if each.observed is not None:
                # As in other forest plots, larger groups have larger marks.
                width = 4.0 + 6.0 * np.sqrt(each.n_points / max(most, 1))
                words = "observed" if not ax.get_legend_handles_labels()[0] else None
                ax.plot(each.observed, row, "s", color=SECOND, markersize=width, label=words)
            ax.annotate(
                _limit(each), (each.value, row), (8, 0), textcoords="offset points", va="center"
            )
        ax.set_yticks(
            range(len(self.groups)),
            [
                f"{name[:WIDEST_NAME]} (n = {each.n_points})"
                for name, each in zip(self._names, self.groups, strict=True)
            ],
        )
        largest = max(each.value for each in self.groups)
        ax.set_xlim(0, 1.5 if largest >= 1.0 else 1.25 * largest)
        if largest >= 1.0:
            ax.set_xticks([0.0, 0.5, 1.0])
        ax.set_ylim(len(self.groups) - 0.4, -0.6)
        # Long names leave few inches for the axis; to the left of it there is room.
        ax.set_xlabel("error on each group, at most", loc="right")
        ax.tick_params(axis="y", length=0)
        if ax.get_legend_handles_labels()[0]:
            ax.legend(loc="lower right", bbox_to_anchor=(1, 1), frameon=False, borderpad=0)
        open_frame(ax)
        ax.spines["left"].set_visible(False)


def _limit(each: GroupGuarantee) -> str:
    if each.value < 1.0:
        return rounded_up(each.value)
    return "too few points" if each.remark.startswith(("too few", "no ")) else "too many errors"
