"""Guarantees for each true class by itself, all of them at once."""

from tandemvote.per_class.certificates import ClassCertificates, ClassGuarantee
from tandemvote.per_class.certifying import certify_per_class

__all__ = ["ClassCertificates", "ClassGuarantee", "certify_per_class"]
