"""The audit: every check of the data, once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandemvote.auditing.cells import Column, factorize, n_rows_of, read_columns, sample_rows
from tandemvote.auditing.columns import column_findings
from tandemvote.auditing.finding import Finding, Findings
from tandemvote.auditing.labels import group_findings, leak_findings, target_findings
from tandemvote.auditing.order import index_findings, neighbor_findings, order_findings
from tandemvote.auditing.rows import copy_findings, shared_findings
from tandemvote.codes import as_array
from tandemvote.frames import index_of


def audit(
    X: Any,
    y: ArrayLike | None = None,
    *,
    groups: ArrayLike | None = None,
    X_unlabeled: Any = None,
) -> Findings:
    """Report what is suspicious about data, before a bound is computed from it.

    `certify`, `certify_oob`, `certify_selective`, `compare` and both classifiers run this audit.
    They raise its errors unless ``allow=`` names their codes.

    Parameters
    ----------
    X : array_like, DataFrame, sparse matrix or sequence of texts of shape (n_samples, ...)
        Samples. DataFrames of pandas, polars and pyarrow get the same findings.
    y : array_like of shape (n_samples,), default=None
        Class labels.
    groups : array_like of shape (n_samples,), default=None
        Group of each sample, where samples of one group belong together. Copies within a group and
        rows that belong together are then not reported.
    X_unlabeled : like X, default=None
        Unlabeled samples, which must not be among X.

    Returns
    -------
    Findings
        A tuple of `Finding`, errors first. Each test reports independent data with a probability
        of at most about 1e-6 per column.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> patient = np.repeat(np.arange(100), 5)
    >>> weight, sick = rng.normal(size=100)[patient], rng.integers(2, size=100)[patient]
    >>> weight += 0.1 * rng.normal(size=500)
    >>> findings = audit(np.column_stack([rng.permutation(100)[patient], weight]), sick)
    >>> findings.codes
    ('grouped_rows', 'row_order')
    """
    columns, array = read_columns(X)
    index = _index_columns(index_of(X))
    n_rows = n_rows_of(columns, array)
    for name, values in (("y", y), ("groups", groups)):
        if values is not None and (shape := as_array(values).shape)[:1] != (n_rows,):
            raise ValueError(
                f"{name} has shape {shape} and X has {n_rows} samples. Pass one value per sample,"
                " in the same order."
            )
    found = column_findings(columns)
    # A copy with a new number or time is still a copy.
    skipped = {
        *(name for each in found if each.code == "identifier" for name in each.columns),
        *(column.name for column in columns if not column.is_number and column.times is not None),
    }
    about_target, label = ([], None) if y is None else target_findings(y)
    group = None if groups is None else factorize(as_array(groups))[1]
    copies, is_first = copy_findings(columns, array, label, group, skipped=skipped)
    found += about_target + copies
    found += index_findings(X, y=y, groups=groups) + order_findings([*columns, *index])
    if label is not None:
        check = partial(leak_findings, name_of_y=getattr(y, "name", None))
        found += _confirmed(check, columns, label)
        if groups is None:
            found += _confirmed(group_findings, columns, label, is_first)
            found += group_findings(index, columns, label, np.ones(n_rows, bool))
            found += neighbor_findings(label)
    if X_unlabeled is not None:
        unlabeled = read_columns(X_unlabeled)
        found += shared_findings(columns, array, unlabeled, skipped=skipped)
        found += copy_findings(*unlabeled, what="unlabeled rows")[0]
    return Findings(found)


def _confirmed(
    check: Callable[..., list[Finding]], columns: Sequence[Column], *of_rows: NDArray[Any]
) -> list[Finding]:
    """Check columns on a sample of the rows, and those that are suspicious there on all rows."""
    rows = sample_rows(of_rows[0].size)
    if rows is None:
        return check(columns, columns, *of_rows)
    samples = [column.sample for column in columns]
    found = check(samples, samples, *(each[rows] for each in of_rows))
    names = {name for each in found for name in each.columns}
    return check([each for each in columns if each.name in names], columns, *of_rows)


def _index_columns(index: Any) -> list[Column]:
    """Return the levels of an index of pandas that hold times or repeated values."""
    if index is None:
        return []
    names = ["index", *(f"index level {place}" for place in range(1, index.nlevels))]
    levels, _ = read_columns(index.to_frame(index=False).set_axis(names, axis=1))
    return [
        level
        for level in levels
        if level.distinct.size < level.values.size
        or (not level.is_number and level.times is not None)
    ]
