"""Certified error rates for majority votes.

See the project's README for a first example and its documentation for the theory.
"""

from importlib.metadata import version

from tandemvote.certificate import Certificate
from tandemvote.certify import certify
from tandemvote.counts import VoteCounts
from tandemvote.estimators import (
    CertifiedBaggingClassifier,
    CertifiedForestClassifier,
    CertifiedVotingClassifier,
)
from tandemvote.votes import Votes

__version__ = version("tandemvote")

__all__ = [
    "Certificate",
    "CertifiedBaggingClassifier",
    "CertifiedForestClassifier",
    "CertifiedVotingClassifier",
    "VoteCounts",
    "Votes",
    "certify",
]
