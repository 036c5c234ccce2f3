"""A data frame, or a pair of arrays, becomes a :class:`Dataset`: nothing is lost in silence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tandemvote.datasets.column_names import find_target
from tandemvote.datasets.dataset import Dataset
from tandemvote.datasets.encoding import encode_column, encode_labels, label_array
from tandemvote.datasets.errors import DatasetError, number_of
from tandemvote.datasets.missing import missing_labels

if TYPE_CHECKING:
    import pandas

# scikit-learn's trees compute in float32; a float64, so that half floats are compared as such.
LARGEST_VALUE = np.float64(np.finfo(np.float32).max)


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
        Features and labels. The row index is no feature.
    target : str or None
        Name of the label column; with None the message lists the columns.
    drop_missing : bool
        Leave out rows with a missing entry, and count them.
    name, origin : str
        Passed on to the data set.

    Returns
    -------
    Dataset
        Columns encoded by :func:`~tandemvote.datasets.encoding.encode_column`.

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
    label_column = find_target(frame.columns, target, name)
    n_rows = len(frame)
    if drop_missing:
        frame = frame.dropna()
    _check_rows(len(frame), n_rows, frame[label_column].isna().to_numpy(), name)
    y = encode_labels(label_array(frame[label_column]), column=label_column)
    encoded = {
        column: encode_column(frame[column]) for column in frame.columns if column != label_column
    }
    X = np.column_stack([values for values, _ in encoded.values()])
    _refuse_infinite(X, tuple(encoded), name)
    categories = {column: codes for column, (_, codes) in encoded.items() if codes is not None}
    return Dataset(
        name,
        X=X,
        y=y,
        feature_names=tuple(encoded),
        origin=origin,
        n_dropped=n_rows - len(frame),
        categories=categories,
    )


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
        Labels; NaN is a missing one, as is its text.
    drop_missing : bool
        Leave out rows with a missing entry, and count them.
    name, origin : str
        Passed on to the data set.

    Returns
    -------
    Dataset
        The data set.

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
    _refuse_infinite(X, tuple(f"number {column + 1}" for column in range(X.shape[1])), name)
    classes = encode_labels(y, column="y")
    return Dataset(name, X=X, y=classes, origin=origin, n_dropped=n_rows - len(X))


def features_from_frame(frame: pandas.DataFrame, *, like: Dataset, name: str) -> NDArray[Any]:
    """Take the feature columns of a data set from another frame, encoded in the same way.

    Parameters
    ----------
    frame : pandas.DataFrame
        May have further columns, a label among them, in any order.
    like : Dataset
        Read from a file with named columns.
    name : str
        What to call the frame in messages.
    """
    wanted = like.feature_names or ()
    absent = [column for column in wanted if column not in frame.columns]
    if absent or not wanted:
        raise DatasetError(
            f"{name} lacks the column {absent[0]!r} of {like.name}. Give the same columns."
            if absent
            else f"{like.name} has no column names to look for in {name}. Give both in one format."
        )
    encoded = {column: encode_column(frame[column].reset_index(drop=True)) for column in wanted}
    for column, (values, categories) in encoded.items():
        known = column in like.categories
        if known != (categories is not None) and not np.isnan(values).all():
            kinds = ("text", "numbers") if known else ("numbers", "text")
            raise DatasetError(
                f"The column {column!r} holds {kinds[0]} in {like.name} and {kinds[1]} in {name}."
                " Write it in the same way in both."
            )
    X = np.column_stack([values for values, _ in encoded.values()])
    _refuse_infinite(X, wanted, name)
    return X


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


def _refuse_infinite(X: NDArray[Any], columns: tuple[str, ...], name: str) -> None:
    too_large = (np.abs(X) > LARGEST_VALUE).any(axis=0)
    if too_large.any():
        raise DatasetError(
            f"{name}: column {columns[too_large.argmax()]} holds a value that is infinite or above "
            f"{LARGEST_VALUE:.1e}, more than trees can take. Replace it, or leave the cell empty."
        )
