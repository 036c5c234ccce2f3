"""Certificates for models that are already fitted, and for votes from anywhere."""

from tandemvote.api.abstention import certify_agreement, certify_selective
from tandemvote.api.groups import certify_by_group
from tandemvote.api.models import certify, certify_fitted_weights

__all__ = [
    "certify",
    "certify_agreement",
    "certify_by_group",
    "certify_fitted_weights",
    "certify_selective",
]
