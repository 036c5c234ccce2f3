"""From published files to a checked data set, and prepared copies: one ``.npz`` per data set."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reproduction.datasets.checks import Standing, check_against_catalog, content_digest
from reproduction.datasets.dataset import Dataset
from reproduction.datasets.entry import CatalogEntry, PaperDataset
from reproduction.datasets.files import load_arrays
from tandemvote.tables import DatasetError


def read_prepared(path: Path, entry: CatalogEntry) -> PaperDataset:
    """Read a prepared copy, arrays ``X`` and ``y``, and check it against the catalog.

    It is marked if it is the documented reconstruction, and its origin says so if the catalog
    knows no digest to check it by.
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
    standing = check_against_catalog(
        entry, X, y, file=str(path), way_out=way_out, recorded_digest=recorded
    )
    return as_dataset(entry, X, y, standing=standing)


def as_dataset(
    entry: CatalogEntry, X: NDArray[Any], y: NDArray[Any], *, standing: Standing
) -> PaperDataset:
    """Return the data set of an entry with these arrays; labels become int64."""
    return PaperDataset(
        entry.name,
        X=X,
        y=y.astype(np.int64),
        origin=standing.value.format(entry.source),
        reconstructed=standing is Standing.RECONSTRUCTED,
    )


def write_prepared(path: Path, entry: CatalogEntry, dataset: Dataset) -> None:
    """Write a prepared copy so that at no moment a half-written file has its name."""
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


def assemble(entry: CatalogEntry, paths: Sequence[Path]) -> PaperDataset:
    """Parse published files, in the order of ``entry.files``, and check the outcome."""
    names = " and ".join(path.name for path in paths)
    way_out = (
        "The download was damaged or the source has changed: try again later, or fetch the "
        "files by hand and use prepare_dataset."
    )
    for file, path in zip(entry.files, paths, strict=True):
        _check_hash(path, file.known_hash, way_out=way_out)
    try:
        X, y = entry.recipe(paths)
    except DatasetError:
        raise
    except (ValueError, IndexError, OverflowError) as error:
        raise DatasetError(
            f"{names} cannot be parsed as {entry.name} ({type(error).__name__}: {error}). {way_out}"
        ) from error
    if not (np.isfinite(y).all() and np.array_equal(y, np.rint(y))):
        raise DatasetError(f"{names}: labels of {entry.name} must be whole numbers. {way_out}")
    labels = y.astype(np.int64)
    standing = check_against_catalog(
        entry, X, labels, file=names, way_out=way_out, from_source=True
    )
    return as_dataset(entry, smallest_lossless(X), labels, standing=standing)


def _check_hash(path: Path, known_hash: str | None, *, way_out: str) -> None:
    if known_hash is None:
        return
    algorithm, _, expected = known_hash.partition(":")
    found = hashlib.new(algorithm, path.read_bytes(), usedforsecurity=False).hexdigest()
    if found != expected:
        raise DatasetError(f"{path.name}: {algorithm} should be {expected}, is {found}. {way_out}")
