"""Labels of any type, and as codes: positions in a sorted array of classes."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tandemvote.votes.printable import shown

Codes = NDArray[np.integer[Any]]

LARGEST_SPAN = 2**16
"""Integers within such a range are encoded through a table, without sorting."""

FROM_CODES = "classes[codes] turns codes into names, if classes are the sorted names"

FEWEST_SAMPLES = 20
"""On fewer samples, predictions and labels may have no class in common by chance."""

LABEL_THEM = "Add the labels. If such samples are excluded, no bound covers samples like them."
"""Advice for missing labels, which are rarely missing at random."""

FAMILIES = {"U": "text", "S": "bytes", "O": "objects", "M": "dates", "m": "times"}


def encode(labels: NDArray[Any], classes: NDArray[Any]) -> Codes:
    """Return the positions of labels in the sorted classes, in the smallest sufficient type.

    Examples
    --------
    >>> encode(np.array(["no", "yes"]), np.array(["maybe", "no", "yes"]))
    array([1, 2], dtype=uint8)
    """
    largest = max(classes.size - 1, 0)
    positions = np.searchsorted(classes, labels).clip(max=largest)
    codes = np.asarray(positions.astype(np.min_scalar_type(largest)))
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
        return classes, encode(values, classes)
    # Unsigned numbers wrap around, so the difference is right even where the terms do not fit.
    kind = np.min_scalar_type(span)
    codes = values.astype(kind) - np.array(lowest).astype(kind)
    present = np.zeros(span + 1, bool)
    rows = np.atleast_2d(codes)  # one at a time: numpy needs eight bytes per entry of an index
    for row in rows:
        present[row] = True
    position = (np.cumsum(present) - 1).astype(kind)
    for row in rows:
        row[:] = position[row]
    # Sums in the type of the values wrap around too; the end of a range may not exist in it.
    classes = np.arange(span + 1).astype(values.dtype) + values.dtype.type(lowest)
    return classes[present], codes


def as_array(values: Any) -> NDArray[Any]:
    """Return an array of the values as they are: numpy alone would turn 1 next to "a" into text."""
    if hasattr(values, "__array__") or not isinstance(values, Iterable):
        return np.asarray(values)
    rows = list(values)
    if rows and all(hasattr(row, "dtype") for row in rows):
        rows = [np.asarray(row) for row in rows]
        if len({row.dtype for row in rows}) == 1:
            return np.asarray(rows)
    return np.array(rows, object)


def is_missing(array: NDArray[Any]) -> NDArray[np.bool_]:
    """Return True where an entry is None, NaN, NaT or pandas.NA."""
    if array.dtype.kind in "fcmM":
        return np.asarray(array != array)  # noqa: PLR0124
    if array.dtype.kind == "O":
        return np.array([_is_missing(value) for value in array.flat], bool).reshape(array.shape)
    return np.zeros(array.shape, bool)


def _is_missing(value: Any) -> bool:
    try:
        return value is None or bool(value != value)  # noqa: PLR0124
    except TypeError:  # pandas.NA is neither
        return True


def plain_integers(labels: Any) -> Any:
    """Return nullable integers as numpy's, since scikit-learn would turn them into floats."""
    kind = getattr(getattr(labels, "dtype", None), "numpy_dtype", None)
    if kind is None or kind.kind not in "iu" or is_missing(as_array(labels)).any():
        return labels
    return labels.astype(kind)


def comparable(*arrays: NDArray[Any]) -> list[NDArray[Any]]:
    """Return the arrays in one type in which different labels stay different, or reject them."""
    parts = [part for array in arrays for part in _values_by_type(array)]
    families = {FAMILIES.get(part.dtype.kind, "numbers"): part.flat[0] for part in parts}
    if len(families) > 1:
        (one, first), (other, second) = sorted(families.items(), reverse=True)[:2]
        raise ValueError(
            f"Labels and predictions mix {one} ({first!s:.40}) with {other} ({second!s:.40}), so"
            f" every comparison would count as an error. Give both the same labels; {FROM_CODES}."
        )
    common = np.result_type(*(part.dtype for part in parts))
    # From here on a float also stands for the integer next to it.
    limits = [2 ** (np.finfo(part.dtype).nmant + 1) for part in parts if part.dtype.kind == "f"]
    if not limits and common.kind == "f":  # numpy's common type of int64 and uint64
        common, limits = np.dtype(np.int64), [2**63]
    for part in parts if limits else ():
        largest = max(abs(part.min().item()), abs(part.max().item()))
        if largest >= min(limits):
            raise ValueError(
                f"Labels reach {largest}; from {min(limits)} on, different integers become the same"
                " number in the types of labels and predictions. Give both as integers of one type,"
                " or as text."
            )
    # Of integers, scikit-learn makes floats if they were nullable.
    some_are_integers = limits and any(part.dtype.kind in "iu" for part in parts)
    if some_are_integers and all((part % 1 == 0).all() for part in parts):
        common = np.dtype(np.int64)
    return [array.astype(common) for array in arrays]


def _values_by_type(array: NDArray[Any]) -> list[NDArray[Any]]:
    """Return the values by their type; an array of objects may hold several."""
    if array.dtype != object:
        return [array] * bool(array.size)
    values: dict[type, list[Any]] = {}
    for value in array.flat:
        values.setdefault(type(value), []).append(value)
    for text in (text for kind in values if issubclass(kind, str) for text in values[kind]):
        if text.endswith("\0"):  # numpy would drop it
            raise ValueError(f"The label {text!r:.40} ends in a null character. Remove it.")
    return [np.array(part) for part in values.values()]


def check_same_words(predictions: Collection[str], labels: Collection[str], n_samples: int) -> None:
    """Raise ValueError if no prediction is a label, as when codes take the place of names."""
    common = set(predictions).intersection(labels)
    if n_samples >= FEWEST_SAMPLES and len(predictions) > 1 and not common:
        raise ValueError(
            f"No prediction is a label: the labels are {shown(sorted(labels))}, the predictions"
            f" {shown(sorted(predictions))}. Give both the same labels; {FROM_CODES}."
        )


def check_not_missing(
    labels: NDArray[Any], what: str, way_out: str, needed: NDArray[np.bool_] | bool = True
) -> None:
    """Raise ValueError if labels are missing where they are needed."""
    missing = is_missing(labels) & needed
    if missing.any():
        first = ", ".join(map(str, np.argwhere(missing)[0]))
        raise ValueError(
            f"{missing.sum()} of {missing.size} {what} are missing, the first at {first}. {way_out}"
        )
