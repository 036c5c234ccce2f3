"""Find the Parquet files that a file, a folder, a pattern or a list of them stands for."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable
from pathlib import Path

SUFFIXES = (".parquet", ".pq")

Location = str | os.PathLike[str]


def find_files(paths: Location | Iterable[Location]) -> list[Path]:
    """Return the Parquet files that are meant, each once, always in the same order.

    A path is a file; a folder, for the Parquet files directly in it; or a pattern such as
    ``"votes/*.parquet"``, in which ``**`` stands for folders of any depth.
    """
    named = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    if not named:
        raise ValueError("The list of Parquet files is empty. Name at least one file.")
    found = [path for location in named for path in _matches(location)]
    seen: dict[Path, Path] = {}
    for path in found:
        same = seen.setdefault(path.resolve(), path)
        if same is not path:
            raise ValueError(
                f"{path} is named twice (as {same} before), and its points would be counted twice."
                " Name every file once."
            )
    return found


def names_parquet(location: Location) -> bool:
    """Tell whether a path is a folder or ends like a Parquet file, as patterns may."""
    return Path(location).is_dir() or Path(location).suffix.lower() in SUFFIXES


def _matches(location: Location) -> list[Path]:
    path = Path(location)
    if path.is_dir():
        named = (file for file in path.iterdir() if file.suffix.lower() in SUFFIXES)
        inside = sorted(file for file in named if not file.name.startswith((".", "_")))
        if inside:
            return inside
        raise ValueError(
            f"The folder {path} holds no file that ends in {' or '.join(SUFFIXES)}. For files in"
            f" folders below it, pass the pattern '{path}/**/*.parquet'."
        )
    if path.exists():  # before patterns: a name may hold brackets
        return [path]
    # Not Path.glob, which takes no pattern that starts at the root.
    matches = sorted(Path(match) for match in glob.glob(str(path), recursive=True))  # noqa: PTH207
    if matches:
        return [file for match in matches for file in _matches(match)]
    raise ValueError(
        f"No Parquet file matches {path}. Check the path, and quote the pattern so that the shell"
        " does not expand it."
    )
