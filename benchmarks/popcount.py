"""Bits against float32: counting pairs by AND and population count instead of matrix products.

Both ways count the same Parquet files end to end, from the file to `VoteCounts`, in one process and
one thread. numpy counts bits by `bitwise_count`; numba, if it is installed, by one fused loop. The
float32 product is kept unless another way is at least twice as fast.

Run: OMP_NUM_THREADS=1 python benchmarks/popcount.py
"""

from __future__ import annotations

import tempfile
from argparse import Namespace
from collections.abc import Callable
from time import process_time

import numpy as np
from counting import write_votes
from threadpoolctl import threadpool_limits

from tandemvote import VoteCounts, counts
from tandemvote.shards import ParquetVotes

SHAPES = ((300, 200_000), (2_000, 16_000))
ROWS_AT_A_TIME = 64
WORDS_AT_A_TIME = 256
"""Bits of so many words of two rows stay in the processor's nearest cache."""

Kernel = Callable[[np.ndarray], np.ndarray]


def main() -> None:
    kernels = {"float32 product": counts.true_pairs, "numpy bitwise_count": by_numpy}
    try:
        kernels["numba ctpop"] = numba_kernel()
    except ImportError:
        print("numba is not installed: left out")
    plane = np.random.default_rng(0).random((70, 1_000)) < 0.4
    expected = counts.true_pairs(plane)
    assert all(np.array_equal(kernel(plane), expected) for kernel in kernels.values())
    print("voters   points  " + "  ".join(f"{name:>28}" for name in kernels))
    print(" " * 17 + "  ".join(f"{'seconds, and times as fast':>28}" for _ in kernels))
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
            # In turns, so that what disturbs one disturbs all; the shortest time of each counts.
            rounds = [[end_to_end(kernel, votes) for kernel in kernels.values()] for _ in range(4)]
            times = np.min(rounds, axis=0)
        shown = "  ".join(f"{spent:16.2f} {times[0] / spent:11.2f}" for spent in times)
        print(f"{n_voters:6} {n_points:8}  {shown}", flush=True)


def end_to_end(kernel: Kernel, votes: ParquetVotes) -> float:
    """Processor time of counting with this kernel."""
    original, counts.true_pairs = counts.true_pairs, kernel
    start = process_time()
    try:
        VoteCounts.from_shards(votes)
    finally:
        counts.true_pairs = original
    return process_time() - start


def packed(plane: np.ndarray) -> np.ndarray:
    """Eight cells a byte, eight bytes a word, the last word filled up with zeros."""
    octets = np.packbits(plane, axis=1)
    return np.pad(octets, ((0, 0), (0, -octets.shape[1] % 8))).view(np.uint64)


def by_numpy(plane: np.ndarray) -> np.ndarray:
    words = packed(plane)
    pairs = np.zeros((len(words), len(words)), np.int64)
    for first, row in enumerate(words):
        for start in range(0, first + 1, ROWS_AT_A_TIME):
            part = slice(start, min(start + ROWS_AT_A_TIME, first + 1))
            pairs[first, part] = np.bitwise_count(row & words[part]).sum(axis=1, dtype=np.int64)
    return np.maximum(pairs, pairs.T)


def numba_kernel() -> Kernel:
    """Compile the fused loop; numba has no population count of its own, so LLVM's is used."""
    import numba  # noqa: PLC0415
    from numba.extending import intrinsic  # noqa: PLC0415

    @intrinsic
    def population_count(_typing, _word):
        def generate(_context, builder, _signature, arguments):
            return builder.ctpop(arguments[0])

        return numba.types.uint64(numba.types.uint64), generate

    @numba.njit
    def count_bits(words):
        n_rows, n_words = words.shape
        pairs = np.zeros((n_rows, n_rows), np.int64)
        for start in range(0, n_words, WORDS_AT_A_TIME):
            stop = min(start + WORDS_AT_A_TIME, n_words)
            for first in range(n_rows):
                for second in range(first + 1):
                    total = np.uint64(0)
                    for word in range(start, stop):
                        total += population_count(words[first, word] & words[second, word])
                    pairs[first, second] += np.int64(total)
        return pairs

    count_bits(np.zeros((1, 1), np.uint64))  # compile now, not in the first measurement

    def kernel(plane: np.ndarray) -> np.ndarray:
        pairs = count_bits(packed(plane))
        return np.maximum(pairs, pairs.T)

    return kernel


if __name__ == "__main__":
    with threadpool_limits(limits=1):
        main()
