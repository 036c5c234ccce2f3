"""Which points are in which group, from whatever names or holds the groups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tandemvote.certificate.by_group import MEASURES, PREDICTED_CLASS, TRUE_CLASS
from tandemvote.codes import Codes, as_array, is_missing
from tandemvote.ensembles.private_names import pick
from tandemvote.frames import refuse_other_order

Mask = NDArray[np.bool_]

WORDS = {"class": TRUE_CLASS, "predicted": PREDICTED_CLASS} | {word: word for word in MEASURES}

MOST_GROUPS = 100
"""A column with more different values is taken for a number or a name, not for a group."""


def members_of(
    groups: Any, X: Any, codes: Mapping[str, Codes], classes: NDArray[Any]
) -> Iterator[tuple[str, Any, Mask]]:
    """Yield what points are grouped by, the label of each group, and which points are in it.

    `codes` are the positions in `classes` of the true and of the predicted class of every point.
    """
    columns = [str(name) for name in getattr(X, "columns", ())]
    n_samples = codes[TRUE_CLASS].size
    for name, values in _named(groups, n_samples).items():
        if isinstance(values, str) and values in WORDS and values not in columns:
            by = WORDS[values]
            for code, label in enumerate(classes.tolist()):
                yield by, label, codes[by] == code
        else:
            told = _column(values, X, columns) if isinstance(values, str) else values
            refuse_other_order(X, {f"The grouping {name!r}": told})
            for label, points in _members(name, told, n_samples):
                yield name, label, points


def on_rows(groups: Any, rows: NDArray[np.intp], n_samples: int) -> Any:
    """Return groupings of some of the samples, given those of all samples and names of columns."""
    if isinstance(groups, Mapping):
        return {name: on_rows(values, rows, n_samples) for name, values in groups.items()}
    if isinstance(groups, str) or np.shape(groups)[:1] != (n_samples,):
        return groups
    return pick(groups, rows)


def _named(groups: Any, n_samples: int) -> dict[str, Any]:
    """Return groupings by their names; a list as long as the points is one grouping."""
    if hasattr(groups, "collect"):
        raise ValueError(f"groups is a {type(groups).__name__}, not read yet. Pass its collect().")
    if isinstance(groups, str):
        named: dict[str, Any] = {groups: groups}
    elif isinstance(groups, Mapping) or hasattr(groups, "columns"):
        named = {str(name): groups[name] for name in getattr(groups, "columns", groups)}
    else:
        texts = isinstance(groups, Sequence) and all(isinstance(name, str) for name in groups)
        if texts and len(groups) != n_samples:
            named = {name: name for name in groups}
        else:
            named = {str(getattr(groups, "name", None) or "group"): groups}
    if not named:
        raise ValueError("groups is empty. Say 'class', 'predicted', or name a column of X.")
    return named


def _column(name: str, X: Any, columns: Sequence[str]) -> Any:
    if name in WORDS:
        raise ValueError(
            f"{name!r} may mean the {WORDS[name]} or the column of X. Say {WORDS[name]!r} for the"
            f" first, and {{{name!r}: X[{name!r}]}} for the second."
        )
    if name not in columns:
        listed = f"X has {', '.join(columns[:20])}" if columns else "X has no named columns"
        raise ValueError(
            f"There is no column {name!r} to group by; {listed}. Say 'class' or 'predicted', name a"
            " column, or pass one value per point."
        )
    return X[name]


def _members(by: str, values: Any, n_samples: int) -> Iterator[tuple[Any, Mask]]:
    """Yield the values that occur, in the order of their categories or sorted, and where."""
    array = as_array(values)
    if array.shape != (n_samples,):
        raise ValueError(
            f"The groups {by!r} have shape {array.shape} for {n_samples} labelled points; pass one"
            " value per point, in the order of X and y."
        )
    if by in MEASURES:
        raise ValueError(f"{by!r} is the name of another grouping. Give these groups another one.")
    gaps = is_missing(array)
    known = array[~gaps]
    labels = list(dict.fromkeys(list(known) if known.dtype.kind in "mM" else known.tolist()))
    if len(labels) > MOST_GROUPS:
        raise ValueError(
            f"{by!r} has {len(labels)} different values, and {MOST_GROUPS} groups are the most."
            " Join them into fewer, by edges that were fixed before looking at these points."
        )
    order = getattr(getattr(values, "cat", values), "categories", None)
    by_text = str if known.dtype == object else None
    labels.sort(key=by_text if order is None else list(order).index)
    for label in labels:
        points = np.zeros(n_samples, bool)
        points[~gaps] = known == label
        yield label, points
    if gaps.any():
        yield None, gaps
