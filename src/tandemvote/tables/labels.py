"""The label column: which labels are missing, and labels as classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tandemvote.extras import import_extra
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
FEWEST_ROWS_OF_NUMBER, FEWEST_ROWS_OF_TEXT = 15, 2
"""Above so few, classes that are numbers or text need so many rows each, on average."""


def missing_labels(labels: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell which labels are missing: NaN, or the text that NaN and None become in an array of text.

    Examples
    --------
    >>> import numpy as np
    >>> missing_labels(np.array(["yes", np.nan, None, " "], dtype=str)).tolist()
    [False, True, True, True]
    """
    if labels.dtype.kind == "f":
        return np.asarray(np.isnan(labels))
    if labels.dtype.kind == "U":
        return np.asarray(np.isin(np.char.strip(labels), MISSING_TEXTS))
    return np.zeros(len(labels), dtype=bool)


def label_array(column: pandas.Series) -> NDArray[Any]:
    """Return a label column without gaps as an array of integers, floats, booleans or objects.

    Examples
    --------
    >>> import pandas
    >>> label_array(pandas.Series([2, 3], dtype="Int64"))
    array([2, 3])
    """
    pandas = import_extra("pandas", "data")
    kind = pandas.api.types.infer_dtype(column, skipna=True)
    if kind == "integer":
        try:  # from objects, as that checks the range where other conversions would wrap around
            return np.array(column.to_numpy(dtype=object), dtype=np.int64)
        except OverflowError as error:
            raise _beyond_int64(column.abs().max(), str(column.name)) from error
    dtypes = {"boolean": np.bool_} | dict.fromkeys(
        ("floating", "mixed-integer-float", "decimal"), np.float64
    )
    return np.asarray(column.to_numpy(dtype=dtypes.get(kind, object)))


def classes_of(
    labels: NDArray[Any], *, column: str, like: NDArray[Any] | None = None
) -> NDArray[Any]:
    """Turn labels without gaps into classes: whole numbers, booleans, or else text.

    Labels that look like measurements or names, numbers beyond int64 and fewer than two classes are
    refused; so are labels of another kind than those of `like`, which need not be as many.

    Examples
    --------
    >>> import numpy as np
    >>> classes_of(np.array([1.0, 2.0, 1.0]), column="kind")
    array([1, 2, 1])
    """
    as_classes = (
        "Cut it into a few classes, choose another column, or use a tool for regression; to take"
        f" every value for a class, name the column by {either('categories', '--category')}."
    )
    if labels.dtype.kind in "iuf":
        outside = labels[~(np.abs(labels.astype(np.float64)) < 2.0**63)]
        if outside.size:
            raise _beyond_int64(outside[0], column)
        fractions = labels[labels != np.rint(labels)]
        if fractions.size:
            raise DatasetError(
                f"The label column {column!r} holds fractions such as {fractions[0]}; a vote needs "
                f"classes. {as_classes}"
            )
        classes: NDArray[Any] = labels.astype(np.int64)
    elif labels.dtype.kind == "b":
        classes = labels
    else:
        classes = np.array([str(label) for label in labels])
    if like is not None:
        if like.dtype.kind != classes.dtype.kind:
            raise DatasetError(
                f"The label column {column!r} holds {classes[0]!s:.40}, unlike the first table's"
                f" {like[0]!s:.40}. Write the labels in the same way in both."
            )
        return classes
    distinct = np.unique(classes)
    if len(distinct) < 2:
        raise DatasetError(
            f"The label column {column!r} holds one class only ({distinct[0]}); at least two are "
            "needed. Choose another column, or add rows of another class."
        )
    n_rows, many = len(classes), len(distinct) > FEW_CLASSES
    if many and classes.dtype.kind == "i" and n_rows < FEWEST_ROWS_OF_NUMBER * len(distinct):
        raise DatasetError(
            f"The label column {column!r} looks like a measurement: {len(distinct)} different"
            f" numbers in {n_rows} rows. A vote needs classes. {as_classes}"
        )
    if many and n_rows < FEWEST_ROWS_OF_TEXT * len(distinct):
        raise DatasetError(
            f"The label column {column!r} looks like a name: {len(distinct)} different texts in"
            f" {n_rows} rows. A vote needs classes of many rows each. Choose another column."
        )
    return classes


def _beyond_int64(label: object, column: str) -> DatasetError:
    return DatasetError(
        f"The label column {column!r} holds {label}; the limit is 2^63. Write such labels as text,"
        " or leave out their rows."
    )
