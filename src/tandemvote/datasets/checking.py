"""Telling whether arrays are the data set the catalogue means."""

from __future__ import annotations

from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tandemvote.datasets.digest import content_digest
from tandemvote.datasets.entry import CatalogueEntry
from tandemvote.datasets.errors import DatasetError


class Standing(Enum):
    """What is known of arrays that could be the data set: the words for their origin."""

    ORIGINAL = "{}"
    RECONSTRUCTED = "stands in for {}"
    UNCHECKED = "said to be {}; not checked, as the catalogue knows no digest"


PRINTED_PRECISION = 0.5e-4 + 1e-9  # the paper prints class frequencies to four decimals


def check_against_catalogue(
    entry: CatalogueEntry,
    X: NDArray[Any],
    y: NDArray[Any],
    *,
    file: str,
    way_out: str,
    recorded_digest: str | None = None,
    from_source: bool = False,
) -> Standing:
    """Compare sizes, class frequencies and digest with the catalogue.

    Parameters
    ----------
    entry : CatalogueEntry
        What is expected.
    X : ndarray of shape (n_samples, n_features)
        Features found.
    y : ndarray of shape (n_samples,)
        Labels found.
    file : str
        Where they were found, for the message.
    way_out : str
        What the reader of the message can do.
    recorded_digest : str, optional
        Digest noted in a prepared copy. Where the catalogue has no digest of its own, it tells
        copies made by this package from others; but whoever writes the file can write it too.
    from_source : bool
        True if the arrays come from the published files themselves: where no digest is known,
        sizes and class frequencies must then do.

    Returns
    -------
    Standing

    Raises
    ------
    DatasetError
        If anything differs; all differences are named.
    """
    labels, counts = np.unique(y, return_counts=True)
    frequencies = counts / max(len(y), 1)
    differences = [
        f"{quantity} should be {expected} and is {found}"
        for quantity, expected, found in [
            ("N", entry.n_samples, X.shape[0]),
            ("d", entry.n_features, X.shape[1]),
            ("c", entry.n_classes, len(labels)),
        ]
        if expected != found
    ]
    if not differences:
        differences = [
            f"the {which} class frequency should be {expected:.4f} and is {found:.4f}"
            for which, expected, found in [
                ("smallest", entry.c_min, frequencies.min()),
                ("largest", entry.c_max, frequencies.max()),
            ]
            if abs(expected - found) > PRINTED_PRECISION
        ]
    if not differences and entry.class_counts not in (None, tuple(counts.tolist())):
        differences = [f"classes should count {entry.class_counts} and count {counts.tolist()}"]
    if not differences:
        digest = content_digest(X, y, ordered=entry.ordered)
        if digest == entry.reconstruction_digest:
            return Standing.RECONSTRUCTED
        if digest == entry.digest or (entry.digest is None and from_source):
            return Standing.ORIGINAL
        if entry.digest is None and digest == recorded_digest:
            return Standing.UNCHECKED
        differences = [_digest_difference(entry, digest)]
    raise DatasetError(
        f"{file} is not the data set {entry.name} of the catalogue: {'; '.join(differences)}. "
        f"{way_out}"
    )


def _digest_difference(entry: CatalogueEntry, digest: str) -> str:
    if entry.digest is not None:
        return (
            f"sizes agree, values do not (content digest should be {entry.digest} and is {digest})"
        )
    return (
        f"sizes agree, but no content digest of the original is known, and {digest} is that of "
        "no copy made here from the published files"
    )
