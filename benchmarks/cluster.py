"""What a cluster costs: processor time of all its processes against that of one.

Two worker processes on this machine count the same Parquet files as one process does. The goal is
at most 1.3 times the processor time, with scheduler and client included; and the same integers.

Run: OMP_NUM_THREADS=1 python benchmarks/cluster.py
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from time import process_time

import numpy as np
from counting import write_votes
from distributed import Client, LocalCluster

from tandemvote import VoteCounts
from tandemvote.counts import INTEGER_FIELDS
from tandemvote.shards import ParquetVotes

LIMIT = 1.3


def main() -> None:
    options = parsed_options()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        write_votes(folder, options)
        votes = ParquetVotes(folder)
        print(f"{votes}, {options.workers} workers; limit {LIMIT}")
        VoteCounts.from_shards(votes.split(20)[0])  # imports and first pages
        start = process_time()
        here = VoteCounts.from_shards(votes)
        alone = process_time() - start
        there, together = on_cluster(votes, options.workers)
    same = all(np.array_equal(getattr(here, name), getattr(there, name)) for name in INTEGER_FIELDS)
    print(f"one process {alone:.1f} s, cluster {together:.1f} s of processor time")
    print(f"overhead {together / alone:.2f}, the same integers: {same}")


def parsed_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--voters", type=int, default=300)
    parser.add_argument("--points", type=int, default=500_000)
    parser.add_argument("--file-points", type=int, default=250_000, help="points a file")
    parser.add_argument("--group-points", type=int, default=50_000, help="points a row group")
    parser.add_argument("--dictionary", action="store_true", help="a quarter of the size on disk")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--folder", type=Path, help="where the votes lie for the while")
    return parser.parse_args()


def on_cluster(votes: ParquetVotes, n_workers: int) -> tuple[VoteCounts, float]:
    """Count with workers that are up and have imported everything, and sum their times."""
    with (
        LocalCluster(
            n_workers=n_workers, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        Client(cluster) as client,
    ):
        VoteCounts.from_shards(votes.split(20)[0].split(n_workers), client=client)

        def spent() -> float:
            return process_time() + sum(client.run(process_time).values())

        start = spent()
        counts = VoteCounts.from_shards(votes, client=client)
        return counts, spent() - start


if __name__ == "__main__":
    main()
