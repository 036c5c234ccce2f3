"""Test samples and training samples, drawn without looking at features or labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from tandemvote.codes import as_array, check_not_missing
from tandemvote.index_order import check_same_order

Rows = NDArray[np.intp]

GROUP_SEED = 0
"""Seed of the draw from groups of held-out samples: fixed, so that nobody can choose the draw."""

FEWEST_GROUPS = 10
"""With fewer groups, even a test set without errors bounds the error rate by 1/4 or more."""


def draw_test_rows(
    n_samples: int,
    groups: NDArray[np.intp] | None,
    test_size: float | int | str,
    random_state: RandomState,
) -> tuple[Rows, Rows]:
    """Draw the rows that test the models, and the rows that may train them.

    With `groups` (see `group_codes`), whole groups are set aside, and one random row of each of
    them is a test row.

    Examples
    --------
    >>> test, training = draw_test_rows(100, None, "auto", RandomState(0))
    >>> test.size, training.size
    (20, 80)
    >>> test, training = draw_test_rows(100, np.arange(100) // 5, "auto", RandomState(0))
    >>> test.size, training.size
    (4, 80)
    """
    unit = "samples" if groups is None else "groups"
    n_units = n_samples if groups is None else int(groups.max()) + 1
    if isinstance(test_size, str):
        n_test = max(int(n_units * min(0.2, 4.0 / np.cbrt(n_units))), 1)
    else:
        n_test = int(test_size if test_size >= 1 else n_units * test_size)
    if not 1 <= n_test <= n_units - 2:
        raise ValueError(
            f"test_size={test_size!r} takes {n_test} of n_{unit}={n_units} {unit} for testing. At"
            " least 1 is required, and 2 for training. Pass more samples or another test_size."
        )
    order = random_state.permutation(n_units)
    if groups is None:
        return np.sort(order[:n_test]), np.sort(order[n_test:])
    drawn, is_training = one_row_per_group(groups, random_state), np.isin(groups, order[n_test:])
    return drawn[~is_training[drawn]], np.flatnonzero(is_training)


def one_row_per_group(
    groups: NDArray[np.intp], random_state: RandomState | int = GROUP_SEED
) -> Rows:
    """Draw one row of each group, all rows of a group with the same probability.

    Examples
    --------
    >>> one_row_per_group(np.array([0, 1, 0, 0])).size
    2
    """
    order = check_random_state(random_state).permutation(groups.size)
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
    if distinct.size < FEWEST_GROUPS:
        raise ValueError(
            f"groups has {distinct.size} distinct values; at least {FEWEST_GROUPS} are required,"
            " because the groups are the sample. Hundreds of groups give a useful bound."
        )
    return np.asarray(codes)
