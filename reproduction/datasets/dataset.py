"""Labeled samples: a table of numbers and its labels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tandemvote.tables import DatasetError
from tandemvote.tables.errors import number_of


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Labeled samples and where they come from.

    Parameters
    ----------
    name, origin : str
        Name used in messages; one line on where the samples come from and what was done to them.
    X, y : ndarray of shape (n_samples, n_features) and (n_samples,)
        Features; class labels.
    n_dropped : int
        Number of rows that were excluded because an entry was missing.

    Examples
    --------
    >>> Dataset("dice", X=np.array([[1.0], [2.0], [4.0]]), y=np.array([0, 1, 1]))
    Dataset('dice': 3 samples, 1 feature, 2 classes of frequency 0.3333 to 0.6667)
    """

    name: str
    X: NDArray[Any]
    y: NDArray[Any]
    origin: str = ""
    n_dropped: int = 0

    def __post_init__(self) -> None:
        if self.X.ndim != 2 or self.y.ndim != 1 or len(self.X) != len(self.y) or not self.X.size:
            raise DatasetError(
                f"{self.name}: X of shape {self.X.shape} and y of shape {self.y.shape} do not form "
                "a data set. Give a non-empty table X (samples by features) and one label per row."
            )

    @property
    def n_samples(self) -> int:
        """Number of labeled samples."""
        return len(self.X)

    @property
    def n_features(self) -> int:
        """Number of columns of `X`."""
        return int(self.X.shape[1])

    @property
    def n_classes(self) -> int:
        """Number of distinct labels."""
        return len(self.class_counts)

    @cached_property
    def class_counts(self) -> dict[Any, int]:
        """How often each label occurs, by sorted label."""
        labels, counts = np.unique(self.y, return_counts=True)
        return dict(zip(labels.tolist(), counts.tolist(), strict=True))

    def __repr__(self) -> str:
        sizes = f"{number_of(self.n_samples, 'sample')}, {number_of(self.n_features, 'feature')}"
        low, high = (end(self.class_counts.values()) / self.n_samples for end in (min, max))
        classes = f"{self.n_classes} class{'es' * (self.n_classes != 1)}"
        parts = [sizes, f"{classes} of frequency {low:.4f} to {high:.4f}", self.origin]
        return f"Dataset({self.name!r}: {', '.join(filter(None, parts))})"
