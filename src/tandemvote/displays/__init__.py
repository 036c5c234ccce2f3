"""Room 9: pictures of a vote and of its guarantee, each with the numbers behind it.

The constructor of a display holds arrays, ``from_...`` computes them, ``plot`` draws them and
``frame`` gives them as a pandas frame. Drawing needs the extra ``tandemvote[report]``.
"""

from tandemvote.displays.bounds import BoundsDisplay
from tandemvote.displays.display import Display
from tandemvote.displays.history import HistoryDisplay
from tandemvote.displays.per_class import PerClassDisplay
from tandemvote.displays.profile import ProfileDisplay
from tandemvote.displays.selective import SelectiveDisplay
from tandemvote.displays.tandem import TandemDisplay
from tandemvote.displays.weights import WeightsDisplay

__all__ = [
    "BoundsDisplay",
    "Display",
    "HistoryDisplay",
    "PerClassDisplay",
    "ProfileDisplay",
    "SelectiveDisplay",
    "TandemDisplay",
    "WeightsDisplay",
]
