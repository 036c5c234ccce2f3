"""Upper bounds on the error rates of classifiers.

See the project's README for a first example and its documentation for the theory.
"""

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tandemvote.auditing.audit import audit as audit
    from tandemvote.certificate import Certificate as Certificate
    from tandemvote.metrics.planning import labels_needed as labels_needed
    from tandemvote.model_files.model_file import load_model as load_model
    from tandemvote.models.certify import certify as certify
    from tandemvote.models.certify import certify_oob as certify_oob
    from tandemvote.models.certify import certify_selective as certify_selective
    from tandemvote.models.committee import CertifiedClassifier as CertifiedClassifier
    from tandemvote.models.forest import CertifiedForestClassifier as CertifiedForestClassifier
    from tandemvote.monitoring.comparison import compare as compare
    from tandemvote.monitoring.monitor import Monitor as Monitor
    from tandemvote.report import write_report as write_report
    from tandemvote.votes.counts import VoteCounts as VoteCounts
    from tandemvote.votes.votes import Votes as Votes

__version__ = version("tandemvote")

# Names are looked up when first used, so that the command line starts without scikit-learn.
_MODULES = {
    "Certificate": "certificate",
    "CertifiedClassifier": "models.committee",
    "CertifiedForestClassifier": "models.forest",
    "Monitor": "monitoring.monitor",
    "VoteCounts": "votes.counts",
    "Votes": "votes.votes",
    "audit": "auditing.audit",
    "certify": "models.certify",
    "certify_oob": "models.certify",
    "certify_selective": "models.certify",
    "compare": "monitoring.comparison",
    "labels_needed": "metrics.planning",
    "load_model": "model_files.model_file",
    "write_report": "report",
}

__all__ = sorted(_MODULES)  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
