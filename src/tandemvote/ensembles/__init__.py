"""Room 7: voters, and the points each of them never saw."""

from tandemvote.ensembles.audit import AuditError, audit_bootstraps
from tandemvote.ensembles.fitted import voter_predictions
from tandemvote.ensembles.hard_vote import vote_shares, weighted_vote
from tandemvote.ensembles.hold_out import hold_out_votes
from tandemvote.ensembles.out_of_bag import out_of_bag_votes

__all__ = [
    "AuditError",
    "audit_bootstraps",
    "hold_out_votes",
    "out_of_bag_votes",
    "vote_shares",
    "voter_predictions",
    "weighted_vote",
]
