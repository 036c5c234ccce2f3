"""The sets of points behind voters, or behind pairs of voters, as far as their sizes matter."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tandemvote.inequalities.harmonic import UnequalSets, harmonic_cap
from tandemvote.inequalities.outward import FloatArray


class HeldOutSets:
    """Sizes of sets, and what was computed from them for the prior asked for last.

    Parameters
    ----------
    sizes : ndarray of int64, shape (n_voters,) or (n_voters, n_voters)
        Points held out for each voter, or for both voters of each pair.

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
        """Smallest set, over the voters the prior allows."""
        # The splits do not depend on the data, so neither does a choice of voters by their sizes.
        allowed = prior > 0
        if allowed.all():
            return self.smallest
        return int(self.sizes[np.ix_(*[allowed] * self.voters)].min())

    def harmonic(self, prior: FloatArray) -> UnequalSets:
        """Sets in full, up to the cap that keeps the published form from being tighter.

        A pool of thousands of voters has millions of pairs, and weights, their bound and their
        certificate ask for the same prior in turn.
        """
        last = self._last
        if last is None or not np.array_equal(last.prior, prior):
            last = UnequalSets.of(self.sizes, prior, cap=harmonic_cap(self.n_min(prior)))
            self._last = last
        return last
