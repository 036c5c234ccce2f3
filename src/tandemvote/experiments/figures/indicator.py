"""The relaxations of the indicator function behind the first and second order bounds."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from tandemvote.experiments.figures.style import COLOURS, RISK_COLOUR, figure_of, panels


def indicator_relaxations() -> Figure:
    """The vote errs where z >= 1/2; 2z and 4z^2 lie above that step, for z the erring weight."""
    axes = panels(1, columns=1, width=4.2, height=2.8)[0]
    z = np.linspace(0, 1, 401)
    axes.plot(z, 2 * z, color=COLOURS["first_order"], label=r"$2z$ (first order)")
    axes.plot(z, 4 * z**2, color=COLOURS["tandem"], label=r"$4z^2$ (second order)")
    axes.plot([0, 0.5, 0.5, 1], [0, 0, 1, 1], color=RISK_COLOUR, label=r"$\mathbf{1}[z \geq 1/2]$")
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 2.5)
    axes.set_xlabel("weight of the voters that err, $z$")
    axes.legend(loc="upper left")
    return figure_of([axes])
