"""What is promised: for a vote, for each class, for the points a vote accepts; and its file.

Names are looked up when first asked for: a file is verified without loading the formulas of bounds.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tandemvote.certificate.agreement import AgreementCertificate
    from tandemvote.certificate.by_class import ClassCertificates, ClassGuarantee
    from tandemvote.certificate.certificate import Certificate
    from tandemvote.certificate.decimals import rounded_up
    from tandemvote.certificate.fitted import FittedVote
    from tandemvote.certificate.selective import Selection, SelectiveCertificate
    from tandemvote.certificate.thresholds import Threshold, vote_margins

__all__ = [
    "AgreementCertificate",
    "Certificate",
    "ClassCertificates",
    "ClassGuarantee",
    "FittedVote",
    "Selection",
    "SelectiveCertificate",
    "Threshold",
    "rounded_up",
    "vote_margins",
]

_MODULES = {
    "AgreementCertificate": "agreement",
    "Certificate": "certificate",
    "ClassCertificates": "by_class",
    "ClassGuarantee": "by_class",
    "FittedVote": "fitted",
    "Selection": "selective",
    "SelectiveCertificate": "selective",
    "Threshold": "thresholds",
    "rounded_up": "decimals",
    "vote_margins": "thresholds",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
