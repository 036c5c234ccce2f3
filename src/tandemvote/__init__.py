"""Certified error rates for majority votes.

See the project's README for a first example and its documentation for the theory.
"""

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tandemvote.api import (
        certify,
        certify_by_group,
        certify_selective,
    )
    from tandemvote.certificate import Certificate
    from tandemvote.counting.counts import VoteCounts as VoteCounts
    from tandemvote.ensembles import hold_out_votes
    from tandemvote.estimators import CertifiedClassifier, CertifiedForestClassifier
    from tandemvote.votes import Votes

__version__ = version("tandemvote")

__all__ = [
    "Certificate",
    "CertifiedClassifier",
    "CertifiedForestClassifier",
    "Votes",
    "certify",
    "certify_by_group",
    "certify_selective",
    "hold_out_votes",
]

# Names are looked up when first asked for, so that the command line starts without scikit-learn.
_ROOMS = {
    "Certificate": "certificate",
    "CertifiedClassifier": "estimators",
    "CertifiedForestClassifier": "estimators",
    "VoteCounts": "counting.counts",
    "Votes": "votes",
    "certify": "api",
    "certify_by_group": "api",
    "certify_selective": "api",
    "hold_out_votes": "ensembles",
}


def __getattr__(name: str) -> Any:
    if name not in _ROOMS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_ROOMS[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
