"""CSV and its relatives: text cells between separators."""

from __future__ import annotations

import csv
import io
import warnings
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tandemvote.datasets.column_names import find_column, refuse_data, refuse_doubled
from tandemvote.datasets.errors import DatasetError, import_extra, number_of
from tandemvote.datasets.missing import MISSING_TEXTS
from tandemvote.datasets.raw_bytes import read_text

if TYPE_CHECKING:
    import pandas

# A comma comes last: it also occurs inside numbers and sentences of files separated otherwise.
SEPARATORS = ("\t", ";", "|", ",")
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
    r"""Read a text table, compressed or not; blanks around a cell do not count.

    Parameters
    ----------
    path : Path
        The file.
    separator : str, optional
        Found out if not given: tab, semicolon, bar or comma.
    decimal : str
        The decimal sign.
    encoding : str
        The default is UTF-8, with or without a byte-order mark.
    header : bool, optional
        Whether the first line names the columns. If not given, it does, and one that looks like
        data is refused. If False, they are called ``column1``, ``column2`` and so on.
    column_names : sequence of str, optional
        Names for a file without a header line.
    missing_values : sequence of str
        Cells to count as missing besides empty ones, NA, NaN, null, None and their like.
    categories : sequence of str
        Names of columns to take as text even if they hold numbers.

    Returns
    -------
    pandas.DataFrame
        Columns typed by their cells.

    Raises
    ------
    DatasetError
        If the text is no table: undecodable, ragged, or with a column name twice.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "tiny.csv")
    ...     _ = path.write_text("size;kind\n1,5;a\n2;b\n")
    ...     read_delimited(path, decimal=",").to_dict("list")
    {'size': [1.5, 2.0], 'kind': ['a', 'b']}
    """
    pandas: Any = import_extra("pandas", purpose="Reading a CSV file")
    text = read_text(path, encoding=encoding)
    if not text.strip():
        raise DatasetError(f"{path} is empty. Give a header line and at least two rows.")
    try:
        separator = separator or find_separator(text)
        names = _first_cells(text, separator)
    except csv.Error as error:
        raise DatasetError(f"{path} is no table of text cells ({error}). Save it anew.") from error
    if column_names is not None:
        names, header = list(column_names), False
    elif header is False:
        names = [f"column{place + 1}" for place in range(len(names))]
    elif header is None:
        refuse_data(names, path)
    refuse_doubled(names, path)
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
            padded = {cell for cell in _text_cells(frame) if cell.strip() in missing}
            if padded:  # such as "NA ": without them a column may well be one of numbers
                frame = read(io.StringIO(text), na_values=list(missing | padded))
    except (ValueError, pandas.errors.ParserError, pandas.errors.ParserWarning) as error:
        raise DatasetError(
            f"{path} cannot be read as a table of {number_of(len(names), 'column')} separated by "
            f"{separator!r} ({str(error).strip()}). Mend the line, or name the separator."
        ) from error
    for name in _text_columns(frame):
        frame[name] = frame[name].str.strip()
        if decimal != "," and name not in categories:
            _refuse_decimal_commas(frame[name].dropna(), path)
    return frame.astype(dict.fromkeys(categories, "category"))


def find_separator(text: str) -> str:
    r"""Find the sign that cuts every line into the same number of cells, more than one.

    Parameters
    ----------
    text : str
        The file; its first lines are looked at.

    Returns
    -------
    str
        Tab, semicolon, bar or comma. If none fits, the one that occurs most in the first line.

    Examples
    --------
    >>> find_separator("a;b\n1,5;2,5\n")
    ';'
    """
    lines = [line for line in text.splitlines() if line.strip()][:LINES_LOOKED_AT]
    for separator in SEPARATORS:
        widths = {len(cells) for cells in csv.reader(lines, delimiter=separator)}
        if len(widths) == 1 and widths != {1}:
            return separator
    return max(reversed(SEPARATORS), key=lines[0].count)


def _first_cells(text: str, separator: str) -> list[str]:
    lines = (line for line in io.StringIO(text) if line.strip())
    return [name.strip() for name in next(csv.reader(lines, delimiter=separator))]


def _text_columns(frame: pandas.DataFrame) -> list[str]:
    pandas: Any = import_extra("pandas", purpose="Reading a CSV file")
    infer = pandas.api.types.infer_dtype
    return [name for name in frame.columns if infer(frame[name], skipna=True) == "string"]


def _text_cells(frame: pandas.DataFrame) -> set[str]:
    return {cell for name in _text_columns(frame) for cell in frame[name].dropna().unique()}


def _refuse_decimal_commas(cells: pandas.Series, path: Path) -> None:
    """Refuse a text column of numbers like ``3,14``: as categories they would lose their order."""
    if cells.str.fullmatch(r"[+-]?\d+(,\d+)*").all() and cells.str.contains(",").any():
        raise DatasetError(
            f"{path}: column {cells.name!r} holds numbers with commas, such as {cells.iloc[0]!r}. "
            'For decimal commas pass decimal="," (--decimal ,); commas that group thousands must'
            " go."
        )
