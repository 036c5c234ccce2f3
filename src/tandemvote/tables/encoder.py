"""The way from the columns of a data frame to numbers, as a scikit-learn transformer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from tandemvote.extras import import_extra
from tandemvote.tables.column_kinds import Categories, column_detail, encode, find_kind
from tandemvote.tables.columns import find_column, refuse_duplicates
from tandemvote.tables.errors import DatasetError
from tandemvote.tables.identifiers import identifier_reason, refuse_identifiers

if TYPE_CHECKING:
    import pandas

# scikit-learn's trees compute in float32; a float64, so that half floats are compared as such.
LARGEST_VALUE = np.float64(np.finfo(np.float32).max)


class TableEncoder(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Encode the columns of a pandas or polars data frame as float64, each by one column.

    Numbers and booleans stay what they are, with NaN for missing entries. Dates, also as text such
    as 2018-03-01, 2018/03/01, 01.03.2018 or Mar-2018, become seconds since 1970; durations become
    seconds. Everything else is a category, numbered by a hash of its text; missing entries form a
    category of their own, and unknown categories have their number as well.

    Nothing is learnt from the rows but the kind of each column and the form of its dates, so that
    `transform` encodes a row alone as among others, and refuses a table in which a column is
    missing or of another kind. Where 01/02/2018 could be either, the month comes first.
    In a pipeline, ``make_pipeline(TableEncoder(), CertifiedClassifierCV(...))``, it makes a model
    that takes tables as they are.

    Parameters
    ----------
    drop : sequence of str
        Columns to leave out.
    keep : sequence of str
        Columns to take although they seem to number or name the rows, which is refused otherwise.

    Attributes
    ----------
    feature_names_in_ : ndarray of str
        Names of the columns that are encoded.
    n_features_in_ : int
        Number of these columns.
    kinds_, date_formats_ : dict of str to str
        What each column holds, "number", "category", "date" or "duration"; and how dates that are
        text are written.
    categories_ : dict of str to tuple
        For each column of categories, those that occurred in `fit`; None stands for "missing".
    columns_ : list of (str, str, str)
        How every column was read: its name, its kind, "constant" or "dropped", and a few words.

    Examples
    --------
    >>> import pandas
    >>> frame = pandas.DataFrame({"size": [1, None], "colour": ["red", None]})
    >>> encoder = TableEncoder().fit(frame)
    >>> encoder.transform(frame).tolist()
    [[1.0, 12301224.0], [nan, -1.0]]
    >>> encoder.categories_
    {'colour': ('red', None)}
    """

    learns_from_rows = False

    def __init__(self, *, drop: Sequence[str] = (), keep: Sequence[str] = ()) -> None:
        self.drop = drop
        self.keep = keep

    def fit(self, X: pandas.DataFrame, y: object = None) -> TableEncoder:
        """Record the columns of a data frame; `y` is ignored."""
        self.fit_transform(X)
        return self

    def fit_transform(self, X: pandas.DataFrame, y: object = None) -> NDArray[Any]:
        """Record the columns of a data frame and encode them; `y` is ignored.

        A `DatasetError` says if a column seems to number or name the rows, or is mostly numbers
        with some text among them, or holds an infinite value.
        """
        frame = _as_pandas(X)
        refuse_duplicates(frame.columns, "The table")
        for column in (*self.drop, *self.keep):
            find_column(list(frame.columns), column, "The table")
        names = [column for column in frame.columns if column not in self.drop]
        if not names:
            raise DatasetError("The table has no column that is not dropped. Keep at least one.")
        kinds = {name: find_kind(frame[name]) for name in names}
        encoded = {name: encode(frame[name], *kinds[name]) for name in names}
        reasons = {
            name: reason
            for name in names
            if kinds[name][0] in ("number", "category")
            and (reason := identifier_reason(frame[name], *encoded[name]))
        }
        refuse_identifiers(reasons, self.keep)
        self.feature_names_in_ = np.array(names, dtype=object)
        self.n_features_in_ = len(names)
        self.kinds_ = {name: kind for name, (kind, _) in kinds.items()}
        self.date_formats_ = {name: form for name, (_, form) in kinds.items() if form}
        self.categories_: dict[str, Categories] = {
            name: found for name, (_, found) in encoded.items() if found is not None
        }
        self.columns_ = [(name, "dropped", "as asked") for name in self.drop]
        for name, (numbers, categories) in encoded.items():
            kind, words = column_detail(numbers, kinds[name][0], categories, kinds[name][1])
            words += f", kept though {reasons.get(name)}" * (name in reasons)
            self.columns_.append((name, kind, words))
        return finite(np.column_stack([numbers for numbers, _ in encoded.values()]), names)

    def transform(self, X: pandas.DataFrame) -> NDArray[Any]:
        """Encode the columns seen in `fit`, wherever they are; others are ignored.

        A `DatasetError` says if a column is missing or of another kind than in `fit`.
        """
        check_is_fitted(self)
        frame, encoded = _as_pandas(X), {}
        refuse_duplicates(frame.columns, "The table")
        for name, kind in self.kinds_.items():
            if name not in frame.columns:
                raise DatasetError(f"The column {name!r} is missing. Give the same columns.")
            form, known = self.date_formats_.get(name, ""), self.categories_.get(name, ())
            encoded[name], _ = encode(frame[name], kind, form, known)
        return finite(np.column_stack(list(encoded.values())), list(encoded))

    def get_feature_names_out(self, input_features: object = None) -> NDArray[Any]:
        """Return the names of the columns, which encoding does not change."""
        check_is_fitted(self)
        return np.asarray(self.feature_names_in_)


def finite(X: NDArray[Any], columns: list[str]) -> NDArray[Any]:
    """Return a table; refuse numbers that are infinite or too large for trees."""
    too_large = (np.abs(X) > LARGEST_VALUE).any(axis=0)
    if too_large.any():
        raise DatasetError(
            f"The column {columns[too_large.argmax()]} holds a value that is infinite or above "
            f"{LARGEST_VALUE:.1e}, more than trees can take. Replace it, or leave the cell empty."
        )
    return X


def _as_pandas(X: Any) -> pandas.DataFrame:
    pandas = import_extra("pandas", "data")
    frame = X.to_pandas() if hasattr(X, "to_pandas") else X  # from polars, for one
    if not isinstance(frame, pandas.DataFrame):
        raise DatasetError(
            f"The encoder takes a data frame with named columns, got {type(X).__name__}. An array"
            " of numbers needs no encoder."
        )
    return frame.rename(columns=str)
