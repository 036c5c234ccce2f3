"""Is this the data set of the catalog? Sizes, class frequencies and a digest of the values."""

from __future__ import annotations

import hashlib
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reproduction.datasets.entry import CatalogEntry
from tandemvote.tables import DatasetError


class Standing(Enum):
    """What is known of the arrays of a data set, as text for its origin."""

    ORIGINAL = "{}"
    RECONSTRUCTED = "reconstructed, stands in for {}"
    UNCHECKED = "said to be {}; not checked, as the catalog knows no digest"


PRINTED_PRECISION = 0.5e-4 + 1e-9  # the paper prints class frequencies to four decimals


def check_against_catalog(
    entry: CatalogEntry,
    X: NDArray[Any],
    y: NDArray[Any],
    *,
    file: str,
    way_out: str,
    recorded_digest: str | None = None,
    from_source: bool = False,
) -> Standing:
    """Compare sizes, class frequencies and digest with the catalog; name all that differs.

    `file` and `way_out` are for the message: where the arrays were found, and what to do. Where the
    catalog has no digest of its own, the `recorded_digest` of a prepared copy tells copies made
    by this package from others, but anyone who writes a file can write it too; and arrays
    `from_source`, from the published files themselves, need no digest.
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
        f"{file} is not the data set {entry.name} of the catalog: {'; '.join(differences)}. "
        f"{way_out}"
    )


def _digest_difference(entry: CatalogEntry, digest: str) -> str:
    if entry.digest is not None:
        return (
            f"sizes agree, values do not (content digest should be {entry.digest} and is {digest})"
        )
    return (
        f"sizes agree, but no content digest of the original is known, and {digest} is that of "
        "no copy made here from the published files"
    )


ROWS_AT_ONCE = 4096  # keeps the float32 copy of a large image set small


def content_digest(X: NDArray[Any], y: NDArray[Any], *, ordered: bool = True) -> str:
    """SHA-256 of the shape, the features as float32 and the labels as int64, little-endian.

    Float32 is what scikit-learn's trees see. Rounding to it makes the fingerprint the same for
    integers stored in a byte and for decimals parsed from text to any greater precision. Unless
    `ordered`, rows are sorted first, for sources that carry the same rows in another order.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[1, 2], [3, 4]], dtype=np.uint8), np.array([0, 1])
    >>> content_digest(X, y) == content_digest(X.astype(float), y.astype(np.int8))
    True
    >>> content_digest(X, y) == content_digest(X[::-1], y[::-1])
    False
    >>> content_digest(X, y, ordered=False) == content_digest(X[::-1], y[::-1], ordered=False)
    True
    """
    if not ordered:
        order = np.argsort(row_keys(X, y), kind="stable")
        X, y = X[order], y[order]
    fingerprint = hashlib.sha256(f"{X.shape[0]},{X.shape[1]};".encode())
    for start in range(0, len(X), ROWS_AT_ONCE):
        fingerprint.update(_as_float32(X[start : start + ROWS_AT_ONCE]).tobytes())
    fingerprint.update(np.ascontiguousarray(y, dtype="<i8").tobytes())
    return fingerprint.hexdigest()


def row_keys(X: NDArray[Any], y: NDArray[Any]) -> NDArray[Any]:
    """Return one sortable key per labeled row; equal rows, and only they, have equal keys.

    Features are compared as float32; labels are integers below 2^24 in size.

    Examples
    --------
    >>> import numpy as np
    >>> keys = row_keys(np.array([[0.5], [0.5], [2.0]]), np.array([1, 1, 1]))
    >>> bool(keys[0] == keys[1]), bool(keys[1] == keys[2])
    (True, False)
    """
    rows = np.ascontiguousarray(np.column_stack([_as_float32(X), _as_float32(y)]))
    return rows.view(np.dtype((np.void, rows.shape[1] * rows.itemsize))).ravel()


def _as_float32(values: NDArray[Any]) -> NDArray[Any]:
    # Adding zero turns -0.0 into 0.0: equal values must have equal bytes.
    return np.asarray(np.ascontiguousarray(values, dtype="<f4") + np.float32(0))
