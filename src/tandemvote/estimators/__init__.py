"""Certified classifiers with the interface of scikit-learn."""

from tandemvote.estimators.committee import CertifiedClassifier
from tandemvote.estimators.forest import CertifiedForestClassifier

__all__ = ["CertifiedClassifier", "CertifiedForestClassifier"]
