"""The columns of votes on disk: the label, the voters, and whether all files agree."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from tandemvote.extras import import_extra

if TYPE_CHECKING:
    import pyarrow

NAMES_SHOWN = 6

ROW_NAMES = re.compile(r"|unnamed: \d+|row[._ ]?names?|\.\.\.1|__index_level_\d+__", re.IGNORECASE)
"""What R, pandas and readr call the column of row names, or leave without a name."""


@dataclass(frozen=True)
class Columns:
    """The columns of votes on disk; `kind` says what all of them hold, text if they differ."""

    label: str | None
    voters: tuple[str, ...]  # in the order of the first file
    kind: str  # "booleans", "numbers" or "text"

    @property
    def names(self) -> list[str]:
        """Label first, then voters."""
        return [*([] if self.label is None else [self.label]), *self.voters]


def agree_on_columns(
    schemas: Iterable[tuple[Path, pyarrow.Schema]],
    *,
    label: str | None,
    ignore: Collection[str] = (),
) -> Columns:
    """Return the columns all files share.

    Parameters
    ----------
    schemas : iterable of (path, schema)
        Of every file. Refused are files without label or voter, with other columns than the first,
        with a column of row names, or with one that is neither whole numbers nor text.
    label : str or None
        Name of the column of true labels, if there is one; every other column is a voter.
    ignore : collection of str
        Columns that are no voters.
    """
    first, columns = Path(), None
    kinds = set()
    for path, schema in schemas:
        names = _names(path, schema, ignore)
        if label is not None and label not in names:
            raise ValueError(_no_label(path, label, names))
        if columns is None:
            first, columns = path, names
            if names in ([], [label]):
                raise ValueError(f"{path} has no column besides {label!r}. Add one per voter.")
            for name in ignore:
                if label is not None and name not in schema.names:
                    raise ValueError(
                        f"{path} has no column {name!r} to ignore. Its columns are {shown(names)}."
                    )
        elif set(names) != set(columns):
            raise ValueError(_other_columns(path, names, first, columns))
        kinds |= {_kind(path, name, schema.field(name).type) for name in names}
    if columns is None:
        raise ValueError("There is no file to read votes from. Name at least one.")
    voters = tuple(name for name in columns if name != label)
    known = kinds - {"nothing"} or {"numbers"}
    return Columns(label=label, voters=voters, kind=known.pop() if len(known) == 1 else "text")


def not_a_voter(name: str) -> str:
    """Return the advice to ignore a column."""
    return f"If it is no voter, leave it out: --ignore {name!r} (ignore=[{name!r}] in Python)."


def _names(path: Path, schema: pyarrow.Schema, ignore: Collection[str]) -> list[str]:
    """Return the names of the columns, without the index that pandas may have stored."""
    described = schema.pandas_metadata or {}
    rows = {name for name in described.get("index_columns", ()) if isinstance(name, str)}
    names = [name for name in schema.names if name not in rows and name not in ignore]
    twice, count = next(iter(Counter(names).most_common(1)), ("", 0))
    if count > 1:
        raise ValueError(f"{path} has the column {twice!r} twice. Rename one of the two.")
    for name in names:
        if ROW_NAMES.fullmatch(name.strip()):
            raise ValueError(
                f"{path}: column {name!r} seems to hold the names of rows, as R and pandas write"
                f" them. {not_a_voter(name)}"
            )
    return names


def _kind(path: Path, name: str, kind: pyarrow.DataType) -> str:
    """Tell text from whole numbers and booleans; a column may also be empty throughout."""
    types = import_extra("pyarrow", "data").types
    inner = kind.value_type if types.is_dictionary(kind) else kind
    if types.is_null(inner):
        return "nothing"
    if types.is_string(inner) or types.is_large_string(inner):
        return "text"
    if types.is_boolean(inner):
        return "booleans"
    if types.is_integer(inner) or types.is_floating(inner):
        return "numbers"
    raise ValueError(
        f"Column {name!r} of {path} has the type {kind}; labels and predictions must be whole"
        f" numbers or text. {not_a_voter(name)}"
    )


def _no_label(path: Path, label: str, names: Sequence[str]) -> str:
    near = get_close_matches(label, names, n=3)
    suggestion = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
    return f"{path} has no label column {label!r}.{suggestion} Its columns are {shown(names)}."


def _other_columns(path: Path, names: Sequence[str], first: Path, columns: Sequence[str]) -> str:
    lacking = [name for name in columns if name not in set(names)]
    added = [name for name in names if name not in set(columns)]
    differences = {"lacks": lacking, "adds": added}
    said = " and ".join(f"{verb} {shown(names)}" for verb, names in differences.items() if names)
    return (
        f"{path} {said} compared with {first}: all files must hold the same"
        " voters. Write them with the same columns, or certify them apart."
    )


def shown(names: Sequence[str]) -> str:
    """Show the first few names of columns."""
    more = f", ... ({len(names)} in all)" if len(names) > NAMES_SHOWN else ""
    return ", ".join(map(repr, names[:NAMES_SHOWN])) + more
