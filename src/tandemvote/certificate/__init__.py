"""What is promised: for a vote, for each group, for the points a vote accepts; and its file.

Names are looked up when first asked for: a file is verified without loading the formulas of bounds.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tandemvote.certificate.by_group import GroupCertificates as GroupCertificates
    from tandemvote.certificate.by_group import GroupGuarantee as GroupGuarantee
    from tandemvote.certificate.certificate import Certificate as Certificate
    from tandemvote.certificate.decimals import rounded_up as rounded_up
    from tandemvote.certificate.selective import Selection as Selection
    from tandemvote.certificate.selective import SelectiveCertificate as SelectiveCertificate
    from tandemvote.certificate.selective import Threshold as Threshold
    from tandemvote.certificate.selective import vote_margins as vote_margins

_MODULES = {
    "by_group": ("GroupCertificates", "GroupGuarantee"),
    "certificate": ("Certificate",),
    "decimals": ("rounded_up",),
    "selective": ("Selection", "SelectiveCertificate", "Threshold", "vote_margins"),
}


def __getattr__(name: str) -> Any:
    for module, names in _MODULES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
