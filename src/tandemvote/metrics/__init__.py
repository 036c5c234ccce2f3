"""Metrics: one record for each, exact limits, paired differences, and the number of labels."""
