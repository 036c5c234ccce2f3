"""Room 7: voters, and the points each of them never saw."""

from tandemvote.ensembles.hard_vote import vote_shares, weighted_vote
from tandemvote.ensembles.out_of_bag import out_of_bag_votes
from tandemvote.ensembles.voters import voter_predictions

__all__ = ["out_of_bag_votes", "vote_shares", "voter_predictions", "weighted_vote"]
