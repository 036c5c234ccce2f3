"""Certificates for models that are already fitted, and for votes from anywhere."""

from tandemvote.api.abstention import certify_selective
from tandemvote.api.agreement import certify_agreement
from tandemvote.api.classes import certify_per_class
from tandemvote.api.fitted_weights import certify_fitted_weights
from tandemvote.api.models import certify

__all__ = [
    "certify",
    "certify_agreement",
    "certify_fitted_weights",
    "certify_per_class",
    "certify_selective",
]
