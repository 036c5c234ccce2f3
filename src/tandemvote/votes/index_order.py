"""The order of pandas indices: values are matched by position, so the orders must agree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def index_of(samples: Any) -> Any:
    """Return the index of a DataFrame or Series of pandas, or one as it is; None for others."""
    if hasattr(samples, "iloc"):
        return samples.index
    return samples if hasattr(samples, "isin") and hasattr(samples, "is_unique") else None


def is_reordered(samples: Any, values: Any) -> bool:
    """Return True for a pandas object with the index of the samples in another order.

    The rows or the columns of a DataFrame may be the samples.
    """
    index = index_of(samples)
    if index is None or not hasattr(values, "iloc"):
        return False
    axes = [own for own in values.axes if len(own) == len(index) and not own.equals(index)]
    return any(own.isin(index).all() and index.isin(own).all() for own in axes)


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
