"""Files of numbers: npz archives, LIBSVM text, and CSV or Parquet tables of your own."""

from __future__ import annotations

import bz2
import gzip
import io
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_svmlight_file

from reproduction.datasets.dataset import Dataset
from tandemvote.tables import DatasetError, read_table
from tandemvote.tables.errors import explained

LARGEST_TABLE = 2**32
"""Bytes of a table in memory: beyond this a mistake is likelier than intent."""

OPENERS: dict[bytes, Any] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open}
"""Compressions by the first bytes, not by the name: some servers unpack a .gz on the way."""


def read_own_file(
    path: str | Path, *, name: str, target: str | None = None, drop_missing: bool = False
) -> Dataset:
    """Read a data set from an npz, LIBSVM, CSV or Parquet file; all features must be numbers."""
    path = Path(path)
    if not path.is_file():
        raise DatasetError(f"There is no file {path}. Check the path.")
    if path.suffix == ".npz":
        arrays = load_arrays(
            path,
            required=("X", target or "y"),
            way_out="Save it with numpy.savez_compressed(path, X=X, y=y).",
        )
        X, y = arrays["X"], arrays[target or "y"]
    elif path.suffix in (".libsvm", ".svmlight", ".svm"):
        X, y = read_libsvm(path)
    else:
        table = read_table(path, target=target)
        texts = [column for column, kind in table.kinds.items() if kind == "category"]
        if texts:
            raise DatasetError(f"{path} holds text in column {texts[0]!r}. Give numbers.")
        X, y = table.X.to_numpy(), table.y
    complete = ~np.isnan(X).any(axis=1) if drop_missing else np.full(len(X), True)
    return Dataset(
        name,
        X=X[complete],
        y=y[complete],
        origin=f"file {path.name}",
        n_dropped=int((~complete).sum()),
    )


def read_bytes(path: Path) -> bytes:
    """Read a plain, gzip or bzip2 file."""
    data: bytes = path.read_bytes()
    opener = next((OPENERS[magic] for magic in OPENERS if data.startswith(magic)), None)
    if opener is None:
        return data
    problem = f"{path.name} is damaged and cannot be unpacked"
    with explained(problem, "Get it once more.", ValueError, OSError, EOFError, zlib.error):
        unpacked: bytes = opener(io.BytesIO(data)).read()
    return unpacked


def read_libsvm(path: Path) -> tuple[NDArray[Any], NDArray[Any]]:
    """Read a LIBSVM file, compressed or not: on each line a label, then ``index:value`` pairs."""
    fix = "Each line must be a number, the label, then index:value pairs in ascending order."
    problem = f"{path} cannot be read as LIBSVM text"
    with explained(problem, fix, ValueError, OverflowError):
        table, y = load_svmlight_file(io.BytesIO(read_bytes(path)))
    if 8 * table.shape[0] * table.shape[1] > LARGEST_TABLE:
        raise DatasetError(f"{path} has {table.shape[1]} columns, more than memory can hold.")
    return table.toarray(), np.asarray(y)


def load_arrays(
    path: Path, *, required: Sequence[str], optional: Sequence[str] = (), way_out: str
) -> dict[str, NDArray[Any]]:
    """Load named arrays of an ``.npz`` file, without ever unpickling.

    `required` names the table of numbers and, if wanted, its labels. Errors end in `way_out`.
    """
    # numpy evaluates headers, and fails in all the ways they can. It forgets to close a file it
    # cannot make sense of, so it is opened here.
    with (
        explained(f"{path} cannot be read as an archive of plain arrays", way_out, Exception),
        path.open("rb") as file,
        np.load(file, allow_pickle=False) as archive,
    ):
        absent = [name for name in required if name not in archive]
        names = ", ".join(archive)
        for part in archive.zip.infolist():
            if part.compress_type != zipfile.ZIP_STORED and part.file_size > LARGEST_TABLE:
                raise DatasetError(
                    f"{path} unpacks {part.filename} to {part.file_size / 2**30:.0f} GiB; the limit"
                    f" is {LARGEST_TABLE // 2**30} GiB. If that is right, save it with numpy.savez,"
                    " which does not compress."
                )
        arrays = {name: archive[name] for name in (*required, *optional) if name in archive}
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
