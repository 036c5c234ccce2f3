"""The paper's data sets by name: from a prepared copy, or downloaded from their publishers."""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pooch

from reproduction.datasets.catalog import CATALOG, find_entry
from reproduction.datasets.entry import CatalogEntry, PaperDataset, RawFile
from reproduction.datasets.prepared import assemble, read_prepared, write_prepared
from tandemvote.tables import DatasetError

DATA_VARIABLE = "TANDEMVOTE_DATA"


def load_dataset(
    name: str,
    *,
    data_home: str | os.PathLike[str] | None = None,
    download: bool = True,
) -> PaperDataset:
    """Load one of the paper's 17 data sets, checked against the catalog.

    A prepared copy ``<name in lower case>.npz`` is looked for in `data_home`, then in the folder
    named by the environment variable ``TANDEMVOTE_DATA``, then in the cache. If there is none,
    the published files are downloaded, joined as the paper does, checked, and a prepared copy is
    kept in the cache.

    Features have the smallest type that loses nothing, labels are integers. Rows come in the order
    of the source, which may be sorted by class: shuffle before splitting.

    Examples
    --------
    >>> load_dataset("mnits")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    tandemvote.tables.errors.DatasetError: No data set is called 'mnits'. Did you mean MNIST...
    """
    return load_entry(find_entry(name), data_home=data_home, download=download)


def load_entry(
    entry: CatalogEntry,
    *,
    data_home: str | os.PathLike[str] | None = None,
    download: bool = True,
) -> PaperDataset:
    """Do the work of :func:`load_dataset` for an entry, also one that is not in the catalog."""
    folders = _folders(data_home)
    for folder in folders:
        path = folder / entry.prepared_name
        if path.exists():
            return read_prepared(path, entry)
    if not download:
        raise DatasetError(
            f"No prepared copy {entry.prepared_name} of {entry.name} in "
            f"{' or '.join(map(str, folders))}. Allow the "
            f"download, or name its folder by data_home or {DATA_VARIABLE}."
        )
    with tempfile.TemporaryDirectory(prefix="tandemvote-") as scratch:
        dataset = assemble(entry, fetch(entry.files, Path(scratch)))
    write_prepared(cache_folder() / entry.prepared_name, entry, dataset)
    return dataset


def prepare_dataset(
    name: str,
    raw_folder: str | os.PathLike[str],
    *,
    data_home: str | os.PathLike[str] | None = None,
) -> PaperDataset:
    """Make a prepared copy from published files fetched by hand.

    For machines without a network, and for sources that move. `raw_folder` holds the files under
    their original names; the copy is written to `data_home`, or to the cache.
    """
    entry = find_entry(name)
    paths = [Path(raw_folder) / file.name for file in entry.files]
    missing = [path.name for path in paths if not path.is_file()]
    if missing:
        addresses = ", ".join(file.urls[0] for file in entry.files)
        raise DatasetError(
            f"{raw_folder} lacks {', '.join(missing)} of {entry.name}. Fetch {addresses} into it."
        )
    dataset = assemble(entry, paths)
    home = cache_folder() if data_home is None else Path(data_home)
    write_prepared(home / entry.prepared_name, entry, dataset)
    return dataset


def available_datasets(data_home: str | os.PathLike[str] | None = None) -> tuple[str, ...]:
    """List the data sets that need no download, in the order of the paper's table.

    Only looks whether the files are there; :func:`load_dataset` checks what is in them.

    Examples
    --------
    >>> set(available_datasets()) <= set(CATALOG)
    True
    """
    folders = _folders(data_home)
    return tuple(
        name
        for name, entry in CATALOG.items()
        if any((folder / entry.prepared_name).exists() for folder in folders)
    )


def cache_folder() -> Path:
    """Folder for prepared copies made by this package, chosen by the operating system's rules."""
    return Path(pooch.os_cache("tandemvote"))


def _folders(data_home: str | os.PathLike[str] | None) -> list[Path]:
    folders = [Path(folder) for folder in (data_home, os.environ.get(DATA_VARIABLE)) if folder]
    if folders and not folders[0].is_dir():  # a bad variable behind an argument does no harm
        origin = "data_home" if data_home else DATA_VARIABLE
        raise DatasetError(
            f"{origin} names {folders[0]}, which is no folder. Give an existing one."
        )
    return [*folders, cache_folder()]


RETRIES = 2  # after the first attempt, for each address


def fetch(files: Sequence[RawFile], folder: Path) -> list[Path]:
    """Download files into a folder, which the caller removes: nothing stays after a failure."""
    return [_fetch_one(file, folder) for file in files]


def _fetch_one(file: RawFile, folder: Path) -> Path:
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
                return Path(store.fetch(file.name))
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
    """Keep pooch from writing to the screen."""
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)
