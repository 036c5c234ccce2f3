"""Readers of CSV, Parquet and Excel files as a pandas DataFrame, from a path or standard input."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import re
import sys
import zlib
from collections.abc import Collection, Iterator
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings, simplefilter

import numpy as np

from tandemvote.auditing import Finding
from tandemvote.tables.errors import DatasetError, explained, number_of
from tandemvote.tables.kinds import check_columns, text_of
from tandemvote.votes.extras import import_extra
from tandemvote.votes.printable import shown
from tandemvote.votes.vote_tables import too_many_cells

if TYPE_CHECKING:
    import pandas

STANDARD_INPUT = "-"
EXCEL = (".xlsx", ".xlsm", ".xls", ".ods")
PARQUET = (".parquet", ".pq")
# What R, pandas, databases, spreadsheets and UCI write for a missing entry.
MISSING_TEXTS = (
    *("", "?", "NA", "N/A", "n/a", "<NA>", "#NA", "#N/A", "#N/A N/A", "NULL", "null", "None"),
    *("NaN", "nan", "-NaN", "-nan", "NaT", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
)
# Commas and spaces come last: they also occur inside numbers and sentences.
SEPARATORS = ("\t", ";", "|", ",", " ")
LINES_EXAMINED = 50
AMOUNT = r"^([-+]?)([$€£¥]?)\s*(\d[\d.,]*)\s*([$€£¥%]?)$"
"""Sign, symbol, digits and symbol of money and percentages."""

NOT_PLAIN = r"[$€£¥%]|\d,\d{3}(?!\d)|\d\.\d{3}[.,]"
"""Signs, thousands separators and percentages, which plain numbers do not have."""

GROUPED = {
    ".": r"[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?",
    ",": r"[1-9]\d{0,2}(?:\.\d{3})+(?:,\d+)?|\d+(?:,\d+)?",
}
"""Numbers with either decimal sign, whose thousands may be grouped by the other one."""


def read_frame(
    source: str | PathLike[str],
    *,
    categories: Collection[str] = (),
    decimal: str = ".",
    missing_values: Collection[str] = (),
) -> tuple[pandas.DataFrame, list[Finding], pandas.DataFrame]:
    """Read a table with named columns; return also findings, and the cells as they are written.

    Columns named in `categories` stay text.
    """
    pandas = import_extra("pandas", "data")
    data, suffix = _read_bytes(source), Path(source).suffix.lower()
    findings: list[Finding] = []
    if suffix in PARQUET or data.startswith(b"PAR1"):
        parquet = import_extra("pyarrow.parquet", "data")
        # pyarrow raises errors of most types on damaged files.
        with explained(f"{source} cannot be read as Parquet", "Save it again.", Exception):
            stored = parquet.read_metadata(io.BytesIO(data))
        if problem := too_many_cells(source, stored.num_rows, stored.num_columns):
            raise DatasetError(problem)
        with explained(f"{source} cannot be read as Parquet", "Save it again.", Exception):
            table = parquet.read_table(io.BytesIO(data))
            table.validate(full=True)  # bytes that are not UTF-8 may be declared as text
            cells = frame = table.to_pandas()
    elif suffix in EXCEL:
        import_extra("openpyxl", "excel")
        with explained(f"{source} cannot be read as an Excel file", "Save it as CSV.", Exception):
            cells = frame = pandas.read_excel(io.BytesIO(data), na_values=list(missing_values))
    else:
        frame, findings = _read_text(data, source)
        cells = frame = frame.map(str.strip, na_action="ignore")
        frame = frame.mask(frame.isin([*MISSING_TEXTS, *missing_values]))
        check_columns(frame, (), source)  # in which names occur once
        texts = frame
        frame = texts.apply(lambda cells: _typed(cells, decimal, categories))
        findings += _amount_findings(texts, frame)
    frame = frame.rename(columns=str).reset_index(drop=True)
    check_columns(frame, categories, source)
    for name in categories:
        frame[name] = text_of(frame[name]).astype("category")
    if not len(frame):
        raise DatasetError(f"{source} has names of columns but no rows. Add rows.")
    return frame, findings, cells


def _read_bytes(source: str | PathLike[str]) -> bytes:
    """Return the content of a file or of the standard input, unpacked."""
    name = str(source)
    if name == STANDARD_INPUT:
        data = sys.stdin.buffer.read()
    elif re.match(r"[A-Za-z][A-Za-z0-9+]+:/", name):
        raise DatasetError(
            f"{name} is an address, not a file. Download it first, or pass it on:"
            f" curl -sL {name} | tandemvote certify - ..."
        )
    else:
        with explained(f"{name} cannot be read", "Check the path.", OSError):
            data = Path(source).read_bytes()
    if not data.startswith(b"\x1f\x8b"):
        return data
    problem = f"{name} is damaged and cannot be unpacked"
    with explained(problem, "Get another copy of it.", OSError, EOFError, zlib.error):
        # Real tables shrink to a tenth. The rest would fill the memory.
        limit = 2**24 + 100 * len(data)
        data = gzip.GzipFile(fileobj=io.BytesIO(data)).read(limit + 1)
    if len(data) > limit:
        raise DatasetError(f"{name} has more than {limit:,} bytes when unpacked. Unpack it first.")
    return data


def _read_text(data: bytes, source: Any) -> tuple[pandas.DataFrame, list[Finding]]:
    """Read a table of text cells, and report its encoding and rows with too few cells."""
    text, findings = _decoded(data, source)
    pandas = import_extra("pandas", "data")
    fix = "Correct the line, or put cells in quotes and commas between them."
    problem, too_long = f"{source} is not a table of text cells", pandas.errors.ParserWarning
    with explained(problem, fix, ValueError, csv.Error, too_long), catch_warnings():
        simplefilter("error", too_long)  # before pandas 3.1, cells beyond the header are cut off
        frame = pandas.read_csv(
            io.StringIO(text, newline=""),
            sep=find_separator(text),
            engine="python",  # distinguishes cells that are not there from empty ones
            header=None,
            dtype=object,
            na_filter=False,
            index_col=False,
            skipinitialspace=True,
        )
    names = [name.strip() or f"Unnamed: {place}" for place, name in enumerate(frame.iloc[0])]
    frame = frame.iloc[1:].set_axis(names, axis=1)
    short = np.flatnonzero(frame.iloc[:, -1].isna()) + 1
    if short.size:
        finding = Finding(
            code="short_rows",
            severity="warning",
            message=f"{number_of(short.size, 'row')} with fewer than {len(names)} cells, the first"
            f" of them row {short[0]}; the cells at the end count as missing.",
            advice="Correct these rows if cells in the middle are missing.",
        )
        findings.append(finding)
    return frame, findings


def _decoded(data: bytes, source: Any) -> tuple[str, list[Finding]]:
    """Return text in UTF-8, UTF-16 with a byte-order mark, or else Windows-1252."""
    marked = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    findings = []
    try:
        text = data.decode("utf-16" if marked else "utf-8-sig")
    except UnicodeError:
        text = data.decode("cp1252", errors="replace")
        message = "The file is not UTF-8, so it was read as Windows-1252."
        advice = "If names look wrong, save it as UTF-8."
        findings = [Finding(code="encoding", severity="note", message=message, advice=advice)]
    if "\0" in text or not text.strip():
        raise DatasetError(
            f"{source} is {'not a text file' if text.strip() else 'empty'}. Give a CSV, Parquet or"
            " Excel file with a header line and rows below it."
        )
    return text, findings


def _typed(cells: pandas.Series, decimal: str, categories: Collection[str]) -> pandas.Series:
    """Return numbers if all cells are numbers, unless they are categories."""
    if cells.name in categories:
        return cells
    to_numeric = import_extra("pandas", "data").to_numeric
    texts = cells if decimal == "." else cells.str.replace(".", " ").str.replace(decimal, ".")
    numbers = to_numeric(texts, errors="coerce")
    if not numbers.notna().equals(cells.notna()):
        numbers = _amounts(cells, decimal)
    if numbers is None and decimal != ".":  # 1.5 can be read in one way only
        numbers = to_numeric(cells, errors="coerce")
    is_read = numbers is not None and numbers.notna().equals(cells.notna())
    return numbers if is_read else cells


def _amounts(cells: pandas.Series, decimal: str) -> pandas.Series | None:
    """Return money, percentages and numbers with grouped thousands, if there is one reading."""
    distinct = cells.dropna().drop_duplicates()
    parts = distinct.str.extract(AMOUNT)
    digits, symbols = parts[2], {*(parts[1] + parts[3])} - {""}
    if not len(digits) or digits.isna().any() or len(symbols) > 1:
        return None
    is_percent = symbols == {"%"}
    if is_percent and (parts[3] == "").any():
        return None
    marks = [mark for mark in ".," if digits.str.fullmatch(GROUPED[mark]).all()]
    marks = [mark for mark in marks if decimal in (".", mark)]
    if not marks:
        return None
    mark = marks[0]
    is_money = symbols and not is_percent
    if len(marks) == 2 and is_money:  # money has no three decimals
        mark = "," if digits.str.contains(".", regex=False).any() else "."
    group = "," if mark == "." else "."
    is_grouped = digits.str.contains(group, regex=False)
    # Whoever writes 1,234 and 950 groups thousands; 1,234 alone may be a decimal.
    is_clear = not is_percent and not is_grouped.all() and digits[~is_grouped].str.len().max() <= 3
    if len(marks) == 2 and is_grouped.any() and not is_money and not is_clear:
        return None
    if not symbols and not is_grouped.any():
        return None
    plain = digits.str.replace(group, "", regex=False).str.replace(mark, ".", regex=False)
    return cells.map(dict(zip(distinct, (parts[0] + plain).astype(float), strict=True)))


def _amount_findings(texts: pandas.DataFrame, frame: pandas.DataFrame) -> Iterator[Finding]:
    """Report columns of money, percentages and grouped thousands."""
    numbers = [*frame.select_dtypes("float")]
    rows = {name: texts[name].dropna().str.contains(NOT_PLAIN) for name in numbers}
    read = [name for name, is_amount in rows.items() if is_amount.any()]
    if read:
        row = rows[read[0]].idxmax()
        example = f"{texts[read[0]][row]!r:.40} is {frame[read[0]][row]:.16g}"
        message = f"Columns read as numbers: {shown(read, 3)} ({example})."
        yield Finding(code="amounts", severity="note", message=message, columns=tuple(read))


def find_separator(text: str) -> str:
    """Return the sign that cuts the first lines into the same number of cells, more than one.

    If none does, return the most frequent one of the first line.
    """
    lines = [*islice((line for line in io.StringIO(text) if line.strip()), LINES_EXAMINED)]
    for separator in SEPARATORS:
        cells = csv.reader(lines, delimiter=separator, skipinitialspace=True)
        widths = {len(row) for row in cells}
        if len(widths) == 1 and widths != {1}:
            return separator
    return max(",|;\t", key=lines[0].count)
