"""Labelled points ready to learn from, made from a data frame or from arrays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tandemvote.tables.columns import find_target
from tandemvote.tables.encoder import (
    MISSING,
    Categories,
    TableEncoder,
    category_number,
    refuse_infinite,
)
from tandemvote.tables.errors import DatasetError, number_of
from tandemvote.tables.labels import classes_of, label_array, missing_labels

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Labelled points and where they come from.

    Parameters
    ----------
    name : str
        Name used in messages, tables and figures.
    X : ndarray of shape (n_samples, n_features)
        Features.
    y : ndarray of shape (n_samples,)
        Class labels: integers, strings or booleans.
    origin : str
        One line: where the points come from and what was done to them.
    n_dropped : int
        How many rows were left out because an entry was missing.
    encoder : TableEncoder, optional
        What made `X` from named columns, if it was.

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
    origin: str = ""
    n_dropped: int = 0
    encoder: TableEncoder | None = None

    def __post_init__(self) -> None:
        if self.X.ndim != 2 or self.y.ndim != 1 or len(self.X) != len(self.y) or not self.X.size:
            raise DatasetError(
                f"{self.name}: X of shape {self.X.shape} and y of shape {self.y.shape} do not form "
                "a data set. Give a non-empty table X (samples by features) and one label per row."
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
    def feature_names(self) -> tuple[str, ...] | None:
        """One name per column of `X`, if the source has names."""
        return None if self.encoder is None else tuple(self.encoder.feature_names_in_)

    @property
    def categories(self) -> dict[str, Categories]:
        """For each column of categories, those that occur; None stands for "missing"."""
        return {} if self.encoder is None else self.encoder.categories_

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What a reader of results must know: rows left out, missing entries, merged categories.

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
        shares = [count / self.n_samples for count in self.class_counts.values()]
        parts = [
            number_of(self.n_samples, "sample"),
            number_of(self.n_features, "feature"),
            f"{self.n_classes} class{'es' * (self.n_classes != 1)} of frequency "
            f"{min(shares):.4f} to {max(shares):.4f}",
            *self.notes,
            *([self.origin] if self.origin else []),
        ]
        return f"Dataset({self.name!r}: {', '.join(parts)})"


def from_frame(
    frame: pandas.DataFrame,
    *,
    target: str | None,
    drop_missing: bool = False,
    name: str = "table",
    origin: str = "data frame",
) -> Dataset:
    """Turn a data frame into a data set.

    Parameters
    ----------
    frame : pandas.DataFrame
        Features and labels. The row index is not a feature.
    target : str or None
        Name of the label column; with None the error lists the columns.
    drop_missing : bool
        Leave out rows with a missing entry, and count them.
    name, origin : str
        Passed on to the data set.

    Returns
    -------
    Dataset
        Features encoded by `TableEncoder`.

    Raises
    ------
    DatasetError
        If there is no such column, no feature, no row, a missing label or only one class.

    Examples
    --------
    >>> import pandas
    >>> frame = pandas.DataFrame({"size": [1, 2, None], "kind": ["a", "b", "a"]})
    >>> dataset = from_frame(frame, target="kind", drop_missing=True)
    >>> dataset.X.tolist(), dataset.y.tolist(), dataset.n_dropped
    ([[1.0], [2.0]], ['a', 'b'], 1)
    """
    frame = frame.rename(columns=str).reset_index(drop=True)  # rows keep their number if some go
    label = find_target(frame.columns, target, name)
    n_rows = len(frame)
    if drop_missing:
        frame = frame.dropna()
    _check_rows(len(frame), n_rows, frame[label].isna().to_numpy(), name)
    y = classes_of(label_array(frame[label]), column=label)
    encoder = TableEncoder()
    X = np.asarray(encoder.fit_transform(frame.drop(columns=label)))
    n_dropped = n_rows - len(frame)
    return Dataset(name, X=X, y=y, origin=origin, n_dropped=n_dropped, encoder=encoder)


def from_arrays(
    X: NDArray[Any],
    y: NDArray[Any],
    *,
    drop_missing: bool = False,
    name: str = "table",
    origin: str = "arrays",
) -> Dataset:
    """Turn a table of numbers and its labels into a data set, by the rules of `from_frame`.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Numbers; NaN is a missing entry.
    y : ndarray of shape (n_samples,)
        Labels; NaN and its text are missing labels.
    drop_missing, name, origin
        As in `from_frame`.

    Examples
    --------
    >>> import numpy as np
    >>> from_arrays(np.array([[1.0], [np.nan], [3.0]]), np.array([0, 1, 1])).X.tolist()
    [[1.0], [nan], [3.0]]
    """
    n_rows = len(X)
    label_missing = missing_labels(y)
    if drop_missing:
        complete = ~(label_missing | np.isnan(X).any(axis=1))
        X, y, label_missing = X[complete], y[complete], label_missing[complete]
    _check_rows(len(X), n_rows, label_missing, name)
    refuse_infinite(X, [f"number {column + 1}" for column in range(X.shape[1])])
    classes = classes_of(y, column="y")
    return Dataset(name, X=X, y=classes, origin=origin, n_dropped=n_rows - len(X))


def _check_rows(n_left: int, n_rows: int, label_missing: NDArray[np.bool_], name: str) -> None:
    if not n_left:
        raise DatasetError(
            f"{name}: no row is left of {n_rows}"
            + (", as every one has a missing entry. Use drop_missing=False." if n_rows else ".")
        )
    if label_missing.any():
        raise DatasetError(
            f"{name}: no label in {label_missing.sum()} of {number_of(n_rows, 'row')}, the first of"
            f" them row {label_missing.argmax() + 1}; texts such as NaN and None are none. Fill it"
            " in, or pass drop_missing=True to leave out every row with a missing entry."
        )
