"""A data file of any supported format becomes a data set, or features."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tandemvote.auditing import Finding
from tandemvote.tables.columns import is_number
from tandemvote.tables.dataset import (
    Dataset,
    dropped_rows,
    encoder_of,
    first_rows,
    from_arrays,
    from_frame,
)
from tandemvote.tables.encoder import TableEncoder
from tandemvote.tables.errors import DatasetError, either, named
from tandemvote.tables.file_content import (
    check_file_exists,
    read_delimited,
    read_libsvm,
    read_npz,
    read_parquet,
    uncompressed,
)

if TYPE_CHECKING:
    import pandas

_FRAME_READERS = {"csv": read_delimited, "parquet": read_parquet}
_READERS: dict[str, Callable[..., Any]] = {**_FRAME_READERS, "libsvm": read_libsvm, "npz": read_npz}
_FORMAT_OF_SUFFIX = {
    **dict.fromkeys((".csv", ".tsv"), "csv"),
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
    **dict.fromkeys((".libsvm", ".svmlight", ".svm"), "libsvm"),
    ".npz": "npz",
}
Like: TypeAlias = "Dataset | TableEncoder | int | None"  # what further samples must fit


def read_table(
    path: str | os.PathLike[str],
    *,
    target: str | None = None,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    beside: Sequence[str] = (),
    groups: str | None = None,
    like: Dataset | None = None,
    file_format: str | None = None,
    name: str | None = None,
    drop_missing: bool = False,
    drop_unlabeled: bool = False,
    drop_duplicates: bool = False,
    **options: Any,
) -> Dataset:
    r"""Read a labeled table from a CSV, Parquet, LIBSVM or npz file.

    A `DatasetError` says what to do if the file cannot be read as one.

    Parameters
    ----------
    path : path
        The file. Its ending tells the format: ``.csv .tsv .parquet .pq .libsvm .svmlight .svm
        .npz``; text formats may be compressed (``.gz .bz2``).
    target : str, optional
        Name of the label column. Needed for CSV and Parquet. A LIBSVM file starts each line with
        the label; an npz file has it in ``y`` or in the array named here.
    drop, keep : sequence of str
        Columns to leave out; and columns to take although they seem to number or name the rows,
        which is rejected otherwise.
    beside : sequence of str
        Columns, features or not, to keep as they are written, such as groups of samples.
    groups : str, optional
        Column whose equal values mark rows that belong together, such as the patient. It is kept in
        ``Dataset.beside`` and is not a feature.
    like : Dataset, optional
        Read the columns and labels as in this one, of which the file holds further samples.
    file_format, name : str, optional
        "csv", "libsvm", "npz" or "parquet", instead of what the ending tells; a name for the data
        set, instead of the file's.
    drop_missing : bool
        Leave out rows with a missing entry (the paper's rule) and count them in ``n_dropped``. If
        False, missing numbers stay NaN, missing categories become a category of their own, and a
        missing label is an error.
    drop_unlabeled, drop_duplicates : bool
        Leave out rows without a label, whose features are then in ``X_unlabeled``; rows that
        repeat an earlier one, label included.
    **options
        For LIBSVM ``n_features`` and ``zero_based``, as in `sklearn.datasets.load_svmlight_file`.
        For CSV and Parquet ``categories``: names of columns to take as text even if they hold
        numbers. For CSV:

        - ``separator``: one character, "tab" or "space"; detected if not given, unless a space;
        - ``decimal``: the decimal sign, a sample by default;
        - ``encoding``: UTF-8 by default, with or without a byte-order mark;
        - ``header``: whether the first line names the columns. If not given, it does, and one that
          looks like data is rejected; if False, they are called ``column1``, ``column2``, ...;
        - ``missing_values``: cells that count as missing, ``?`` by default, besides empty ones, NA,
          NaN, null, None and the like.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path, more = pathlib.Path(folder, "fruit.csv"), pathlib.Path(folder, "more.csv")
    ...     _ = path.write_text("color,weight,kind\nred,150,apple\nyellow,,banana\nred,8,cherry\n")
    ...     fruit = read_table(path, target="kind")
    ...     _ = more.write_text("weight,color\n140,red\n")
    ...     read_features(more, like=fruit).tolist()
    [[12301224.0, 140.0]]
    >>> fruit.X[:, 1].tolist(), fruit.categories
    ([150.0, nan, 8.0], {'color': ('red', 'yellow')})
    """
    path, chosen = _find_format(path, file_format, options)
    about: dict[str, Any] = {
        "name": name or uncompressed(path).stem,
        "origin": f"{chosen} file {path.name}",
        "drop_missing": drop_missing,
        "drop_unlabeled": drop_unlabeled,
        "drop_duplicates": drop_duplicates,
        "like": like,
    }
    with _compared(path, like):
        if chosen in _FRAME_READERS:
            as_text = [target] if like is not None and like.y.dtype.kind == "U" else []
            frame = _read_frame(path, chosen, options, like, as_text)
            about |= {"drop": drop, "keep": keep, "beside": beside, "groups": groups}
            return from_frame(frame, target=target, **about)
        for way, names in {"drop": drop, "keep": keep, "group by": groups or beside}.items():
            if names:
                raise DatasetError(f"{path} has no named columns to {way}.")
        if chosen == "libsvm" and target is not None:
            raise DatasetError(
                f"{path}: a LIBSVM file has its label at the start of each line, not in a column "
                f"{target!r}. Leave {either('target', '--target')} out."
            )
        return from_arrays(*_read_arrays(path, chosen, options, like, target or "y"), **about)


def read_features(
    path: str | os.PathLike[str],
    *,
    like: Dataset | TableEncoder | int,
    file_format: str | None = None,
    **options: Any,
) -> NDArray[Any]:
    """Read further samples of shape (n_samples, n_features); labels in the file are ignored.

    `like` says which columns to take, by name where they have names, or just how many. The file is
    read as by `read_table`. A `DatasetError` says if a column is missing, or holds categories in
    one file and numbers in the other.
    """
    return read_further(path, like=like, file_format=file_format, **options)[0]


def read_further(
    path: str | os.PathLike[str],
    *,
    like: Dataset | TableEncoder | int,
    file_format: str | None = None,
    drop_missing: bool = False,
    drop_duplicates: bool = False,
    **options: Any,
) -> tuple[NDArray[Any], list[Finding]]:
    """Read the same; return also findings about rows that were excluded."""
    path, chosen = _find_format(path, file_format, options)
    with _compared(path, like):
        if chosen in _FRAME_READERS:
            points: Any = _read_frame(path, chosen, options, like)
            gaps, encode = encoder_of(like).gaps(points), encoder_of(like).transform
        else:
            points = _read_arrays(path, chosen, options, like, None)[0]
            gaps, encode = np.isnan(points).any(axis=1), lambda X: X
        gaps = gaps & drop_missing
        if gaps.all():
            raise DatasetError("Every row has a missing entry. Fill some in.")
        points = encode(points[~gaps])
    first = first_rows(points) if drop_duplicates else np.full(len(points), True)
    return points[first], dropped_rows(int(gaps.sum()), 0, int((~first).sum()))


def _read_frame(
    path: Path, chosen: str, options: dict[str, Any], like: Like, as_text: Sequence[str | None] = ()
) -> pandas.DataFrame:
    """Read named columns; like others, so that 7 is text where it is one of the categories."""
    if like is not None:
        known = encoder_of(like).categories_
        coded = [name for name, found in known.items() if any(map(is_number, filter(None, found)))]
        named = [name for name in options.get("categories", ()) if name in known]
        options = {**options, "categories": [*{*coded, *named, *as_text} - {None}]}
    frame = _FRAME_READERS[chosen](path, **options)
    if not len(frame):
        raise DatasetError(f"{path} has names of columns but no rows. Add rows.")
    return frame


def _read_arrays(
    path: Path, chosen: str, options: dict[str, Any], like: Like, target: str | None
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Read samples without names, if they have as many features as others, and their labels."""
    width = like.n_features if isinstance(like, Dataset) else getattr(like, "n_features_in_", like)
    if chosen == "npz":
        X, y = read_npz(path, target=target)
    else:
        given = options if width is None else {**options, "n_features": width}
        X, y = read_libsvm(path, **given)
    if width not in (None, X.shape[1]):
        raise DatasetError(
            f"It has {X.shape[1]} features instead of {width}. Give samples with the same columns"
            " in the same order."
        )
    return X, y


def _compared(path: Path, like: Like) -> AbstractContextManager[None]:
    """Let errors say which file does not fit which other."""
    if like is None:
        return nullcontext()
    return named(f"{path.name} does not fit {getattr(like, 'name', 'the model')}")


def _find_format(
    path: str | os.PathLike[str], file_format: str | None, options: dict[str, Any]
) -> tuple[Path, str]:
    path = Path(path)
    check_file_exists(path)
    said = f"format {file_format!r}" if file_format else f"ending {uncompressed(path).suffix!r}"
    chosen = file_format or _FORMAT_OF_SUFFIX.get(uncompressed(path).suffix.lower())
    if chosen not in _READERS:
        raise DatasetError(
            f"{path}: unknown {said}. Known endings: {' '.join(_FORMAT_OF_SUFFIX)}; or"
            f" {either('pass file_format', 'give --format')}, one of {', '.join(sorted(_READERS))}."
        )
    known = [name for name in signature(_READERS[chosen]).parameters if name != "path"]
    for option in options:
        if option not in known:
            raise DatasetError(
                f"{path}: a file of the format {chosen} is read without the option {option!r}."
                f" Leave it out{'; there are ' * bool(known) + ', '.join(known)}."
            )
    return path, chosen
