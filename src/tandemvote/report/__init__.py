"""The report of a certificate: one HTML file with its styles and pictures inside."""

from tandemvote.report.page import write_report

__all__ = ["write_report"]
