"""Colours that keep a contrast of 3 to 1 on white and on near-black, for every kind of sight.

Text and axes take matplotlib's own colours, so that a picture follows the reader's style sheet.
"""

from __future__ import annotations

ACCENT = "#1a7fc1"
"""What the picture is about: the chosen bound, the weights, the path."""

SECOND = "#d2610c"
"""What it is compared with: test risk, uniform weights, the place where a vote errs."""

MUTED = "#868c96"
"""What stands beside."""

HEAT = "cividis"
"""Colour map from dark blue to yellow, even in lightness, the same to the colour-blind."""
