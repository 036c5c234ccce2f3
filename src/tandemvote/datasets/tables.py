"""Your own data: a file becomes a :class:`Dataset`."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from .arff import read_arff
from .building import from_arrays, from_frame
from .dataset import Dataset
from .delimited import read_delimited
from .errors import DatasetError
from .libsvm import read_libsvm
from .npz import read_npz
from .parquet import read_parquet

if TYPE_CHECKING:
    import pandas

_FRAME_READERS: dict[str, Callable[..., pandas.DataFrame]] = {
    "csv": read_delimited,
    "parquet": read_parquet,
    "arff": read_arff,
}
_FORMAT_OF_SUFFIX = {
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arff": "arff",
    ".libsvm": "libsvm",
    ".svmlight": "libsvm",
    ".svm": "libsvm",
    ".npz": "npz",
}
_FORMATS = sorted(set(_FORMAT_OF_SUFFIX.values()))
_COMPRESSED = {".gz", ".bz2", ".z"}


def read_table(
    path: str | os.PathLike[str],
    *,
    target: str | None = None,
    drop_missing: bool = False,
    file_format: str | None = None,
    name: str | None = None,
    **options: Any,
) -> Dataset:
    r"""Read a labelled table from a CSV, Parquet, ARFF, LIBSVM or npz file.

    Parameters
    ----------
    path : path
        The file. Its ending tells the format: ``.csv .tsv .parquet .pq .arff .libsvm .svmlight
        .svm .npz``; text formats may be compressed (``.gz .bz2``).
    target : str, optional
        Name of the label column. Needed for CSV, Parquet and ARFF. A LIBSVM file starts each line
        with the label; an npz file has it in ``y`` or in the array named here.
    drop_missing : bool
        Leave out rows with a missing entry (the paper's rule) and count them in ``n_dropped``. If
        False, missing numbers stay NaN, missing categories become a category of their own, and a
        missing label is an error.
    file_format : {"arff", "csv", "libsvm", "npz", "parquet"}, optional
        Overrides the ending.
    name : str, optional
        Name of the data set; the file name without its ending if not given.
    **options
        For CSV ``separator``, ``decimal``, ``encoding``, ``column_names``, ``missing_values`` (see
        :func:`~tandemvote.datasets.delimited.read_delimited`); for ARFF ``encoding``; for LIBSVM
        ``n_features`` and ``zero_based``.

    Returns
    -------
    Dataset
        Numbers as they are, categories as codes in the order of first appearance; ``categories``
        says what the codes stand for.

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
    >>> fruit.X.tolist()
    [[0.0, 150.0], [1.0, nan], [0.0, 8.0]]
    >>> fruit.categories
    {'colour': ('red', 'yellow')}
    """
    path = Path(path)
    plain_name = Path(path.stem) if path.suffix.lower() in _COMPRESSED else Path(path.name)
    chosen = file_format or _FORMAT_OF_SUFFIX.get(plain_name.suffix.lower())
    if chosen not in _FORMATS:
        raise DatasetError(
            f"{path}: {'unknown format' if file_format else 'unknown ending'} "
            f"{file_format or plain_name.suffix!r}. Known endings: {' '.join(_FORMAT_OF_SUFFIX)}; "
            f"or pass file_format, one of {', '.join(_FORMATS)}."
        )
    if not path.is_file():
        raise DatasetError(f"There is no file {path}. Check the path.")
    if not path.stat().st_size:
        raise DatasetError(f"{path} is empty. Give a file with at least two labelled rows.")
    name = name or plain_name.stem
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
        X, y = _read_labelled_libsvm(path, **options)
    else:
        X, y = read_npz(path, target=target or "y", **options)
    return from_arrays(X, y, drop_missing=drop_missing, name=name, origin=origin)


def _read_labelled_libsvm(path: Path, **options: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    try:
        return read_libsvm(path, **options)
    except DatasetError:
        raise
    except ValueError as error:
        raise DatasetError(
            f"{path} cannot be read as LIBSVM text ({error}). Each line must be a number, the "
            "label, then index:value pairs in ascending order; name another format by file_format."
        ) from error
