"""Pictures of a vote and of its error bound, each with the numbers behind it.

The constructor of a display takes numbers, ``from_...`` reads them from a certificate, ``plot``
draws them and ``frame`` returns a pandas DataFrame. Drawing requires ``tandemvote[report]``.
"""

from tandemvote.displays.display import Display
from tandemvote.displays.guarantees import BoundsDisplay, GroupsDisplay, SelectiveDisplay
from tandemvote.displays.questions import ComparisonDisplay, MonitorDisplay
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
