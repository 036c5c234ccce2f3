"""Samples that a model was trained on, recognized by digests of rows."""

from __future__ import annotations

from typing import Any

from tandemvote.auditing.columns import FALSE_ALARM
from tandemvote.auditing.rows import Digests, chance_of_shared, row_digests

__all__ = ["FALSE_ALARM", "WAY_OUT", "Digests", "check_not_training_rows", "row_digests"]

WAY_OUT = "The bound requires samples that no model was trained on. Pass held-out samples."


def check_not_training_rows(known: Digests, X: Any, *, what: str) -> None:
    """Raise ValueError if too many rows of the `what` samples have a `known` digest."""
    new = row_digests(X)
    n_shared, expected, chance = chance_of_shared(known, new)
    if chance < FALSE_ALARM:
        raise ValueError(
            f"{n_shared} different rows of the {new.size} {what} samples are rows of the training"
            f" data, where chance would give about {expected:.0f}. {WAY_OUT}"
        )
