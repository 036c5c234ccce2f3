"""The audit: every check of the data, once."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import ArrayLike

from tandemvote.auditing.cells import Column, n_rows_of, read_columns, sample_rows, series_values
from tandemvote.auditing.columns import column_findings
from tandemvote.auditing.finding import Findings
from tandemvote.auditing.labels import group_findings, leak_findings, target_findings
from tandemvote.auditing.order import index_findings, neighbor_findings, order_findings
from tandemvote.auditing.rows import copy_findings, row_digests, shared_findings
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
        Group of each sample, where samples of one group belong together. Copies within groups and
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
    found = column_findings(columns)
    # A copy with a new number or time is still a copy.
    new_in_copies = {
        *(name for each in found if each.code == "identifier" for name in each.columns),
        *(column.name for column in columns if not column.is_number and column.times is not None),
    }
    label, sample = None, sample_rows(n_rows_of(columns, array))
    if y is not None:
        about_target, label = target_findings(y)
        found += about_target
    if label is not None and label.size != n_rows_of(columns, array):
        label = None
    about_copies, is_first = copy_findings(columns, array, label, skipped=new_in_copies)
    index = _index_column(index_of(X))
    found += index_findings(X, y=y, groups=groups) + order_findings([*columns, *index])
    if groups is None:
        found += about_copies
    if label is not None:
        found += leak_findings(columns, y, label, sample)
    if label is not None and groups is None:
        found += group_findings(columns, columns, label, is_first, sample)
        found += group_findings(index, columns, label, np.ones(label.size, bool), sample)
        found += neighbor_findings(label)
    if X_unlabeled is not None:
        found += shared_findings(row_digests(X), X_unlabeled)
        found += copy_findings(*read_columns(X_unlabeled), what="unlabeled rows")[0]
    return Findings(found)


def _index_column(index: Any) -> list[Column]:
    """Return an index of pandas as a column if it holds times or repeated values."""
    if index is None:
        return []
    values = series_values(nw.from_native(index.to_series(), series_only=True))
    column = Column("index", values, sample_rows(len(values)))
    holds_times = not column.is_number and column.times is not None
    return [column] if holds_times or not index.is_unique else []
