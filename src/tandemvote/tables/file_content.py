"""What a file holds: named columns (CSV, Parquet) or a table of numbers (LIBSVM, npz)."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import zipfile
import zlib
from collections.abc import Sequence
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from warnings import catch_warnings, simplefilter

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_svmlight_file

from tandemvote.extras import import_extra
from tandemvote.tables.columns import (
    MISSING_TEXTS,
    check_duplicates,
    find_column,
    inferred,
    reject_data,
)
from tandemvote.tables.errors import DatasetError, either, explained, number_of

if TYPE_CHECKING:
    import pandas

LARGEST_CONTENT = 2**30  # bytes that a compressed file may unpack to: it could fill the memory
LARGEST_TABLE = 2**32  # bytes of a table in memory: beyond this a mistake is likelier than intent
# Told by the first bytes, not by the name: some servers unpack a .gz on the way.
_OPENERS: dict[bytes, Any] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open}

# A comma comes last: it also occurs inside numbers and sentences of files separated otherwise.
SEPARATORS = ("\t", ";", "|", ",")
_SPELLED: dict[str, str | None] = {"": None, "tab": "\t", "\\t": "\t", "space": " "}
LINES_LOOKED_AT = 50


def read_bytes(path: Path) -> bytes:
    """Read a plain, gzip or bzip2 file, and unpack up to `LARGEST_CONTENT` bytes."""
    data: bytes = path.read_bytes()
    opener = next((_OPENERS[magic] for magic in _OPENERS if data.startswith(magic)), None)
    if opener is None:
        return data
    said = f"{path.name} is damaged and cannot be unpacked"
    with explained(said, "Get it once more.", ValueError, OSError, EOFError, zlib.error):
        data = opener(io.BytesIO(data)).read(LARGEST_CONTENT + 1)
    if len(data) > LARGEST_CONTENT:
        raise DatasetError(
            f"{path.name} unpacks to more than {LARGEST_CONTENT / 2**30:g} GiB. If that is right,"
            " unpack it before, and give the unpacked file."
        )
    return data


def uncompressed(path: Path) -> Path:
    """Return the path without the ending of a compression."""
    return path.with_suffix("") if path.suffix.lower() in (".gz", ".bz2") else path


def check_file_exists(path: Path) -> None:
    """Reject what is not there, or is a folder."""
    if path.is_dir():
        raise DatasetError(f"{path} is a folder. Name one file in it.")
    if not path.is_file():
        raise DatasetError(f"There is no file {path}. Check the path.")


def _check_size(path: Path, n_rows: int, n_columns: int) -> None:
    """Reject a table that is small in its file and fills the memory."""
    size = 8 * n_rows * n_columns
    if size > LARGEST_TABLE:
        raise DatasetError(
            f"{path} has {n_rows} rows and {n_columns} columns, {size / 2**30:.0f} GiB; the limit"
            f" is {LARGEST_TABLE // 2**30} GiB. Keep fewer."
        )


def read_text(
    path: Path, encoding: str = "utf-8-sig", separator: str | None = None
) -> tuple[str, str, list[str]]:
    """Read a text file, compressed or not; find its separator and the cells of its first line."""
    separator = _SPELLED.get(separator or "", separator)
    if separator is not None and (len(separator) != 1 or separator in '"\r\n'):
        raise DatasetError(
            f"{separator!r} is not a valid separator. Give one character, tab or space."
        )
    named = f"{either('encoding=', '--encoding ')}latin-1, where that is an option."
    way_out = f"Save it as UTF-8, or name its encoding, such as {named}"
    data = read_bytes(path)
    said = f"{path} is not text in the encoding {encoding}"
    with explained(said, way_out, UnicodeError, LookupError):
        text = data.decode(encoding)
    if not text.strip():
        raise DatasetError(f"{path} is empty. Give a header line and rows below it.")
    with explained(f"{path} is not a table of text cells", "Save it again.", csv.Error):
        separator = separator or find_separator(text)
        lines = (line for line in io.StringIO(text, newline="") if line.strip())
        cells = next(csv.reader(lines, delimiter=separator))
    return text, separator, [cell.strip() for cell in cells]


def read_delimited(
    path: Path,
    *,
    separator: str | None = None,
    decimal: str = ".",
    encoding: str = "utf-8-sig",
    header: bool | None = None,
    missing_values: Sequence[str] = ("?",),
    categories: Sequence[str] = (),
) -> pandas.DataFrame:
    """Read a text table, compressed or not; the options are those of `read_table`.

    Blanks around a cell are ignored. Text that is undecodable or ragged, or has a column name
    twice, is rejected.
    """
    pandas = import_extra("pandas", "data")
    text, separator, names = read_text(path, encoding, separator)
    if header is False:
        names = [f"column{place + 1}" for place in range(len(names))]
    else:
        names = [name or f"Unnamed: {place}" for place, name in enumerate(names)]
        if header is None:
            reject_data(names, path)
    check_duplicates(names, path)
    for name in categories:
        find_column(names, name, path)
    read = partial(
        pandas.read_csv,
        sep=separator,
        decimal=decimal,
        header=None if header is False else 0,
        names=names,
        dtype=dict.fromkeys(categories, str),
        index_col=False,
        keep_default_na=False,
        skipinitialspace=True,
        on_bad_lines="error",
        low_memory=False,  # types are told from whole columns, not from blocks of rows
        # Before release 3 the default lost the last digit of some numbers.
        **({} if int(pandas.__version__.split(".")[0]) >= 3 else {"float_precision": "round_trip"}),
    )
    missing = {*MISSING_TEXTS, *missing_values}
    sought = f"a table of {number_of(len(names), 'column')} separated by {separator!r}"
    way_out = f"Correct the line, or name the sign with {either('separator', '--separator')}."
    problem, ragged = f"{path} cannot be read as {sought}", pandas.errors.ParserWarning
    with explained(problem, way_out, ValueError, ragged), catch_warnings():
        # A row longer than the header would lose its last cells with a mere warning.
        simplefilter("error", ragged)
        frame = read(io.StringIO(text), na_values=list(missing))
        texts = (frame[name].dropna().unique() for name in _text_columns(frame))
        padded = {cell for cells in texts for cell in cells if cell.strip() in missing}
        if padded:  # such as "NA ": without them a column may well be one of numbers
            frame = read(io.StringIO(text), na_values=list(missing | padded))
    for name in _text_columns(frame):
        cells = frame[name].str.strip()
        frame[name] = cells if name in categories else _checked_text(cells, decimal, path)
    return frame.astype(dict.fromkeys(categories, "category"))


def _text_columns(frame: pandas.DataFrame) -> list[str]:
    return [name for name in frame.columns if inferred(frame[name]) == "string"]


def _checked_text(cells: pandas.Series, decimal: str, path: Path) -> pandas.Series:
    """Return text, or integers beyond 64 bits, which pandas before release 3 leaves as text.

    Numbers like ``3,14`` are rejected: as categories they would lose their order.
    """
    present = cells.dropna()
    if present.str.fullmatch(r"[+-]?\d{1,999}").all():
        whole = [int(cell) if isinstance(cell, str) else cell for cell in cells]
        return import_extra("pandas", "data").Series(whole, cells.index, dtype=object)
    commas = decimal != "," and present.str.contains(",").any()
    if commas and present.str.fullmatch(r"[+-]?\d+(,\d+)*").all():
        python = "pass decimal=','"
        raise DatasetError(
            f"{path}: column {cells.name!r} holds numbers with commas, such as {present.iloc[0]!r}."
            f" For decimal commas {either(python, 'give --decimal ,')}; remove commas that group"
            " thousands."
        )
    return cells


def find_separator(text: str) -> str:
    r"""Find the sign that cuts the first lines into the same number of cells, more than one.

    If none of tab, semicolon, bar and comma does, return the one most frequent in the first line.
    """
    lines = [line for line in text.splitlines() if line.strip()][:LINES_LOOKED_AT]
    for separator in SEPARATORS:
        widths = {len(cells) for cells in csv.reader(lines, delimiter=separator)}
        if len(widths) == 1 and widths != {1}:
            return separator
    return max(reversed(SEPARATORS), key=lines[0].count)


def read_column(
    path: str | PathLike[str],
    name: str,
    *,
    file_format: str | None = None,
    header: bool | None = None,
    **options: Any,
) -> NDArray[Any]:
    """Read one column of a table as it is written; empty cells are None.

    The options are `separator` and `encoding` of a text table.
    """
    path = Path(path)
    check_file_exists(path)
    if (file_format or path.suffix.lower().lstrip(".")) in ("parquet", "pq"):
        parquet = import_extra("pyarrow.parquet", "data")
        with explained(f"{path} cannot be read as Parquet", "Write it again.", Exception):
            table = parquet.ParquetFile(path).read()
            find_column(table.column_names, name, path)
            return np.array(table.column(name).to_pylist(), dtype=object)
    text, separator, names = read_text(path, **options)
    if header is False:
        names = [f"column{place + 1}" for place in range(len(names))]
    find_column(names, name, path)
    with explained(f"{path} cannot be read as a table", "Save it again.", csv.Error, IndexError):
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
        cells = [row[names.index(name)] or None for row in rows if row]
    return np.array(cells[header is not False :], dtype=object)


def read_parquet(path: Path, *, categories: Sequence[str] = ()) -> pandas.DataFrame:
    """Read a Parquet file of up to `LARGEST_TABLE` bytes; a stored row index is left out."""
    parquet = import_extra("pyarrow.parquet", "data")
    import_extra("pandas", "data")
    way_out = f"Write it again, or name its true format with {either('file_format', '--format')}."
    said = f"{path} cannot be read as Parquet"
    # pyarrow raises most kinds of errors there are on damaged files.
    with explained(said, way_out, Exception), parquet.ParquetFile(path) as file:
        check_duplicates(file.schema_arrow.names, path)
        # Runs of equal values take next to nothing in the file, and their full size in memory.
        _check_size(path, file.metadata.num_rows, file.metadata.num_columns)
        table = file.read()
        table.validate(full=True)  # text may not be text
        frame = table.to_pandas()
    for name in categories:
        find_column(list(frame.columns), name, path)
        frame[name] = frame[name].astype(object).map(str, na_action="ignore").astype("category")
    return frame


def read_libsvm(
    path: Path, *, n_features: int | None = None, zero_based: bool | Literal["auto"] = "auto"
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Read a LIBSVM file, compressed or not: on each line a label, then ``index:value`` pairs.

    The options are those of `sklearn.datasets.load_svmlight_file`. Entries not in the file are 0.
    """
    text = io.BytesIO(read_bytes(path))
    way_out = (
        "Each line must be a number, the label, then index:value pairs in ascending order; name"
        f" another format with {either('file_format', '--format')}."
    )
    with explained(f"{path} cannot be read as LIBSVM text", way_out, ValueError, OverflowError):
        table, y = load_svmlight_file(text, n_features=n_features, zero_based=zero_based)
    _check_size(path, *table.shape)
    return table.toarray(), np.asarray(y)


def read_npz(path: Path, *, target: str | None = "y") -> tuple[NDArray[Any], NDArray[Any]]:
    """Read the array ``X`` of an ``.npz`` file and the labels that `target` names, if any."""
    names = ["X"] if target is None else ["X", target]
    way_out = (
        "Save it with numpy.savez_compressed(path, X=X, y=y), without Python objects;"
        f" {either('target', '--target')} names another array of labels."
    )
    arrays = load_arrays(path, required=names, way_out=way_out)
    return arrays["X"], arrays[names[-1]]


def load_arrays(
    path: Path, *, required: Sequence[str], optional: Sequence[str] = (), way_out: str
) -> dict[str, NDArray[Any]]:
    """Load named arrays of an ``.npz`` file, without ever unpickling.

    `required` names the table of numbers and, if wanted, its labels. Errors end in `way_out`.
    """
    # numpy evaluates headers, and fails in all the ways they can. It forgets to close a file it
    # cannot make sense of, so it is opened here.
    with (
        explained(f"{path} cannot be read as an archive of plain arrays", way_out, Exception),
        path.open("rb") as file,
        np.load(file, allow_pickle=False) as archive,
    ):
        absent = [name for name in required if name not in archive]
        names = ", ".join(archive)
        for part in archive.zip.infolist():
            if part.compress_type != zipfile.ZIP_STORED and part.file_size > LARGEST_TABLE:
                raise DatasetError(
                    f"{path} unpacks {part.filename} to {part.file_size / 2**30:.0f} GiB; the limit"
                    f" is {LARGEST_TABLE // 2**30} GiB. If that is right, save it with numpy.savez,"
                    " which does not compress."
                )
        arrays = {name: archive[name] for name in (*required, *optional) if name in archive}
    if absent:
        raise DatasetError(f"{path} has no array {absent[0]!r}; it has {names}. {way_out}")
    X, *labels = (arrays[name] for name in required)
    numeric = X.dtype.kind in "buif"
    if X.ndim != 2 or not X.size or not numeric or any(y.shape != X.shape[:1] for y in labels):
        shapes = ", ".join(f"{name} has shape {arrays[name].shape}" for name in required)
        raise DatasetError(
            f"{path}: {shapes}, and {required[0]} is of type {X.dtype}; expected a table of numbers"
            f" with one label per row. {way_out}"
        )
    return arrays
