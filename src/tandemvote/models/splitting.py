"""Test samples and training samples, drawn whatever the order of the rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray

from tandemvote.metrics.planning import auto_test_size
from tandemvote.models.groups_and_times import group_codes, time_ranks
from tandemvote.votes.draws import LARGEST_SEED, Rows, keyed_order, shuffled
from tandemvote.votes.parameter_error import ParameterError


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
        n_test = auto_test_size(n_units)
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
