"""The index of pandas objects: values are matched by position, so their order must agree."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.special import bdtrc

CASES = re.compile(
    r"(?i:(.*[ _.-])?(uu|gu|u)?id"
    r"|(patient|subject|participant|person|user|customer|client|speaker|animal|case)s?"
    r"([ _.-]?(names?|no|nr|num|number|code))?)|.*[a-z]I[Dd]"
)
"""What columns are called that say whose row it is."""

FEWEST_CASES, NEARLY_ALL, FALSE_ALARM = 20, 0.9, 1e-6
"""Cases with several rows, the share of them with one label, and the chance of so many or more."""


def index_of(samples: Any) -> Any:
    """Return the index of a DataFrame or Series of pandas, or one as it is; None for others."""
    if hasattr(samples, "iloc"):
        return samples.index
    return samples if hasattr(samples, "isin") and hasattr(samples, "is_unique") else None


def is_reordered(samples: Any, values: Any) -> bool:
    """Return True for a Series of pandas with the index of the samples in another order."""
    index = index_of(samples)
    if index is None or not hasattr(values, "iloc") or values.ndim != 1:
        return False
    own = values.index
    same = len(own) == len(index) and own.isin(index).all() and index.isin(own).all()
    return bool(same and not own.equals(index))


def check_same_order(samples: Any, columns: Mapping[str, Any]) -> None:
    """Raise ValueError for columns with the index of the samples in another order.

    A column is one value per sample, or a list of such columns.
    """
    for name, values in columns.items():
        several = values if isinstance(values, list | tuple) else [values]
        if any(is_reordered(samples, each) for each in several):
            raise ValueError(
                f"{name} has the index of the samples in another order, but values are"
                " matched by position. Reorder it with .loc[X.index]. If its order is right, pass"
                " .to_numpy()."
            )


def check_one_row_per_case(
    X: Any,
    y: Any,
    way_out: str = "rename the column or reset the index",
    *,
    remedy: str = "Keep one row of each, for example by groupby(...).sample(1)",
) -> None:
    """Reject a frame whose index or a column names cases, patients say, whose rows share a label.

    Voters then know the cases that they are tested on. What is met again when the vote is used, a
    shop say, may be in many rows too, but seldom with the same label in all of them.
    """
    told = {"The index": X.index} if hasattr(X, "iloc") and not X.index.is_unique else {}
    for name in getattr(X, "columns", ()):
        if CASES.fullmatch(str(name)):
            told[f"The column {name!r}"] = X[name]
    if not told:
        return
    labels, label = np.unique(np.ravel(y).astype(str), return_inverse=True)
    for where, values in told.items():
        names = np.asarray(values).astype(str)
        if names.shape != label.shape:
            continue
        _, case, n_rows = np.unique(names, return_inverse=True, return_counts=True)
        n_labels = np.bincount(np.unique(case * labels.size + label) // labels.size)
        several = n_rows > 1
        n_cases, alike = int(several.sum()), int((n_labels[several] == 1).sum())
        if n_cases < FEWEST_CASES or alike < NEARLY_ALL * n_cases:
            continue
        shares = np.bincount(label) / label.size
        by_chance = float((shares ** n_rows[several, None]).sum(axis=1).mean())
        if bdtrc(alike - 1, n_cases, by_chance) < FALSE_ALARM:
            raise ValueError(
                f"{where} has {n_cases} values in two rows or more, {alike} of them with the same"
                f" label in all their rows; about {by_chance * n_cases:.0f} would by chance. If"
                " rows with the same value belong together, models are tested on cases that they"
                f" were trained on. {remedy}; if it does not identify cases, {way_out}."
            )
