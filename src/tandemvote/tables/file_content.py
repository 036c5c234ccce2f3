"""The bytes or the text of a file, unpacked if it is compressed."""

from __future__ import annotations

import bz2
import gzip
import io
import zlib
from collections.abc import Callable
from pathlib import Path

from tandemvote.tables.errors import DatasetError, either

LARGEST_CONTENT = 2**30
"""Bytes that a compressed file may unpack to: a small file could fill the memory."""

LARGEST_TABLE = 2**32
"""Bytes of a table in memory: beyond this a mistake is likelier than intent."""

# Told by the first bytes, not by the name: some servers unpack a .gz on the way.
_UNPACKERS: dict[bytes, Callable[[bytes, int], bytes]] = {
    b"\x1f\x8b": lambda data, limit: gzip.GzipFile(fileobj=io.BytesIO(data)).read(limit),
    b"BZh": lambda data, limit: bz2.BZ2File(io.BytesIO(data)).read(limit),
}


def read_bytes(path: Path) -> bytes:
    """Read a plain, gzip or bzip2 file, and unpack up to `LARGEST_CONTENT` bytes.

    Examples
    --------
    >>> import gzip, pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "data")
    ...     _ = path.write_bytes(gzip.compress(b"1 2 3"))
    ...     read_bytes(path)
    b'1 2 3'
    """
    data = path.read_bytes()
    for magic, unpack in _UNPACKERS.items():
        if data.startswith(magic):
            try:
                content = unpack(data, LARGEST_CONTENT + 1)
            except (ValueError, OSError, EOFError, zlib.error) as error:
                raise DatasetError(
                    f"{path.name} is damaged and cannot be unpacked ({error}). Get it once more."
                ) from error
            if len(content) > LARGEST_CONTENT:
                raise DatasetError(
                    f"{path.name} unpacks to more than {LARGEST_CONTENT / 2**30:g} GiB. If that is"
                    " right, unpack it before, and give the unpacked file."
                )
            return content
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
