"""Sizes of the sets of samples on which voters, or pairs of voters, are tested."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tandemvote.inequalities.harmonic import UnequalSets, harmonic_cap
from tandemvote.inequalities.outward import FloatArray

IntArray = NDArray[np.int64]


class SetSizes:
    """Sizes of the held-out sets of voters or of pairs, with a cache for the last prior."""

    def __init__(self, sizes: IntArray) -> None:
        self.sizes = sizes
        self.smallest = int(sizes.min())
        self.order = sizes.ndim  # 1 for voters, 2 for pairs
        self._last: UnequalSets | None = None

    def n_min(self, prior: FloatArray) -> int:
        """Smallest set among the voters that the prior allows."""
        # The splits do not depend on the data, so neither does a choice of voters by their sizes.
        allowed = np.ix_(*[prior > 0] * self.order)
        return self.smallest if (prior > 0).all() else int(self.sizes[allowed].min())

    def harmonic(self, prior: FloatArray) -> UnequalSets:
        """All sizes, up to the cap that keeps the published form from being tighter.

        Thousands of voters have millions of pairs, and the weights, their bound and their
        certificate use the same prior one after the other, so the last result is cached.
        """
        if self._last is None or not np.array_equal(self._last.prior, prior):
            self._last = UnequalSets.of(self.sizes, prior, cap=harmonic_cap(self.n_min(prior)))
        return self._last
