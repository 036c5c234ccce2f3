"""What is suspicious about data: one audit, whose findings certificates and reports keep."""

from tandemvote.auditing.finding import SEVERITIES, Finding, Findings, FindingsError, check_findings

__all__ = ["SEVERITIES", "Finding", "Findings", "FindingsError", "check_findings"]
