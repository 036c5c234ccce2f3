"""Cells of the experiments, how they are run, and where their rows are kept."""
