"""What the catalogue says of a data set, and the data set itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from numpy.typing import NDArray

from tandemvote.tables import Dataset

Recipe = Callable[[Sequence[Path]], tuple[NDArray[Any], NDArray[Any]]]


@dataclass(frozen=True)
class RawFile:
    """One published file.

    Parameters
    ----------
    urls : tuple of str
        Where it can be had; tried in this order.
    known_hash : str, optional
        ``"algorithm:hexdigits"`` of the file as published, where no digest of the content is
        known.

    Examples
    --------
    >>> RawFile(("https://example.org/sets/usps.bz2",)).name
    'usps.bz2'
    """

    urls: tuple[str, ...]
    known_hash: str | None = None

    @property
    def name(self) -> str:
        """File name, the last part of the first address."""
        return Path(urlsplit(self.urls[0]).path).name


@dataclass(frozen=True, eq=False, repr=False)
class PaperDataset(Dataset):
    """A data set of the paper.

    Parameters
    ----------
    reconstructed : bool
        True if the points stand in for the original ones; results on them must say so.
    """

    reconstructed: bool = False


@dataclass(frozen=True)
class CatalogueEntry:
    """A data set of the paper: where it is, how to read it, and how to know it is the right one.

    Parameters
    ----------
    name : str
        As in the paper's tables.
    source : str
        One line on the origin.
    files : tuple of RawFile
        The published files, in the order the recipe wants them.
    recipe : callable
        From the paths of these files to ``(X, y)``.
    n_samples, n_features, n_classes : int
        N, d and c of the paper's table.
    c_min, c_max : float
        Smallest and largest class frequency, to the four decimals of the paper's table.
    digest : str or None
        `content_digest` of the data, where they have been seen.
    ordered : bool
        Whether the digest binds the order of the rows too.
    class_counts : tuple of int, optional
        How often each label occurs, by sorted label: a check where there is no digest.
    reconstruction_digest : str, optional
        Digest of a documented stand-in, accepted as a prepared file and marked as such.
    note : str
        What is special about the files, and why the checks are as they are.
    """

    name: str
    source: str
    files: tuple[RawFile, ...]
    recipe: Recipe
    n_samples: int
    n_features: int
    n_classes: int
    c_min: float
    c_max: float
    digest: str | None
    ordered: bool = True
    class_counts: tuple[int, ...] | None = None
    reconstruction_digest: str | None = None
    note: str = ""

    @property
    def prepared_name(self) -> str:
        """File name of a prepared copy, which holds arrays ``X`` and ``y``."""
        return f"{self.name.casefold()}.npz"

    @property
    def prepared_known(self) -> bool:
        """Whether the content of some prepared copy, original or reconstructed, is known."""
        return self.digest is not None or self.reconstruction_digest is not None
