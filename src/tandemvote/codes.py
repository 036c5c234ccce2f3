"""Labels as codes: positions in a sorted array of classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tandemvote.spelling import shown

Codes = NDArray[np.integer[Any]]

LARGEST_SPAN = 2**16
"""Integers within such a range are encoded through a table, without sorting."""

CELLS_AT_A_TIME = 2**16
"""numpy needs eight bytes per entry of an index."""


def encode(labels: NDArray[Any], classes: NDArray[Any]) -> Codes:
    """Return the positions of labels in the sorted classes, in the smallest sufficient type.

    Examples
    --------
    >>> encode(np.array(["no", "yes"]), np.array(["maybe", "no", "yes"]))
    array([1, 2], dtype=uint8)
    """
    codes = _positions(labels, classes)
    unknown = labels[classes[codes] != labels]
    if unknown.size:
        raise ValueError(
            f"{unknown[:1].tolist()[0]!r} is not among the labels {shown(classes.tolist())}. Pass"
            " the labels the model was trained on."
        )
    return codes


def distinct(values: NDArray[Any]) -> tuple[NDArray[Any], Codes]:
    """Return the different values, sorted, and each entry's position among them.

    The same as ``numpy.unique(values, return_inverse=True)``, without sorting where values are
    integers close to each other: votes are few different numbers in very many cells.

    Examples
    --------
    >>> classes, codes = distinct(np.array([[-1, 1], [1, 7]], np.int8))
    >>> classes.tolist(), codes.tolist()
    ([-1, 1, 7], [[0, 1], [1, 2]])
    """
    lowest, span = 0, LARGEST_SPAN
    if values.dtype.kind in "iu" and values.size:
        lowest = int(values.min())
        span = int(values.max()) - lowest
    if span >= LARGEST_SPAN:
        classes = np.unique(values)
        return classes, _positions(values, classes)
    # Unsigned numbers wrap around, so the difference is right even where the terms do not fit.
    kind = np.min_scalar_type(span)
    codes = values.astype(kind) - np.array(lowest).astype(kind)
    present = np.full(span + 1, span <= 1)
    parts = np.split(codes.reshape(-1), range(CELLS_AT_A_TIME, codes.size, CELLS_AT_A_TIME))
    if not present.all():
        for part in parts:
            present[part] = True
    if not present.all():
        position = (np.cumsum(present) - 1).astype(kind)
        for part in parts:
            part[:] = position[part]
    # Numbers of the same kind wrap around likewise; the end of a range may not exist in it.
    classes = np.arange(span + 1).astype(values.dtype) + values.dtype.type(lowest)
    return classes[present], codes


def _positions(values: NDArray[Any], classes: NDArray[Any]) -> Codes:
    largest = max(classes.size - 1, 0)
    found = np.searchsorted(classes, values).clip(max=largest)
    return np.asarray(found.astype(np.min_scalar_type(largest)))
