"""Cells of CSV and Parquet files as positions in a list of words."""

from __future__ import annotations

import bz2
import csv
import filecmp
import glob
import gzip
import io
import json
import os
import re
import zlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from itertools import count, islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tandemvote.codes import Codes
from tandemvote.extras import import_extra
from tandemvote.spelling import printable, shown

COLUMNS_SHOWN = 6  # columns in an error message

LARGEST_UNPACKED = 2**28
"""Bytes that a compressed CSV file may unpack to."""

PARQUET = (".parquet", ".pq")
BATCH_CELLS = 2**24  # in memory at a time, as many as a chunk of `VoteCounts.from_votes` takes
CSV_SHARE = 16  # a cell takes this many times the memory while it is text
BUFFER_BYTES = 2**16  # read ahead in each Parquet column; by default a whole row group is read
WIDEST_RANGE = 255  # whole numbers in such a range are encoded without hashing

_SEPARATORS = ",;\t|"
# By the first bytes, not by the name: some servers unpack a .gz on the way.
_OPENERS: dict[bytes, Callable[[Any], Any]] = {b"\x1f\x8b": gzip.open, b"BZ": bz2.open}
# The errors that the csv, gzip and bz2 modules and pyarrow raise for damaged files.
_DAMAGES = (ValueError, OSError, EOFError, NotImplementedError, zlib.error, csv.Error)
# Types of Parquet columns that may hold labels, as pyarrow writes them.
LABEL_TYPES = re.compile(
    r"(dictionary<values=)?((large_)?string|bool|u?int\d+|halffloat|float|double|null)\b.*"
)
# From these numbers on, a float of the type stands for several whole numbers.
_EXACT_BELOW = {"halffloat": 2**11, "float": 2**24, "double": 2**53}

Location = str | os.PathLike[str]
Cells = tuple[Codes, list[str]]
"""Positions in a list of words, one row per column; the first word is "", for a missing cell."""


class VotesFileError(ValueError):
    """A file cannot be read as a table of votes."""


class RowGroup(NamedTuple):
    """Rows that a Parquet file stores together, or all rows of a CSV file."""

    path: Path
    place: int
    n_samples: int


def is_parquet(location: Location) -> bool:
    """Return True if a path is a folder or ends like a Parquet file, as patterns may."""
    return Path(location).is_dir() or Path(location).suffix.lower() in PARQUET


def find_files(paths: Location | Iterable[Location]) -> list[Path]:
    """Return the files of a path or of several, always in the same order.

    A path is a file; a folder, for the Parquet files directly in it; or a pattern such as
    ``"votes/*.parquet"``, in which ``**`` stands for folders of any depth.
    """
    given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    files = [file for location in given for file in _matches(Path(location))]
    if not files:
        raise VotesFileError("The list of files is empty. Pass at least one file.")
    return files


def _matches(path: Path) -> list[Path]:
    if path.is_dir():
        inside = sorted(file for file in path.iterdir() if file.suffix.lower() in PARQUET)
        files = [file for file in inside if not file.name.startswith((".", "_"))]
        if files:
            return files
        raise VotesFileError(
            f"The folder {path} has no Parquet file. For files in folders below it, pass the"
            f" pattern '{path}/**/*.parquet'."
        )
    if path.exists():  # before patterns: a name may hold brackets
        return [path]
    # Not Path.glob, which takes no pattern that starts at the root.
    matches = sorted(Path(match) for match in glob.glob(str(path), recursive=True))  # noqa: PTH207
    if matches:
        return [file for match in matches for file in _matches(match)]
    raise VotesFileError(f"No file matches {path}. Check the path, and quote a pattern.")


def check_distinct(files: Iterable[Path]) -> None:
    """Raise VotesFileError if two files hold the same bytes, or are the same file."""
    by_size: dict[int, list[Path]] = {}
    for file in files:
        others = by_size.setdefault(file.stat().st_size, [])
        for other in others:
            if filecmp.cmp(other, file, shallow=False):
                raise VotesFileError(
                    f"{file} is a copy of {other}: its samples would be counted twice. Pass every"
                    " file once."
                )
        others.append(file)


def survey(path: Path) -> tuple[dict[str, str], list[RowGroup]]:
    """Return the types of all columns of a file by their names, and its row groups.

    The index that pandas may have stored in a Parquet file is not a column.
    """
    if not is_parquet(path):
        with _open_csv(path) as (names, rows):
            types = [(name, "string") for name in names]
            sizes = [sum(1 for _ in rows)]
    else:
        with _open_parquet(path) as file, _readable(path):
            schema, data = file.schema_arrow, file.metadata
            sizes = [data.row_group(place).num_rows for place in range(data.num_row_groups)]
            described = json.loads((schema.metadata or {}).get(b"pandas", b"{}"))
            index = [name for name in described.get("index_columns", ()) if isinstance(name, str)]
            types = [(field.name, str(field.type)) for field in schema if field.name not in index]
    names = [name for name, _ in types]
    if len({*names}) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise VotesFileError(f"{path} has two columns {twice!r:.60}. Rename one of them.")
    return dict(types), [RowGroup(path, place, size) for place, size in enumerate(sizes) if size]


def column_names(path: Location) -> list[str]:
    """Return the names of the columns of a CSV or Parquet file, the first of several."""
    return list(survey(find_files(path)[0])[0])


def read_columns(path: Location, names: Collection[str]) -> dict[str, list[str]]:
    """Read columns of a CSV file, or of Parquet files, as text.

    Parameters
    ----------
    path : path
        A CSV file, a Parquet file, or a folder or pattern of Parquet files.
    names : collection of str
        Columns to read.

    Returns
    -------
    dict of str to list of str
        One text per row and column, ``""`` where the cell is empty or null.
    """
    columns: dict[str, list[str]] = {name: [] for name in names}
    for file in find_files(path) if columns else ():
        types, row_groups = survey(file)
        check_columns_exist(file, columns, types)
        for table, words in read_cells(file, row_groups, list(columns), labels=False):
            for name, codes in zip(columns, table.tolist(), strict=True):
                columns[name] += map(words.__getitem__, codes)
    return columns


def read_cells(
    path: Path, row_groups: Sequence[RowGroup], names: Sequence[str], *, labels: bool = True
) -> Iterator[Cells]:
    """Read some columns of a file in batches of at most `BATCH_CELLS` cells.

    Numbers that are not whole are rejected if the cells are labels.
    """
    size = max(1, BATCH_CELLS // len(names))
    if not is_parquet(path):
        return _csv_batches(path, names, max(1, size // CSV_SHARE))
    return _parquet_batches(path, [group.place for group in row_groups], names, size, labels)


def check_columns_exist(path: Location, names: Iterable[str], columns: Collection[str]) -> None:
    """Raise VotesFileError if a name is not among the columns of a file, and suggest others."""
    for name in names:
        if name not in columns:
            near = get_close_matches(name, columns, n=3)
            suggestion = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
            raise VotesFileError(
                f"{path}: There is no column {name!r:.60}.{suggestion} The columns are"
                f" {shown(columns, COLUMNS_SHOWN)}."
            )


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Turn errors about a damaged file into a VotesFileError."""
    try:
        yield
    except VotesFileError:
        raise
    except _DAMAGES as error:
        file_format = "Parquet" if is_parquet(path) else "CSV in UTF-8"
        raise VotesFileError(
            f"{path} cannot be read as {file_format} ({printable(str(error)):.200}). Check that the"
            " file is complete, or write it again."
        ) from error


def _numbers() -> defaultdict[str, int]:
    """Return a dict that gives every new word the next number; the missing cell has 0."""
    numbers: defaultdict[str, int] = defaultdict(count().__next__)
    assert numbers[""] == 0
    return numbers


@contextmanager
def _open_csv(path: Path) -> Iterator[tuple[list[str], Iterator[list[str]]]]:
    """Open a CSV file as the names of its columns and its rows."""
    with _readable(path), path.open("rb") as file:
        opener = _OPENERS.get(file.read(2))
        file.seek(0)
        stream: Any = file
        if opener is not None:
            stream = io.BytesIO(opener(file).read(LARGEST_UNPACKED + 1))
            if len(stream.getbuffer()) > LARGEST_UNPACKED:
                raise VotesFileError(
                    f"{path} unpacks to more than {LARGEST_UNPACKED // 2**20} MiB. Unpack it first,"
                    " or write the table as Parquet."
                )
        text = io.TextIOWrapper(stream, "utf-8-sig", newline="")
        header = next((line for line in text if line.strip()), "")
        if not header:
            raise VotesFileError(f"{path} is empty. A header line and rows are required.")
        # strict: a quotation mark that is never closed would swallow the rows after it.
        reader = csv.reader
        separator = max(_SEPARATORS, key=lambda sign: len(next(reader([header], delimiter=sign))))
        (names,) = reader([header], delimiter=separator, strict=True)
        rows = _check_widths(path, reader(text, delimiter=separator, strict=True), len(names))
        yield [name.strip() for name in names], rows


def _check_widths(path: Path, rows: Iterator[list[str]], width: int) -> Iterator[list[str]]:
    for number, row in enumerate(filter(None, rows), 1):
        if len(row) != width:
            raise VotesFileError(
                f"{path}: row {number} has {len(row)} cells and the header {width}. Write one cell"
                " per column in every row."
            )
        yield row


def _csv_batches(path: Path, names: Sequence[str], size: int) -> Iterator[Cells]:
    with _open_csv(path) as (header_names, rows):
        places, numbers = [header_names.index(name) for name in names], _numbers()
        while block := list(islice(rows, size)):
            columns = list(zip(*block, strict=True))
            cells = [list(map(numbers.__getitem__, columns[place])) for place in places]
            yield np.array(cells, np.min_scalar_type(len(numbers))), list(numbers)


def _open_parquet(path: Path, names: Sequence[str] = ()) -> Any:
    """Open a Parquet file; text in the columns named is read as dictionaries."""
    parquet = import_extra("pyarrow.parquet", "data")
    with _readable(path):
        return parquet.ParquetFile(path, buffer_size=BUFFER_BYTES, read_dictionary=list(names))


def _parquet_batches(
    path: Path, places: list[int], names: Sequence[str], size: int, labels: bool
) -> Iterator[Cells]:
    with _open_parquet(path, names) as file:
        batches = file.iter_batches(size, row_groups=places, columns=list(names))
        while True:
            with _readable(path):
                batch = next(batches, None)
                if batch is None:
                    return
                cells = _parquet_cells(path, batch, names, labels)
            yield cells


def _parquet_cells(path: Path, batch: Any, names: Sequence[str], labels: bool) -> Cells:
    numbers = _numbers()
    table: Codes = np.empty((len(names), batch.num_rows), np.uint8)
    for row, name in enumerate(names):
        array = batch.column(name)
        places, values = _encoded(array)
        if labels:
            exact = _EXACT_BELOW.get(str(getattr(array.type, "value_type", array.type)), 0)
            _check_whole(f"{path}: column {name!r:.60}", values, exact)
        words = np.array([numbers[_text(value)] for value in values])
        table = table.astype(np.min_scalar_type(len(numbers)), copy=False)
        # Places of missing cells are arbitrary.
        np.take(words.astype(table.dtype), places, out=table[row], mode="clip")
        if 0 < array.null_count < len(array):
            # pyarrow's own ways to fill them are ten times slower.
            bits, start = np.frombuffer(array.buffers()[0], np.uint8), array.offset
            table[row] *= np.unpackbits(bits, None, start + len(array), "little")[start:]
    return table, list(numbers)


def _encoded(array: Any) -> tuple[NDArray[np.integer[Any]], Sequence[Any]]:
    """Return the place of each cell of a column among some values, and these."""
    if array.null_count == len(array):
        return np.zeros(len(array), np.intp), [None]
    if "int" in str(array.type) and not hasattr(array, "dictionary"):
        cells = _without_nulls(array)
        low, high = int(cells.min()), int(cells.max())
        if high - low < WIDEST_RANGE:
            places = np.subtract(cells, cells.dtype.type(low), dtype=np.intp, casting="unsafe")
            return places, range(low, high + 1)
    array = array.dictionary_encode()  # nothing to do for a dictionary
    return _without_nulls(array.indices), array.dictionary.to_pylist()


def _without_nulls(array: Any) -> NDArray[np.integer[Any]]:
    """Return integers without a copy, arbitrary ones where they are missing."""
    buffers = [None, array.buffers()[1]]
    return array.from_buffers(array.type, len(array), buffers, offset=array.offset).to_numpy()


def _check_whole(where: str, values: Sequence[Any], exact_below: int) -> None:
    for value in values if exact_below else ():
        if value is not None and not (value.is_integer() and abs(value) < exact_below):
            raise VotesFileError(
                f"{where}: {value!s} is not a label. Labels are text, booleans or whole numbers"
                f" (floats below {exact_below}), null where a voter was trained on the sample."
            )


def _text(value: Any) -> str:
    """Return the text of a value of Parquet: 1 for 1.0, True for true, nothing for null."""
    whole = isinstance(value, float | np.floating) and value.is_integer()
    return "" if value is None else str(int(value) if whole else value)
