"""From tables of votes to `Votes`: the columns all files agree on, and batches of their rows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tandemvote.codes import Codes, distinct
from tandemvote.extras import import_extra
from tandemvote.spelling import FEWEST_POINTS, refuse_other_words, shown
from tandemvote.votes import Votes

if TYPE_CHECKING:
    import pyarrow

LONGEST_LABEL = 1000  # characters; every class takes as much memory as the longest
NAMES_SHOWN = 6
# What R, pandas and readr call the column of row names, or leave without a name.
ROW_NAMES = re.compile(r"|unnamed: \d+|row[._ ]?names?|\.\.\.1|__index_level_\d+__", re.IGNORECASE)


class Columns(NamedTuple):
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
    """Return the columns that all files share, or refuse them: the label, if any, and the voters.

    Columns to `ignore` are no voters.
    """
    first, columns = Path(), list[str]()
    kinds = set()
    for path, schema in schemas:
        names = _names(path, schema, ignore)
        listed = f"Its columns are {shown(names, NAMES_SHOWN)}."
        if label is not None and label not in names:
            near = get_close_matches(label, names, n=3)
            suggestion = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
            raise ValueError(f"{path} has no label column {label!r}.{suggestion} {listed}")
        if not columns:
            first, columns = path, names
            if names in ([], [label]):
                raise ValueError(f"{path} has no column besides {label!r}. Add one per voter.")
            for name in ignore:
                if label is not None and name not in schema.names:
                    raise ValueError(f"{path} has no column {name!r} to ignore. {listed}")
        lacking = [name for name in columns if name not in set(names)]
        added = [name for name in names if name not in set(columns)]
        if lacking or added:
            differences = {"lacks": lacking, "adds": added}.items()
            said = [f"{verb} {shown(these, NAMES_SHOWN)}" for verb, these in differences if these]
            raise ValueError(
                f"{path} {' and '.join(said)} compared with {first}: all files must hold the same"
                " voters. Write them with the same columns, or certify them apart."
            )
        for name in names:
            kinds.add(_kind(schema.field(name).type))
            if "other" in kinds:
                raise ValueError(
                    f"Column {name!r} of {path} has the type {schema.field(name).type}; labels and"
                    f" predictions must be whole numbers or text. {_not_a_voter(name)}"
                )
    voters = tuple(name for name in columns if name != label)
    known = kinds - {"nothing"} or {"numbers"}
    return Columns(label, voters, known.pop() if len(known) == 1 else "text")


def _names(path: Path, schema: pyarrow.Schema, ignore: Collection[str]) -> list[str]:
    """Return the names of the columns, without the index that pandas may have stored."""
    described = schema.pandas_metadata or {}
    rows = {name for name in described.get("index_columns", ()) if isinstance(name, str)}
    names = [name for name in schema.names if name not in rows and name not in ignore]
    for name, count in Counter(names).items():
        if count > 1:
            raise ValueError(f"{path} has the column {name!r} twice. Rename one of the two.")
        if ROW_NAMES.fullmatch(name.strip()):
            raise ValueError(
                f"{path}: column {name!r} seems to hold the names of rows, as R and pandas write"
                f" them. {_not_a_voter(name)}"
            )
    return names


def _kind(kind: pyarrow.DataType) -> str:
    """Tell text from numbers, booleans and others; a column may also be empty throughout."""
    types = import_extra("pyarrow.types", "data")
    inner = kind.value_type if types.is_dictionary(kind) else kind
    if types.is_null(inner):
        return "nothing"
    if types.is_string(inner) or types.is_large_string(inner):
        return "text"
    if types.is_boolean(inner):
        return "booleans"
    return "numbers" if types.is_integer(inner) or types.is_floating(inner) else "other"


def _not_a_voter(name: str) -> str:
    return f"If it is no voter, leave it out: --ignore {name!r} (ignore=[{name!r}] in Python)."


def votes_of(
    batch: pyarrow.RecordBatch, columns: Columns, *, labels: Collection[str] | None = None
) -> Votes:
    """Return the votes in a batch of one row or more, all cells as text.

    Only null and the empty text are missing. A number is the text it is written as, a float that of
    the whole number it equals. There may be other batches: a voter may hold out no point here, and
    `labels` are then all true labels, with which predictions are compared.
    """
    table, present, vocabulary = _numbered(batch, columns)
    if not present[0].all():
        raise ValueError(
            f"column {columns.label!r}: {np.count_nonzero(~present[0])} of {batch.num_rows} labels"
            " are missing. Leave these rows out."
        )
    for row, there in enumerate(present):
        if not there.all():
            # The label takes the place of a missing cell, which holds 0; numpy.where takes several
            # times as long.
            table[row] += table[0] * ~there
    classes, codes = _spelled(table, columns.kind, vocabulary)
    votes = Votes(codes[1:], codes[0], present[1:], classes, codes[1:, :0])
    _refuse_row_names(votes, columns)
    if columns.kind == "text":
        known = classes[np.unique(votes.labels)].tolist() if labels is None else labels
        if votes.n_samples >= FEWEST_POINTS and set(classes.tolist()).difference(known):
            said = np.unique(votes.predictions[votes.held_out])
            refuse_other_words(classes[said].tolist(), known)
    return votes


def predictions_of(batch: pyarrow.RecordBatch, columns: Columns) -> NDArray[np.str_]:
    """Return the text of a batch without labels and without missing cells, one row per voter."""
    table, present, vocabulary = _numbered(batch, columns)
    for name, there in zip(columns.voters, present, strict=True):
        if not there.all():
            raise ValueError(
                f"row {there.argmin() + 1} has an empty cell in column {name!r}. Every voter must"
                " predict every unlabelled point; leave out voters and points that do not."
            )
    classes, codes = _spelled(table, columns.kind, vocabulary)
    return np.asarray(classes[codes])


def words_of(batch: pyarrow.RecordBatch, column: str) -> set[str]:
    """Return the different words in a column."""
    return set(_text(batch.column(column)).dictionary.to_pylist()) - {""}


def _numbered(
    batch: pyarrow.RecordBatch, columns: Columns
) -> tuple[NDArray[np.integer[Any]], NDArray[np.bool_], list[str]]:
    """Return numbers, one row per column and 0 where a cell is missing, and which are present.

    The number of a text is its place in the vocabulary that is returned with them.
    """
    read = _text if columns.kind == "text" else _numbers
    arrays = []
    for name in columns.names:
        try:
            arrays.append(read(batch.column(name)))
        except ValueError as error:
            raise ValueError(f"column {name!r}: {error}") from error
    vocabulary: list[str] = []
    if columns.kind == "text":
        unified = import_extra("pyarrow", "data").chunked_array(arrays).unify_dictionaries()
        vocabulary = unified.chunk(0).dictionary.to_pylist()
        _refuse_unfit_words(vocabulary)
        arrays = [chunk.indices for chunk in unified.chunks]
        kind = np.min_scalar_type(len(vocabulary))
    else:
        kind = np.result_type(*{array.type.to_pandas_dtype() for array in arrays})
    table = np.empty((len(arrays), batch.num_rows), kind)
    present = np.ones(table.shape, bool)
    for row, array in enumerate(arrays):
        values = array
        if array.null_count:  # pyarrow's own ways to fill them take ten times as long
            bits, numbers = array.buffers()
            start, n_rows = array.offset, len(array)
            valid = np.unpackbits(np.frombuffer(bits, np.uint8), None, start + n_rows, "little")
            present[row] = valid[start:]
            values = array.from_buffers(array.type, n_rows, [None, numbers], offset=start)
        np.multiply(values.to_numpy(), present[row], out=table[row], casting="unsafe")
    if "" in vocabulary:
        present &= table != vocabulary.index("")
        table *= present
    return table, present, vocabulary


def _refuse_unfit_words(words: list[str]) -> None:
    for word in words:
        if len(word) > LONGEST_LABEL:
            raise ValueError(
                f"the label {word[:20]!r}... has {len(word)} characters; labels have at most"
                f" {LONGEST_LABEL}. Shorten it."
            )
        if "\n" in word or "\r" in word:
            raise ValueError(
                f"the label {word!r:.40} holds a line break. Close the quotation mark before it, or"
                " write the label in one line."
            )
        if word.endswith("\0"):  # numpy would drop it
            raise ValueError(f"the label {word!r:.40} ends in a null character. Remove it.")


def _spelled(
    table: NDArray[np.integer[Any]], kind: str, vocabulary: list[str]
) -> tuple[NDArray[np.str_], Codes]:
    """Return the sorted words of a table, and its cells as positions among them."""
    numbers, codes = distinct(table)
    if kind == "text":
        words = np.array([vocabulary[number] for number in numbers], str)
    else:
        words = (numbers.astype(bool) if kind == "booleans" else numbers).astype(str)
    order = np.argsort(words)
    if (np.diff(order) < 0).any():  # 10 is written before 2
        rank = np.argsort(order).astype(codes.dtype)
        for row in codes:
            row[:] = rank[row]
    return words[order], codes


def _refuse_row_names(votes: Votes, columns: Columns) -> None:
    """Refuse a voter with a different value at every point: most of them cannot be labels."""
    n = votes.n_samples
    # Counting values takes long, and is needed only if there are as many classes as points.
    if n < FEWEST_POINTS or votes.classes.size < n or n <= 2 * np.unique(votes.labels).size:
        return
    for name, said, held_out in zip(columns.voters, votes.predictions, votes.held_out, strict=True):
        if held_out.all() and np.unique(said).size == n:
            raise ValueError(
                f"column {name!r} holds {n} different values in {n} rows, such as"
                f" {votes.classes[said[0]].item()!r}, as names of rows do. {_not_a_voter(name)}"
            )


def _text(array: pyarrow.Array) -> pyarrow.DictionaryArray:
    """Return a column as text; numbers and booleans become what they are written as."""
    kind = _kind(array.type)
    if kind == "booleans":
        array = import_extra("pyarrow.compute", "data").if_else(_plain(array), "True", "False")
    elif kind != "text":
        whole = import_extra("pyarrow.types", "data").is_integer(_plain(array).type)
        array = (_plain(array) if whole else _numbers(array)).cast("string")
    arrow, text = import_extra("pyarrow", "data"), array.dictionary_encode()
    places, words = text.indices.cast("int32"), text.dictionary.cast("string")
    return arrow.DictionaryArray.from_arrays(places, words, safe=False)


def _numbers(array: pyarrow.Array) -> pyarrow.Array:
    """Return a column as integers; floats may hold them, as in tables that had missing cells."""
    array = _plain(array)
    if _kind(array.type) != "numbers":  # booleans, or nothing
        return array.cast("uint8")
    if import_extra("pyarrow.types", "data").is_floating(array.type):
        values = array.drop_null().to_numpy()
        if np.isnan(values).any():
            raise ValueError(
                "NaN is no label. Write null where a voter was trained on the point, and a label"
                " everywhere else."
            )
        limit = 2 ** (np.finfo(values.dtype).nmant + 1)
        largest = np.abs(values).max(initial=0)
        if largest >= limit:
            raise ValueError(
                f"{largest:.0f} is a float of {limit} or more, of which some stand for several"
                " integers. Write labels as integers or text."
            )
        array = array.cast("float64")
    elif array.type.bit_width <= 32:
        return array
    try:
        return array.cast("int64")
    except ValueError as error:  # names the value
        raise ValueError(
            f"{error}. Labels must be whole numbers below 2^63, or text; probabilities must become"
            " labels first."
        ) from error


def _plain(array: pyarrow.Array) -> pyarrow.Array:
    """Return a column without a dictionary."""
    return array.dictionary_decode() if hasattr(array, "dictionary_decode") else array
