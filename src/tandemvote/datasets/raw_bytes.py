"""The bytes of a file, unpacked if it is compressed."""

from __future__ import annotations

import bz2
import gzip
import zlib
from collections.abc import Callable
from pathlib import Path

from tandemvote.datasets import unix_compress
from tandemvote.datasets.errors import DatasetError

# Told by the first bytes, not by the name: some servers unpack a .gz on the way.
_UNPACKERS: dict[bytes, Callable[[bytes], bytes]] = {
    b"\x1f\x8b": gzip.decompress,
    b"BZh": bz2.decompress,
    unix_compress.MAGIC: unix_compress.decompress,
}


def read_bytes(path: Path) -> bytes:
    """Read a plain, gzip, bzip2 or ``.Z`` file.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    bytes
        Its content, unpacked.

    Raises
    ------
    DatasetError
        If compressed data are damaged or cut short.

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
                return unpack(data)
            except (ValueError, OSError, EOFError, zlib.error) as error:
                raise DatasetError(
                    f"{path.name} is damaged and cannot be unpacked ({error}). Get it once more."
                ) from error
    return data
