"""Pictures of a vote and of its error bound.

A display is constructed from the result that it shows, and ``plot`` draws it. Drawing requires
``tandemvote[report]``.
"""

from tandemvote.displays.comparisons import ComparisonDisplay, MonitorDisplay
from tandemvote.displays.display import Display
from tandemvote.displays.guarantees import BoundsDisplay, GroupsDisplay, SelectiveDisplay
from tandemvote.displays.voters import ProfileDisplay, TandemDisplay, WeightsDisplay

__all__ = [
    "BoundsDisplay",
    "ComparisonDisplay",
    "Display",
    "GroupsDisplay",
    "MonitorDisplay",
    "ProfileDisplay",
    "SelectiveDisplay",
    "TandemDisplay",
    "WeightsDisplay",
]
