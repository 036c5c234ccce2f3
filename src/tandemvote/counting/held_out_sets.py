"""Sizes of the sets of points held out for voters, or for pairs of voters."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tandemvote.inequalities.harmonic import UnequalSets, harmonic_cap
from tandemvote.inequalities.outward import FloatArray


class HeldOutSets:
    """Sizes of the sets of voters or of all pairs, and what was computed for the last prior.

    Examples
    --------
    >>> sets = HeldOutSets(np.array([100, 300, 20]))
    >>> sets.n_min(np.array([0.5, 0.5, 0.0]))
    100
    """

    def __init__(self, sizes: NDArray[np.int64]) -> None:
        self.sizes = sizes
        self._last: UnequalSets | None = None

    @cached_property
    def smallest(self) -> int:
        """Smallest set of all."""
        return int(self.sizes.min())

    @property
    def voters(self) -> int:
        """Number of voters that share a set: 1, or 2 for pairs."""
        return self.sizes.ndim

    def n_min(self, prior: FloatArray) -> int:
        """Smallest set among the voters that the prior allows."""
        # The splits do not depend on the data, so neither does a choice of voters by their sizes.
        allowed = prior > 0
        if allowed.all():
            return self.smallest
        return int(self.sizes[np.ix_(*[allowed] * self.voters)].min())

    def harmonic(self, prior: FloatArray) -> UnequalSets:
        """All sizes, up to the cap that keeps the published form from being tighter.

        Thousands of voters have millions of pairs, and the weights, their bound and their
        certificate use the same prior one after the other, so the last result is kept.
        """
        last = self._last
        if last is None or not np.array_equal(last.prior, prior):
            last = UnequalSets.of(self.sizes, prior, cap=harmonic_cap(self.n_min(prior)))
            self._last = last
        return last
