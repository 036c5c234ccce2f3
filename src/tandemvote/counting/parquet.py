"""Votes in Parquet files, read part by part."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from copy import copy
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

from tandemvote.counting.batches import agree_on_columns, votes_of, words_of
from tandemvote.counting.parquet_files import Location, find_files
from tandemvote.extras import import_extra
from tandemvote.votes import Votes

BATCH_CELLS = 2**24  # in memory at a time, as many as a chunk of `VoteCounts.from_votes` takes
BUFFER_BYTES = 2**16  # read ahead in each column; by default a whole row group would be read


@dataclass(frozen=True)
class RowGroup:
    """Rows that a Parquet file stores together."""

    path: Path
    index: int
    n_points: int


class ParquetVotes:
    """Votes on disk: one row per point, a label column, one column per voter.

    A voter's cell is null, or empty text, where it was trained on the point. Iterating reads
    `Votes` of at most 2^24 cells each, and keeps none of them. A pickle holds the names of files
    and the numbers of row groups, so that another process can read the votes.

    Parameters
    ----------
    paths : path or iterable of paths
        A Parquet file, a folder of them, a pattern such as ``"votes/*.parquet"``, or several.
    label : str
        Name of the column of true labels; every other column is a voter. Labels are text; whole
        numbers and booleans are the text they are written as.
    ignore : collection of str
        Columns that are not voters.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import pyarrow, pyarrow.parquet
    >>> from tandemvote.counting.shards import count_shards
    >>> table = pyarrow.table({"label": [0, 1, 1], "tree": [0, None, 1], "svm": [1, 1, None]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for part in range(2):
    ...         pyarrow.parquet.write_table(table, pathlib.Path(folder, f"{part}.parquet"))
    ...     votes = ParquetVotes(folder)
    ...     counts = count_shards(votes)
    >>> votes
    ParquetVotes(2 voters, 6 points, 2 row groups)
    >>> counts.errors.tolist(), counts.sizes.tolist()
    ([0, 2], [4, 4])
    """

    def __init__(
        self,
        paths: Location | Iterable[Location],
        *,
        label: str = "label",
        ignore: Collection[str] = (),
    ) -> None:
        schemas, row_groups = [], []
        for path in find_files(paths):
            with _open(path) as file:
                schemas.append((path, file.schema_arrow))
                sizes = [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]
            row_groups += [RowGroup(path, index, size) for index, size in enumerate(sizes) if size]
        self.columns = agree_on_columns(schemas, label=label, ignore=ignore)
        self.row_groups = tuple(row_groups)
        if not row_groups:
            raise ValueError(f"{schemas[0][0]} holds no rows. Give at least one labelled point.")
        self.labels: set[str] | None = None
        if self.columns.kind == "text":
            # Text is compared with all labels, and no batch needs to hold every one of them.
            self.labels = set()
            for path in dict.fromkeys(group.path for group in row_groups):
                with _open(path, text_columns=[label]) as file:
                    for batch in file.iter_batches(columns=[label]):
                        self.labels |= words_of(batch, label)

    @property
    def n_points(self) -> int:
        """Number of rows."""
        return sum(group.n_points for group in self.row_groups)

    @property
    def n_voters(self) -> int:
        """Number of voters M."""
        return len(self.columns.voters)

    def __iter__(self) -> Iterator[Votes]:
        names, text = self.columns.names, self.columns.kind == "text"
        size = max(1, BATCH_CELLS // self.n_voters)
        for path, row_groups in groupby(self.row_groups, key=attrgetter("path")):
            groups = list(row_groups)
            n_read, n_points = 0, sum(group.n_points for group in groups)
            places = [group.index for group in groups]
            with _open(path, text_columns=names if text else None) as file:
                for batch in file.iter_batches(size, row_groups=places, columns=names):
                    try:
                        votes = votes_of(batch, self.columns, labels=self.labels)
                    except ValueError as error:
                        raise ValueError(f"{path}: {error}") from error
                    n_read += votes.n_samples
                    yield votes
            if n_read != n_points:
                raise ValueError(
                    f"{path} gave {n_read} rows where {n_points} were announced: it was written to"
                    " meanwhile. Count again once the file is finished."
                )

    def read(self) -> Votes:
        """Return all votes at once; while they are joined they take two bytes or more per cell."""
        return Votes.joined(self)

    def split(self, n_pieces: int) -> list[ParquetVotes]:
        """Cut into at most `n_pieces` of about equal size, each of whole row groups."""
        pieces: dict[int, list[RowGroup]] = {}
        n_before, n_points = 0, self.n_points
        for group in self.row_groups:
            pieces.setdefault(n_before * n_pieces // n_points, []).append(group)
            n_before += group.n_points
        copies = [copy(self) for _ in pieces]
        for piece, groups in zip(copies, pieces.values(), strict=True):
            piece.row_groups = tuple(groups)
        return copies

    def __repr__(self) -> str:
        size = f"{self.n_voters} voters, {self.n_points} points, {len(self.row_groups)} row groups"
        return f"ParquetVotes({size})"


def _open(path: Path, *, text_columns: list[str] | None = None) -> Any:
    parquet = import_extra("pyarrow.parquet", "data")
    try:
        return parquet.ParquetFile(path, buffer_size=BUFFER_BYTES, read_dictionary=text_columns)
    except (ValueError, OSError) as error:  # what pyarrow raises derives from these
        raise ValueError(
            f"{path} cannot be read as Parquet ({error}). Check that it is complete, or write it"
            " again."
        ) from error
