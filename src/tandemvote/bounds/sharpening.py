"""Sample size of an average over voters, or over pairs, whose sets differ in size."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType

import numpy as np

from tandemvote.counting.counts import HeldOutSets
from tandemvote.inequalities import SampleSize, kl_divergence
from tandemvote.inequalities.outward import FloatArray


def smallest(posterior: FloatArray, sets: HeldOutSets, prior: FloatArray) -> SampleSize:
    """Count every set as the smallest of the voters the prior allows: the published form."""
    n, divergence = float(sets.n_min(prior)), sets.voters * kl_divergence(posterior, prior)
    return SampleSize(n, divergence, np.array([n]), np.ones(1), margin=0.0, as_printed=True)


def harmonic(posterior: FloatArray, sets: HeldOutSets, prior: FloatArray) -> SampleSize:
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
