"""The style of all figures of the reproduction."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduction.report.frames import shown

COLORS = {
    "first_order": "#0072B2",
    "c1": "#E69F00",
    "c2": "#F0E442",
    "c_tandem": "#CC79A7",
    "tandem": "#D55E00",
    "disagreement_bound": "#009E73",
    "uniform": "#777777",
}
"""Okabe and Ito's colors, which most readers can tell apart."""

RISK_COLOR = "black"

SETTINGS: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 8,
    "axes.titlesize": 9,
    "axes.labelsize": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "grid.color": "#dddddd",
    "grid.linewidth": 0.5,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "hatch.linewidth": 0.6,
    "lines.linewidth": 1.2,
    "figure.constrained_layout.use": True,
    "savefig.dpi": 130,
    "svg.hashsalt": "tandemvote",  # the same rows give the same file
    "svg.fonttype": "path",
}


def titles(frame: pd.DataFrame) -> dict[str, str]:
    r"""Return how to write each data set in a figure, where a dollar would open a formula.

    Examples
    --------
    >>> titles(pd.DataFrame({"dataset": ["us$"], "reconstructed": ["False"]}))
    {'us$': 'us\\$'}
    """
    return {name: written.replace("$", r"\$") for name, written in shown(frame).items()}


@contextmanager
def house_style() -> Iterator[None]:
    """Draw in the style of the reproduction."""
    with mpl.rc_context(SETTINGS):
        yield


def panels(n_panels: int, *, columns: int, width: float = 1.75, height: float = 1.9) -> list[Axes]:
    """Return `n_panels` axes of a new figure, in rows; unused places stay empty.

    Examples
    --------
    >>> len(panels(7, columns=4))
    7
    """
    columns = min(columns, n_panels)
    rows = -(-n_panels // columns)
    figure = Figure(figsize=(width * columns, height * rows))
    return [figure.add_subplot(rows, columns, place + 1) for place in range(n_panels)]


def figure_of(axes: list[Axes]) -> Figure:
    """Return the figure of the axes."""
    figure = axes[0].figure
    assert isinstance(figure, Figure)
    return figure
