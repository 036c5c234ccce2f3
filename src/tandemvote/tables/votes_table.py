"""Votes from a file: one row per point, a label column, one column per voter."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Collection, Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tandemvote.counting.batches import NAMES_SHOWN, agree_on_columns, predictions_of, votes_of
from tandemvote.counting.parquet import ParquetVotes
from tandemvote.counting.parquet_files import find_files, names_parquet
from tandemvote.extras import import_extra
from tandemvote.spelling import FEWEST_POINTS, refuse_other_words, shown
from tandemvote.tables.columns import find_column
from tandemvote.tables.errors import DatasetError, either, explained, named
from tandemvote.tables.file_content import read_text, refuse_no_file
from tandemvote.votes import Votes

if TYPE_CHECKING:
    import pyarrow

LARGEST_BLOCK = 2**30
# A voter as good as the next best makes no error where so many are expected once in 20,000 times.
ERRORS_EXPECTED = 10
# What columns are called that number the folds, by numbers that may also be labels.
FOLDS = re.compile(r"(cv[ _.-]?)?(fold|split)([ _.-]?(id|no|nr|num|number|index))?", re.IGNORECASE)


def read_votes(
    path: str | os.PathLike[str],
    *,
    target: str = "label",
    ignore: Collection[str] = (),
    keep: Collection[str] = (),
    unlabelled: str | os.PathLike[str] | None = None,
) -> Votes:
    r"""Read predictions made anywhere, in any language.

    Cells are text, compared letter by letter: ``NA``, ``None`` and a blank are labels like any
    other, and ``1`` is not ``1.0``. In Parquet a number is the text it is written as. A
    `DatasetError` says what to do if the table cannot be votes.

    Parameters
    ----------
    path : path
        A CSV file, or what `ParquetVotes` takes: a Parquet file, a folder or a pattern of them. A
        voter's cell is empty where it was trained on the point.
    target : str
        Name of the column of true labels; every other column is a voter.
    ignore : collection of str
        Columns that are no voters, such as the names of the rows.
    keep : collection of str
        Columns that are voters although they seem to be none, which is refused otherwise: one that
        never holds a label, never errs where the others do, or is called like a fold.
    unlabelled : path, optional
        A table without labels and empty cells, with the same voters in the same order.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "votes.csv")
    ...     _ = path.write_text("label,tree,svm\nyes,yes,\nno,,yes\nno,no,no\n")
    ...     votes = read_votes(path)
    >>> votes.held_out.tolist(), votes.errors.sum(axis=1).tolist()
    ([[True, False, True], [False, True, True]], [0, 1])
    """
    with named(str(path)):
        if names_parquet(path):
            shards = ParquetVotes(path, label=target, ignore=ignore)
            votes, columns = shards.read(), shards.columns
        else:
            table = _read_text(Path(path))
            columns = agree_on_columns([(Path(path), table.schema)], label=target, ignore=ignore)
            votes = Votes.joined([votes_of(_one_batch(table), columns)])
        refuse_no_voters(votes, columns.voters, keep)
    if unlabelled is None:
        return votes
    more, voters = read_unlabelled(unlabelled, ignore)
    if voters != columns.voters:
        here, there = (shown(names, NAMES_SHOWN) for names in (voters, columns.voters))
        raise DatasetError(
            f"The voters of {unlabelled} are {here}, those of {path} {there}. Write the same"
            " columns in the same order."
        )
    with named(str(unlabelled)):
        for predictions in more if more.shape[1] >= FEWEST_POINTS else ():
            refuse_other_words(np.unique(predictions).tolist(), votes.classes.tolist())
        return votes.with_unlabelled(more)


def refuse_no_voters(votes: Votes, names: Sequence[str], keep: Collection[str]) -> None:
    """Refuse columns that never hold a label, such as a split, copy the label or number folds."""
    for name in keep:
        find_column(names, name, "The table of predictions")
    sizes, errors = votes.held_out.sum(axis=1), votes.errors.sum(axis=1)
    rates = errors / np.maximum(sizes, 1)
    next_best = rates[errors > 0].min(initial=1.0)
    few_perfect = 2 * (errors == 0).sum() <= len(names) > 1
    labels = np.unique(votes.labels)
    for voter, name in enumerate(names):
        said = np.unique(votes.predictions[voter, votes.held_out[voter]])
        n, problem = int(sizes[voter]), ""
        if n >= FEWEST_POINTS and len(names) > 1 and not np.isin(said, labels).any():
            problem = f"holds {shown(votes.classes[said].tolist())} and never a label"
        elif few_perfect and not errors[voter] and n * next_best >= ERRORS_EXPECTED:
            problem = (
                f"errs at none of {n} points, where the next best voter errs on"
                f" {100 * next_best:.2g} %, as a copy of the label would"
            )
        elif FOLDS.fullmatch(name.strip()):
            problem = "is called like the folds or splits of cross-validation, not like a voter"
        if problem and name not in keep:
            ignored, kept = f"ignore=[{name!r}]", f"keep=[{name!r}]"
            raise DatasetError(
                f"Column {name!r} {problem}. If it is no voter, leave it out by"
                f" {either(ignored, f'--ignore {quote(name)}')}; if it is one, say"
                f" {either(kept, f'--keep {quote(name)}')}."
            )


def column_names(path: str | os.PathLike[str]) -> list[str]:
    """Return the names of the columns of such a table."""
    if not names_parquet(path):
        return list(_read_text(Path(path)).column_names)
    read_schema = import_extra("pyarrow.parquet", "data").read_schema
    return list(read_schema(find_files(path)[0]).names)


def read_unlabelled(
    path: str | os.PathLike[str], ignore: Collection[str] = ()
) -> tuple[NDArray[Any], tuple[str, ...]]:
    """Read predicted labels of shape (n_voters, n_points), and the names of the voters.

    Columns to `ignore` need not be there.
    """
    with named(str(path)):
        table = _read_whole(path)
        columns = agree_on_columns([(Path(path), table.schema)], label=None, ignore=ignore)
        return predictions_of(_one_batch(table), columns), columns.voters


def read_column(path: str | os.PathLike[str], name: str, **options: Any) -> NDArray[Any]:
    """Read one column of such a table, such as a group of points; empty cells are None.

    The options are `file_format` and, for text, `separator`, `encoding` and `header`, as in
    `read_table`.
    """
    table = _read_whole(path, **options)
    find_column(table.column_names, name, path)
    return np.array(table.column(name).to_pylist(), dtype=object)


def _read_whole(
    path: str | os.PathLike[str], file_format: str | None = None, **options: Any
) -> pyarrow.Table:
    if (file_format or ("parquet" if names_parquet(path) else "csv")) != "parquet":
        return _read_text(Path(path), **options)
    arrow = import_extra("pyarrow", "data")
    parquet = import_extra("pyarrow.parquet", "data")
    said = f"{path} cannot be read as Parquet"
    with explained(said, "Write it again.", arrow.ArrowException, OSError):
        return arrow.concat_tables([parquet.ParquetFile(file).read() for file in find_files(path)])


def _read_text(path: Path, *, header: bool = True, **options: str) -> pyarrow.Table:
    """Read a CSV file as text; only an empty cell is null."""
    refuse_no_file(path)
    arrow = import_extra("pyarrow", "data")
    reader = import_extra("pyarrow.csv", "data")
    text, separator, names = read_text(path, **options)
    data = text.encode()
    block_size = min(len(data) + 2, LARGEST_BLOCK)
    places = {str(place): arrow.string() for place in range(len(names))}
    way_out = "Check that every line has as many cells as the first, which names the columns."
    said = f"{path} cannot be read as a table"
    with explained(said, way_out, arrow.ArrowException, OSError):
        table = reader.read_csv(
            io.BytesIO(data),
            reader.ReadOptions(column_names=[*places], block_size=block_size),
            reader.ParseOptions(delimiter=separator, newlines_in_values=True),
            reader.ConvertOptions(column_types=places, null_values=[""], strings_can_be_null=True),
        )
    if not header:
        return table.rename_columns([f"column{place + 1}" for place in range(len(names))])
    return table.slice(1).rename_columns(names)


def _one_batch(table: pyarrow.Table) -> pyarrow.RecordBatch:
    if not table.num_rows:
        raise ValueError("there are no rows. Give at least one point.")
    return table.combine_chunks().to_batches()[0]
