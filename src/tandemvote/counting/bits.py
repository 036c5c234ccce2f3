"""Count pairs by bits: 64 points of two voters fit in one AND and one population count.

Needs numba. For many voters this is several times as fast as the matrix product of `pairs`, and
gives the same integers.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numba
import numpy as np
from joblib import cpu_count
from numba.extending import intrinsic
from numpy.typing import NDArray
from threadpoolctl import threadpool_info

if numba.config.DISABLE_JIT:
    raise ImportError("numba is told not to compile.")

WORDS_AT_A_TIME = 256  # of two rows, which stay in the processor's nearest cache
PARTS_PER_THREAD = 8  # more than one, so that all threads end at about the same time


def true_pairs_by_bits(plane: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Count, for every pair of rows, the columns where both are True."""
    octets = np.packbits(plane, axis=1)  # the last word ends in zeros
    padded = np.pad(octets, ((0, 0), (0, -octets.shape[1] % 8)))
    words = np.ascontiguousarray(padded).view(np.uint64)
    n_rows, n_threads = len(words), _threads()
    pairs = np.zeros((n_rows, n_rows), np.int64)
    # Row k has k + 1 pairs to count, so parts of equal work end at square roots.
    ends = n_rows * np.sqrt(np.linspace(0.0, 1.0, PARTS_PER_THREAD * n_threads + 1))
    parts = pairwise(np.unique(ends.astype(int)).tolist())
    with ThreadPoolExecutor(n_threads) as threads:
        list(threads.map(lambda part: _count_rows(words, *part, pairs), parts))
    return np.maximum(pairs, pairs.T)


def _threads() -> int:
    """Return as many threads as the matrix product would use here, within the limits set on it."""
    found = [lib["num_threads"] for lib in threadpool_info() if lib["user_api"] == "blas"]
    return int(max(found, default=cpu_count()))


@intrinsic  # type: ignore[untyped-decorator]
def _population_count(_typing: Any, _word: Any) -> Any:
    """Count the bits that are set, by the LLVM instruction that numba has no name for."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return numba.types.uint64(numba.types.uint64), generate


@numba.njit(nogil=True)  # type: ignore[untyped-decorator]
def _count_rows(words: NDArray[np.uint64], begin: int, end: int, pairs: NDArray[np.int64]) -> None:
    """Fill in the pairs of rows `begin` to `end` with themselves and the rows before them."""
    n_words = words.shape[1]
    for start in range(0, n_words, WORDS_AT_A_TIME):
        stop = min(start + WORDS_AT_A_TIME, n_words)
        for first in range(begin, end):
            for second in range(first + 1):
                total = np.uint64(0)
                for word in range(start, stop):
                    total += _population_count(words[first, word] & words[second, word])
                pairs[first, second] += np.int64(total)
