"""A vote that abstains where it is unsure, and what is certain about the points it accepts."""

from tandemvote.selective.certificate import Selection, SelectiveCertificate
from tandemvote.selective.margins import vote_margins
from tandemvote.selective.thresholds import Threshold
from tandemvote.selective.vote import certify_selective

__all__ = [
    "Selection",
    "SelectiveCertificate",
    "Threshold",
    "certify_selective",
    "vote_margins",
]
