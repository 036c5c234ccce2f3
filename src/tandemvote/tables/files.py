"""From a file to a pandas DataFrame: CSV, Parquet and Excel, from a path or the standard input."""

from __future__ import annotations

import bz2
import codecs
import csv
import gzip
import io
import lzma
import re
import sys
import zlib
from collections.abc import Collection
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings, simplefilter

from tandemvote.auditing import Finding
from tandemvote.extras import import_extra
from tandemvote.tables.columns import check_duplicates, find_column, reject_data
from tandemvote.tables.errors import DatasetError, explained, number_of

if TYPE_CHECKING:
    import pandas

STANDARD_INPUT = "-"
EXCEL = (".xlsx", ".xlsm", ".xls", ".ods")
PARQUET = (".parquet", ".pq")
UNPACKERS: dict[bytes, Any] = {
    b"\x1f\x8b": gzip.decompress,
    b"BZh": bz2.decompress,
    b"\xfd7zXZ": lzma.decompress,
}
BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
# What R, pandas, databases and spreadsheets write for a missing entry. UCI's ``?`` is not among
# them, as it may be a category elsewhere.
MISSING_TEXTS = (
    *("", "NA", "N/A", "n/a", "<NA>", "#NA", "#N/A", "#N/A N/A", "NULL", "null", "None"),
    *("NaN", "nan", "-NaN", "-nan", "NaT", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
)
# A comma comes last: it also occurs inside numbers and sentences of files separated otherwise.
SEPARATORS = ("\t", ";", "|", ",")
SPELLED = {"tab": "\t", "\\t": "\t", "space": " "}
LINES_EXAMINED = 50


def read_frame(
    source: str | PathLike[str],
    *,
    categories: Collection[str] = (),
    separator: str | None = None,
    decimal: str = ".",
    header: bool | None = None,
    missing_values: Collection[str] = ("?",),
) -> tuple[pandas.DataFrame, list[Finding]]:
    """Read a table with named columns; return also findings about the file.

    The format is recognized by the content. Columns named in `categories` stay text.
    """
    pandas = import_extra("pandas", "data")
    data, suffix = _read_bytes(source), Path(source).suffix.lower()
    findings: list[Finding] = []
    if suffix in PARQUET or data.startswith(b"PAR1"):
        frame = _read_parquet(data, source)
    elif suffix in EXCEL:
        fix = "Install openpyxl for Excel files (pip install openpyxl), or save the table as CSV."
        with explained(f"{source} cannot be read as an Excel file", fix, Exception):
            frame = pandas.read_excel(io.BytesIO(data), na_values=list(missing_values))
    else:
        missing = {*MISSING_TEXTS, *missing_values}
        frame, findings = _read_text(data, source, separator, header, missing)
        for name in frame.columns.difference([*categories], sort=False):
            frame[name] = _typed(frame[name], decimal)
    frame = frame.rename(columns=str).reset_index(drop=True)
    names = list(frame.columns)
    check_duplicates(names, source)
    for name in categories:
        find_column(names, name, source)
        frame[name] = frame[name].convert_dtypes().astype(object).map(str, na_action="ignore")
        frame[name] = frame[name].astype("category")
    if not len(frame):
        raise DatasetError(f"{source} has names of columns but no rows. Add rows.")
    return frame, findings


def _read_bytes(source: str | PathLike[str]) -> bytes:
    """Return the content of a file or of the standard input, unpacked."""
    name, path = str(source), Path(source)
    if name == STANDARD_INPUT:
        data = sys.stdin.buffer.read()
    elif re.match(r"[A-Za-z][A-Za-z0-9+]+:/", name):
        raise DatasetError(
            f"{name} is an address, not a file. Download it first, or pass it on:"
            f" curl -sL {name} | tandemvote certify - ..."
        )
    elif path.is_dir():
        raise DatasetError(f"{name} is a folder. Name one file in it.")
    elif not path.exists():
        raise DatasetError(f"There is no file {name}. Check the path.")
    else:
        data = path.read_bytes()
    unpack = next((UNPACKERS[magic] for magic in UNPACKERS if data.startswith(magic)), bytes)
    damaged = (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError)
    with explained(f"{name} is damaged and cannot be unpacked", "Get it once more.", *damaged):
        return unpack(data)


def _read_parquet(data: bytes, source: Any) -> pandas.DataFrame:
    parquet = import_extra("pyarrow.parquet", "data")
    # pyarrow raises errors of most types on damaged files.
    with explained(f"{source} cannot be read as Parquet", "Write it again.", Exception):
        table = parquet.read_table(io.BytesIO(data))
        check_duplicates(table.column_names, source)
        table.validate(full=True)  # bytes that are not UTF-8 may be declared as text
        return table.to_pandas()


def _read_text(
    data: bytes, source: Any, separator: str | None, header: bool | None, missing: Collection[str]
) -> tuple[pandas.DataFrame, list[Finding]]:
    """Read a table of text cells, without blanks around them."""
    pandas = import_extra("pandas", "data")
    text, findings = _decoded(data, source)
    separator = SPELLED.get(separator or "", separator) or find_separator(text)
    if len(separator) != 1 or separator in '"\r\n':
        raise DatasetError(f"separator={separator!r} is not one character, 'tab' or 'space'.")
    with explained(f"{source} is not a table of text cells", "Save it again.", csv.Error):
        lines = io.StringIO(text, newline="")
        cells = csv.reader(lines, delimiter=separator, skipinitialspace=True)
        rows = (row for row in cells if any(cell.strip() for cell in row) or len(row) > 1)
        names = [name.strip() for name in next(rows)]
        short = [place for place, row in enumerate(rows, start=1) if len(row) < len(names)]
    if header is False:
        names = [f"column{place + 1}" for place in range(len(names))]
        short = [place + 1 for place in short]
    else:
        names = [name or f"Unnamed: {place}" for place, name in enumerate(names)]
        if header is None:
            reject_data(names, source)
    check_duplicates(names, source)
    if short:
        findings.append(_short_rows(short, len(names)))
    table = f"a table of {number_of(len(names), 'column')} separated by {separator!r}"
    fix = "Correct the line, or name the sign between cells: separator=CHARACTER."
    ragged = pandas.errors.ParserWarning  # a row longer than the header would lose its last cells
    problem = f"{source} cannot be read as {table}"
    with explained(problem, fix, ValueError, ragged), catch_warnings():
        simplefilter("error", ragged)
        frame = pandas.read_csv(
            io.StringIO(text),
            sep=separator,
            header=None if header is False else 0,
            names=names,
            dtype=str,
            na_filter=False,
            index_col=False,
            skipinitialspace=True,
        )
    for name in names:
        cells = frame[name].astype(object).map(str.strip, na_action="ignore")
        frame[name] = cells.mask(cells.isin(missing))
    return frame, findings


def _decoded(data: bytes, source: Any) -> tuple[str, list[Finding]]:
    """Return text in UTF-8, UTF-16 with a byte-order mark, or else Windows-1252."""
    marks = (BYTE_ORDER_MARKS[mark] for mark in BYTE_ORDER_MARKS if data.startswith(mark))
    encoding, findings = next(marks, "utf-8"), []
    try:
        text = data.decode(encoding)
    except UnicodeError:
        text = data.decode("cp1252", errors="replace")
        message = "The file is not UTF-8, so it was read as Windows-1252."
        advice = "If names look wrong, save it as UTF-8."
        findings = [Finding(code="encoding", severity="note", message=message, advice=advice)]
    if "\0" in text:
        raise DatasetError(
            f"{source} is not a text file. CSV, Parquet and Excel files can be read. Save it as one"
            " of these."
        )
    if not text.strip():
        raise DatasetError(f"{source} is empty. Give a header line and rows below it.")
    return text, findings


def _short_rows(short: list[int], n_columns: int) -> Finding:
    return Finding(
        code="short_rows",
        severity="warning",
        message=f"{number_of(len(short), 'row')} with fewer than {n_columns} cells, the first of"
        f" them row {short[0]}; the cells at the end count as missing.",
        advice="Correct these rows if cells in the middle are missing.",
    )


def _typed(cells: pandas.Series, decimal: str) -> pandas.Series:
    """Return numbers if all cells are numbers."""
    present = cells.dropna().drop_duplicates()
    texts = present.str.replace(".", " ").str.replace(decimal, ".") if decimal != "." else present
    numbers = import_extra("pandas", "data").to_numeric(texts, errors="coerce")
    if numbers.isna().any():
        return cells
    return cells.map(dict(zip(present, numbers, strict=True))).infer_objects()


def find_separator(text: str) -> str:
    """Return the sign that cuts the first lines into the same number of cells, more than one.

    If none of tab, semicolon, bar and comma does, return the most frequent one of the first line.
    """
    lines = [*islice((line for line in io.StringIO(text) if line.strip()), LINES_EXAMINED)]
    for separator in SEPARATORS:
        with explained("The first lines are not text cells", "Save the file again.", csv.Error):
            widths = {len(cells) for cells in csv.reader(lines, delimiter=separator)}
        if len(widths) == 1 and widths != {1}:
            return separator
    return max(reversed(SEPARATORS), key=lines[0].count)
