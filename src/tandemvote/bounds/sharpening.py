"""Sample size of an average over voters, or over pairs, whose sets differ in size."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import NamedTuple, Protocol

import numpy as np

from tandemvote.counting.counts import FloatArray
from tandemvote.counting.held_out_sets import HeldOutSets
from tandemvote.inequalities import kl_divergence, two_sqrt
from tandemvote.inequalities.harmonic import HarmonicSize
from tandemvote.inequalities.kl_intervals import complexity
from tandemvote.inequalities.moments import Moment


class SampleSize(Protocol):
    """How many points an average is worth, and how far its weights are from the prior."""

    @property
    def n(self) -> float:
        """Number of points; 0 where there are none."""

    @property
    def kl_divergence(self) -> float:
        """Divergence to pay for, of pairs where the average is over pairs."""

    def log_moment(self, moment: Moment = two_sqrt) -> float:
        """Logarithm of how large E[exp(n kl)] can be."""

    def complexity(self, delta: float, moment: Moment = two_sqrt) -> float:
        """Allowed divergence per point between observed and true average."""


class SmallestSize(NamedTuple):
    """The published form: every set counts as the smallest.

    Examples
    --------
    >>> round(SmallestSize(1000, 0.0).complexity(0.05), 5)
    0.00714
    """

    n: int
    kl_divergence: float

    def log_moment(self, moment: Moment = two_sqrt) -> float:
        """Logarithm of the moment as printed."""
        return float(np.log(moment(max(self.n, 1))))

    def complexity(self, delta: float, moment: Moment = two_sqrt) -> float:
        """Allowed divergence per point, with the moment as printed."""
        return float(
            complexity(self.n, kl_divergence=self.kl_divergence, delta=delta, moment=moment)
        )


def smallest(posterior: FloatArray, sets: HeldOutSets, prior: FloatArray) -> SmallestSize:
    """Count every set as the smallest of the voters the prior allows."""
    return SmallestSize(sets.n_min(prior), sets.voters * kl_divergence(posterior, prior))


def harmonic(posterior: FloatArray, sets: HeldOutSets, prior: FloatArray) -> HarmonicSize:
    """Count sets in full, up to the cap that keeps the published form from being tighter."""
    kl_divergence(posterior, prior)  # refuses weight where there is no prior
    return sets.harmonic(prior).at(posterior)


Sharpening = Callable[[FloatArray, HeldOutSets, FloatArray], SampleSize]

HARMONIC, PAPER = "harmonic", "paper"

SHARPENINGS: MappingProxyType[str, Sharpening] = MappingProxyType(
    {HARMONIC: harmonic, PAPER: smallest}
)
"""The default, and the forms as published."""


def get_sharpening(name: str) -> Sharpening:
    """Return the sharpening of that name.

    Examples
    --------
    >>> get_sharpening("paper") is smallest
    True
    """
    if name not in SHARPENINGS:
        raise ValueError(
            f"There is no sharpening {name!r}. Choose {HARMONIC!r}, or {PAPER!r} for the published"
            " forms."
        )
    return SHARPENINGS[name]
