"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path
from time import time
from uuid import uuid4

ABANDONED = 3600.0
"""Age in seconds after which an unfinished file is one of a process that was killed."""


@contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary path next to a file, and rename it to the file when it is complete.

    Readers see the old file or the new one. Errors leave the old file as it is and name it.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with written_whole(Path(folder, "a.txt")) as unfinished:
    ...         _ = unfinished.write_text("whole")
    ...     [each.name for each in Path(folder).iterdir()]
    ['a.txt']
    """
    path = Path(path)
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path}: there is no folder {path.parent}. Create it first.")
    unfinished = path.with_name(f".{path.stem}.{uuid4().hex}.unfinished{path.suffix}")
    try:
        yield unfinished
        unfinished.replace(path)
    except OSError as error:
        if error.errno is None:
            raise
        reason = error.strerror or "input/output error"
        raise OSError(error.errno, f"{path} was not written: {reason}") from error
    finally:
        unfinished.unlink(missing_ok=True)
    for other in path.parent.glob(f".{escape(path.stem)}.*.unfinished{escape(path.suffix)}"):
        with suppress(OSError):  # of a process that is writing or has finished
            if time() - other.stat().st_mtime > ABANDONED:
                other.unlink()
