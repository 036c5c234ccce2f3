"""What is suspicious about data, as records that certificates, files and reports keep."""

from tandemvote.auditing.finding import SEVERITIES, Finding

__all__ = ["SEVERITIES", "Finding"]
