"""Votes become integers: `VoteCounts`, from arrays, Parquet files or a Dask cluster.

Nothing is imported here, so that `tandemvote.verify` can find Parquet files without loading what it
checks.
"""
