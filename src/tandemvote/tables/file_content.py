"""What a file holds: its bytes or text, unpacked, or a table of numbers (LIBSVM and npz)."""

from __future__ import annotations

import bz2
import gzip
import io
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_svmlight_file

from tandemvote.tables.errors import DatasetError, either

LARGEST_CONTENT = 2**30
"""Bytes that a compressed file may unpack to: a small file could fill the memory."""

LARGEST_TABLE = 2**32
"""Bytes of a table in memory: beyond this a mistake is likelier than intent."""

# Told by the first bytes, not by the name: some servers unpack a .gz on the way.
_OPENERS: dict[bytes, Any] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open}


def read_bytes(path: Path) -> bytes:
    """Read a plain, gzip or bzip2 file, and unpack up to `LARGEST_CONTENT` bytes."""
    data = path.read_bytes()
    for magic, opener in _OPENERS.items():
        if data.startswith(magic):
            try:
                data = opener(io.BytesIO(data)).read(LARGEST_CONTENT + 1)
            except (ValueError, OSError, EOFError, zlib.error) as error:
                raise DatasetError(
                    f"{path.name} is damaged and cannot be unpacked ({error}). Get it once more."
                ) from error
            if len(data) > LARGEST_CONTENT:
                raise DatasetError(
                    f"{path.name} unpacks to more than {LARGEST_CONTENT / 2**30:g} GiB. If that is"
                    " right, unpack it before, and give the unpacked file."
                )
            break
    return data


def read_text(path: Path, *, encoding: str) -> str:
    """Read a text file, compressed or not, and refuse one in another encoding."""
    try:
        return read_bytes(path).decode(encoding)
    except (UnicodeError, LookupError) as error:
        raise DatasetError(
            f"{path} is not text in the encoding {encoding} ({error}). Name its encoding, such as"
            f" {either('encoding=', '--encoding ')}latin-1 or utf-16."
        ) from error


def uncompressed(path: Path) -> Path:
    """Return the path without the ending of a compression."""
    return path.with_suffix("") if path.suffix.lower() in (".gz", ".bz2") else path


def refuse_no_file(path: Path) -> None:
    """Refuse what is not there, or is a folder."""
    if path.is_dir():
        raise DatasetError(f"{path} is a folder. Name one file in it.")
    if not path.is_file():
        raise DatasetError(f"There is no file {path}. Check the path.")


def refuse_size(path: Path, n_rows: int, n_columns: int) -> None:
    """Refuse a table that is small in its file and fills the memory."""
    size = 8 * n_rows * n_columns
    if size > LARGEST_TABLE:
        raise DatasetError(
            f"{path} has {n_rows} rows and {n_columns} columns, {size / 2**30:.0f} GiB; the limit"
            f" is {LARGEST_TABLE // 2**30} GiB. Keep fewer."
        )


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


def read_npz(path: Path, *, target: str | None = "y") -> tuple[NDArray[Any], NDArray[Any]]:
    """Read the array ``X`` of an ``.npz`` file and the labels that `target` names, if any."""
    names, saved, other = ["X"], "X=X", ""
    if target is not None:
        names, saved = ["X", target], "X=X, y=y"
        other = f"; {either('target', '--target')} names another array of labels"
    way_out = f"Save it with numpy.savez_compressed(path, {saved}), without Python objects{other}."
    arrays = load_arrays(path, required=names, way_out=way_out)
    return arrays["X"], arrays[names[-1]]


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
