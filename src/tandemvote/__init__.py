"""tandemvote."""
