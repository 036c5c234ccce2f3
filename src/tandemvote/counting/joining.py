"""Votes in parts become votes in one piece."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tandemvote.votes import Votes


def joined(parts: Iterable[Votes]) -> Votes:
    """Return the votes of the same voters at the points of all parts, one part after the other.

    Parameters
    ----------
    parts : iterable of Votes
        At least one.

    Raises
    ------
    ValueError
        If some voter holds out no point in any part.

    Examples
    --------
    >>> parts = [Votes.from_predictions([["b"]], ["c"]), Votes.from_predictions([["a"]], ["a"])]
    >>> whole = joined(parts)
    >>> whole.classes[whole.predictions].tolist(), whole.errors.tolist()
    ([['b', 'a']], [[True, False]])
    """
    parts = list(parts)
    classes = np.unique(np.concatenate([part.classes for part in parts]))
    held_out = np.concatenate([part.held_out for part in parts], axis=1)
    without = np.flatnonzero(~held_out.any(axis=1))
    if without.size:
        raise ValueError(
            f"Voter {without[0]} has no held-out point ({without.size} of {len(held_out)} voters"
            " have none), so nothing is known about its errors. Leave the voter out, or train it on"
            " fewer points."
        )

    def recoded(part: Votes, codes: NDArray[np.integer[Any]]) -> NDArray[np.integer[Any]]:
        position: NDArray[Any] = np.searchsorted(classes, part.classes)
        return np.asarray(position.astype(np.min_scalar_type(classes.size))[codes])

    return Votes(
        predictions=np.concatenate([recoded(part, part.predictions) for part in parts], axis=1),
        labels=np.concatenate([recoded(part, part.labels) for part in parts]),
        held_out=held_out,
        classes=classes,
        unlabelled=np.concatenate([recoded(part, part.unlabelled) for part in parts], axis=1),
    )
