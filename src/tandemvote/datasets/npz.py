"""NumPy archives: a table and its labels as named arrays."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import DatasetError


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
    """
    try:
        with np.load(path, allow_pickle=False) as arrays:
            absent = [name for name in ("X", target) if name not in arrays]
            if absent:
                raise DatasetError(
                    f"{path} has no array {absent[0]!r}; it has {', '.join(arrays) or 'none'}. "
                    "Save the features as X and the labels as y, or name the label array by target."
                )
            X, y = arrays["X"], arrays[target]
    except DatasetError:
        raise
    except (OSError, ValueError, EOFError, AttributeError, TypeError) as error:
        raise _unreadable(path, error) from error
    except (zipfile.BadZipFile, zlib.error) as error:
        raise _unreadable(path, error) from error
    if X.ndim != 2 or X.dtype.kind not in "buif" or y.shape != X.shape[:1]:
        raise DatasetError(
            f"{path}: X has shape {X.shape} and type {X.dtype}, {target} has shape {y.shape}. "
            "X must be a table of numbers with one label a row."
        )
    return X, y


def _unreadable(path: Path, error: Exception) -> DatasetError:
    return DatasetError(
        f"{path} cannot be read as an archive of plain arrays ({type(error).__name__}: {error}). "
        "Save it with numpy.savez_compressed(path, X=X, y=y), without Python objects."
    )
