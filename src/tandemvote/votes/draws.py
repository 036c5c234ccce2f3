"""Random draws among rows that do not depend on the order in which the rows are given.

A fixed seed over positions draws the same positions of every data set. Where positions have a
meaning, such as first and second visits or rows sorted by class, bounds are then false in far more
than a share delta of the data sets. So rows are sorted by what they hold, and all of that seeds the
generator together with the user's seed. Copies of a row stay rows of their own. A digest of each
row alone would not do: equal rows of different groups would all be drawn, or none of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from tandemvote.votes.codes import as_array, distinct

Rows = NDArray[np.intp]

LARGEST_SEED = np.iinfo(np.int32).max

ROWS_AT_A_TIME = 2**14
"""Few enough that the digests of a column fit the cache."""


def keyed_order(contents: Iterable[Any], seed: int = 0) -> tuple[Rows, RandomState]:
    """Sort rows by their contents, and seed a generator with the contents of all rows.

    Contents are labels, integers or digests of all rows, one array each, or None. The generator is
    of the kind whose numbers stay the same in all releases of numpy, since `verify` draws again.

    Examples
    --------
    >>> order, generator = keyed_order([["b", "a", "c"], None])
    >>> order.size, generator.permutation(3).size
    (3, 3)
    """
    key = blake2b(str(seed).encode(), digest_size=32)
    columns = []
    for values in (as_array(each) for each in contents if each is not None):
        if values.dtype.kind not in "iub":
            names, values = distinct(values.astype(str))  # noqa: PLW2901
            key.update("\0".join(names.tolist()).encode(errors="replace"))
        columns.append(values)
    # Sums of contents times random factors differ with probability 1 - 2^-56 where contents do.
    factors = RandomState(0).randint(2**64, size=len(columns), dtype=np.uint64) | np.uint64(1)
    digests = np.zeros(columns[0].size, np.uint64)
    for start in range(0, digests.size, ROWS_AT_A_TIME):
        chunk = slice(start, start + ROWS_AT_A_TIME)
        for values, factor in zip(columns, factors, strict=True):
            digests[chunk] += values[chunk].astype(np.uint64) * factor
    order = np.argsort(digests, kind="stable")
    key.update(digests[order].astype("<u8").tobytes())
    return order, RandomState(np.frombuffer(key.digest(), "<u4"))


def shuffled(contents: Iterable[Any], seed: int = 0) -> Rows:
    """Return the positions of rows in a random order that depends on their contents alone.

    Examples
    --------
    >>> texts = np.array(["b", "a", "c", "a"])
    >>> texts[shuffled([texts])].tolist() == texts[::-1][shuffled([texts[::-1]])].tolist()
    True
    """
    order, generator = keyed_order(contents, seed)
    return np.asarray(order[generator.permutation(order.size)])
