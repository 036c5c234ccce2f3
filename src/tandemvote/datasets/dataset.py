"""The record every reader of this room returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tandemvote.datasets.encoding import MISSING, category_number
from tandemvote.datasets.errors import DatasetError, number_of


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Labelled points, with a word on where they come from.

    Parameters
    ----------
    name : str
        Name used in tables and figures.
    X : ndarray of shape (n_samples, n_features)
        Features, in the dtype they were stored in (catalogue images stay ``uint8``).
    y : ndarray of shape (n_samples,)
        Class labels: integers, strings or booleans.
    feature_names : tuple of str, optional
        One name a column of `X`, if the source has names.
    origin : str
        One line: where the points come from and what was done to them.
    reconstructed : bool
        True if the points stand in for the original ones; results on them must say so.
    n_dropped : int
        How many rows were left out because an entry was missing.
    categories : mapping of str to tuple
        For each column of categories, those that occur; ``None`` stands for "missing".

    Examples
    --------
    >>> import numpy as np
    >>> points = Dataset("dice", X=np.array([[1.0], [2.0], [4.0]]), y=np.array([0, 1, 1]))
    >>> points
    Dataset('dice': 3 samples, 1 feature, 2 classes of frequency 0.3333 to 0.6667)
    >>> points.class_counts
    {0: 1, 1: 2}
    """

    name: str
    X: NDArray[Any]
    y: NDArray[Any]
    feature_names: tuple[str, ...] | None = None
    origin: str = ""
    reconstructed: bool = False
    n_dropped: int = 0
    categories: Mapping[str, tuple[str | None, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.X.ndim != 2 or self.y.ndim != 1 or len(self.X) != len(self.y) or not self.X.size:
            raise DatasetError(
                f"{self.name}: X of shape {self.X.shape} and y of shape {self.y.shape} do not form "
                "a data set. Give a non-empty table X (samples by features) and one label a row."
            )
        if self.feature_names is not None and len(self.feature_names) != self.n_features:
            raise DatasetError(
                f"{self.name}: {len(self.feature_names)} feature names for {self.n_features} "
                "columns. Give one name a column, or none at all."
            )

    @property
    def n_samples(self) -> int:
        """Number of labelled points."""
        return int(self.X.shape[0])

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

    @property
    def class_frequencies(self) -> dict[Any, float]:
        """The share of each label, by sorted label; the shares sum to one."""
        return {label: count / self.n_samples for label, count in self.class_counts.items()}

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What the points lost on their way or lack, for whoever reads results on them.

        Examples
        --------
        >>> import numpy as np
        >>> Dataset("gaps", X=np.array([[1.0], [np.nan]]), y=np.array([0, 1]), n_dropped=3).notes
        ('3 rows with missing entries left out', '1 row with missing entries kept')
        """
        notes = []
        if self.n_dropped:
            notes.append(f"{number_of(self.n_dropped, 'row')} with missing entries left out")
        coded = [name in self.categories for name in self.feature_names or ()]
        gaps = np.isnan(self.X).any(axis=1) | (self.X[:, coded] == MISSING).any(axis=1)
        if gaps.any():
            notes.append(f"{number_of(gaps.sum(), 'row')} with missing entries kept")
        for column, names in self.categories.items():
            first_of = {category_number(name): name for name in reversed(names)}
            merged = [name for name in names if first_of[category_number(name)] != name]
            if merged:
                pair = f"{first_of[category_number(merged[0])]!r} and {merged[0]!r}"
                notes.append(
                    f"{len(names)} categories of column {column!r} have {len(first_of)} numbers,"
                    f" so {pair} count as one{' (among others)' * (len(merged) > 1)}: rename one to"
                    " tell them apart"
                )
        return tuple(notes)

    def __repr__(self) -> str:
        frequencies = self.class_frequencies.values()
        parts = [
            number_of(self.n_samples, "sample"),
            number_of(self.n_features, "feature"),
            f"{self.n_classes} class{'es' * (self.n_classes != 1)} of frequency "
            f"{min(frequencies):.4f} to {max(frequencies):.4f}",
            *self.notes,
        ]
        if self.reconstructed:
            parts.append("reconstructed")
        if self.origin:
            parts.append(self.origin)
        return f"Dataset({self.name!r}: {', '.join(parts)})"
