"""Rows that train a model and rows that are held out, and the seeds of a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from tandemvote.models.splitting import Rows

LARGEST_SEED = np.iinfo(np.int32).max


def held_out_mask(rows: Sequence[Rows], n_samples: int) -> NDArray[np.bool_]:
    """Return which samples each voter was not trained on, shape (n_voters, n_samples)."""
    held_out = np.ones((len(rows), n_samples), bool)
    for mask, chosen in zip(held_out, rows, strict=True):
        mask[chosen] = False
    return held_out


def seeded(estimator: Any, random_state: RandomState) -> Any:
    """Set every `random_state` parameter of an estimator and of the estimators inside it.

    Those that scikit-learn marks as deprecated are left alone: setting them would warn.
    """
    names = [
        name
        for name, value in sorted(estimator.get_params().items())
        if f"__{name}".endswith("__random_state")
        and not (isinstance(value, str) and value == "deprecated")
    ]
    return estimator.set_params(**{name: int(random_state.randint(LARGEST_SEED)) for name in names})
