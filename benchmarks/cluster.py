"""What a cluster costs: processor time of all its processes against that of one.

Two worker processes on this machine count the same Parquet files as one process does. The goal is
at most 1.3 times the processor time, with scheduler and client included; and the same integers.

Run: OMP_NUM_THREADS=1 python benchmarks/cluster.py
"""

from __future__ import annotations

import tempfile
from time import process_time

import numpy as np
from counting import votes_parser, write_votes_apart
from distributed import Client, LocalCluster
from forest import timed

from tandemvote import VoteCounts
from tandemvote.votes.counting import count_votes
from tandemvote.votes.counts import INTEGER_FIELDS
from tandemvote.votes.reading import VoteFiles

LIMIT = 1.3
REPEATS = 3
"""The shortest time of some runs is the one other programs disturbed least."""


def main() -> None:
    parser = votes_parser(__doc__)
    parser.add_argument("--workers", type=int, default=2)
    parser.set_defaults(samples=500_000, file_samples=250_000, group_samples=50_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        write_votes_apart(folder, options)
        votes = VoteFiles(folder, target="label")
        print(f"{votes}, {options.workers} workers; limit {LIMIT}")
        count_votes(votes.split(20)[0])  # imports and first pages
        alone, here = timed(lambda: count_votes(votes).counts, REPEATS)
        there, workers, around = on_cluster(votes, options.workers)
    same = all(np.array_equal(getattr(here, name), getattr(there, name)) for name in INTEGER_FIELDS)
    print(f"one process {alone:.1f} s of processor time")
    print(f"cluster {workers:.1f} s in workers, {around:.1f} s in scheduler and client")
    print(f"overhead {(workers + around) / alone:.2f}, the same integers: {same}")


def on_cluster(votes: VoteFiles, n_workers: int) -> tuple[VoteCounts, float, float]:
    """Count with workers that are up and have imported everything; sum times there and here."""
    with (
        LocalCluster(
            n_workers=n_workers, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        Client(cluster) as client,
    ):
        client.run(count_votes, votes.split(20)[0])  # on every worker

        def spent() -> np.ndarray:
            return np.array([sum(client.run(process_time).values()), process_time()])

        times = []
        for _ in range(REPEATS):
            start = spent()
            counts = count_votes(votes, client=client).counts
            times.append(spent() - start)
        workers, around = min(times, key=sum)
        return counts, workers, around


if __name__ == "__main__":
    main()
