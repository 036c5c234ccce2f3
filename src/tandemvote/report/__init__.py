"""The report of a certificate: one HTML file with its styles and pictures inside."""

from tandemvote.report.page import render_report, write_report

__all__ = ["render_report", "write_report"]
