"""Room 11: the paper's experiments, from cells to rows to tables and figures."""
