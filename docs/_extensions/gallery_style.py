"""The style of gallery figures: large text and thick lines, so that thumbnails can be read."""

import matplotlib as mpl

STYLE = {
    "figure.figsize": (6.4, 4.4),
    "font.size": 15,
    "legend.fontsize": 12,
    "legend.framealpha": 0.6,
    "lines.linewidth": 3,
    "lines.markersize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def reset(_configuration, _file):
    """Set the style before each example."""
    mpl.rcParams.update(STYLE)
