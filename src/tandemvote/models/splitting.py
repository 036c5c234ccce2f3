"""Test samples and training samples, drawn whatever the order of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray

from tandemvote.codes import as_array, check_not_missing
from tandemvote.draws import LARGEST_SEED, Rows, keyed_order, shuffled
from tandemvote.index_order import check_same_order

FEWEST_GROUPS = 10
"""With fewer groups, even a test set without errors bounds the error rate by 1/4 or more."""


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
    unit = "samples" if groups is None else "groups"
    n_units = np.shape(contents[0])[0] if groups is None else int(groups.max()) + 1
    if isinstance(test_size, str):
        n_test = max(int(n_units * min(0.2, 4.0 / np.cbrt(n_units))), 1)
    else:
        n_test = int(test_size if test_size >= 1 else n_units * test_size)
    if not 1 <= n_test <= n_units - 2:
        raise ValueError(
            f"test_size={test_size!r} takes {n_test} of n_{unit}={n_units} {unit} for testing. At"
            " least 1 is required, and 2 for training. Pass more samples or another test_size."
        )
    order, generator = keyed_order([*contents, groups], random_state.randint(LARGEST_SEED))
    order = order[generator.permutation(order.size)]
    if groups is None:
        return np.sort(order[:n_test]), np.sort(order[n_test:])
    is_test = np.zeros(n_units, bool)
    is_test[generator.permutation(n_units)[:n_test]] = True
    drawn = _first_of_each(groups, order)
    return drawn[is_test[groups[drawn]]], np.flatnonzero(~is_test[groups])


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


def group_codes(groups: ArrayLike, y: Any) -> NDArray[np.intp]:
    """Check `groups` against the labels and return them as integers from 0.

    Examples
    --------
    >>> group_codes(list("abcdefghija"), [0] * 11).tolist()
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0]
    """
    check_same_order(y, {"groups": groups})
    values, n_samples = as_array(groups), np.shape(y)[0]
    if values.shape != (n_samples,):
        raise ValueError(
            f"groups has shape {values.shape} and y has {n_samples} samples. One group per sample"
            " is required, in the order of y."
        )
    check_not_missing(values, "groups", "Give each sample without a group a group of its own.")
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
