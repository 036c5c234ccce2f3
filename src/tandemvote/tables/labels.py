"""The label column: which labels are missing, and labels as classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tandemvote.tables.encoder import inferred
from tandemvote.tables.errors import DatasetError, either

if TYPE_CHECKING:
    import pandas

MISSING_TEXTS = (
    *("", "NA", "N/A", "n/a", "<NA>", "#NA", "#N/A", "#N/A N/A", "NULL", "null", "None"),
    *("NaN", "nan", "-NaN", "-nan", "NaT", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
)
"""What R, pandas, databases and spreadsheets write for a missing entry. UCI's ``?`` is not among
them, as it may be a category elsewhere."""

FEW_CLASSES = 30
FEWEST_ROWS = {"numbers": 15, "texts": 2}
"""More than a few classes need so many rows each, on average, or they are none."""


def missing_labels(labels: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell which labels are missing: NaN, or what it and None become in an array of text."""
    if labels.dtype.kind == "f":
        return np.asarray(np.isnan(labels))
    if labels.dtype.kind == "U":
        return np.asarray(np.isin(np.char.strip(labels), MISSING_TEXTS))
    return np.zeros(len(labels), dtype=bool)


def label_array(column: pandas.Series) -> NDArray[Any]:
    """Return a label column without gaps as an array of integers, floats, booleans or objects."""
    kind = inferred(column)
    if kind in ("floating", "mixed-integer-float", "decimal"):
        return np.asarray(column.to_numpy(dtype=np.float64))
    labels = np.asarray(column.to_numpy(dtype=object))
    if kind != "integer":
        return labels.astype(bool) if kind == "boolean" else labels
    try:  # from objects, as that checks the range where other conversions would wrap around
        return np.array(labels, dtype=np.int64)
    except OverflowError as error:
        raise _beyond_int64(column.abs().max(), str(column.name)) from error


def classes_of(
    labels: NDArray[Any], *, column: str, like: NDArray[Any] | None = None
) -> NDArray[Any]:
    """Turn labels without gaps into classes: whole numbers, booleans, or else text.

    Labels that look like measurements or names, numbers beyond int64 and fewer than two classes are
    refused; so are labels of another kind than those of `like`, which need not be as many.
    """
    said, classes, noun = f"The label column {column!r}", labels, "texts"
    way_out = (
        "A vote needs classes. Cut it into a few, choose another column, or use a tool for"
        " regression; to take every value for a class, name the column by"
        f" {either('categories', '--category')}."
    )
    if labels.dtype.kind in "iuf":
        outside = labels[~(np.abs(labels.astype(np.float64)) < 2.0**63)]
        if outside.size:
            raise _beyond_int64(outside[0], column)
        fractions = labels[labels != np.rint(labels)]
        if fractions.size:
            raise DatasetError(f"{said} holds fractions such as {fractions[0]}. {way_out}")
        classes, noun = labels.astype(np.int64), "numbers"
    elif labels.dtype.kind != "b":
        classes = np.array([str(label) for label in labels])
    distinct = np.unique(classes)
    if like is not None:
        if like.dtype.kind != classes.dtype.kind:
            raise DatasetError(
                f"{said} holds {classes[0]!s:.40}, unlike the first table's {like[0]!s:.40}. Write"
                " the labels in the same way in both."
            )
    elif len(distinct) < 2:
        raise DatasetError(
            f"{said} holds one class only ({distinct[0]}); at least two are needed. Choose another"
            " column, or add rows of another class."
        )
    elif len(distinct) > FEW_CLASSES and len(classes) < FEWEST_ROWS[noun] * len(distinct):
        look = "measurement"
        if noun == "texts":
            look, way_out = "name", "A class needs many rows. Choose another column."
        raise DatasetError(
            f"{said} looks like a {look}: {len(distinct)} different {noun} in {len(classes)} rows."
            f" {way_out}"
        )
    return classes


def _beyond_int64(label: object, column: str) -> DatasetError:
    return DatasetError(
        f"The label column {column!r} holds {label}; the limit is 2^63. Write such labels as text,"
        " or leave out their rows."
    )
