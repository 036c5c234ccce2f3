"""Votes from a file: one row a point, a label column, one column a voter."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tandemvote.shards import ParquetVotes
from tandemvote.shards.files import names_parquet
from tandemvote.tables.columns import find_target
from tandemvote.tables.errors import DatasetError
from tandemvote.tables.table_file import read_frame
from tandemvote.votes import Votes

if TYPE_CHECKING:
    import pandas

LIMITS = (-(2**53), 2**53)
"""Beyond, floats, which integers become in a column with empty cells, leave some integers out."""


def read_votes(path: str | os.PathLike[str], *, target: str = "label") -> Votes:
    r"""Read predictions made anywhere, in any language.

    Parameters
    ----------
    path : path
        A CSV file, or what `tandemvote.shards.ParquetVotes` takes: a Parquet file, a folder or
        a pattern of them. A voter's cell is empty where it was trained on the point.
    target : str
        Name of the column of true labels; every other column is a voter.

    Returns
    -------
    Votes

    Raises
    ------
    DatasetError
        If the table cannot be votes; the message says what to do.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "votes.csv")
    ...     _ = path.write_text("label,tree,svm\nyes,yes,\nno,,yes\nno,no,no\n")
    ...     votes = read_votes(path)
    >>> votes.held_out.tolist(), votes.errors.sum(axis=1).tolist()
    ([[True, False, True], [False, True, True]], [0, 1])
    """
    if names_parquet(path):
        try:
            return ParquetVotes(path, label=target).read()
        except ValueError as error:
            raise DatasetError(str(error)) from error
    frame = read_frame(path)
    label = find_target(frame.columns, target, str(path))
    voters = frame.drop(columns=label)
    _refuse_huge_labels(frame, str(path))
    try:
        return Votes.from_predictions(
            voters.to_numpy().T, frame[label].to_numpy(), voters.notna().to_numpy().T
        )
    except ValueError as error:
        raise DatasetError(f"{path}: {error}") from error


def read_unlabelled_votes(path: str | os.PathLike[str]) -> NDArray[Any]:
    r"""Read predictions on points without labels: one row a point, one column a voter.

    Parameters
    ----------
    path : path
        A CSV or Parquet file without empty cells.

    Returns
    -------
    ndarray of shape (n_voters, n_points)
        The predicted labels.

    Raises
    ------
    DatasetError
        If the table cannot be such votes; the message says what to do.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "votes.csv")
    ...     _ = path.write_text("tree,svm\nyes,no\nno,no\n")
    ...     read_unlabelled_votes(path).tolist()
    [['yes', 'no'], ['no', 'no']]
    """
    frame = read_frame(path)
    _refuse_huge_labels(frame, str(path))
    gaps = frame.isna().to_numpy()
    if gaps.any() or not frame.size:
        place = f"row {gaps.any(axis=1).argmax() + 1} has an empty cell" if gaps.any() else "no row"
        raise DatasetError(
            f"{path}: {place}. Every voter must predict every unlabelled point; leave out voters"
            " and points that do not."
        )
    return np.asarray(frame.to_numpy().T)


def _refuse_huge_labels(frame: pandas.DataFrame, name: str) -> None:
    """Refuse labels that could be taken for each other, so that an error would not count."""
    for column in frame.columns:
        cells = frame[column]
        if cells.dtype.kind in "iuf" and not cells.dropna().between(*LIMITS, "neither").all():
            raise DatasetError(
                f"{name}: the labels in column {column!r} go from {cells.min()} to {cells.max()};"
                " from 2^53 on some numbers cannot be told apart. Write labels as text, such as a7."
            )
