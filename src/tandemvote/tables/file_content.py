"""The bytes or the text of a file, unpacked if it is compressed."""

from __future__ import annotations

import bz2
import gzip
import io
import zlib
from pathlib import Path
from typing import Any

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
    opener = next((opener for magic, opener in _OPENERS.items() if data.startswith(magic)), None)
    if opener is None:
        return data
    try:
        content: bytes = opener(io.BytesIO(data)).read(LARGEST_CONTENT + 1)
    except (ValueError, OSError, EOFError, zlib.error) as error:
        raise DatasetError(
            f"{path.name} is damaged and cannot be unpacked ({error}). Get it once more."
        ) from error
    if len(content) > LARGEST_CONTENT:
        raise DatasetError(
            f"{path.name} unpacks to more than {LARGEST_CONTENT / 2**30:g} GiB. If that is right,"
            " unpack it before, and give the unpacked file."
        )
    return content


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
