"""Votes: labels as codes, predictions, counts, and the weighted vote."""
