"""Prepared copies: one ``.npz`` a data set, read with care and written in one piece."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tandemvote.datasets.checking import Standing, check_against_catalogue
from tandemvote.datasets.dataset import Dataset
from tandemvote.datasets.digest import content_digest
from tandemvote.datasets.entry import CatalogueEntry
from tandemvote.datasets.errors import DatasetError
from tandemvote.datasets.npz import load_arrays


def read_prepared(path: Path, entry: CatalogueEntry) -> Dataset:
    """Read a prepared copy and check it against the catalogue.

    Parameters
    ----------
    path : Path
        An ``.npz`` file with arrays ``X`` and ``y``.
    entry : CatalogueEntry
        What it should hold.

    Returns
    -------
    Dataset
        The data; marked if they are the documented reconstruction, and their origin says so if the
        catalogue knows no digest to check them by.

    Raises
    ------
    DatasetError
        If the file cannot be read or holds something else.
    """
    way_out = (
        f"Move {path} out of the way, or put the right file in its place; "
        "without it the published files are downloaded."
    )
    arrays = load_arrays(path, required=("X", "y"), optional=("digest",), way_out=way_out)
    X, y = arrays["X"], arrays["y"]
    if y.dtype.kind not in "iu":
        raise DatasetError(f"{path}: labels are of type {y.dtype}, expected integers. {way_out}")
    recorded = str(arrays["digest"]) if "digest" in arrays else None
    standing = check_against_catalogue(
        entry, X, y, file=str(path), way_out=way_out, recorded_digest=recorded
    )
    return as_dataset(entry, X, y, standing=standing)


def as_dataset(
    entry: CatalogueEntry, X: NDArray[Any], y: NDArray[Any], *, standing: Standing
) -> Dataset:
    """Dress arrays as the data set of an entry; labels become int64."""
    return Dataset(
        entry.name,
        X=X,
        y=y.astype(np.int64),
        origin=standing.value.format(entry.source),
        reconstructed=standing is Standing.RECONSTRUCTED,
    )


def write_prepared(path: Path, entry: CatalogueEntry, dataset: Dataset) -> None:
    """Write a prepared copy so that at no moment a half-written file has its name.

    Parameters
    ----------
    path : Path
        Where to write; folders are made as needed.
    entry : CatalogueEntry
        Says whether the recorded digest binds the order of rows.
    dataset : Dataset
        Checked data.

    Raises
    ------
    DatasetError
        If the folder cannot be written to.
    """
    digest = content_digest(dataset.X, dataset.y, ordered=entry.ordered)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _write_in_one_piece(path, X=dataset.X, y=dataset.y, digest=digest)
    except OSError as error:
        raise DatasetError(
            f"The prepared copy {path} cannot be written ({error}). Make room or give the right to "
            "write there; or make a copy elsewhere by prepare_dataset with data_home."
        ) from error


def _write_in_one_piece(path: Path, *, X: NDArray[Any], y: NDArray[Any], digest: str) -> None:
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}-", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            np.savez_compressed(file, X=X, y=y, digest=np.array(digest))
        Path(temporary).replace(path)
    except BaseException:  # an interrupt, too, must leave nothing behind
        Path(temporary).unlink(missing_ok=True)
        raise


def smallest_lossless(X: NDArray[Any]) -> NDArray[Any]:
    """Store whole numbers in the smallest integer type that holds them, all else in float32.

    Float32 is what scikit-learn's trees compute with, so nothing they could see is lost.

    Examples
    --------
    >>> import numpy as np
    >>> [smallest_lossless(np.array([[0.0, top]])).dtype.name for top in (255, -3, 70000, 0.5)]
    ['uint8', 'int16', 'int32', 'float32']
    """
    if np.array_equal(X, np.rint(X)):
        low, high = X.min(), X.max()
        for dtype in (np.uint8, np.int16, np.int32):
            if np.iinfo(dtype).min <= low and high <= np.iinfo(dtype).max:
                return X.astype(dtype)
    return X.astype(np.float32)
