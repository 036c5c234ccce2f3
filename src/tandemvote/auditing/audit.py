"""The audit: every check of the data, once."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tandemvote.auditing.cells import Column, factorize, read_contents
from tandemvote.auditing.columns import GROUPED_NAMES, IDENTIFIER, column_clues, order_clues
from tandemvote.auditing.finding import Findings, about_columns, about_data
from tandemvote.auditing.labels import (
    group_clues,
    leak_clues,
    neighbor_findings,
    repeated_names,
    target_findings,
)
from tandemvote.auditing.rows import copy_findings, unlabeled_findings
from tandemvote.votes.codes import as_array
from tandemvote.votes.draws import Rows
from tandemvote.votes.index_order import index_of, is_reordered

ABOUT_ROWS = (("grouped_rows", "error"), ("grouped_names", "error"), ("time_order", "warning"))
"""Codes and severities of findings that stay true if the column that shows them is dropped."""


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

    Pass training rows only. Some checks use the labels, and whoever drops a column because of test
    labels has chosen on the test set. `CertifiedClassifier` shows them no row of its test set.

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
    return audit_columns(X, y, groups=groups, X_unlabeled=X_unlabeled)


def audit_columns(
    X: Any,
    y: ArrayLike | None = None,
    *,
    groups: ArrayLike | None = None,
    X_unlabeled: Any = None,
    training: Rows | None = None,
    dropped: Collection[str] = (),
) -> Findings:
    """Return the findings of `audit`; what columns reveal about labels, in training rows only.

    A column that is dropped still shows rows that belong together, or are in the order of time. A
    warning about groups was a question, which whoever drops the column has answered.
    """
    columns, array = read_contents(X)
    table = [each for each in columns if each.name not in dropped], array
    index = _index_columns(index_of(X))
    reordered = []
    for name, values in (("y", y), ("groups", groups)):
        if values is not None and (given := as_array(values)).size != array.shape[0]:
            raise ValueError(
                f"{name} has shape {given.shape} and X has {array.shape[0]} samples. Pass one value"
                " per sample, in the same order, not the name of a column."
            )
        reordered += [name] * is_reordered(X, values)
    clues = [*column_clues(columns), *order_clues([*columns, *index])]
    # A copy with a new number or time is still a copy.
    skipped = {name for kind, name, *_ in clues if kind in (IDENTIFIER, GROUPED_NAMES)}
    skipped |= {each.name for each in columns if not each.is_number and each.times is not None}
    findings, label = ([], None) if y is None else target_findings(y)
    group = None if groups is None else factorize(as_array(groups).ravel())[1]
    copies, is_first = copy_findings(table, label, group, skipped=skipped)
    findings += copies
    if reordered:
        message = f"{' and '.join(reordered)} and X have the same index in another order."
        findings.append(about_data("index_order", "error", message))
    if label is not None:
        names = [*repeated_names([each for each in columns if each.name not in skipped])]
        if training is not None:
            columns, index = ([each.at(training) for each in some] for some in (columns, index))
            label, is_first = label[training], is_first[training] if groups is None else is_first
        clues += leak_clues(columns, label, name_of_y=getattr(y, "name", None))
        if groups is None:
            suspects = [each for each in columns if each.may_be_names]
            clues += group_clues(suspects, columns, label, is_first)
            grouped = {name for (code, *_), name, *_ in clues if code == "grouped_rows"}
            clues += [each for each in names if each[1] not in grouped]
            clues += group_clues(index, columns, label, np.ones(label.size, bool))
            findings += neighbor_findings(label)
    if X_unlabeled is not None:
        findings += unlabeled_findings(table, read_contents(X_unlabeled), skipped=skipped)
    clues = [each for each in clues if each[1] not in dropped or each[0][:2] in ABOUT_ROWS]
    return Findings([*about_columns(clues), *findings])


def _index_columns(index: Any) -> list[Column]:
    """Return the levels of an index of pandas, but for those that number the rows."""
    if index is None:
        return []
    names = ["index", *(f"index level {place}" for place in range(1, index.nlevels))]
    levels, _ = read_contents(index.to_frame(index=False).set_axis(names, axis=1))
    return [each for each in levels if not each.is_number or each.distinct.size < len(index)]
