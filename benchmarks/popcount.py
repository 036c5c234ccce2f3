"""Bits against float32: counting pairs by AND and population count instead of matrix products.

All ways count the same Parquet files end to end, from the file to `VoteCounts`, in one thread and
in as many as the machine has; what is compared is the time on the wall. numpy counts bits by
`bitwise_count`; numba, if it is installed, by one fused loop, which the library takes for large
pools: those where it is at least twice as fast (`MANY_VOTERS`).

Run: python benchmarks/popcount.py, on a quiet machine
"""

from __future__ import annotations

import os
import tempfile
from argparse import Namespace
from time import perf_counter

import numpy as np
from threadpoolctl import threadpool_limits

from counting import write_votes
from tandemvote.counting import counts
from tandemvote.counting.pairs import Counter, bit_counter, true_pairs_by_product
from tandemvote.counting.parquet import ParquetVotes
from tandemvote.counting.shards import count_shards

SHAPES = ((300, 200_000), (500, 100_000), (1_000, 60_000), (2_000, 16_000))
ROUNDS = 4
ROWS_AT_A_TIME = 64


def main() -> None:
    kernels = {"float32 product": true_pairs_by_product, "numpy bitwise_count": by_numpy}
    by_bits = bit_counter()
    if by_bits is None:
        print("numba is not installed: left out")
    else:
        kernels["numba"] = by_bits
    plane = np.random.default_rng(0).random((70, 1_000)) < 0.4
    expected = true_pairs_by_product(plane)  # and compile now, not in the first measurement
    assert all(np.array_equal(kernel(plane), expected) for kernel in kernels.values())
    print("voters  points  threads" + "".join(f"  {name:>26}" for name in kernels))
    print(" " * 23 + f"  {'seconds, and times as fast':>26}" * len(kernels))
    for n_voters, n_points in SHAPES:
        with tempfile.TemporaryDirectory() as folder:
            options = Namespace(
                voters=n_voters,
                points=n_points,
                file_points=n_points,
                group_points=n_points // 4,
                dictionary=True,
            )
            write_votes(folder, options)
            votes = ParquetVotes(folder)
            for n_threads in sorted({1, os.cpu_count() or 1}):
                with threadpool_limits(n_threads):
                    times = fastest(list(kernels.values()), votes)
                shown = "".join(f"  {spent:14.2f} {times[0] / spent:11.2f}" for spent in times)
                print(f"{n_voters:6} {n_points:7} {n_threads:8}{shown}", flush=True)


def fastest(kernels: list[Counter], votes: ParquetVotes) -> np.ndarray:
    """Let the ways take turns, so that what disturbs one disturbs all; keep the best of each."""
    return np.min(
        [[end_to_end(kernel, votes) for kernel in kernels] for _ in range(ROUNDS)], axis=0
    )


def end_to_end(kernel: Counter, votes: ParquetVotes) -> float:
    """Time to count with this kernel."""
    original, counts.true_pairs = counts.true_pairs, kernel
    start = perf_counter()
    try:
        count_shards(votes)
    finally:
        counts.true_pairs = original
    return perf_counter() - start


def by_numpy(plane: np.ndarray) -> np.ndarray:
    octets = np.packbits(plane, axis=1)
    words = np.pad(octets, ((0, 0), (0, -octets.shape[1] % 8))).view(np.uint64)
    pairs = np.zeros((len(words), len(words)), np.int64)
    for first, row in enumerate(words):
        for start in range(0, first + 1, ROWS_AT_A_TIME):
            part = slice(start, min(start + ROWS_AT_A_TIME, first + 1))
            pairs[first, part] = np.bitwise_count(row & words[part]).sum(axis=1, dtype=np.int64)
    return np.maximum(pairs, pairs.T)


if __name__ == "__main__":
    main()
