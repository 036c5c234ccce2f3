"""Metrics: what counts as an error, exact limits, differences, and the number of labels."""
