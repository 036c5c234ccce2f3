"""Cells of CSV and Parquet files as positions in a list of words."""

from __future__ import annotations

import csv
import glob
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b, sha256
from itertools import chain, groupby, islice
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tandemvote.votes.codes import Codes
from tandemvote.votes.extras import import_extra
from tandemvote.votes.parameter_error import ParameterError
from tandemvote.votes.printable import no_column, printable, shown

COLUMNS_SHOWN = 6  # columns in an error message

BATCH_CELLS = 2**24  # in memory at a time, as many as a chunk of `VoteCounts.from_votes` takes
MAX_CELLS = 2**28  # of a table in memory as a whole, which takes some GB
COMPARED_ROWS = 256  # in which two files that are not copies practically always differ
MAX_ROWS = sys.maxsize
CSV_SHARE = 16  # a cell takes this many times the memory while it is text
BUFFER_BYTES = 2**16  # read ahead in each Parquet column; by default a whole row group is read
NESTED = ("list", "large_list", "fixed_size_list", "struct", "map")  # types of Arrow
WIDEST_RANGE = 255  # whole numbers in such a range are encoded without hashing

Location = str | os.PathLike[str]
Cells = tuple[Codes, list[str]]
"""Positions in a sorted list of words, one row per column; word 0 is "", for a missing cell."""


class VotesFileError(ParameterError):
    """A file cannot be read as a table of votes."""


class RowGroup(NamedTuple):
    """Rows that a Parquet file stores together, or all rows of a CSV file."""

    path: Path
    place: int
    n_samples: int


class Survey(NamedTuple):
    """The columns of a file with the kinds of their cells, and its row groups.

    A kind is "text", "numbers", "booleans" or "lists", and "" in CSV files and columns of nulls. An
    index without a name that pandas stored in a Parquet file is not a column.
    """

    path: Path
    kinds: dict[str, str]
    row_groups: list[RowGroup]

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return sum(group.n_samples for group in self.row_groups)


def is_parquet(location: Location) -> bool:
    """Return True if a path is a folder or ends like a Parquet file, as patterns may."""
    return Path(location).is_dir() or Path(location).suffix.lower() == ".parquet"


def find_files(paths: Location | Iterable[Location]) -> list[Path]:
    """Return the files of a path or of several, always in the same order.

    A path is a file; a folder, for the Parquet files directly in it; or a pattern such as
    ``"votes/*.parquet"``, in which ``**`` stands for folders of any depth.
    """
    files = []
    for location in [paths] if isinstance(paths, str | os.PathLike) else paths:
        path = Path(location)
        pattern = path / "*.parquet" if path.is_dir() else path
        # Not Path.glob, which takes no pattern that starts at the root. A name may hold brackets.
        found = [path] if path.is_file() else glob.glob(str(pattern), recursive=True)  # noqa: PTH207
        if not found:
            raise VotesFileError(f"No file matches {pattern}. Check the path, and quote a pattern.")
        files += sorted(map(Path, found))
    return files


def too_many_cells(source: object, n_rows: int, n_columns: int) -> str:
    """Return why a table cannot be read into memory as a whole; "" if it can."""
    if n_rows * n_columns <= MAX_CELLS:
        return ""
    return (
        f"{source} has {n_rows:,} rows of {n_columns:,} columns; at most {MAX_CELLS:,} cells are"
        " read into memory. Pass fewer rows or columns, or count votes in parts (VoteFiles)."
    )


def check_size(source: object, row_groups: Iterable[RowGroup], names: Collection[str]) -> None:
    """Raise VotesFileError if some columns do not fit in memory, before they are read."""
    if problem := too_many_cells(source, sum(each.n_samples for each in row_groups), len(names)):
        raise VotesFileError(problem)


def check_distinct(surveys: Iterable[Survey]) -> None:
    """Raise VotesFileError if two files hold the same cells in the same order, however stored.

    Files with as many rows are compared by their first rows, and read as a whole only if these are
    equal.
    """
    for as_long in _alike(surveys, lambda file: file.n_samples):
        for begins_alike in _alike(as_long, lambda file: _content(file, COMPARED_ROWS)):
            for first, second, *_ in _alike(begins_alike, _content):
                raise VotesFileError(
                    f"{second.path} is a copy of {first.path}: its samples would be counted twice."
                    " Pass every file once."
                )


def _alike(surveys: Iterable[Survey], key: Callable[[Survey], Any]) -> list[list[Survey]]:
    """Return lists of two or more files that have the same key."""
    by_key = defaultdict(list)
    for survey in surveys:
        by_key[key(survey)].append(survey)
    return [each for each in by_key.values() if len(each) > 1]


def _content(survey: Survey, n_rows: int = MAX_ROWS) -> bytes:
    """Return a digest of the words in the first rows, which does not depend on batches."""
    names = sorted(name for name, kind in survey.kinds.items() if kind != "lists")
    digest, size = sha256(), min(BATCH_CELLS, n_rows * len(names))
    for _, (cells, words) in read_cells(survey.row_groups, names, size):
        hashes = b"".join(blake2b(word.encode(), digest_size=8).digest() for word in words)
        rows = np.frombuffer(hashes, np.uint64)[cells].T[:n_rows]
        digest.update(rows.tobytes())
        n_rows -= len(rows)
        if not n_rows:
            break
    return digest.digest()


def _survey(path: Path, *, count: bool = True) -> Survey:
    """Look into a file. Rows of CSV are read only to `count` them; otherwise there is one."""
    if is_parquet(path):
        with _open_parquet(path) as file:
            columns = [(field.name, _kind(field.type)) for field in file.schema_arrow]
            data = file.metadata
            sizes = [data.row_group(place).num_rows for place in range(data.num_row_groups)]
    else:
        with _open_csv(path) as (names, rows):
            columns, sizes = [(name, "") for name in names], [sum(1 for _ in rows) if count else 1]
    kinds: dict[str, str] = {}
    for name, kind in columns:
        if name in kinds:
            raise VotesFileError(f"{path} has two columns {name!r:.60}. Rename one of them.")
        if not name.startswith("__index_level_"):
            kinds[name] = kind
    groups = [RowGroup(path, place, size) for place, size in enumerate(sizes) if size]
    return Survey(path, kinds, groups)


def _kind(arrow_type: Any) -> str:
    name = str(getattr(arrow_type, "value_type", arrow_type))  # of a dictionary, that of its values
    numbers = name.startswith(("int", "uint", "float", "double", "halffloat", "decimal"))
    if name.startswith(NESTED):
        return "lists"
    return {"null": "", "bool": "booleans"}.get(name, "numbers" if numbers else "text")


def column_names(path: Location) -> list[str]:
    r"""Return the names of the columns of a CSV or Parquet file.

    Parameters
    ----------
    path : path
        A CSV file, a Parquet file, or a folder or pattern of Parquet files, of which the first one
        is read.

    Returns
    -------
    list of str
        The names, in the order of the file.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "votes.csv")
    ...     _ = path.write_text("label,tree\nyes,no\n")
    ...     column_names(path), read_columns(path, ["tree"])
    (['label', 'tree'], {'tree': ['no']})
    """
    return list(_survey(find_files(path)[0], count=False).kinds)


class SurveyedFiles:
    """Files of the same columns, each opened once to see what is in it."""

    def __init__(self, paths: Location | Iterable[Location]) -> None:
        self.source = str(paths)
        self.surveys = [each for each in map(_survey, find_files(paths)) if each.row_groups]
        if not self.surveys:
            raise VotesFileError(
                f"{paths} is empty or has no rows. Write a header line and at least one row."
            )

    @classmethod
    def of(cls, paths: Location | Iterable[Location] | SurveyedFiles) -> SurveyedFiles:
        """Survey files, unless that was done before."""
        return paths if isinstance(paths, SurveyedFiles) else cls(paths)

    @property
    def columns(self) -> list[str]:
        """Names of the columns of the first file."""
        return list(self.surveys[0].kinds)

    @property
    def row_groups(self) -> list[RowGroup]:
        """All rows, file by file."""
        return [group for survey in self.surveys for group in survey.row_groups]

    def voters(self, target: str | None, drop: Collection[str]) -> list[str]:
        """Return the voters, which all files must share, with one type of cells."""
        voters = [name for name in self.columns if name != target and name not in drop]
        known: dict[str, tuple[str, Path]] = {}
        for path, columns, _ in self.surveys:
            check_columns_exist(path, () if target is None else (target, *drop), columns)
            used = {name: kind for name, kind in columns.items() if name not in drop}
            others = {*voters} ^ ({*used} - {target})
            if others or not voters:
                raise VotesFileError(
                    f"{path} has no voter, or other columns than {self.surveys[0].path}:"
                    f" {shown(sorted(others), COLUMNS_SHOWN)}. Write one column per voter in each"
                    " file."
                )
            for name, kind in used.items():
                first_kind, first = known.setdefault(name, (kind, path)) if kind else ("", path)
                if kind != first_kind:
                    raise VotesFileError(
                        f"Column {name!r:.60} has {first_kind} in {first} and {kind} in {path}, so"
                        " equal labels would differ. Write one type of labels in all files."
                    )
        check_distinct(self.surveys)
        return voters


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

    Examples
    --------
    See `column_names`.
    """
    columns: dict[str, list[str]] = {name: [] for name in names}
    for file in find_files(path) if columns else ():
        survey = _survey(file, count=False)
        check_columns_exist(file, columns, survey.kinds)
        check_size(file, survey.row_groups, columns)
        for _, cells in read_cells(survey.row_groups, list(columns)):
            add_texts(columns, cells)
    return columns


def add_texts(columns: dict[str, list[str]], cells: Cells) -> None:
    """Append the text of some rows to each of the columns."""
    table, words = cells
    for name, codes in zip(columns, table.tolist(), strict=True):
        columns[name] += map(words.__getitem__, codes)


def read_cells(
    row_groups: Iterable[RowGroup], names: list[str], most: int | None = None
) -> Iterator[tuple[Path, Cells]]:
    """Read some columns in batches of at most `BATCH_CELLS` or so many cells, with its file."""
    size = max(1, (most or BATCH_CELLS) // len(names))
    for path, groups in groupby(row_groups, key=attrgetter("path")):
        if is_parquet(path):
            chosen = [group.place for group in groups]
            with _open_parquet(path, names) as file:
                for batch in file.iter_batches(size, row_groups=chosen, columns=names):
                    yield path, _parquet_cells(batch, names)
        else:
            with _open_csv(path) as (header, rows):
                places = [header.index(name) for name in names]
                while block := list(islice(rows, max(1, size // CSV_SHARE))):
                    columns = list(zip(*block, strict=True))
                    yield path, _csv_cells([columns[place] for place in places])


def check_columns_exist(path: Location, names: Iterable[str], columns: Collection[str]) -> None:
    """Raise VotesFileError if a name is not among the columns of a file, and suggest others."""
    for name in names:
        if name not in columns:
            raise VotesFileError(no_column(path, name, columns))


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Turn errors about a damaged file into a VotesFileError."""
    try:
        yield
    except (ValueError, KeyError, OSError, NotImplementedError, csv.Error) as error:
        file_format = "Parquet" if is_parquet(path) else "CSV in UTF-8 without compression"
        raise VotesFileError(
            f"{path} cannot be read as {file_format} ({printable(str(error)):.200}). Check that the"
            " file is complete and has one cell per column in every row, with text, whole numbers"
            " or booleans."
        ) from error


@contextmanager
def _open_csv(path: Path) -> Iterator[tuple[list[str], Iterator[list[str]]]]:
    """Open a CSV file as the names of its columns and its rows."""
    with _readable(path), path.open(encoding="utf-8-sig", newline="") as text:
        header = next((line for line in text if line.strip()), "")
        # strict: a quotation mark that is never closed would swallow the rows after it.
        reader = csv.reader
        separator = max(",;\t|", key=lambda sign: len(next(reader([header], delimiter=sign))))
        (names,) = reader([header], delimiter=separator, strict=True)
        rows = _check_widths(reader(text, delimiter=separator, strict=True), len(names))
        yield [name.strip() for name in names], rows


def _check_widths(rows: Iterator[list[str]], width: int) -> Iterator[list[str]]:
    for number, row in enumerate(filter(None, rows), 1):
        if len(row) != width:
            raise csv.Error(f"row {number} has {len(row)} cells and the header {width}")
        yield row


def _numbered(words: Iterable[str]) -> dict[str, int]:
    """Return the position of each word in the sorted list of all words and ""."""
    return {word: number for number, word in enumerate(sorted({"", *words}))}


def _csv_cells(columns: Sequence[Sequence[str]]) -> Cells:
    numbers = _numbered(chain.from_iterable(columns))
    cells = [list(map(numbers.__getitem__, column)) for column in columns]
    return np.array(cells, np.min_scalar_type(len(numbers))), list(numbers)


@contextmanager
def _open_parquet(path: Path, names: Sequence[str] = ()) -> Iterator[Any]:
    """Open a Parquet file; text in the columns named is read as dictionaries."""
    parquet = import_extra("pyarrow.parquet", "data")
    options = {"buffer_size": BUFFER_BYTES, "read_dictionary": list(names)}
    with _readable(path), parquet.ParquetFile(path, **options) as file:
        yield file


def _parquet_cells(batch: Any, names: Sequence[str]) -> Cells:
    columns = [(batch.column(name), *_encoded(batch.column(name))) for name in names]
    numbers = _numbered(chain.from_iterable(words for _, _, words in columns))
    table: Codes = np.empty((len(names), batch.num_rows), np.min_scalar_type(len(numbers)))
    for row, (array, places, words) in zip(table, columns, strict=True):
        own = np.array([numbers[word] for word in words], table.dtype)
        np.take(own, places, out=row, mode="clip")  # places of missing cells are arbitrary
        if 0 < array.null_count < len(array):
            # pyarrow's own ways to fill them are ten times slower.
            bits, start = np.frombuffer(array.buffers()[0], np.uint8), array.offset
            np.multiply(row, np.unpackbits(bits, None, start + row.size, "little")[start:], out=row)
    return table, list(numbers)


def _encoded(array: Any) -> tuple[NDArray[np.integer[Any]], list[str]]:
    """Return the place of each cell of a column among some words, and these."""
    if array.null_count == len(array):
        return np.zeros(len(array), np.uint8), [""]
    if str(array.type).startswith(("int", "uint")):
        cells = _without_nulls(array)
        low, high = int(cells.min()), int(cells.max())
        if high - low < WIDEST_RANGE:
            places = np.subtract(cells, cells.dtype.type(low), dtype=np.uint8, casting="unsafe")
            return places, list(map(str, range(low, high + 1)))
    array = array.dictionary_encode()  # nothing to do for a dictionary
    return _without_nulls(array.indices), list(map(_text, array.dictionary.to_pylist()))


def _without_nulls(array: Any) -> NDArray[np.integer[Any]]:
    """Return integers without a copy, arbitrary ones where they are missing."""
    buffers = [None, array.buffers()[1]]
    return array.from_buffers(array.type, len(array), buffers, offset=array.offset).to_numpy()


def _text(value: Any) -> str:
    """Return the text of a value of Parquet: 1 for 1.0, True for true, nothing for null or NaN."""
    if value is None or value != value:  # noqa: PLR0124
        return ""
    return str(int(value) if isinstance(value, float) and value.is_integer() else value)
