"""What the catalog says of a data set, and the data set itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from numpy.typing import NDArray

from reproduction.datasets.dataset import Dataset

Recipe = Callable[[Sequence[Path]], tuple[NDArray[Any], NDArray[Any]]]


@dataclass(frozen=True)
class RawFile:
    """One published file.

    Examples
    --------
    >>> RawFile(("https://example.org/sets/usps.bz2",)).name
    'usps.bz2'
    """

    urls: tuple[str, ...]  # where it can be had; tried in this order
    known_hash: str | None = None  # as "algorithm:hexdigits", where the content has no digest

    @property
    def name(self) -> str:
        """File name, the last part of the first address."""
        return Path(urlsplit(self.urls[0]).path).name


@dataclass(frozen=True, eq=False, repr=False)
class PaperDataset(Dataset):
    """A data set of the paper; results must say if its samples stand in for the original ones."""

    reconstructed: bool = False


@dataclass(frozen=True)
class CatalogEntry:
    """A data set of the paper: where it is, how to read it, and how to know it is the right one."""

    name: str  # as in the paper's tables
    source: str  # one line on the origin
    files: tuple[RawFile, ...]  # in the order the recipe wants them
    recipe: Recipe  # from the paths of these files to (X, y)
    n_samples: int
    n_features: int
    n_classes: int
    c_min: float  # smallest class frequency, to the four decimals of the paper's table
    c_max: float
    digest: str | None  # `content_digest` of the data, where they have been seen
    ordered: bool = True  # whether the digest binds the order of the rows too
    class_counts: tuple[int, ...] | None = None  # by sorted label: a check without a digest
    reconstruction_digest: str | None = None  # of a documented stand-in, which is marked as such
    note: str = ""  # what is special about the files, and why the checks are as they are

    @property
    def prepared_name(self) -> str:
        """File name of a prepared copy, which holds arrays ``X`` and ``y``."""
        return f"{self.name.casefold()}.npz"
