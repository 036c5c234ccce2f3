"""Where rows are kept: one small file per finished cell, gathered now and then into tables.

Every write goes to a temporary file that is then renamed, so a kill at any moment leaves whole
files only. A cell file is removed after its rows stand in the tables, never before.
"""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from filelock import FileLock, Timeout

from reproduction.experiments.cells import Cell
from reproduction.experiments.rows import TABLES, Row, TextRow, as_text

CELL_TABLES = ("forests", "unlabeled", "beyond", "committee", "deployed")
"""Tables whose rows show that a cell is done."""


class StoreError(OSError):
    """The folder of a run is in use, or a file in it cannot be read."""


class RowStore:
    """Rows of a run in a folder, made when the first comes: ``forests.csv`` and so on.

    Examples
    --------
    >>> import tempfile
    >>> from reproduction.experiments.cells import ForestCell
    >>> from reproduction.experiments.rows import WEIGHTS
    >>> cell, weights = ForestCell("Letter", "full", 0), {"first_order": 0.5, "tandem": 0.5}
    >>> row = WEIGHTS.row(**cell.columns, tree=0, gibbs_loss=0.1, **weights)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = RowStore(folder)
    ...     store.add(cell, [row])
    ...     store.gather()
    ...     len(store.rows("weights"))
    1
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)

    @property
    def cell_folder(self) -> Path:
        """Folder of the cells that are not gathered yet."""
        return self.folder / "cells"

    def table_path(self, table: str) -> Path:
        """Return the file of a gathered table."""
        return self.folder / f"{table}.csv"

    def add(self, cell: Cell, rows: Iterable[Row]) -> None:
        """Keep the rows of a finished cell, all of them or none."""
        tables: dict[str, list[TextRow]] = {}
        for row in rows:
            tables.setdefault(row.table, []).append(as_text(row))
        path = self.cell_folder / f"{quote(cell.name, safe=' ')}.json"
        _write_whole(path, json.dumps(tables, indent=0))

    def rows(self, table: str) -> list[TextRow]:
        """Return all rows of a table, gathered or not, sorted and each one once."""
        return self._union(table, self._loose())

    def done(self) -> dict[Cell, int]:
        """Return the cells whose rows are there, each with the seed it was drawn by."""
        loose = self._loose()
        return {
            TABLES[table].cell(row): int(row["seed"])
            for table in CELL_TABLES
            for row in self._union(table, loose)
        }

    def gather(self) -> None:
        """Move the rows of finished cells into the tables."""
        loose = self._loose()
        for name, table in TABLES.items():
            if any(name in tables for tables in loose.values()):
                text = io.StringIO()
                writer = csv.DictWriter(text, table.columns, lineterminator="\n")
                writer.writeheader()
                writer.writerows(self._union(name, loose))
                _write_whole(self.table_path(name), text.getvalue())
        for path in loose:
            path.unlink()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the folder for one run at a time."""
        self.cell_folder.mkdir(parents=True, exist_ok=True)
        try:  # the operating system frees the lock when its holder dies
            held = FileLock(self.cell_folder / "lock").acquire(blocking=False)
        except Timeout as error:
            raise StoreError(
                f"Another run is writing to {self.folder}. Wait for it, or choose another folder."
            ) from error
        with held:
            for torn in (*self.folder.glob(".*.part"), *self.cell_folder.glob(".*.part")):
                torn.unlink()  # left by a run that was killed while writing
            yield

    def _loose(self) -> dict[Path, dict[str, list[TextRow]]]:
        found = {}
        for path in sorted(self.cell_folder.glob("*.json")):
            try:
                found[path] = json.loads(path.read_text(encoding="utf-8"))
            except FileNotFoundError:
                continue  # gathered by the run between listing and reading
            except ValueError as error:
                raise StoreError(
                    f"{path} is damaged ({error}). Delete it; its cell will be run again."
                ) from error
        return found

    def _union(self, table: str, loose: dict[Path, dict[str, list[TextRow]]]) -> list[TextRow]:
        key = TABLES[table].key
        union = {key(row): row for tables in loose.values() for row in tables.get(table, [])}
        path = self.table_path(table)
        if path.exists():
            with path.open(newline="", encoding="utf-8") as file:
                union |= {key(row): row for row in csv.DictReader(file)}
        return [union[identity] for identity in sorted(union)]


def _write_whole(path: Path, text: str) -> None:
    """Write a file so that it is there in full or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with temporary.open("w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
