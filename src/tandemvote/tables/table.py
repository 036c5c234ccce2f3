"""Conversion of a file to labeled rows that models can be trained on."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tandemvote.auditing import Finding
from tandemvote.auditing.labels import missing_target
from tandemvote.tables.errors import DatasetError, number_of
from tandemvote.tables.files import read_frame
from tandemvote.tables.kinds import CATEGORY, TableColumns, check_columns, with_kinds
from tandemvote.votes.printable import NAMES_SHOWN, shown

if TYPE_CHECKING:
    import pandas

FEWEST_NUMBERS = 20
"""Rows whose numbers are excluded; in fewer rows, measurements may count as well."""


@dataclass(frozen=True, eq=False)
class Table:
    r"""Labeled rows of a file.

    Attributes
    ----------
    name, target : str
        Name of the file, and of the label column.
    X : DataFrame of shape (n_rows, n_features)
        Features: numbers, and text for categories.
    y : ndarray of shape (n_rows,)
        Class labels: whole numbers, booleans or text.
    kinds : dict of str to str
        Kind of each feature: "number", "category" or "date", followed by the format of dates that
        are text.
    findings : tuple of Finding
        What is suspicious about the file. Pass `raw` and `y` to `tandemvote.audit` for the rows.
    others : dict of str to ndarray of shape (n_rows,)
        Further columns as they are written, features or not. None where an entry is missing.
    excluded : tuple of str
        Columns that are not features: those that were dropped, groups and times.
    raw : DataFrame
        The features and the columns that were dropped, before categories became text.
    digests : ndarray of shape (n_rows,)
        A digest of each row as it is written in the file, which does not depend on how the table is
        read. Draws among the rows use it, so a column that is dropped changes no draw.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "fruit.csv")
    ...     _ = path.write_text("color,weight,kind\nred,150,apple\nyellow,,banana\n")
    ...     read_table(path, target="kind").summary
    "2 rows: kind (2 classes: 'apple', 'banana'), color (category), weight (number)"
    """

    name: str
    target: str
    X: pandas.DataFrame
    y: NDArray[Any]
    kinds: dict[str, str]
    findings: tuple[Finding, ...] = ()
    others: dict[str, NDArray[Any]] = field(default_factory=dict)
    excluded: tuple[str, ...] = ()
    raw: Any = None
    digests: Any = None

    @property
    def summary(self) -> str:
        """Rows, classes and kinds of columns in one line."""
        names = np.unique(self.y).tolist()
        classes = f"{self.target} ({len(names)} classes: {shown(names, 5)})"
        words = [f"{name} (not a feature)" for name in self.excluded]
        words += [f"{name} ({kind})" for name, kind in self.kinds.items()]
        more = [f"{len(words) - NAMES_SHOWN} more"] * (len(words) > NAMES_SHOWN)
        return f"{len(self.y):,} rows: {', '.join([classes, *words[:NAMES_SHOWN], *more])}"


def read_table(
    path: str | PathLike[str],
    *,
    target: str | None,
    drop: Sequence[str] = (),
    others: Sequence[str] = (),
    groups: str | None = None,
    groups_until: str | None = None,
    order: str | None = None,
    categories: Collection[str] = (),
    **options: Any,
) -> Table:
    r"""Read labeled rows from a CSV, Parquet or Excel file.

    Parameters
    ----------
    path : path
        The file, or "-" for the standard input. CSV files may be compressed (gzip) and are
        UTF-8, UTF-16 with a byte-order mark, or else Windows-1252. Tabs, semicolons, bars, commas
        or spaces between cells are detected.
    target : str
        Label column.
    drop : sequence of str
        Columns to exclude.
    others : sequence of str
        Columns, features or not, to return as they are written.
    groups : str, optional
        Column whose equal values mark rows that belong together, such as the patient. It is
        returned in `Table.others` and is not a feature.
    groups_until : str, optional
        Text before whose last occurrence the group ends: "/" makes P1 of P1/visit3.
    order : str, optional
        Column of times. It is returned in `Table.others` and is not a feature.
    categories : sequence of str
        Columns of categories even if they hold numbers.
    **options
        For CSV: `decimal` ("." by default), `missing_values` (texts of missing cells, besides
        empty cells, ?, NA, NaN and the like).

    Returns
    -------
    table : Table
        The rows.

    Raises
    ------
    DatasetError
        If the file cannot be read.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "fruit.csv")
    ...     _ = path.write_text("color,weight,kind\nred,150,apple\nyellow,,banana\nred,8,cherry\n")
    ...     table = read_table(path, target="kind")
    >>> table.kinds, table.y.tolist()
    ({'color': 'category', 'weight': 'number'}, ['apple', 'banana', 'cherry'])
    """
    frame, findings, cells = read_frame(path, categories=categories, **options)
    name = Path(path).name
    if target is None:
        columns = shown(frame.columns, NAMES_SHOWN)
        last = frame.columns[-1]
        raise DatasetError(
            f"The label column is not named. Pass it, such as target={last!r}, out of {columns}.",
            target=last,
        )
    if groups_until is not None and groups is None:
        message = f"groups_until={groups_until!r} requires groups, the column of these values."
        raise DatasetError(message, groups_until=groups_until)
    kept = target, order, groups, *categories
    numbers = [name for name in frame if name not in kept and _numbers_rows(frame[name])]
    if numbers:
        message = f"Columns that number the rows are excluded: {shown(numbers, 3)}."
        findings.append(Finding(code="row_numbers", severity="note", message=message))
    own = list(dict.fromkeys(each for each in (groups, order) if each is not None))
    excluded, others = [*drop, *own], [*others, *own]
    excluded += [name for name in numbers if name not in drop]
    check_columns(frame, (target, *excluded, *others), name)
    unlabeled = frame[target].isna().to_numpy()
    if unlabeled.any():
        findings.append(missing_target(unlabeled, target))
    frame, cells = frame[~unlabeled].reset_index(drop=True), cells[~unlabeled]
    written = {column: _as_written(frame[column]) for column in others}
    if groups is not None and groups_until:
        written[groups] = np.array([_until(groups_until, each) for each in written[groups]], object)
    raw, kinds = with_kinds(frame.drop(columns=[target, *own]))
    kinds = {column: kind for column, kind in kinds.items() if column not in excluded}
    if not kinds:
        raise DatasetError(f"{name} has no column besides the label {target!r}. Add features.")
    X = TableColumns(kinds).transform(raw)
    gaps = int(X.loc[:, X.notna().any()].isna().any(axis=1).sum())
    if gaps:
        message = f"{number_of(gaps, 'row')} with missing entries included."
        findings.append(Finding(code="missing_entries", severity="note", message=message))
    return Table(
        name=name,
        target=target,
        X=X,
        y=_labels(frame[target]),
        kinds=kinds,
        findings=tuple(findings),
        others=written,
        excluded=tuple(excluded),
        raw=raw,
        digests=_digests(cells),
    )


def read_features(
    path: str | PathLike[str],
    kinds: Mapping[str, str],
    *,
    copied: Sequence[str] = (),
    **options: Any,
) -> tuple[pandas.DataFrame, pandas.DataFrame]:
    r"""Read new rows with the columns of a model, in any order.

    Parameters
    ----------
    path : path
        A file as for `read_table`. Labels and other columns are ignored.
    kinds : mapping of str to str
        Kind of each column of the model, as in `Table.kinds`.
    copied : sequence of str
        Columns to return as they are written.
    **options
        As for `read_table`.

    Returns
    -------
    X, others : DataFrame
        The features, and the copied columns.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "new.csv")
    ...     _ = path.write_text("id,weight,color\n7,140,green\n")
    ...     kinds = {"color": "category", "weight": "number"}
    ...     X, others = read_features(path, kinds, copied=["id"])
    >>> X.values.tolist(), others["id"].tolist()
    ([['green', 140.0]], ['7'])
    """
    texts = [name for name in (*kinds, *copied) if kinds.get(name, CATEGORY) == CATEGORY]
    frame, *_ = read_frame(path, categories=dict.fromkeys(texts), **options)
    try:
        return TableColumns(kinds).transform(frame), frame[[*copied]]
    except DatasetError as error:
        raise DatasetError(f"{path}: {error}", **error.parameters) from error


def _numbers_rows(column: pandas.Series) -> bool:
    """Return True for a column that counts the rows from 0 or 1."""
    if column.dtype.kind not in "iu" or len(column) < FEWEST_NUMBERS:
        return False
    return bool(column.iloc[0] in (0, 1) and (column.diff()[1:] == 1).all())


def _until(end: str, cell: Any) -> Any:
    """Return the text before the last `end`, or the cell itself if it has none."""
    return (str(cell).rpartition(end)[0] or cell) if cell is not None else None


def _digests(cells: pandas.DataFrame) -> NDArray[np.uint64]:
    """Return a digest of the text of each row."""
    texts = zip(*(map(str, cells[name].tolist()) for name in cells), strict=True)
    rows = ("\0".join(row).encode(errors="replace") for row in texts)
    digests = [int.from_bytes(blake2b(row, digest_size=8).digest()) for row in rows]
    return np.array(digests, np.uint64)


def _labels(column: pandas.Series) -> NDArray[Any]:
    """Return the labels of all rows: whole numbers, fractions, booleans or text."""
    if column.nunique() < 2:
        raise DatasetError(
            f"The label column {column.name!r} holds one class at most. Choose another column,"
            " or add rows of another class."
        )
    return np.array(_as_written(column).tolist())


def _as_written(column: pandas.Series) -> NDArray[Any]:
    """Return whole numbers as such, also next to gaps, and dates as text; None where missing."""
    values = column.convert_dtypes().astype(object).where(column.notna(), None)
    cells = [cell if isinstance(cell, str | int | float | None) else str(cell) for cell in values]
    return np.array(cells, dtype=object)
