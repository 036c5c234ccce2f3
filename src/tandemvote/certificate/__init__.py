"""What is promised: for a vote, for each group, for the points a vote accepts; and its file.

Names are looked up when first asked for: a file is verified without loading the formulas of bounds.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tandemvote.certificate.agreement import AgreementCertificate
    from tandemvote.certificate.by_group import GroupCertificates, GroupGuarantee
    from tandemvote.certificate.certificate import Certificate
    from tandemvote.certificate.decimals import rounded_up
    from tandemvote.certificate.fitted import FittedVote
    from tandemvote.certificate.selective import Selection, SelectiveCertificate
    from tandemvote.certificate.thresholds import Threshold, vote_margins

__all__ = [
    "AgreementCertificate",
    "Certificate",
    "FittedVote",
    "GroupCertificates",
    "GroupGuarantee",
    "Selection",
    "SelectiveCertificate",
    "Threshold",
    "rounded_up",
    "vote_margins",
]

_MODULES = {
    "AgreementCertificate": "agreement",
    "Certificate": "certificate",
    "FittedVote": "fitted",
    "GroupCertificates": "by_group",
    "GroupGuarantee": "by_group",
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
