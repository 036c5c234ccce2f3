"""Read tables of votes without the readers that certified them."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import os
import re
import zlib
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tandemvote.counting.parquet_files import find_files, names_parquet
from tandemvote.extras import import_extra
from tandemvote.votes import Votes

UNPACKERS = {b"\x1f\x8b": gzip.decompress, b"BZh": bz2.decompress}
SEPARATORS = ",;\t|"
LONGEST_LABEL = 1000
UNREADABLE = re.compile(r"[\r\n]|\0\Z")
EXACT = {"halffloat": 2**11, "float": 2**24, "double": 2**53}

Words = dict[str, list[str]]


class VotesFileError(ValueError):
    """A table that cannot be votes."""


def read_votes(path: Path, *, target: str, ignore: Collection[str] = ()) -> Votes:
    """Read a table of votes with the label column `target`; columns to ignore are no voters.

    It is a CSV file, a Parquet file, or a folder or pattern of Parquet files.
    """
    columns = _columns(path, ignore)
    if target not in columns:
        shown = ", ".join(map(repr, list(columns)[:6])) + ", ..." * (len(columns) > 6)
        raise VotesFileError(f"{path} has no label column {target!r}, only {shown}.")
    labels = columns.pop(target)
    if "" in labels:
        raise VotesFileError(f"{path}: row {labels.index('') + 1} has no label. Leave it out.")
    _refuse_nothing(path, columns)
    number = {word: code for code, word in enumerate(sorted({*labels}.union(*columns.values())))}
    said = np.array([[number[cell] for cell in cells] for cells in columns.values()])
    # The empty text, if it occurs, has the number 0, and is left out of the classes.
    shift = int("" in number)
    held_out = said >= shift
    return Votes(
        predictions=np.where(held_out, said - shift, 0),
        labels=np.array([number[cell] for cell in labels]) - shift,
        held_out=held_out,
        classes=np.array(list(number)[shift:]),
        unlabelled=np.empty((len(columns), 0), int),
    )


def read_predictions(path: Path, *, ignore: Collection[str] = ()) -> NDArray[np.str_]:
    """Read a table of votes without labels, one row per voter; see `read_votes`."""
    columns = _columns(path, ignore)
    for name, cells in columns.items():
        if "" in cells:
            raise VotesFileError(
                f"{path}: row {cells.index('') + 1} has an empty cell in column {name!r}. Every"
                " voter must predict every unlabelled point."
            )
    _refuse_nothing(path, columns)
    return np.array(list(columns.values()))


def _refuse_nothing(path: Path, columns: Words) -> None:
    if not any(columns.values()):
        raise VotesFileError(
            f"{path} holds no vote. Give one column per voter and one row per point."
        )


def read_columns(path: Path, names: Collection[str]) -> Words:
    """Read columns as text, empty where a value is missing; those not there are left out."""
    columns = _table(path)
    return {name: columns[name] for name in names if name in columns}


def _columns(path: Path, ignore: Collection[str]) -> Words:
    """Return the text of each column, empty where nothing was said."""
    columns = {name: cells for name, cells in _table(path, ignore).items() if name not in ignore}
    for name, cells in columns.items():
        for cell in set(cells):
            if len(cell) > LONGEST_LABEL or UNREADABLE.search(cell):
                raise VotesFileError(
                    f"{path}: the label {cell!r:.40} in column {name!r} is longer than"
                    f" {LONGEST_LABEL} characters, holds a line break or ends in a null character."
                )
    return columns


def _table(path: Path, ignore: Collection[str] = ()) -> Words:
    return _parquet(path, ignore) if names_parquet(path) else _delimited(path)


def _delimited(path: Path) -> Words:
    try:
        data = path.read_bytes()
        for magic, unpack in UNPACKERS.items():
            data = unpack(data) if data.startswith(magic) else data
        text = data.decode("utf-8-sig")
    except FileNotFoundError as error:
        raise VotesFileError(f"There is no file {os.fspath(path)!r}.") from error
    except (ValueError, OSError, EOFError, zlib.error) as error:
        raise VotesFileError(f"{path} cannot be read as text in UTF-8 ({error}).") from error
    try:
        header = next((line for line in text.splitlines() if line.strip()), "")
        separator = max(
            SEPARATORS, key=lambda sign: len(next(csv.reader([header], delimiter=sign)))
        )
        lines = io.StringIO(text, newline="")
        rows = [row for row in csv.reader(lines, delimiter=separator) if row]
    except (csv.Error, StopIteration) as error:
        raise VotesFileError(f"{path} is no table of text ({error}).") from error
    if not rows:
        raise VotesFileError(f"{path} is empty. Give a header line and at least one row.")
    names = [name.strip() for name in rows[0]]
    if len(set(names)) < len(names):
        raise VotesFileError(f"{path} names two columns alike. Give each its own name.")
    for number, row in enumerate(rows):
        if len(row) != len(names):
            raise VotesFileError(
                f"{path}: row {number} has {len(row)} cells, the header has {len(names)}."
            )
    return {name: [row[place] for row in rows[1:]] for place, name in enumerate(names)}


def _parquet(path: Path, ignore: Collection[str]) -> Words:
    arrow = import_extra("pyarrow", "data")
    parquet = import_extra("pyarrow.parquet", "data")
    columns: Words = {}
    for number, file in enumerate(find_files(path)):
        try:
            table = parquet.ParquetFile(file).read()
        except (arrow.ArrowException, OSError) as error:
            raise VotesFileError(f"{file} cannot be read as Parquet ({error}).") from error
        described = json.loads((table.schema.metadata or {}).get(b"pandas", b"{}"))
        index = [name for name in described.get("index_columns", ()) if isinstance(name, str)]
        names = [name for name in table.column_names if name not in {*index, *ignore}]
        if len(set(names)) < len(names) or (number and set(names) != set(columns)):
            raise VotesFileError(f"{file} has other columns than expected, or two named alike.")
        for name in names:
            try:
                columns.setdefault(name, []).extend(_spelled(table.column(name)))
            except ValueError as error:
                raise VotesFileError(f"{file}: column {name!r} holds {error}.") from error
    return columns


def _spelled(column: Any) -> Iterator[str]:
    """Write every cell as text: 1 for 1.0, True for true, nothing for null."""
    exact = EXACT.get(str(getattr(column.type, "value_type", column.type)), 0)
    for cell in column.to_pylist():
        if cell is None:
            yield ""
        elif isinstance(cell, str | int):  # booleans too
            yield str(cell)
        elif isinstance(cell, float | np.floating) and cell.is_integer() and abs(cell) < exact:
            yield str(int(cell))
        else:
            raise ValueError(f"{cell!r:.40}, which is neither a whole number nor text")
