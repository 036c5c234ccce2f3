"""From published files to a checked data set."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tandemvote.datasets.checking import check_against_catalogue
from tandemvote.datasets.dataset import Dataset
from tandemvote.datasets.entry import CatalogueEntry
from tandemvote.datasets.errors import DatasetError
from tandemvote.datasets.prepared import as_dataset, smallest_lossless


def assemble(entry: CatalogueEntry, paths: Sequence[Path]) -> Dataset:
    """Parse published files by the entry's recipe and check the outcome.

    Parameters
    ----------
    entry : CatalogueEntry
        How to read the files, and what to expect of them.
    paths : sequence of Path
        The files, in the order of ``entry.files``.

    Returns
    -------
    Dataset
        The checked data.

    Raises
    ------
    DatasetError
        If a file is damaged or the outcome is not the data set.
    """
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
    except (ValueError, IndexError) as error:
        raise DatasetError(
            f"{names} cannot be parsed as {entry.name} ({type(error).__name__}: {error}). {way_out}"
        ) from error
    if not (np.isfinite(y).all() and np.array_equal(y, np.rint(y))):
        raise DatasetError(f"{names}: labels of {entry.name} must be whole numbers. {way_out}")
    labels = y.astype(np.int64)
    standing = check_against_catalogue(
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
