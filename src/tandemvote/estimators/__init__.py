"""Certified classifiers with the interface of scikit-learn."""

from tandemvote.estimators.committee import CertifiedClassifier
from tandemvote.estimators.cross_fitted import CertifiedClassifierCV
from tandemvote.estimators.forest import CertifiedForestClassifier
from tandemvote.estimators.voting import CertifiedBaggingClassifier, CertifiedVotingClassifier

__all__ = [
    "CertifiedBaggingClassifier",
    "CertifiedClassifier",
    "CertifiedClassifierCV",
    "CertifiedForestClassifier",
    "CertifiedVotingClassifier",
]
