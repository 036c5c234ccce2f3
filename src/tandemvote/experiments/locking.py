"""A lock that the operating system gives back when its holder dies, even by a kill."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

if os.name == "nt":
    import msvcrt

    def _try_lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]

else:
    import fcntl

    def _try_lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def exclusive(path: Path) -> Iterator[bool]:
    """Try to hold the file for the length of a ``with`` block; yields whether it is held.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with exclusive(Path(folder, "lock")) as first:
    ...         with exclusive(Path(folder, "lock")) as second:
    ...             print(first, second)
    True False
    """
    with path.open("a", encoding="utf-8") as file:
        try:
            _try_lock(file.fileno())
        except OSError:
            yield False
        else:
            yield True
