"""Files that hold named columns: CSV and its relatives, and Parquet."""

from __future__ import annotations

import csv
import io
import warnings
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tandemvote.extras import import_extra
from tandemvote.tables.columns import find_column, refuse_data, refuse_duplicates
from tandemvote.tables.encoder import inferred
from tandemvote.tables.errors import DatasetError, either, number_of
from tandemvote.tables.file_content import read_text, refuse_size
from tandemvote.tables.labels import MISSING_TEXTS

if TYPE_CHECKING:
    import pandas

# A comma comes last: it also occurs inside numbers and sentences of files separated otherwise.
SEPARATORS = ("\t", ";", "|", ",")
_SPELLED: dict[str, str | None] = {"": None, "tab": "\t", "\\t": "\t", "space": " "}
LINES_LOOKED_AT = 50


def read_delimited(
    path: Path,
    *,
    separator: str | None = None,
    decimal: str = ".",
    encoding: str = "utf-8-sig",
    header: bool | None = None,
    column_names: Sequence[str] | None = None,
    missing_values: Sequence[str] = ("?",),
    categories: Sequence[str] = (),
) -> pandas.DataFrame:
    """Read a text table, compressed or not; the options are those of `read_table`.

    Blanks around a cell are ignored. Text that is undecodable or ragged, or has a column name
    twice, is refused.
    """
    pandas = import_extra("pandas", "data")
    text = read_text(path, encoding=encoding)
    if not text.strip():
        raise DatasetError(f"{path} is empty. Give a header line and at least two rows.")
    separator = _SPELLED.get(separator or "", separator)
    if separator is not None and (len(separator) != 1 or separator in '"\r\n'):
        raise DatasetError(f"{separator!r} is no separator. Give one character, tab or space.")
    try:
        separator = separator or find_separator(text)
        names = _first_cells(text, separator)
    except csv.Error as error:
        raise DatasetError(f"{path} is no table of text cells ({error}). Save it again.") from error
    if column_names is not None:
        names, header = list(column_names), False
    elif header is False:
        names = [f"column{place + 1}" for place in range(len(names))]
    elif header is None:
        refuse_data(names, path)
    refuse_duplicates(names, path)
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
    try:
        with warnings.catch_warnings():
            # A row longer than the header would lose its last cells with a mere warning.
            warnings.simplefilter("error", pandas.errors.ParserWarning)
            frame = read(io.StringIO(text), na_values=list(missing))
            texts = (frame[name].dropna().unique() for name in _text_columns(frame))
            padded = {cell for cells in texts for cell in cells if cell.strip() in missing}
            if padded:  # such as "NA ": without them a column may well be one of numbers
                frame = read(io.StringIO(text), na_values=list(missing | padded))
    except (ValueError, pandas.errors.ParserError, pandas.errors.ParserWarning) as error:
        raise DatasetError(
            f"{path} cannot be read as a table of {number_of(len(names), 'column')} separated by "
            f"{separator!r} ({str(error).strip()}). Correct the line, or name the sign by"
            f" {either('separator', '--separator')}."
        ) from error
    for name in _text_columns(frame):
        frame[name] = frame[name].str.strip()
        if decimal != "," and name not in categories:
            _refuse_decimal_commas(frame[name].dropna(), path)
        if name not in categories:
            frame[name] = _long_integers(frame[name])
    return frame.astype(dict.fromkeys(categories, "category"))


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


def read_parquet(path: Path, *, categories: Sequence[str] = ()) -> pandas.DataFrame:
    """Read a Parquet file of up to `LARGEST_TABLE` bytes; a stored row index is left out."""
    parquet = import_extra("pyarrow.parquet", "data")
    import_extra("pandas", "data")
    try:
        with parquet.ParquetFile(path) as file:
            refuse_duplicates(file.schema_arrow.names, path)
            # Runs of equal values take next to nothing in the file, and their full size in memory.
            refuse_size(path, file.metadata.num_rows, file.metadata.num_columns)
            table = file.read()
            table.validate(full=True)  # text may not be text
            frame = table.to_pandas()
    except DatasetError:
        raise
    except Exception as error:  # pyarrow raises most kinds there are on damaged files
        raise DatasetError(
            f"{path} cannot be read as Parquet ({error}). Write it again, or name its true "
            f"format by {either('file_format', '--format')}."
        ) from error
    for name in categories:
        find_column(list(frame.columns), name, path)
        frame[name] = frame[name].astype(object).map(str, na_action="ignore").astype("category")
    return frame


def _first_cells(text: str, separator: str) -> list[str]:
    lines = (line for line in io.StringIO(text) if line.strip())
    cells = next(csv.reader(lines, delimiter=separator))
    return [name.strip() or f"Unnamed: {place}" for place, name in enumerate(cells)]


def _text_columns(frame: pandas.DataFrame) -> list[str]:
    return [name for name in frame.columns if inferred(frame[name]) == "string"]


def _long_integers(cells: pandas.Series) -> pandas.Series:
    """Return integers that are beyond 64 bits, which pandas before release 3 leaves as text."""
    if not cells.dropna().str.fullmatch(r"[+-]?\d{1,999}").all():
        return cells
    whole = [int(cell) if known else cell for cell, known in zip(cells, cells.notna(), strict=True)]
    return import_extra("pandas", "data").Series(whole, cells.index, dtype=object)


def _refuse_decimal_commas(cells: pandas.Series, path: Path) -> None:
    """Refuse a text column of numbers like ``3,14``: as categories they would lose their order."""
    if cells.str.fullmatch(r"[+-]?\d+(,\d+)*").all() and cells.str.contains(",").any():
        python = "pass decimal=','"
        raise DatasetError(
            f"{path}: column {cells.name!r} holds numbers with commas, such as {cells.iloc[0]!r}."
            f" For decimal commas {either(python, 'give --decimal ,')}; remove commas that group"
            " thousands."
        )
