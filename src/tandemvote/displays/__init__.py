"""Pictures of a vote and of its guarantee, each with the numbers behind it.

The constructor of a display takes arrays, ``from_...`` computes them, ``plot`` draws them and
``frame`` returns them as a pandas frame. Drawing needs the extra ``tandemvote[report]``.
"""

from tandemvote.displays.display import Display
from tandemvote.displays.guarantees import BoundsDisplay, GroupsDisplay, SelectiveDisplay
from tandemvote.displays.voters import ProfileDisplay, TandemDisplay, WeightsDisplay

__all__ = [
    "BoundsDisplay",
    "Display",
    "GroupsDisplay",
    "ProfileDisplay",
    "SelectiveDisplay",
    "TandemDisplay",
    "WeightsDisplay",
]
