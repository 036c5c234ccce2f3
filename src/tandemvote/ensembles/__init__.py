"""Voters, and the points that each of them was not trained on."""

from tandemvote.ensembles.audit import AuditError, audit_bootstraps
from tandemvote.ensembles.hold_out import hold_out_votes
from tandemvote.ensembles.members import voter_predictions
from tandemvote.ensembles.out_of_bag import out_of_bag_votes

__all__ = [
    "AuditError",
    "audit_bootstraps",
    "hold_out_votes",
    "out_of_bag_votes",
    "voter_predictions",
]
