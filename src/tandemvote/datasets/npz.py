"""NumPy archives: a table and its labels as named arrays."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tandemvote.datasets.errors import DatasetError
from tandemvote.datasets.libsvm import LARGEST_TABLE


def read_npz(path: Path, *, target: str = "y") -> tuple[NDArray[Any], NDArray[Any]]:
    """Read the arrays ``X`` and, unless named otherwise, ``y`` of an ``.npz`` file.

    Parameters
    ----------
    path : Path
        The file.
    target : str
        Name of the array of labels.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        Features, in the type they are stored in.
    y : ndarray of shape (n_samples,)
        Labels.

    Raises
    ------
    DatasetError
        If an array is missing, holds Python objects, or does not fit the other.

    Examples
    --------
    >>> import numpy as np, pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "tiny.npz")
    ...     np.savez(path, X=[[1, 2]], y=["a"])
    ...     X, y = read_npz(path)
    >>> X.tolist(), y.tolist()
    ([[1, 2]], ['a'])
    """
    arrays = load_arrays(
        path,
        required=("X", target),
        way_out="Save it with numpy.savez_compressed(path, X=X, y=y), without Python objects; "
        "target names another array of labels.",
    )
    return arrays["X"], arrays[target]


def read_npz_features(path: Path) -> NDArray[Any]:
    """Read the array ``X`` of an ``.npz`` file and nothing else."""
    way_out = "Save it with numpy.savez_compressed(path, X=X), without Python objects."
    return load_arrays(path, required=("X",), way_out=way_out)["X"]


def load_arrays(
    path: Path, *, required: Sequence[str], optional: Sequence[str] = (), way_out: str
) -> dict[str, NDArray[Any]]:
    """Load named arrays: a table of numbers, its labels, and what else there may be.

    Parameters
    ----------
    path : Path
        An ``.npz`` file.
    required : sequence of one or two str
        Names of the table and, if wanted, of the labels.
    optional : sequence of str
        Names of arrays to load if they are there.
    way_out : str
        What the reader of an error message can do.

    Returns
    -------
    dict of str to ndarray
        The arrays found.

    Raises
    ------
    DatasetError
        If the file is no such archive.
    """
    try:
        # numpy forgets to close a file it cannot make sense of, so it is opened here
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            absent = [name for name in required if name not in archive]
            names = ", ".join(archive)
            _refuse_swelling(archive.zip)
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
    if (
        X.ndim != 2
        or not X.size
        or X.dtype.kind not in "buif"
        or any(y.shape != X.shape[:1] for y in labels)
    ):
        shapes = ", ".join(f"{name} has shape {arrays[name].shape}" for name in required)
        raise DatasetError(
            f"{path}: {shapes}, and {required[0]} is of type {X.dtype}; expected a table of numbers"
            f" with one label a row. {way_out}"
        )
    return arrays


def _refuse_swelling(archive: zipfile.ZipFile) -> None:
    """Refuse what is small in the file and fills the memory."""
    for part in archive.infolist():
        if part.compress_type != zipfile.ZIP_STORED and part.file_size > LARGEST_TABLE:
            raise DatasetError(
                f"{archive.filename or 'The archive'} unpacks {part.filename} to"
                f" {part.file_size / 2**30:.0f} GiB; the limit is {LARGEST_TABLE // 2**30} GiB. If"
                " that is right, save it with numpy.savez, which does not compress."
            )
