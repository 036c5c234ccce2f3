"""Certificates: error bounds with what they were computed from and what they rest on."""

from tandemvote.certificate.certificate import Certificate
from tandemvote.certificate.groups import GroupCertificates
from tandemvote.certificate.pipeline import certify_votes
from tandemvote.certificate.selective import SelectiveCertificate, Threshold

__all__ = [
    "Certificate",
    "GroupCertificates",
    "SelectiveCertificate",
    "Threshold",
    "certify_votes",
]
