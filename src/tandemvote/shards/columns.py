"""Which column is the label, which are voters, and whether all files agree on it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from tandemvote.shards.extra import shards_extra

if TYPE_CHECKING:
    import pyarrow

NAMES_SHOWN = 6


@dataclass(frozen=True)
class Columns:
    """The columns of votes on disk.

    Attributes
    ----------
    label : str
    voters : tuple of str
        In the order of the first file.
    text : bool
        True if labels and predictions are text, False if they are whole numbers.
    """

    label: str
    voters: tuple[str, ...]
    text: bool

    @property
    def names(self) -> list[str]:
        """Label first, then voters."""
        return [self.label, *self.voters]


def agree_on_columns(schemas: Iterable[tuple[Path, pyarrow.Schema]], *, label: str) -> Columns:
    """Return the columns all files share.

    Parameters
    ----------
    schemas : iterable of (path, schema)
        Of every file, at least one.
    label : str
        Name of the column of true labels; every other column is a voter.

    Raises
    ------
    ValueError
        If a file has no label or no voter, other columns than the first, a column that is neither
        whole numbers nor text, or text beside numbers.
    """
    first, columns = Path(), None
    text_at, number_at = None, None
    for path, schema in schemas:
        names = _names(path, schema)
        if label not in names:
            raise ValueError(_no_label(path, label, names))
        if columns is None:
            first, columns = path, names
            if len(names) < 2:
                raise ValueError(f"{path} has no column besides {label!r}. Add one a voter.")
        elif set(names) != set(columns):
            raise ValueError(_other_columns(path, names, first, columns))
        for name in names:
            is_text = _is_text(path, name, schema.field(name).type)
            where = f"column {name!r} of {path}"
            if is_text:
                text_at = text_at or where
            elif is_text is not None:
                number_at = number_at or where
        if text_at and number_at:
            raise ValueError(
                f"{text_at} is text and {number_at} holds numbers, so every comparison would count"
                " as an error. Write labels and predictions in one type."
            )
    if columns is None:
        raise ValueError("There is no file to read votes from. Name at least one.")
    voters = tuple(name for name in columns if name != label)
    return Columns(label=label, voters=voters, text=text_at is not None)


def _names(path: Path, schema: pyarrow.Schema) -> list[str]:
    """Names of the columns without the row numbers that pandas may have stored beside them."""
    described = schema.pandas_metadata or {}
    rows = {name for name in described.get("index_columns", ()) if isinstance(name, str)}
    names = [name for name in schema.names if name not in rows]
    twice = sorted({name for name in names if names.count(name) > 1}) if _repeats(names) else []
    if twice:
        raise ValueError(f"{path} has the column {twice[0]!r} twice. Rename one of the two.")
    return names


def _repeats(names: Sequence[str]) -> bool:
    return len(set(names)) < len(names)


def _is_text(path: Path, name: str, kind: pyarrow.DataType) -> bool | None:
    """Tell text (True) from whole numbers (False); None for a column that is empty throughout."""
    types = shards_extra("pyarrow", extra="data").types
    inner = kind.value_type if types.is_dictionary(kind) else kind
    if types.is_null(inner):
        return None
    if types.is_string(inner) or types.is_large_string(inner):
        return True
    if types.is_integer(inner) or types.is_boolean(inner) or types.is_floating(inner):
        return False
    raise ValueError(
        f"Column {name!r} of {path} has the type {kind}; labels and predictions must be whole"
        " numbers or text. Leave the column out if it is no voter, or convert it."
    )


def _no_label(path: Path, label: str, names: Sequence[str]) -> str:
    near = get_close_matches(label, names, n=3)
    suggestion = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
    return f"{path} has no label column {label!r}.{suggestion} Its columns are {_shown(names)}."


def _other_columns(path: Path, names: Sequence[str], first: Path, columns: Sequence[str]) -> str:
    lacking = [name for name in columns if name not in set(names)]
    added = [name for name in names if name not in set(columns)]
    differences = [f"lacks {_shown(lacking)}"] * bool(lacking) + [f"adds {_shown(added)}"] * bool(
        added
    )
    return (
        f"{path} {' and '.join(differences)} compared with {first}: all files must hold the same"
        " voters. Write them with the same columns, or certify them apart."
    )


def _shown(names: Sequence[str]) -> str:
    more = f", ... ({len(names)} in all)" if len(names) > NAMES_SHOWN else ""
    return ", ".join(map(repr, names[:NAMES_SHOWN])) + more
