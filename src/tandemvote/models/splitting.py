"""Test samples and training samples, drawn whatever the order of the rows."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray

from tandemvote.metrics.planning import tested_of_all
from tandemvote.votes.codes import as_array, check_not_missing
from tandemvote.votes.draws import LARGEST_SEED, Rows, keyed_order, shuffled
from tandemvote.votes.index_order import check_same_order
from tandemvote.votes.parameter_error import ParameterError

FEWEST_GROUPS = 10
"""With fewer groups, even a test set without errors bounds the error rate by 1/4 or more."""


class Split(NamedTuple):
    """Rows that test the models, rows that may train them, and the time of the first test row."""

    test: Rows
    training: Rows
    latest: str | None = None


def split_rows(
    contents: Sequence[Any],
    y: Any,
    groups: ArrayLike | None,
    order: ArrayLike | None,
    test_size: float | int | str,
    *,
    random_state: RandomState,
) -> Split:
    """Set test rows aside: the latest ones if their `order` is given, or random ones.

    Examples
    --------
    >>> y = np.arange(100) % 2
    >>> split = split_rows([y], y, None, np.arange(100), "auto", random_state=RandomState(0))
    >>> split.test.size, split.latest
    (20, '80')
    """
    codes = None if groups is None else group_codes(groups, y)
    how = [*contents, groups], codes, test_size, random_state
    if order is None:
        return Split(*draw_test_rows(*how))
    times, values = time_ranks(order, y)
    test, training, cut = latest_test_rows(times, *how)
    is_date = values.dtype.kind == "M"
    latest = str(np.datetime_as_string(values[cut], "auto") if is_date else values[cut])
    return Split(test, training, latest)


def draw_test_rows(
    contents: Sequence[Any],
    groups: NDArray[np.intp] | None,
    test_size: float | int | str,
    random_state: RandomState,
) -> tuple[Rows, Rows]:
    """Draw the rows that test the models, and the rows that may train them.

    The draw depends on the contents of the rows, such as labels and digests, and not on their
    order. With `groups` (see `group_codes`), whole groups are set aside, and one random row of each
    of them is a test row.

    Examples
    --------
    >>> test, training = draw_test_rows([np.arange(100)], None, "auto", RandomState(0))
    >>> test.size, training.size
    (20, 80)
    >>> groups = np.arange(100) // 5
    >>> test, training = draw_test_rows([np.arange(100)], groups, "auto", RandomState(0))
    >>> test.size, training.size
    (4, 80)
    """
    n_units = np.shape(contents[0])[0] if groups is None else int(groups.max()) + 1
    n_test = _n_test_units(n_units, "samples" if groups is None else "groups", test_size)
    order, generator = keyed_order([*contents, groups], random_state.randint(LARGEST_SEED))
    order = order[generator.permutation(order.size)]
    if groups is None:
        return np.sort(order[:n_test]), np.sort(order[n_test:])
    is_test = np.zeros(n_units, bool)
    is_test[generator.permutation(n_units)[:n_test]] = True
    drawn = _first_of_each(groups, order)
    return drawn[is_test[groups[drawn]]], np.flatnonzero(~is_test[groups])


def latest_test_rows(
    times: NDArray[np.intp],
    contents: Sequence[Any],
    groups: NDArray[np.intp] | None,
    test_size: float | int | str,
    random_state: RandomState,
) -> tuple[Rows, Rows, int]:
    """Return the latest rows, which test the models, the rows before, and the time of the cut.

    `times` are those of `time_ranks`. Equal times are not split, so fewer rows may be tested. A
    group is as late as its first row. One random row of each of the latest groups is tested, and
    later rows of earlier groups neither test nor train the tested models.

    Examples
    --------
    >>> times = np.repeat(np.arange(30), 4)
    >>> test, training, cut = latest_test_rows(times, [times], None, 0.2, RandomState(0))
    >>> test.tolist() == list(range(96, 120)), training.size, cut
    (True, 96, 24)
    """
    unit, starts = "samples", times
    if groups is not None:
        unit, starts = "groups", np.full(int(groups.max()) + 1, times.max())
        np.minimum.at(starts, groups, times)
    n_test = _n_test_units(starts.size, unit, test_size)
    late = np.sort(starts)[-n_test - 1 :]
    cuts = late[1:][np.diff(late) > 0]
    if not cuts.size:
        raise ParameterError(
            f"order has its latest value in {(starts == late[-1]).sum()} {unit}, and"
            f" test_size={test_size!r} tests {n_test}. Equal times must not be split. Pass finer"
            " times, or a larger share.",
            test_size=test_size,
        )
    cut, before = int(cuts[0]), times < cuts[0]
    if groups is None:
        return np.flatnonzero(~before), np.flatnonzero(before), cut
    drawn = one_row_per_group(groups, [*contents, times], random_state.randint(LARGEST_SEED))
    return drawn[starts[groups[drawn]] >= cut], np.flatnonzero(before), cut


def _n_test_units(n_units: int, unit: str, test_size: float | int | str) -> int:
    """Return the number of samples or groups that are tested."""
    if isinstance(test_size, str):
        n_test = tested_of_all(n_units)
    else:
        n_test = int(test_size if test_size >= 1 else math.ceil(n_units * test_size))
    if not 1 <= n_test <= n_units - 2:
        raise ParameterError(
            f"test_size={test_size!r} takes {n_test} of n_{unit}={n_units} {unit} for testing. At"
            " least 1 is required, and 2 for training. Pass more samples, or another size.",
            test_size=test_size,
        )
    return n_test


def one_row_per_group(groups: NDArray[np.intp], contents: Sequence[Any], seed: int = 0) -> Rows:
    """Draw one row of each group, all rows of a group with the same probability.

    The draw depends on the groups and the contents of the rows, and not on their order.

    Examples
    --------
    >>> one_row_per_group(np.array([0, 1, 0, 0]), [["a", "b", "b", "c"]]).size
    2
    """
    return _first_of_each(groups, shuffled([*contents, groups], seed))


def _first_of_each(groups: NDArray[np.intp], order: Rows) -> Rows:
    """Return the row of each group that comes first in an order."""
    _, first = np.unique(groups[order], return_index=True)
    return np.sort(order[first])


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
