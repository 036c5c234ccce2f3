"""From one batch of rows to `Votes`: typed columns in, codes and masks out."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tandemvote.codes import distinct, encode
from tandemvote.counting.vote_columns import Columns, not_a_voter
from tandemvote.extras import import_extra
from tandemvote.spelling import FEWEST_POINTS, refuse_other_spellings, refuse_other_words
from tandemvote.votes import Votes

if TYPE_CHECKING:
    import pyarrow

BITS_OF_A_SMALL_INTEGER = 32

LONGEST_LABEL = 1000
"""Characters of a label; every class takes as much memory as the longest."""

PRECISION = {16: 11, 32: 24, 64: 53}
"""Floats of so many bits hold every integer up to this power of two."""


class Cells(NamedTuple):
    """One column: whole numbers, arbitrary where `present` is False; None if all are present."""

    values: NDArray[np.integer[Any]]
    present: NDArray[np.bool_] | None


def votes_of(
    batch: pyarrow.RecordBatch, columns: Columns, *, labels: Collection[str] | None = None
) -> Votes:
    """Return the votes in a batch of one row or more.

    Cells are text: ``None``, ``NA`` and a blank are predictions, and ``1.0`` is not ``1``. Only
    null and the empty text are missing. A number is the text it is written as, a float that of the
    whole number it equals. Unlike in `Votes.from_predictions`, a voter may hold out no point here:
    there may be other batches.

    Refused are missing labels, numbers that are not whole, voters that seem to hold names of rows,
    and predictions that seem to be a label in another spelling; `labels` are all true labels, if
    there are other batches.
    """
    cells, vocabulary = _cells(batch, columns)
    truth, present = cells[0]
    if present is not None:
        raise ValueError(
            f"column {columns.label!r}: {np.count_nonzero(~present)} of {batch.num_rows} labels are"
            " missing. Leave these rows out."
        )
    table = np.empty((len(cells), batch.num_rows), np.result_type(*{c.values.dtype for c in cells}))
    held_out = np.ones((len(cells) - 1, batch.num_rows), bool)
    table[0] = truth
    for voter, (values, present) in enumerate(cells[1:], start=1):
        table[voter] = values
        if present is not None:
            held_out[voter - 1] = present
            # The label takes the place of what lies under a missing cell, which means nothing;
            # numpy.where takes several times as long.
            table[voter] *= present
            table[voter] += table[0] * ~present
    classes, codes = _spelled(table, columns.kind, vocabulary)
    votes = Votes(codes[1:], codes[0], held_out, classes, codes[1:, :0])
    _refuse_row_names(votes, columns)
    if columns.kind == "text":
        _refuse_other_labels(votes, labels)
    return votes


def predictions_of(batch: pyarrow.RecordBatch, columns: Columns) -> NDArray[np.str_]:
    """Return the text of a batch without labels and without missing cells, one row per voter."""
    cells, vocabulary = _cells(batch, columns)
    for name, (_, present) in zip(columns.voters, cells, strict=True):
        if present is not None:
            raise ValueError(
                f"row {present.argmin() + 1} has an empty cell in column {name!r}. Every voter must"
                " predict every unlabelled point; leave out voters and points that do not."
            )
    table = np.array([values for values, _ in cells])
    classes, codes = _spelled(table, columns.kind, vocabulary)
    return np.asarray(classes[codes])


def words_of(batch: pyarrow.RecordBatch, column: str) -> set[str]:
    """Return the different words in a column."""
    return set(_words(_dictionary(batch.column(column))))


def _cells(
    batch: pyarrow.RecordBatch, columns: Columns
) -> tuple[list[Cells], NDArray[np.str_] | None]:
    """Return the columns as numbers; of text, positions in the sorted vocabulary."""
    cells, texts = [], []
    for name in columns.names:
        try:
            if columns.kind == "text":
                texts.append(_dictionary(batch.column(name)))
            else:
                cells.append(_numbers(batch.column(name)))
        except ValueError as error:
            raise ValueError(f"column {name!r}: {error}") from error
    if columns.kind != "text":
        return cells, None
    words = sorted(set[str]().union(*map(_words, texts)))
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
    vocabulary = np.array(words, str)
    return [_positions(text, vocabulary) for text in texts], vocabulary


def _spelled(
    table: NDArray[np.integer[Any]], kind: str, vocabulary: NDArray[np.str_] | None
) -> tuple[NDArray[np.str_], NDArray[np.integer[Any]]]:
    """Return the sorted words of a table, and its cells as positions among them."""
    numbers, codes = distinct(table)
    if vocabulary is not None:
        return vocabulary[numbers], codes
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
                f" {votes.classes[said[0]]!r}, as names of rows do. {not_a_voter(name)}"
            )


def _refuse_other_labels(votes: Votes, labels: Collection[str] | None) -> None:
    """Refuse predictions that seem to be labels written in another way."""
    if labels is None:
        labels = votes.classes[np.unique(votes.labels)].tolist()
    words = votes.classes.tolist()
    refuse_other_spellings(words, labels)
    if votes.n_samples >= FEWEST_POINTS and set(words).difference(labels):
        said = votes.classes[np.unique(votes.predictions[votes.held_out])]
        refuse_other_words(said.tolist(), labels)


def _numbers(array: pyarrow.Array) -> Cells:
    arrow = import_extra("pyarrow", "data")
    types = arrow.types
    if types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if types.is_null(array.type):
        return Cells(np.zeros(len(array), np.uint8), np.zeros(len(array), bool))
    if types.is_boolean(array.type):
        array = array.cast(arrow.uint8())
    elif types.is_floating(array.type) or array.type.bit_width > BITS_OF_A_SMALL_INTEGER:
        array = _whole(array)
    return _bare(array)


def _positions(encoded: pyarrow.DictionaryArray, vocabulary: NDArray[np.str_]) -> Cells:
    if not len(encoded.dictionary):
        return Cells(np.zeros(len(encoded), np.intp), np.zeros(len(encoded), bool))
    position = encode(np.array(_words(encoded), str), vocabulary)
    indices, present = _bare(encoded.indices)
    return Cells(position[indices if present is None else indices * present], present)


def _words(encoded: pyarrow.DictionaryArray) -> list[str]:
    return list(encoded.dictionary.to_pylist())


def _dictionary(array: pyarrow.Array) -> pyarrow.DictionaryArray:
    """Return a column as text, null where it is empty."""
    arrow = import_extra("pyarrow", "data")
    kind = array.type.value_type if arrow.types.is_dictionary(array.type) else array.type
    if not (arrow.types.is_string(kind) or arrow.types.is_large_string(kind)):
        array = _written(array)
    encoded = array.dictionary_encode()
    if encoded.dictionary.null_count or "" in _words(encoded):
        compute = import_extra("pyarrow.compute", "data")
        plain = encoded.dictionary_decode()
        nothing = arrow.scalar(None, plain.type)
        encoded = compute.if_else(compute.equal(plain, ""), nothing, plain).dictionary_encode()
    return encoded


def _written(array: pyarrow.Array) -> pyarrow.Array:
    """Write numbers and booleans as text."""
    arrow = import_extra("pyarrow", "data")
    if arrow.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if arrow.types.is_boolean(array.type):
        words = arrow.array(["False", "True"])
        return arrow.DictionaryArray.from_arrays(array.cast(arrow.int8()), words)
    if arrow.types.is_floating(array.type):
        array = _whole(array)
    return array.cast(arrow.string())


def _whole(array: pyarrow.Array) -> pyarrow.Array:
    """Return 64-bit integers; floats may hold them, as in tables that had missing cells."""
    arrow = import_extra("pyarrow", "data")
    if arrow.types.is_floating(array.type):
        compute = import_extra("pyarrow.compute", "data")
        limit = 2 ** PRECISION[array.type.bit_width]
        array = array.cast(arrow.float64())
        if compute.any(compute.is_nan(array)).as_py():
            raise ValueError(
                "NaN is no label. Write null where a voter was trained on the point, and a label"
                " everywhere else."
            )
        largest = compute.max(compute.abs(array)).as_py()
        if largest is not None and largest >= limit:
            raise ValueError(
                f"{largest:.0f} is a float of {limit} or more, of which some stand for several"
                " integers. Write labels as integers or text."
            )
    try:
        return array.cast(arrow.int64())
    except arrow.ArrowInvalid as error:  # names the value
        raise ValueError(
            f"{error}. Labels must be whole numbers below 2^63, or text; probabilities must become"
            " labels first."
        ) from error


def _bare(array: pyarrow.Array) -> Cells:
    """Return the numbers of a column, without the copy that pyarrow makes of missing cells."""
    if not array.null_count:
        return Cells(array.to_numpy(), None)
    arrow = import_extra("pyarrow", "data")
    bits, values = array.buffers()
    bare = arrow.Array.from_buffers(array.type, len(array), [None, values], offset=array.offset)
    end = array.offset + len(array)
    present = np.unpackbits(np.frombuffer(bits, np.uint8), bitorder="little", count=end)
    return Cells(bare.to_numpy(), present[array.offset :].view(bool))
