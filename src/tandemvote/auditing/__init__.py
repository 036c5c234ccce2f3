"""The audit of data; certificates and reports keep its findings."""

from tandemvote.auditing.finding import SEVERITIES, Finding, Findings, FindingsError, check_findings

__all__ = ["SEVERITIES", "Finding", "Findings", "FindingsError", "check_findings"]
