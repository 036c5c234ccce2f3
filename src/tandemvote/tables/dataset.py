"""Labeled samples ready to learn from, made from a data frame or from arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tandemvote.auditing import Finding
from tandemvote.frames import check_one_row_per_case
from tandemvote.spelling import shown
from tandemvote.tables.columns import (
    NAMES_SHOWN,
    check_duplicates,
    classes_of,
    columns_in_order,
    columns_that_tell,
    find_column,
    label_array,
    missing_labels,
)
from tandemvote.tables.encoder import (
    MISSING,
    Categories,
    TableEncoder,
    category_number,
    encode,
    find_kind,
    finite,
)
from tandemvote.tables.errors import DatasetError, either, named, number_of

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Labeled samples and where they come from.

    Parameters
    ----------
    name, origin : str
        Name used in messages; one line on where the samples come from and what was done to them.
    X, y : ndarray of shape (n_samples, n_features) and (n_samples,)
        Features; class labels, which are integers, strings or booleans.
    n_dropped, n_dropped_duplicates : int
        How many rows were left out because an entry was missing, or as they repeat an earlier one.
    X_unlabeled : ndarray of shape (n_unlabeled, n_features), optional
        Features of the rows without a label, if these were left out.
    encoder, target : TableEncoder and str, optional
        What made `X` from named columns, and the name of the label column, if they have names.
    beside : dict of str to ndarray of shape (n_samples,)
        Columns as they are written, features or not, such as groups of samples; None if missing.
    dropped_in_order : tuple of str
        Columns of dates that were dropped, and in whose order the rows are.
    groups : str, optional
        The column of `beside` whose equal values mark rows that belong together.

    Examples
    --------
    >>> Dataset("dice", X=np.array([[1.0], [2.0], [4.0]]), y=np.array([0, 1, 1]))
    Dataset('dice': 3 samples, 1 feature, 2 classes of frequency 0.3333 to 0.6667)
    """

    name: str
    X: NDArray[Any]
    y: NDArray[Any]
    origin: str = ""
    n_dropped: int = 0
    n_dropped_duplicates: int = 0
    X_unlabeled: NDArray[Any] | None = None
    encoder: TableEncoder | None = None
    target: str | None = None
    beside: dict[str, NDArray[Any]] = field(default_factory=dict)
    dropped_in_order: tuple[str, ...] = ()
    groups: str | None = None

    def __post_init__(self) -> None:
        if self.X.ndim != 2 or self.y.ndim != 1 or len(self.X) != len(self.y) or not self.X.size:
            raise DatasetError(
                f"{self.name}: X of shape {self.X.shape} and y of shape {self.y.shape} do not form "
                "a data set. Give a non-empty table X (samples by features) and one label per row."
            )

    @property
    def n_samples(self) -> int:
        """Number of labeled samples."""
        return len(self.X)

    @property
    def n_features(self) -> int:
        """Number of columns of `X`."""
        return int(self.X.shape[1])

    @property
    def n_classes(self) -> int:
        """Number of distinct labels."""
        return len(self.class_counts)

    @cached_property
    def class_counts(self) -> dict[Any, int]:
        """How often each label occurs, by sorted label."""
        labels, counts = np.unique(self.y, return_counts=True)
        return dict(zip(labels.tolist(), counts.tolist(), strict=True))

    @property
    def columns(self) -> list[tuple[str, str, str]]:
        """How each named column was read: rows of (column, kind, detail), the label first.

        A kind is "label", "groups", "number", "category", "date", "duration", "constant" or
        "dropped".
        """
        label = (str(self.target), "label", f"{self.n_classes} classes")
        columns = self.encoder.columns_ if self.encoder else ()
        if self.groups is not None:
            grouped = (self.groups, "groups", f"{len({*self.beside[self.groups]})} values")
            columns = [grouped if each[0] == self.groups else each for each in columns]
        return [label, *columns] if self.encoder else []

    @property
    def columns_summary(self) -> str:
        """The same in one line, of the first columns."""
        told = [f"{column} ({kind}: {detail})" for column, kind, detail in self.columns]
        more = [f"{len(told) - NAMES_SHOWN} more"] * (len(told) > NAMES_SHOWN)
        return ", ".join(told[:NAMES_SHOWN] + more) or f"{self.n_features} columns of numbers"

    @property
    def categories(self) -> dict[str, Categories]:
        """For each column of categories, those that occur; None stands for "missing"."""
        return self.encoder.categories_ if self.encoder else {}

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What a reader of results on these rows must know, apart from copies of rows."""
        n_unlabeled = 0 if self.X_unlabeled is None else len(self.X_unlabeled)
        names = self.encoder.feature_names_in_ if self.encoder else range(1, self.n_features + 1)
        coded = np.array([name in self.categories for name in names], bool)
        ordered = [names[place] for place in columns_in_order(self.X) if not coded[place]]
        cells = np.isnan(self.X) | (coded & (self.X == MISSING))
        gaps = cells[:, ~cells.all(axis=0)].any(axis=1)  # an empty column is no gap
        telling = [names[place] for place in columns_that_tell(self.X, self.y)]
        return (
            *dropped_rows(self.n_dropped, n_unlabeled, self.n_dropped_duplicates),
            *(_sorted_by(name) for name in (*self.dropped_in_order, *ordered)),
            *map(_tells_label, telling),
            *([_kept_gaps(int(gaps.sum()))] if gaps.any() else []),
            *filter(None, (_merged(*column) for column in self.categories.items())),
        )

    def __repr__(self) -> str:
        sizes = f"{number_of(self.n_samples, 'sample')}, {number_of(self.n_features, 'feature')}"
        low, high = (end(self.class_counts.values()) / self.n_samples for end in (min, max))
        classes = f"{self.n_classes} class{'es' * (self.n_classes != 1)}"
        parts = [
            sizes,
            f"{classes} of frequency {low:.4f} to {high:.4f}",
            *(each.message.rstrip(".") for each in self.findings),
            self.origin,
        ]
        return f"Dataset({self.name!r}: {', '.join(filter(None, parts))})"


def dropped_rows(n_gaps: int, n_unlabeled: int, n_copies: int) -> list[Finding]:
    """Report rows that were excluded, and what that means for a bound."""
    found = {
        "incomplete_rows": (
            n_gaps,
            "with missing entries excluded",
            "The bound is about new rows without missing entries.",
        ),
        "unlabeled_rows": (
            n_unlabeled,
            "without a label excluded",
            "Unless labels are missing at random, the bound is not about such rows.",
        ),
        "repeated_rows": (
            n_copies,
            "that repeat an earlier row excluded",
            "The bound requires that each of them is one case recorded twice.",
        ),
    }
    return [
        Finding(
            code=code, severity="warning", message=f"{number_of(n, 'row')} {what}.", advice=advice
        )
        for code, (n, what, advice) in found.items()
        if n
    ]


def _sorted_by(column: Any) -> Finding:
    return Finding(
        code="sorted_rows",
        severity="warning",
        message=f"The rows are sorted by column {column!r}.",
        advice="If it is time, neighboring rows may depend on each other, and the bound is not"
        " about later rows.",
        columns=(str(column),),
    )


def _tells_label(column: Any) -> Finding:
    return Finding(
        code="label_in_column",
        severity="warning",
        message=f"Column {column!r} determines the label of every row.",
        advice=f"Exclude it with drop=[{str(column)!r}] if it will not be known for new rows.",
        columns=(str(column),),
    )


def _kept_gaps(n_rows: int) -> Finding:
    message = f"{number_of(n_rows, 'row')} with missing entries included."
    return Finding(code="missing_entries", severity="note", message=message)


def _merged(column: str, names: Categories) -> Finding | None:
    """Report categories that share a number, if some do."""
    first_of: dict[float, str | None] = {}
    for name in names:
        if (first := first_of.setdefault(category_number(name), name)) != name:
            return Finding(
                code="merged_categories",
                severity="note",
                message=f"The categories {first!r} and {name!r} of column {column!r} share a"
                " number, so they count as one.",
                advice="Rename one of them to distinguish them.",
                columns=(column,),
            )
    return None


def from_frame(
    frame: pandas.DataFrame,
    *,
    target: str | None,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    beside: Sequence[str] = (),
    groups: str | None = None,
    like: Dataset | None = None,
    name: str = "table",
    origin: str = "data frame",
    **rows: bool,
) -> Dataset:
    """Turn a data frame into a data set; the parameters are those of `read_table`.

    The row index is not a feature.

    Examples
    --------
    >>> import pandas
    >>> frame = pandas.DataFrame({"size": [1, 2, None], "kind": ["a", "b", "a"]})
    >>> dataset = from_frame(frame, target="kind", drop_missing=True)
    >>> dataset.X.tolist(), dataset.y.tolist(), dataset.n_dropped
    ([[1.0], [2.0]], ['a', 'b'], 1)
    """
    frame = frame.rename(columns=str).reset_index(drop=True)  # rows keep their number if some go
    columns = list(frame.columns)
    if target is None:
        way = f"name the label column with {either('target', '--target')}"
        raise DatasetError(f"{name}: {way}, one of {shown(columns, NAMES_SHOWN)}.")
    if groups is not None:
        drop, beside = [*drop, groups], [*beside, groups]
    for column in (target, *beside):
        find_column(columns, column, name)
    check_duplicates(columns, name)
    if len(columns) < 2:
        raise DatasetError(f"{name} has no column besides the label {target!r}. Add features.")
    if target in drop:
        raise DatasetError(f"{name}: {target!r} is the label, so it cannot be dropped. Keep it.")
    features = frame.drop(columns=target)
    cases = frame[frame[target].notna()]
    if rows.get("drop_duplicates"):
        cases = cases.drop_duplicates()
    if groups is None:
        with named(name):
            check_one_row_per_case(
                cases.drop(columns=[target, *keep], errors="ignore"),
                cases[target],
                way_out=either(
                    "rename the column, or pass it in keep",
                    "rename it, or use it with --keep; if whole rows are copies, give"
                    " --drop-duplicates",
                ),
                remedy=either("Pass it as groups", "Name it with --groups"),
            )
    encode_rows: Callable[[Any], NDArray[Any]]
    if like is None:
        encoder = TableEncoder(drop=drop, keep=keep, complete=rows.get("drop_missing", False))
        encode_rows, known, used = encoder.fit_transform, None, features.columns.difference(drop)
    else:
        encoder = encoder_of(like)
        encode_rows, known, used = encoder.transform, like.y, encoder.feature_names_in_
    dropped = frame[features.columns.intersection([*encoder.drop])]
    used = features.columns[features.notna().any()].intersection(used)  # an empty one has no gaps
    return _points(
        lambda rows: np.asarray(encode_rows(features[rows])),
        lambda rows: classes_of(label_array(frame[target][rows]), column=target, like=known),
        gaps=features[used].isna().any(axis=1).to_numpy(),
        unlabeled=frame[target].isna().to_numpy(),
        beside={column: _as_written(frame[column]) for column in beside},
        name=name,
        origin=origin,
        encoder=encoder,
        target=target,
        groups=groups,
        dropped_in_order=tuple(each for each in dropped if _dates_in_order(dropped[each])),
        **rows,
    )


def from_arrays(
    X: NDArray[Any],
    y: NDArray[Any],
    *,
    like: Dataset | None = None,
    name: str = "table",
    origin: str = "arrays",
    **rows: bool,
) -> Dataset:
    """Turn a table of numbers and its labels into a data set, by the rules of `from_frame`.

    NaN is a missing entry; NaN and its text are missing labels.
    """
    return _points(
        lambda rows: finite(X[rows], [f"number {place + 1}" for place in range(X.shape[1])]),
        lambda rows: classes_of(y[rows], column="y", like=None if like is None else like.y),
        gaps=np.isnan(X).any(axis=1),
        unlabeled=missing_labels(y),
        beside={},
        name=name,
        origin=origin,
        **rows,
    )


def encoder_of(like: Dataset | TableEncoder | int) -> TableEncoder:
    """Return what encoded a table; reject one without named columns."""
    encoder = like.encoder if isinstance(like, Dataset) else like
    if not isinstance(encoder, TableEncoder):
        raise DatasetError("There are no column names to look for. Give both in one format.")
    return encoder


def _points(
    features: Callable[[NDArray[np.bool_]], NDArray[Any]],
    labels: Callable[[NDArray[np.bool_]], NDArray[Any]],
    *,
    gaps: NDArray[np.bool_],
    unlabeled: NDArray[np.bool_],
    beside: dict[str, NDArray[Any]],
    drop_missing: bool = False,
    drop_unlabeled: bool = False,
    drop_duplicates: bool = False,
    **about: Any,
) -> Dataset:
    """Choose rows of which some have `gaps` in features and some are `unlabeled`."""
    left = np.full(len(gaps), True)
    if drop_missing:
        left = ~gaps if drop_unlabeled else ~(gaps | unlabeled)
    n_unlabeled, of_rows = (left & unlabeled).sum(), f"of {number_of(len(gaps), 'row')}"
    if n_unlabeled and not drop_unlabeled:
        raise DatasetError(
            f"{about['name']}: no label in {n_unlabeled} {of_rows}, the first of them row"
            f" {unlabeled.argmax() + 1}; texts such as NaN and None count as missing. Fill it in,"
            f" or {either('pass drop_unlabeled=True', 'give --drop-unlabeled')} to exclude such"
            f" rows{either('', ', --use-unlabeled to use them with --scheme trees')}"
            f" ({either('drop_missing=True', '--drop-missing')} excludes all rows with"
            " missing entries)."
        )
    if not (left & ~unlabeled).any():
        raise DatasetError(
            f"{about['name']}: every row {of_rows} has a missing entry. Fill"
            f" some in{either(', or use drop_missing=False', ', or remove --drop-missing')}."
        )
    rows, labeled = left & ~unlabeled, ~unlabeled[left]
    y = labels(rows)  # before the features: a target that is none takes no time
    X = features(left)
    kept = np.full(len(X), True)
    if drop_duplicates:
        kept[labeled] = first_rows(X[labeled], y)
        kept[~labeled] = first_rows(X[~labeled])
    return Dataset(
        X=X[kept & labeled],
        y=y[kept[labeled]],
        n_dropped=int((~left).sum()),
        n_dropped_duplicates=int((~kept).sum()),
        X_unlabeled=None if labeled.all() else X[kept & ~labeled],
        beside={name: column[rows][kept[labeled]] for name, column in beside.items()},
        **about,
    )


def _dates_in_order(column: pandas.Series) -> bool:
    """Tell whether a column holds dates in whose order the rows are."""
    kind, date_format = find_kind(column)
    return kind == "date" and bool(columns_in_order(encode(column, kind, date_format)[0][:, None]))


def _as_written(column: pandas.Series) -> NDArray[Any]:
    """Return whole numbers as such, also beside gaps, and dates as text; None where missing."""
    values: NDArray[Any] = column.convert_dtypes().to_numpy(dtype=object, copy=True)
    for place, (value, missing) in enumerate(zip(values, column.isna(), strict=True)):
        if missing or not isinstance(value, str | int | float):
            values[place] = None if missing else str(value)
    return values


def first_rows(X: NDArray[Any], y: NDArray[Any] | None = None) -> NDArray[np.bool_]:
    """Tell which rows do not repeat an earlier one, label included."""
    if X.dtype.kind == "f":
        X = np.where(np.isnan(X), np.nan, X + 0.0)  # one pattern of bits for NaN, and one for 0
    labels = np.zeros(len(X)) if y is None else np.unique(y, return_inverse=True)[1]
    first: dict[tuple[bytes, int], int] = {}
    for place, (row, label) in enumerate(zip(X, labels, strict=True)):
        first.setdefault((blake2b(row.tobytes(), digest_size=16).digest(), label), place)
    return np.isin(np.arange(len(X)), [*first.values()])
