"""Groups and times of samples, as they are passed next to the labels: checked, as integers."""

from __future__ import annotations

import warnings
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandemvote.votes.codes import as_array, check_not_missing
from tandemvote.votes.index_order import check_same_order

FEWEST_GROUPS = 10
"""With fewer groups, even a test set without errors bounds the error rate by 1/4 or more."""


def time_ranks(order: ArrayLike, y: Any) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """Check `order` against the labels; return it as integers from 0, and its distinct values.

    Examples
    --------
    >>> ranks, values = time_ranks(["2024-03-01", "2023-12-31", "2024-03-01"], [0, 1, 0])
    >>> ranks.tolist(), values
    ([1, 0, 1], array(['2023-12-31', '2024-03-01'], dtype='datetime64[D]'))
    """
    fill = "Fill them in, or exclude these samples."
    values = _one_per_sample({"order": order}, y, "time, date or number", fill)
    texts = [value for value in values.tolist() if isinstance(value, str)]
    try:
        if values.dtype.kind in "bcSV" or 0 < len(texts) < values.size:
            raise TypeError
        if texts:
            values = _parsed_times(np.array(texts))
            check_not_missing(values, "values of order", fill)
        distinct, ranks = np.unique(values, return_inverse=True)
    except TypeError:
        first = (texts or values.tolist())[0]
        raise ValueError(
            f"order has values such as {first!r:.40}, which do not sort by time. Pass numbers, ISO"
            " dates such as 2024-03-31, or dates from pandas.to_datetime."
        ) from None
    return np.asarray(ranks), distinct


def _parsed_times(texts: NDArray[np.str_]) -> NDArray[Any]:
    """Return numbers or ISO dates that are written as text, or raise TypeError."""
    with suppress(ValueError):
        return texts.astype(float)
    with suppress(ValueError, Warning), warnings.catch_warnings():
        warnings.simplefilter("error")  # numpy warns of time zones
        if np.char.isdecimal(texts.astype("<U4")).all():  # numpy takes "today" for a date as well
            return np.char.strip(texts).astype("datetime64")
    raise TypeError


def group_codes(groups: ArrayLike, y: Any) -> NDArray[np.intp]:
    """Check `groups` against the labels and return them as integers from 0.

    Examples
    --------
    >>> group_codes(list("abcdefghija"), [0] * 11).tolist()
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0]
    """
    fill = "Give each sample without a group a group of its own."
    values = _one_per_sample({"groups": groups}, y, "group", fill)
    distinct, codes = np.unique(values.astype(str), return_inverse=True)
    known: dict[str, str] = {}
    for name in distinct.tolist():
        other = known.setdefault(name.strip().casefold(), name)
        if other != name:
            raise ValueError(
                f"groups has the values {other!r} and {name!r}, which differ only by case or by"
                " spaces around them. Write each group in one way."
            )
    if distinct.size < FEWEST_GROUPS:
        raise ValueError(
            f"groups has {distinct.size} distinct values; at least {FEWEST_GROUPS} are required,"
            " because the groups are the sample. Hundreds of groups give a useful bound."
        )
    return np.asarray(codes)


def _one_per_sample(given: dict[str, Any], y: Any, kind: str, fill: str) -> NDArray[Any]:
    """Return an argument, by its name, as an array that is checked against the labels."""
    check_same_order(y, given)
    ((name, argument),) = given.items()
    values, n_samples = as_array(argument), np.shape(y)[0]
    if values.shape != (n_samples,):
        raise ValueError(
            f"{name} has shape {values.shape} and y has {n_samples} samples. One {kind} per sample"
            " is required, in the order of y, not the name of a column."
        )
    check_not_missing(values, f"values of {name}", fill)
    return values
