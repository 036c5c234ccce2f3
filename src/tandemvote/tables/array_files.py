"""Files that hold a table of numbers and its labels: LIBSVM text and NumPy archives."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_svmlight_file

from tandemvote.tables.errors import DatasetError, either
from tandemvote.tables.file_content import LARGEST_TABLE, read_bytes, refuse_size


def read_libsvm(
    path: Path, *, n_features: int | None = None, zero_based: bool | Literal["auto"] = "auto"
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Read a LIBSVM file, compressed or not: on each line a label, then ``index:value`` pairs.

    The options are those of `sklearn.datasets.load_svmlight_file`. Entries not in the file are 0.
    """
    text = io.BytesIO(read_bytes(path))
    try:
        table, y = load_svmlight_file(text, n_features=n_features, zero_based=zero_based)
    except (ValueError, OverflowError) as error:
        raise DatasetError(
            f"{path} cannot be read as LIBSVM text ({error}). Each line must be a number, the "
            "label, then index:value pairs in ascending order; name another format by"
            f" {either('file_format', '--format')}."
        ) from error
    refuse_size(path, *table.shape)
    return table.toarray(), np.asarray(y)


def read_npz(path: Path, *, target: str = "y") -> tuple[NDArray[Any], NDArray[Any]]:
    """Read the arrays ``X`` and, unless `target` names another, ``y`` of an ``.npz`` file."""
    way_out = "Save it with numpy.savez_compressed(path, X=X, y=y), without Python objects"
    way_out += f"; {either('target', '--target')} names another array of labels."
    arrays = load_arrays(path, required=("X", target), way_out=way_out)
    return arrays["X"], arrays[target]


def load_arrays(
    path: Path, *, required: Sequence[str], optional: Sequence[str] = (), way_out: str
) -> dict[str, NDArray[Any]]:
    """Load named arrays of an ``.npz`` file, without ever unpickling.

    `required` names the table of numbers and, if wanted, its labels; `optional` names arrays that
    may be there. Errors end in `way_out`: what their reader can do.
    """
    try:
        # numpy forgets to close a file it cannot make sense of, so it is opened here
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            absent = [name for name in required if name not in archive]
            names = ", ".join(archive)
            _refuse_bombs(archive.zip)
            arrays = {name: archive[name] for name in (*required, *optional) if name in archive}
    except DatasetError:
        raise
    except Exception as error:  # numpy evaluates headers, and fails in all the ways they can
        raise DatasetError(
            f"{path} cannot be read as an archive of plain arrays ({type(error).__name__}: {error})"
            f". {way_out}"
        ) from error
    if absent:
        raise DatasetError(f"{path} has no array {absent[0]!r}; it has {names}. {way_out}")
    X, *labels = (arrays[name] for name in required)
    numeric = X.dtype.kind in "buif"
    if X.ndim != 2 or not X.size or not numeric or any(y.shape != X.shape[:1] for y in labels):
        shapes = ", ".join(f"{name} has shape {arrays[name].shape}" for name in required)
        raise DatasetError(
            f"{path}: {shapes}, and {required[0]} is of type {X.dtype}; expected a table of numbers"
            f" with one label per row. {way_out}"
        )
    return arrays


def _refuse_bombs(archive: zipfile.ZipFile) -> None:
    for part in archive.infolist():
        if part.compress_type != zipfile.ZIP_STORED and part.file_size > LARGEST_TABLE:
            raise DatasetError(
                f"{archive.filename or 'The archive'} unpacks {part.filename} to"
                f" {part.file_size / 2**30:.0f} GiB; the limit is {LARGEST_TABLE // 2**30} GiB. If"
                " that is right, save it with numpy.savez, which does not compress."
            )
