"""Room 2b: votes that do not fit into memory, a part at a time.

`ParquetVotes` reads them from files; ``VoteCounts.from_shards`` counts them, here or, with
``client=``, on a cluster.
"""

from tandemvote.shards.parquet import ParquetVotes

__all__ = ["ParquetVotes"]
