"""The paper's data sets by name: from a prepared copy, or from the published files."""

from __future__ import annotations

import os
import tempfile
from importlib.util import find_spec
from pathlib import Path

from tandemvote.datasets.assembling import assemble
from tandemvote.datasets.catalogue import CATALOGUE, find_entry
from tandemvote.datasets.dataset import Dataset
from tandemvote.datasets.download import fetch
from tandemvote.datasets.entry import CatalogueEntry
from tandemvote.datasets.errors import DatasetError, import_extra
from tandemvote.datasets.prepared import read_prepared, write_prepared

DATA_VARIABLE = "TANDEMVOTE_DATA"


def load_dataset(
    name: str,
    *,
    data_home: str | os.PathLike[str] | None = None,
    download: bool = True,
    progress: bool = False,
) -> Dataset:
    """Load one of the paper's 17 data sets, checked against the catalogue.

    A prepared copy ``<name in lower case>.npz`` is looked for in `data_home`, then in the folder
    named by the environment variable ``TANDEMVOTE_DATA``, then in the cache. If there is none,
    the published files are downloaded, joined as the paper does, checked, and a prepared copy is
    kept in the cache.

    Parameters
    ----------
    name : str
        As in the paper's tables; the case of letters does not matter.
    data_home : path, optional
        Folder with prepared copies.
    download : bool
        Whether the network may be used.
    progress : bool
        Show progress bars while downloading (needs the package tqdm).

    Returns
    -------
    Dataset
        Features in the smallest type that loses nothing, integer labels. Rows come in the order
        of the source, which may be sorted by class: shuffle before splitting.

    Raises
    ------
    DatasetError
        If the name is unknown, a file is damaged or is not the data set, or the download fails.

    Examples
    --------
    >>> load_dataset("mnits")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    tandemvote.datasets.errors.DatasetError: No data set is called 'mnits'. Did you mean MNIST...
    """
    return load_entry(find_entry(name), data_home=data_home, download=download, progress=progress)


def load_entry(
    entry: CatalogueEntry,
    *,
    data_home: str | os.PathLike[str] | None = None,
    download: bool = True,
    progress: bool = False,
) -> Dataset:
    """Do the work of :func:`load_dataset` for an entry, also one that is not in the catalogue."""
    folders = _folders(data_home)
    for folder in folders:
        path = folder / entry.prepared_name
        if path.exists():
            return read_prepared(path, entry)
    if not download:
        raise DatasetError(
            f"No prepared copy {entry.prepared_name} of {entry.name} in "
            f"{' or '.join(map(str, folders)) or 'any folder, as none is given'}. Allow the "
            f"download, or name its folder by data_home or {DATA_VARIABLE}."
        )
    with tempfile.TemporaryDirectory(prefix="tandemvote-") as scratch:
        dataset = assemble(entry, fetch(entry.files, Path(scratch), progress=progress))
    write_prepared(cache_folder() / entry.prepared_name, entry, dataset)
    return dataset


def prepare_dataset(
    name: str,
    raw_folder: str | os.PathLike[str],
    *,
    data_home: str | os.PathLike[str] | None = None,
) -> Dataset:
    """Make a prepared copy from published files fetched by hand.

    For machines without a network, and for sources that move.

    Parameters
    ----------
    name : str
        As in the paper's tables.
    raw_folder : path
        Folder with the published files under their original names.
    data_home : path, optional
        Where to write the prepared copy; the cache if not given.

    Returns
    -------
    Dataset
        The checked data.

    Raises
    ------
    DatasetError
        If a file is missing, damaged, or not the right one.
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
    """Name the data sets at hand without a download.

    Only looks whether the files are there; :func:`load_dataset` checks what is in them.

    Parameters
    ----------
    data_home : path, optional
        Folder with prepared copies, looked at before ``TANDEMVOTE_DATA`` and the cache.

    Returns
    -------
    tuple of str
        Names in the order of the paper's table.

    Examples
    --------
    >>> set(available_datasets()) <= set(CATALOGUE)
    True
    """
    folders = _folders(data_home)
    return tuple(
        name
        for name, entry in CATALOGUE.items()
        if any((folder / entry.prepared_name).exists() for folder in folders)
    )


def cache_folder() -> Path:
    """Folder for prepared copies made by this package, chosen by the operating system's rules."""
    pooch = import_extra("pooch", purpose="Finding the cache folder")
    return Path(pooch.os_cache("tandemvote"))


def _folders(data_home: str | os.PathLike[str] | None) -> list[Path]:
    folders = [Path(folder) for folder in (data_home, os.environ.get(DATA_VARIABLE)) if folder]
    if folders and not folders[0].is_dir():  # a bad variable behind an argument does no harm
        origin = "data_home" if data_home else DATA_VARIABLE
        raise DatasetError(
            f"{origin} names {folders[0]}, which is no folder. Give an existing one."
        )
    if find_spec("pooch") is not None:  # without it nothing can have been cached
        folders.append(cache_folder())
    return folders
