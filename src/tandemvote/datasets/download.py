"""Fetching published files, with retries and in a place of their own."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tandemvote.datasets.entry import RawFile
from tandemvote.datasets.errors import DatasetError, import_extra

RETRIES = 2  # after the first attempt, for each address


def fetch(files: Sequence[RawFile], folder: Path, *, progress: bool = False) -> list[Path]:
    """Download files into a folder.

    Parameters
    ----------
    files : sequence of RawFile
        What to fetch.
    folder : Path
        Where to put it; the caller removes it, so that nothing stays behind after a failure.
    progress : bool
        Show a bar for each file (needs the package tqdm).

    Returns
    -------
    list of Path
        The files, in the order given.

    Raises
    ------
    DatasetError
        If a file can be had from none of its addresses.
    """
    return [_fetch_one(file, folder, progress=progress) for file in files]


def _fetch_one(file: RawFile, folder: Path, *, progress: bool) -> Path:
    pooch: Any = import_extra("pooch", purpose="Downloading a data set")
    if progress:
        import_extra("tqdm", purpose="A progress bar", install="tqdm")
    failures = []
    for url in file.urls:
        store = pooch.create(
            path=folder,
            base_url="",
            registry={file.name: file.known_hash},
            urls={file.name: url},
            retry_if_failed=RETRIES,
        )
        try:
            with _quiet(pooch.get_logger()):
                return Path(store.fetch(file.name, progressbar=progress))
        # pooch raises ValueError for a wrong hash; errors of the requests package are OSErrors
        except (OSError, ValueError) as error:
            failures.append(f"{url}: {type(error).__name__}: {error}")
    raise DatasetError(
        f"{file.name} could not be downloaded, after {1 + RETRIES} attempts at each address: "
        f"{'; '.join(failures)}. Check the connection and try again; or fetch the file by hand "
        "and give its folder to prepare_dataset."
    )


@contextmanager
def _quiet(logger: logging.Logger) -> Iterator[None]:
    """Keep pooch from writing to the screen: only the command line of this package does that."""
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)
