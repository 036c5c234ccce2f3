"""Where a run takes its data sets from: the paper's by name, your own by file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from reproduction.datasets import CATALOG, Dataset, find_entry, load_dataset
from reproduction.datasets.files import read_own_file
from reproduction.experiments.cells import Shape
from reproduction.experiments.splits import check_splittable
from tandemvote.tables import DatasetError


@dataclass(frozen=True)
class DataSource:
    """Loads the data sets of a run, in this process or in a worker."""

    data_home: str | None = None  # folder with prepared copies of the paper's data sets
    files: tuple[tuple[str, str], ...] = ()  # names and paths of further tables
    target: str | None = None  # label column of these; not needed for npz and LIBSVM files
    drop_missing: bool = False  # leave out rows of these with a missing entry

    def load(self, name: str) -> Dataset:
        """Return the data set; the last two are kept, as cells of one set follow each other."""
        return _load(self, name)

    def skip(self, names: Iterable[str], *, download: bool = False) -> dict[str, str]:
        """Return the data sets that cannot be loaded or split, each with the reason.

        All are read, so that a bad one shows before the run and not in the middle of it. Downloads
        happen here, once and in this process; workers then read prepared copies.
        """
        own, reasons = dict(self.files), {}
        for name in names:
            try:
                if name in own:
                    check_splittable(self.load(name))
                else:
                    load_dataset(name, data_home=self.data_home, download=download)
            except DatasetError as error:
                reasons[name] = str(error)
        return reasons

    def shape(self, name: str) -> Shape:
        """Return the size of a data set, without loading it if the catalog knows."""
        if name in dict(self.files):
            dataset = self.load(name)
            return Shape(dataset.n_samples, dataset.n_features, dataset.n_classes)
        entry = find_entry(name)
        return Shape(entry.n_samples, entry.n_features, entry.n_classes)


@lru_cache(maxsize=2)
def _load(source: DataSource, name: str) -> Dataset:
    path = dict(source.files).get(name)
    if path is not None:
        return read_own_file(
            path, name=name, target=source.target, drop_missing=source.drop_missing
        )
    return load_dataset(name, data_home=source.data_home, download=False)


def own_files(paths: list[Path]) -> tuple[tuple[str, str], ...]:
    """Name data files by their stem.

    Examples
    --------
    >>> own_files([Path("measurements/wine.csv")])
    (('wine', 'measurements/wine.csv'),)
    """
    named = [(path.stem, str(path)) for path in paths]
    names = [name.casefold() for name, _ in named]
    taken = {name.casefold() for name in CATALOG}
    for name, path in named:
        if name.casefold() in taken or names.count(name.casefold()) > 1:
            raise DatasetError(
                f"{path} would be called {name!r}, which is the name of another data set. Rename "
                "the file."
            )
    return tuple(named)
