"""Names of columns, and what pandas infers about them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import numpy as np

from tandemvote.extras import import_extra
from tandemvote.spelling import shown
from tandemvote.tables.errors import DatasetError

if TYPE_CHECKING:
    import pandas

NAMES_SHOWN = 20


def find_column(columns: Sequence[str], wanted: str, name: Any) -> None:
    """Reject a name that is not among the columns, and suggest similar ones."""
    if wanted not in columns:
        near = get_close_matches(wanted, columns, n=3)
        suggestion = f"Did you mean {' or '.join(map(repr, near))}? " if near else ""
        raise DatasetError(
            f"{name} has no column {wanted!r}. {suggestion}Its columns are"
            f" {shown(columns, NAMES_SHOWN)}. If these are data, the file has no header line: add"
            " one."
        )


def check_duplicates(columns: Sequence[str], name: Any) -> None:
    """Reject a table with two columns of the same name."""
    for column, count in Counter(columns).items():
        if count > 1:
            raise DatasetError(f"{name} has {count} columns {column!r}. Give each its own name.")


def text_of(column: pandas.Series) -> pandas.Series:
    """Return cells as text, whole numbers as such also next to gaps; NaN where they are missing."""
    texts = column.convert_dtypes().astype(object).map(str, na_action="ignore")
    return texts.where(column.notna(), np.nan).astype(object)


def inferred(column: pandas.Series) -> str:
    """Return what pandas finds in a column, gaps aside, whatever its type is."""
    return str(import_extra("pandas", "data").api.types.infer_dtype(column, skipna=True))
