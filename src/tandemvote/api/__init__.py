"""Certificates for models that are already fitted, and for votes from anywhere."""

from tandemvote.api.abstention import certify_selective
from tandemvote.api.groups import certify_by_group
from tandemvote.api.models import certify

__all__ = [
    "certify",
    "certify_by_group",
    "certify_selective",
]
