"""From the published files of a data set to its table and labels, one function per recipe.

Every recipe takes the paths of the files in catalog order and gives ``(X, y)`` with integer
labels. None of them checks sizes: the catalog does that for all.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import unlzw3
from numpy.typing import NDArray
from sklearn.datasets import load_svmlight_file

from reproduction.datasets.checks import row_keys
from reproduction.datasets.files import read_bytes
from tandemvote.tables import DatasetError

Arrays = tuple[NDArray[Any], NDArray[Any]]


def libsvm_parts(paths: Sequence[Path], *, n_features: int) -> Arrays:
    """LIBSVM files one below the other, as train and test parts are published."""
    return _stack([_libsvm(_content(path), n_features=n_features) for path in paths])


def libsvm_with_rest(paths: Sequence[Path], *, n_features: int) -> Arrays:
    """LIBSVM file, then those rows of a larger one that are not in it, counted with repeats."""
    (X, y), (X_all, y_all) = (_libsvm(_content(path), n_features=n_features) for path in paths)
    taken = Counter(key.tobytes() for key in row_keys(X, y))
    rest = []
    for row, key in enumerate(key.tobytes() for key in row_keys(X_all, y_all)):
        if taken[key]:
            taken[key] -= 1
        else:
            rest.append(row)
    if taken.total():
        raise DatasetError(
            f"{taken.total()} rows of {paths[0].name} are not in {paths[1].name}, which should "
            "contain them all. One of the two files is damaged: fetch them again."
        )
    return _stack([(X, y), (X_all[rest], y_all[rest])])


def phishing(paths: Sequence[Path]) -> Arrays:
    """Phishing: the file scales each row to unit length; only zero or not carries meaning."""
    X, y = libsvm_parts(paths, n_features=68)
    return (X != 0).astype(np.uint8), y


def protein(paths: Sequence[Path]) -> Arrays:
    """Protein: the files write ``3: .25`` for ``3:.25``, which readers of the format reject."""
    texts = [re.sub(rb":[ \t]+", b":", _content(path)) for path in paths]
    return _stack([_libsvm(text, n_features=357) for text in texts])


def usps(paths: Sequence[Path]) -> Arrays:
    """USPS: the files label the digits 0 to 9 by 1 to 10."""
    X, y = libsvm_parts(paths, n_features=256)
    return X, y - 1


def numeric_table(paths: Sequence[Path]) -> Arrays:
    """Numbers separated by blanks, the label last."""
    tables = [np.loadtxt(_text(path), ndmin=2) for path in paths]
    return _stack([(table[:, :-1], table[:, -1]) for table in tables])


def letter(paths: Sequence[Path]) -> Arrays:
    """Letter: the capital first (A to Z become 0 to 25), then 16 integers."""
    cells = _text_cells(paths[0])
    return cells[:, 1:].astype(np.int64), _codes(cells[:, 0], list("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))


def mushroom(paths: Sequence[Path]) -> Arrays:
    """Mushroom: e(dible) 0 or p(oisonous) 1 first, then 22 letters coded by first appearance.

    The mark "?" of an unknown stalk root is a category like any other.
    """
    cells = _text_cells(paths[0])
    X = np.column_stack([first_appearance_codes(column) for column in cells[:, 1:].T])
    return X, _codes(cells[:, 0], ["e", "p"])


def connect_four(paths: Sequence[Path]) -> Arrays:
    """Connect-4: 42 cells, each blank, o or x, one-hot in that order; the outcome last."""
    cells = _text_cells(paths[0])
    states = _codes(cells[:, :-1], ["b", "o", "x"])
    one_hot = np.eye(3, dtype=np.uint8)[states].reshape(len(cells), -1)
    return one_hot, _codes(cells[:, -1], ["draw", "loss", "win"])


def idx_parts(paths: Sequence[Path], *, n_features: int) -> Arrays:
    """Pairs of IDX files (images, labels), one pair below the other; the first pixels only."""
    parts = []
    for images_path, labels_path in zip(paths[::2], paths[1::2], strict=True):
        images, labels = _idx(images_path), _idx(labels_path)
        pixels = images.reshape(len(images), -1)
        if pixels[:, n_features:].any():
            raise DatasetError(
                f"{images_path.name} has ink beyond pixel {n_features}, where the original has "
                "none. The file is not the original: fetch it again."
            )
        parts.append((pixels[:, :n_features], labels))
    return _stack(parts)


def first_appearance_codes(values: NDArray[Any]) -> NDArray[np.int64]:
    """Code the distinct values 0, 1, ... in the order in which they first occur.

    Examples
    --------
    >>> import numpy as np
    >>> first_appearance_codes(np.array(["x", "b", "x", "a"])).tolist()
    [0, 1, 0, 2]
    """
    _, first_rows, codes = np.unique(values, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(first_rows))
    return rank[codes].astype(np.int64)


def _codes(values: NDArray[Any], names: list[str]) -> NDArray[np.int64]:
    unknown = np.setdiff1d(values, names)
    if unknown.size:
        raise ValueError(f"found {unknown[0]!r} where one of {', '.join(names)} is expected")
    order = np.argsort(names)
    return order[np.searchsorted(names, values, sorter=order)]


def _text_cells(path: Path) -> NDArray[Any]:
    return np.loadtxt(_text(path), dtype=str, delimiter=",", ndmin=2)


def _text(path: Path) -> io.BytesIO:
    text = _content(path)
    if not text.strip():
        raise ValueError("the file is empty")
    return io.BytesIO(text)


def _content(path: Path) -> bytes:
    """Return the bytes of a file, unpacked from gzip, bzip2 or the old ``.Z``."""
    data = read_bytes(path)
    return unlzw3.unlzw(data) if data.startswith(b"\x1f\x9d") else data


def _libsvm(text: bytes, *, n_features: int) -> Arrays:
    X, y = load_svmlight_file(io.BytesIO(text), n_features=n_features, zero_based=False)
    return X.toarray(), y


def _idx(path: Path) -> NDArray[np.uint8]:
    """Read an IDX file of bytes: 0, 0, 8, the number of dimensions, big-endian sizes, values."""
    data = _content(path)
    if len(data) < 4 or data[:3] != b"\x00\x00\x08":
        raise ValueError("not an IDX file of bytes: the header must start with 00 00 08")
    start = 4 + 4 * data[3]
    return np.frombuffer(data, np.uint8, offset=start).reshape(np.frombuffer(data[4:start], ">i4"))


def _stack(parts: Sequence[Arrays]) -> Arrays:
    return np.concatenate([X for X, _ in parts]), np.concatenate([y for _, y in parts])
