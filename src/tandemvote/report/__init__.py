"""Room 12: one self-contained HTML file from a certificate, or from the rows of an experiment.

No file of it asks the network for anything: styles, pictures and words are all inside.
"""

from tandemvote.report.certificate_report import render_report, write_report
from tandemvote.report.experiment_report import render_experiment_report, write_experiment_report

__all__ = [
    "render_experiment_report",
    "render_report",
    "write_experiment_report",
    "write_report",
]
