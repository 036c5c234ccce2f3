"""A rate that knows what is left of 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Rate:
    """A rate and what is left of 1, each a sum of terms of one sign, so that nothing cancels."""

    part: Any
    rest: Any

    @property
    def opposite(self) -> Rate:
        """The rate of everything else."""
        return Rate(self.rest, self.part)
