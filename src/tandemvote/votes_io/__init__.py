"""Votes in CSV and Parquet files: one reader and one rule for labels.

Labels are text and compared letter by letter. In Parquet, numbers and booleans are the text they
are written as. An empty cell, null or NaN means that the voter was trained on the sample.
"""

from tandemvote.votes_io.cells import VotesFileError, column_names, read_columns
from tandemvote.votes_io.counting import count_votes
from tandemvote.votes_io.reading import VoteFiles, check_voters, read_predictions, read_votes

__all__ = [
    "VoteFiles",
    "VotesFileError",
    "check_voters",
    "column_names",
    "count_votes",
    "read_columns",
    "read_predictions",
    "read_votes",
]
