"""Room 8: certified votes with the face of scikit-learn."""

from tandemvote.estimators.bagging import CertifiedBaggingClassifier
from tandemvote.estimators.forest import CertifiedForestClassifier
from tandemvote.estimators.voting import CertifiedVotingClassifier

__all__ = [
    "CertifiedBaggingClassifier",
    "CertifiedForestClassifier",
    "CertifiedVotingClassifier",
]
