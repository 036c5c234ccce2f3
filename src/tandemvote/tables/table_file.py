"""A data file of any supported format becomes a data set, features or votes."""

from __future__ import annotations

import os
from collections.abc import Callable
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tandemvote.tables.array_files import load_arrays, read_libsvm, read_npz
from tandemvote.tables.dataset import Dataset, from_arrays, from_frame
from tandemvote.tables.errors import DatasetError
from tandemvote.tables.frame_files import read_delimited, read_parquet

if TYPE_CHECKING:
    import pandas

_FRAME_READERS: dict[str, Callable[..., pandas.DataFrame]] = {
    "csv": read_delimited,
    "parquet": read_parquet,
}
_READERS: dict[str, Callable[..., Any]] = {**_FRAME_READERS, "libsvm": read_libsvm, "npz": read_npz}
_FORMAT_OF_SUFFIX = {
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".libsvm": "libsvm",
    ".svmlight": "libsvm",
    ".svm": "libsvm",
    ".npz": "npz",
}
_FORMATS = sorted(_READERS)
_COMPRESSED = {".gz", ".bz2"}


def read_table(
    path: str | os.PathLike[str],
    *,
    target: str | None = None,
    drop_missing: bool = False,
    file_format: str | None = None,
    name: str | None = None,
    **options: Any,
) -> Dataset:
    r"""Read a labelled table from a CSV, Parquet, LIBSVM or npz file.

    Parameters
    ----------
    path : path
        The file. Its ending tells the format: ``.csv .tsv .parquet .pq .libsvm .svmlight .svm
        .npz``; text formats may be compressed (``.gz .bz2``).
    target : str, optional
        Name of the label column. Needed for CSV and Parquet. A LIBSVM file starts each line with
        the label; an npz file has it in ``y`` or in the array named here.
    drop_missing : bool
        Leave out rows with a missing entry (the paper's rule) and count them in ``n_dropped``. If
        False, missing numbers stay NaN, missing categories become a category of their own, and a
        missing label is an error.
    file_format : {"csv", "libsvm", "npz", "parquet"}, optional
        Overrides the ending.
    name : str, optional
        Name of the data set; the file name without its ending if not given.
    **options
        For LIBSVM ``n_features`` and ``zero_based``, as in `sklearn.datasets.load_svmlight_file`.
        For CSV:

        - ``separator``: tab, semicolon, bar or comma; detected if not given;
        - ``decimal``: the decimal sign, a point by default;
        - ``encoding``: UTF-8 by default, with or without a byte-order mark;
        - ``header``: whether the first line names the columns. If not given, it does, and one that
          looks like data is refused; if False, they are called ``column1``, ``column2``, ...;
        - ``column_names``: names for a file without a header line;
        - ``missing_values``: cells that count as missing, ``?`` by default, besides empty ones, NA,
          NaN, null, None and the like;
        - ``categories``: names of columns to take as text even if they hold numbers.

    Returns
    -------
    Dataset
        Numbers as they are, each category as a number that depends on its text alone (see
        :class:`~tandemvote.tables.TableEncoder`).

    Raises
    ------
    DatasetError
        If the file cannot be read as a labelled table; the message says what to do.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "fruit.csv")
    ...     _ = path.write_text("colour,weight,kind\nred,150,apple\nyellow,,banana\nred,8,cherry\n")
    ...     fruit = read_table(path, target="kind")
    >>> fruit.X[:, 1].tolist()
    [150.0, nan, 8.0]
    >>> fruit.categories
    {'colour': ('red', 'yellow')}
    """
    path, chosen = _find_format(path, file_format, options)
    name = name or _without_compression(path).stem
    origin = f"{chosen} file {path.name}"
    if chosen in _FRAME_READERS:
        frame = _FRAME_READERS[chosen](path, **options)
        return from_frame(frame, target=target, drop_missing=drop_missing, name=name, origin=origin)
    if chosen == "libsvm":
        if target is not None:
            raise DatasetError(
                f"{path}: a LIBSVM file has its label at the start of each line, not in a column "
                f"{target!r}. Leave target out."
            )
        X, y = read_libsvm(path, **options)
    else:
        X, y = read_npz(path, target=target or "y", **options)
    return from_arrays(X, y, drop_missing=drop_missing, name=name, origin=origin)


def read_features(
    path: str | os.PathLike[str],
    *,
    like: Dataset,
    file_format: str | None = None,
    **options: Any,
) -> NDArray[Any]:
    r"""Read further points with the columns of a data set, without their labels.

    Parameters
    ----------
    path : path
        A file of any format of `read_table`. Labels in it, if any, are ignored.
    like : Dataset
        Says which columns to take, by name where they have names, and how many.
    file_format, **options
        As in `read_table`.

    Returns
    -------
    ndarray of shape (n_samples, n_features)

    Raises
    ------
    DatasetError
        If a column is missing, or holds categories in one file and numbers in the other.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     known, more = pathlib.Path(folder, "known.csv"), pathlib.Path(folder, "more.csv")
    ...     _ = known.write_text("weight,colour,kind\n150,red,apple\n120,yellow,banana\n")
    ...     _ = more.write_text("colour,weight\nred,140\n")
    ...     fruit = read_table(known, target="kind")
    ...     X = read_features(more, like=fruit)
    >>> X[0, 0], X[0, 1] == fruit.X[0, 1]
    (np.float64(140.0), np.True_)
    """
    if "categories" in options:  # the label may be among them, and need not be in this file
        known = like.feature_names or ()
        options["categories"] = [name for name in options["categories"] if name in known]
    path, chosen = _find_format(path, file_format, options)
    if chosen in _FRAME_READERS:
        frame = _FRAME_READERS[chosen](path, **options)
        if like.encoder is None:
            raise DatasetError(
                f"{like.name} has no column names to look for in {path.name}. Give both in one"
                " format."
            )
        try:
            return np.asarray(like.encoder.transform(frame))
        except DatasetError as error:
            raise DatasetError(f"{path.name} does not fit {like.name}: {error}") from error
    if chosen == "libsvm":
        X, _ = read_libsvm(path, n_features=like.n_features, **options)
    else:
        way_out = "Save it with numpy.savez_compressed(path, X=X), without Python objects."
        X = load_arrays(path, required=("X",), way_out=way_out)["X"]
    if X.shape[1] != like.n_features:
        raise DatasetError(
            f"{path.name} has {X.shape[1]} features and {like.name} has {like.n_features}. Give"
            " points with the same columns in the same order."
        )
    return X


def _find_format(
    path: str | os.PathLike[str], file_format: str | None, options: dict[str, Any]
) -> tuple[Path, str]:
    path = Path(path)
    if not path.is_file():
        raise DatasetError(f"There is no file {path}. Check the path.")
    suffix = _without_compression(path).suffix
    chosen = file_format or _FORMAT_OF_SUFFIX.get(suffix.lower())
    if chosen not in _FORMATS:
        raise DatasetError(
            f"{path}: {'unknown format' if file_format else 'unknown ending'} "
            f"{file_format or suffix!r}. Known endings: {' '.join(_FORMAT_OF_SUFFIX)}; "
            f"or pass file_format, one of {', '.join(_FORMATS)}."
        )
    if not path.stat().st_size:
        raise DatasetError(f"{path} is empty. Give a file with at least two labelled rows.")
    known = [name for name in signature(_READERS[chosen]).parameters if name != "path"]
    for option in options:
        if option not in known:
            raise DatasetError(
                f"{path}: a file of the format {chosen} is read without the option {option!r}."
                f" Leave it out{'; there are ' * bool(known) + ', '.join(known)}."
            )
    return path, chosen


def _without_compression(path: Path) -> Path:
    return Path(path.stem) if path.suffix.lower() in _COMPRESSED else Path(path.name)
