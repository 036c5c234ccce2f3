"""Which labels trained which voter, and on which it was evaluated."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tandemvote.displays.display import ACCENT, MUTED, SECOND, Axes, Display
from tandemvote.extras import import_extra
from tandemvote.votes import Votes

MOST_VOTERS = 12
"""More rows would be too thin to tell apart; the picture shows the first ones."""

MOST_POINTS = 48
"""Points shown of voters whose held-out points follow no simple pattern, as in a forest."""


@dataclass(eq=False, kw_only=True)
class LabelUseDisplay(Display):
    """One row per voter: the points whose labels trained it, and those it was evaluated on.

    Attributes
    ----------
    held_out : ndarray of bool, shape (n_voters, n_points)
        True where the voter was not trained on the point, so that its label evaluates the voter.
    n_training : int
        Further labelled points that trained the voters and evaluate nothing.
    n_test : int
        Further labelled points that evaluate the vote and do nothing else.
    n_unlabelled : int
        Points without labels that the voters were asked about.

    Examples
    --------
    >>> folds = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1]], bool)
    >>> LabelUseDisplay(held_out=folds).description
    'Every label trained 2 of the 3 voters and evaluated the other one. No label was set aside.'
    """

    held_out: NDArray[np.bool_]
    n_training: int = 0
    n_test: int = 0
    n_unlabelled: int = 0

    @classmethod
    def from_votes(cls, votes: Votes, *, n_training: int = 0, n_test: int = 0) -> LabelUseDisplay:
        """Take the held-out points of votes, and the numbers of labelled points beside them."""
        more = {"n_training": n_training, "n_test": n_test, "n_unlabelled": votes.n_unlabelled}
        return cls(held_out=votes.held_out, **more)

    def _size(self) -> tuple[float, float]:
        return 6.0, 1.3 + 0.22 * min(len(self.held_out), MOST_VOTERS)

    def _words(self) -> str:
        n_voters, times = len(self.held_out), self.held_out.sum(axis=0)
        if self.held_out.all():
            words = "No voter was trained on these points: their labels only evaluate."
            if self.n_training:
                words += f" {self.n_training:,} other labels trained."
        else:
            words = f"Every label trained {n_voters - 1} of the {n_voters} voters and evaluated the"
            words += " other one."
            if n_voters == 3 and np.isin(times, (0, 2)).all():
                words = f"{np.count_nonzero(times):,} labels trained one of the 3 voters and"
                words += " evaluated the two others as a pair; the rest trained all three."
            elif (times != 1).any():
                share = 100 - 100 * times.mean() / n_voters
                words = f"On average a label trained {share:.0f} % of the voters and evaluated the"
                words += " others."
            if not self.n_test:
                words += " No label was set aside."
        if self.n_test:
            words += f" {self.n_test:,} more labels were set aside as a test set."
        if self.n_unlabelled:
            words += f" {self.n_unlabelled:,} more points needed no label."
        return words

    def _columns(self) -> dict[Any, Any]:
        trained, evaluated = (~self.held_out).sum(axis=1), self.held_out.sum(axis=1)
        voters = range(len(evaluated))
        return {"voter": voters, "trained_on": trained, "evaluated_on": evaluated}

    def _shown(self) -> NDArray[np.bool_]:
        """Return the rows and columns that are drawn; few patterns, such as folds, side by side."""
        rows = self.held_out[:MOST_VOTERS]
        ordered = rows[:, np.lexsort(~rows[::-1])]
        changes = int((np.diff(ordered.astype(int), axis=1) != 0).any(axis=0).sum())
        if changes <= 2 * len(rows):
            return np.asarray(ordered)
        last, some = rows.shape[1] - 1, min(rows.shape[1], MOST_POINTS)
        return np.asarray(rows[:, np.linspace(0, last, some, dtype=int)])

    def _draw(self, ax: Axes) -> None:
        shown = self._shown()
        n_voters, n_columns = shown.shape
        for row, held_out in enumerate(shown):
            start = 0
            for evaluates, run in groupby(held_out):
                width = len(list(run))
                place = (start / n_columns, width / n_columns)
                ax.broken_barh([place], (row - 0.4, 0.8), color=ACCENT if evaluates else MUTED)
                start += width
        right = 1.0
        extras = [(self.n_training, MUTED, "training"), (self.n_test, SECOND, "test set")]
        extras.append((self.n_unlabelled, "none", "no labels"))
        sample = f"{n_columns} of " if n_columns < self.held_out.shape[1] else ""
        ticks = [(0.5, f"{sample}{self.held_out.shape[1]:,} labelled points")]
        for n_points, colour, name in extras:
            if n_points:
                place, heights = (right + 0.04, 0.3), (-0.4, n_voters - 0.2)
                ax.broken_barh([place], heights, facecolor=colour, edgecolor=MUTED)
                ticks.append((right + 0.19, f"{n_points:,}\n{name}"))
                right += 0.34
        patches = import_extra("matplotlib.patches", "report")
        kinds = [(MUTED, "trains the voter"), (ACCENT, "evaluates the voter")]
        handles = [patches.Patch(color=colour, label=words) for colour, words in kinds]
        above: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0, 1)}
        ax.legend(handles=handles, **above, ncols=2, frameon=False, borderpad=0)
        hidden = len(self.held_out) - n_voters
        names = [f"voter {row}" for row in range(n_voters)]
        if hidden:
            names[-1] += f"\n(and {hidden} more)"
        ax.set_yticks(range(n_voters), names)
        ax.set_xticks(*zip(*ticks, strict=True))
        ax.set_xlim(0, right)
        ax.set_ylim(n_voters - 0.4, -0.6)
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
