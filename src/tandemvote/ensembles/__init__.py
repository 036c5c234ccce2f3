"""Voters, and the points that each of them was not trained on."""

from tandemvote.ensembles.audit import AuditError, audit_bootstraps
from tandemvote.ensembles.evidence import hold_out_votes, out_of_bag_votes
from tandemvote.ensembles.voters import voter_predictions

__all__ = [
    "AuditError",
    "audit_bootstraps",
    "hold_out_votes",
    "out_of_bag_votes",
    "voter_predictions",
]
