"""One batch of rows becomes `Votes`: typed columns in, codes and masks out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tandemvote.shards.columns import Columns
from tandemvote.shards.extra import shards_extra
from tandemvote.shards.small_integers import encode
from tandemvote.votes import Votes

if TYPE_CHECKING:
    import pyarrow

BITS_OF_A_SMALL_INTEGER = 32


class Cells(NamedTuple):
    """One column: whole numbers, arbitrary where `present` is False; None if all are present."""

    values: NDArray[np.integer[Any]]
    present: NDArray[np.bool_] | None


def votes_of(batch: pyarrow.RecordBatch, columns: Columns) -> Votes:
    """Return the votes in a batch of rows, of which there is at least one.

    Unlike `Votes.from_predictions` this takes a batch in which some voter holds out nothing: other
    batches may know more of it.

    Parameters
    ----------
    batch : pyarrow.RecordBatch
    columns : Columns

    Raises
    ------
    ValueError
        If a label is missing, or a number is no whole number.
    """
    arrays = [batch.column(name) for name in columns.names]
    vocabulary = _vocabulary(arrays) if columns.text else None
    cells = []
    for name, array in zip(columns.names, arrays, strict=True):
        try:
            cells.append(_numbers(array) if vocabulary is None else _texts(array, vocabulary))
        except ValueError as error:
            raise ValueError(f"column {name!r}: {error}") from error
    labels = cells[0]
    if labels.present is not None:
        raise ValueError(
            f"column {columns.label!r}: {np.count_nonzero(~labels.present)} of {batch.num_rows}"
            " labels in a row group are missing. Leave these rows out."
        )
    table = np.empty((len(cells), batch.num_rows), np.result_type(*{c.values.dtype for c in cells}))
    held_out = np.ones((len(cells) - 1, batch.num_rows), bool)
    table[0] = labels.values
    for voter, (values, present) in enumerate(cells[1:], start=1):
        table[voter] = values
        if present is not None:
            held_out[voter - 1] = present
            # What lies under a missing cell means nothing: the label takes its place. These three
            # steps do what numpy.where does in ten times as long.
            table[voter] ^= table[0]
            table[voter] *= present
            table[voter] ^= table[0]
    classes, codes = encode(table)
    return Votes(
        predictions=codes[1:],
        labels=codes[0],
        held_out=held_out,
        classes=classes if vocabulary is None else vocabulary[classes],
        unlabelled=codes[1:, :0],
    )


def _numbers(array: pyarrow.Array) -> Cells:
    arrow: Any = shards_extra("pyarrow", extra="data")
    types = arrow.types
    if types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if types.is_null(array.type):
        return Cells(np.zeros(len(array), np.uint8), np.zeros(len(array), bool))
    if types.is_boolean(array.type):
        array = array.cast(arrow.uint8())
    elif types.is_floating(array.type) or array.type.bit_width > BITS_OF_A_SMALL_INTEGER:
        array = _whole(array)
    return Cells(_under(array), _present(array))


def _texts(array: pyarrow.Array, vocabulary: NDArray[np.str_]) -> Cells:
    """Return positions in the sorted vocabulary."""
    encoded = _dictionary(array)
    if not len(encoded.dictionary):
        return Cells(np.zeros(len(array), np.intp), np.zeros(len(array), bool))
    position = np.searchsorted(vocabulary, _words(encoded))
    indices, present = _under(encoded.indices), _present(encoded.indices)
    if present is not None:
        indices = np.where(present, indices, 0)
    return Cells(position.astype(np.min_scalar_type(vocabulary.size))[indices], present)


def _vocabulary(arrays: list[pyarrow.Array]) -> NDArray[np.str_]:
    return np.unique(np.concatenate([_words(_dictionary(array)) for array in arrays]))


def _words(encoded: pyarrow.DictionaryArray) -> NDArray[np.str_]:
    return np.array(encoded.dictionary.to_pylist(), str)


def _dictionary(array: pyarrow.Array) -> pyarrow.DictionaryArray:
    encoded = array.dictionary_encode()
    if encoded.dictionary.null_count:  # a missing word beside missing cells: one kind is enough
        encoded = encoded.dictionary_decode().dictionary_encode()
    return encoded


def _whole(array: pyarrow.Array) -> pyarrow.Array:
    """Return 64-bit integers; floats may hold them, as in tables that had missing cells."""
    arrow: Any = shards_extra("pyarrow", extra="data")
    if arrow.types.is_floating(array.type):
        compute: Any = shards_extra("pyarrow.compute", extra="data")
        array = compute.if_else(compute.is_nan(array), arrow.scalar(None, array.type), array)
    try:
        return array.cast(arrow.int64())
    except arrow.ArrowInvalid as error:  # names the value
        raise ValueError(
            f"{error}. Labels must be whole numbers below 2^63, or text; probabilities must become"
            " labels first."
        ) from error


def _under(array: pyarrow.Array) -> NDArray[np.integer[Any]]:
    """Return the numbers of a column without a copy, whatever lies where a cell is missing."""
    arrow: Any = shards_extra("pyarrow", extra="data")
    values = array.buffers()[1]
    bare = arrow.Array.from_buffers(array.type, len(array), [None, values], offset=array.offset)
    return np.asarray(bare.to_numpy())


def _present(array: pyarrow.Array) -> NDArray[np.bool_] | None:
    if not array.null_count:
        return None
    bits = np.frombuffer(array.buffers()[0], np.uint8)
    unpacked = np.unpackbits(bits, bitorder="little", count=array.offset + len(array))
    return unpacked[array.offset :].view(bool)
