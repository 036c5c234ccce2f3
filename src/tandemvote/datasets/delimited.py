"""CSV and its relatives: text cells between separators."""

from __future__ import annotations

import csv
import io
import warnings
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tandemvote.datasets.errors import DatasetError, import_extra
from tandemvote.datasets.raw_bytes import read_bytes

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
    column_names: Sequence[str] | None = None,
    missing_values: Sequence[str] = (),
) -> pandas.DataFrame:
    r"""Read a text table, compressed or not.

    Parameters
    ----------
    path : Path
        The file; its first line names the columns unless `column_names` is given.
    separator : str, optional
        Found out if not given: tab, semicolon, bar or comma.
    decimal : str
        The decimal sign.
    encoding : str
        The default is UTF-8, with or without a byte-order mark.
    column_names : sequence of str, optional
        Names for a file without a header line.
    missing_values : sequence of str
        Cells to count as missing, such as ``"?"``, besides empty ones, NA, NaN, null, None and
        their like.

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
    try:
        text = read_bytes(path).decode(encoding)
    except UnicodeDecodeError as error:
        raise DatasetError(
            f"{path} is not text in the encoding {encoding} ({error.reason} at byte "
            f'{error.start}). Name its encoding, such as encoding="latin-1" or "utf-16".'
        ) from error
    if not text.strip():
        raise DatasetError(f"{path} is empty. Give a header line and at least two rows.")
    try:
        separator = separator or find_separator(text)
        names = list(column_names) if column_names is not None else _header(text, separator)
    except csv.Error as error:
        raise DatasetError(f"{path} is no table of text cells ({error}). Save it anew.") from error
    doubled = [name for name, count in Counter(names).items() if count > 1]
    if doubled:
        raise DatasetError(
            f"{path} has the column name {doubled[0]!r} twice. Rename one of the two columns."
        )
    try:
        with warnings.catch_warnings():
            # A row longer than the header would lose its last cells with a mere warning.
            warnings.simplefilter("error", pandas.errors.ParserWarning)
            frame = pandas.read_csv(
                io.StringIO(text),
                sep=separator,
                decimal=decimal,
                header=0 if column_names is None else None,
                names=names,
                index_col=False,
                na_values=list(missing_values),
                skipinitialspace=True,
                on_bad_lines="error",
                low_memory=False,  # types are told from whole columns, not from blocks of rows
            )
    except (ValueError, pandas.errors.ParserError, pandas.errors.ParserWarning) as error:
        raise DatasetError(
            f"{path} cannot be read as a table of {len(names)} columns separated by "
            f"{separator!r} ({str(error).strip()}). Mend the line, or name the separator."
        ) from error
    _refuse_decimal_commas(frame, path, decimal=decimal)
    return frame


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


def _header(text: str, separator: str) -> list[str]:
    lines = (line for line in io.StringIO(text) if line.strip())
    return [name.strip() for name in next(csv.reader(lines, delimiter=separator))]


def _refuse_decimal_commas(frame: pandas.DataFrame, path: Path, *, decimal: str) -> None:
    """Refuse a text column of numbers like ``3,14``: as categories they would lose their order."""
    for name in frame.columns:
        cells = frame[name].dropna()
        if decimal == "," or not len(cells) or not all(isinstance(cell, str) for cell in cells):
            continue
        if cells.str.fullmatch(r"[+-]?\d+(,\d+)*").all() and cells.str.contains(",").any():
            raise DatasetError(
                f"{path}: column {name!r} holds numbers with commas, such as {cells.iloc[0]!r}. "
                'For decimal commas pass decimal=","; commas that group thousands must go.'
            )
