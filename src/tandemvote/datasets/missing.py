"""Texts that stand for an entry that is not there."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

MISSING_TEXTS = (
    *("", "NA", "N/A", "n/a", "<NA>", "#NA", "#N/A", "#N/A N/A", "NULL", "null", "None"),
    *("NaN", "nan", "-NaN", "-nan", "NaT", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
)
"""What R, pandas, databases and spreadsheets write; UCI's ``?`` may be a category elsewhere."""


def missing_labels(labels: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell which labels are missing: NaN, or the text that NaN and None become in an array of text.

    Parameters
    ----------
    labels : ndarray of shape (n_samples,)

    Returns
    -------
    ndarray of shape (n_samples,)

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
