"""Readers of tables of votes as `Votes`: one row per sample, a label column, one per voter."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tandemvote.votes.codes import FEWEST_SAMPLES, Codes, check_same_words, distinct
from tandemvote.votes.parameter_error import ParameterError
from tandemvote.votes.printable import shown
from tandemvote.votes.vote_tables import (
    COLUMNS_SHOWN,
    Cells,
    Location,
    SurveyedFiles,
    VotesFileError,
    add_texts,
    check_columns_exist,
    check_size,
    read_cells,
)
from tandemvote.votes.votes import SMALLEST, Votes, check_voters_tested

# A voter whose predictions are labels in a smaller share of rows is something else.
FEWEST_LABELS = 0.25
# A voter as good as the next best makes no error where this many are expected once in 20,000 times.
ERRORS_EXPECTED = 10


def read_votes(
    path: Location,
    *,
    target: str,
    drop: Collection[str] = (),
    keep: Collection[str] | None = (),
    unlabeled: Location | None = None,
    empty_as_error: bool = False,
    ties: str = SMALLEST,
) -> Votes:
    r"""Read a table of votes: one row per sample, a label column, one column per voter.

    Parameters
    ----------
    path : path
        A CSV file (separated by comma, semicolon, tab or bar; UTF-8), a Parquet file, or a folder
        or pattern of Parquet files. A voter's cell is empty or null where the voter was trained on
        the sample.
    target : str
        Name of the label column; every other column is a voter.
    drop : collection of str
        Columns that are not voters.
    keep : collection of str or None
        Voters that `check_voters` must not reject. None skips that check.
    unlabeled : path, optional
        A table without labels and empty cells, with the same voters in the same order.
    empty_as_error : bool, default=False
        Whether an empty cell counts as a vote for a wrong class, as required for voters that
        abstain. A column of empty cells is then a voter that is always wrong.
    ties : {"smallest", "referee"}
        What breaks ties, as in `Votes.from_predictions`.

    Returns
    -------
    Votes
        The votes; their labels are text.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "votes.csv")
    ...     _ = path.write_text("label,tree,svm\nyes,yes,\nno,,yes\nno,no,no\n")
    ...     votes = read_votes(path, target="label")
    >>> votes.held_out.tolist(), votes.errors.sum(axis=1).tolist()
    ([[True, False, True], [False, True, True]], [0, 1])
    """
    files = VoteFiles(path, target=target, drop=drop, empty_as_error=empty_as_error, ties=ties)
    return files.read(keep=keep, unlabeled=unlabeled)[0]


def read_predictions(
    path: Location | SurveyedFiles, *, drop: Collection[str] = ()
) -> NDArray[np.str_]:
    r"""Read the predictions on unlabeled samples: one row per sample, one column per voter.

    Parameters
    ----------
    path : path
        A CSV file, a Parquet file, or a folder or pattern of Parquet files, without empty cells.
    drop : collection of str
        Columns that are not voters. They need not exist.

    Returns
    -------
    ndarray of str, shape (n_voters, n_samples)
        The predictions.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "unlabeled.csv")
    ...     _ = path.write_text("tree,svm\nyes,no\nno,no\n")
    ...     read_predictions(path).tolist()
    [['yes', 'no'], ['no', 'no']]
    """
    files = SurveyedFiles.of(path)
    voters = files.voters(None, drop)
    check_size(files.source, files.row_groups, voters)
    parts = []
    for file, cells in read_cells(files.row_groups, voters):
        for voter, row in zip(voters, cells[0], strict=True):
            if not row.all():
                raise VotesFileError(
                    f"{files.source}: column {voter!r:.60} has empty cells. Every voter must"
                    " predict every unlabeled sample: remove the voters or rows for which it does"
                    " not."
                )
        classes, codes = _classes(file, cells)
        parts.append(classes[codes])
    return np.concatenate(parts, axis=1)


class VoteFiles:
    """Votes in files that may be larger than memory.

    Iterating reads `Votes` of at most 2^24 cells each and keeps none of them. A pickle holds the
    names of files and the numbers of row groups, so that another process can read the votes.

    Parameters
    ----------
    paths : path or iterable of paths
        A file as for `read_votes`, a folder of Parquet files, a pattern such as
        ``"votes/*.parquet"``, or several.
    target : str
        Name of the label column; every other column is a voter.
    drop : collection of str
        Columns that are not voters.
    empty_as_error : bool, default=False
        Whether an empty cell counts as a vote for a wrong class, as for `read_votes`.
    ties : {"smallest", "referee"}
        What breaks ties, as in `Votes.from_predictions`.

    Attributes
    ----------
    voters : list of str
        Names of the voters, in the order of the first file.
    row_groups : list of RowGroup
        What is read, in this order.

    See Also
    --------
    count_votes : Count votes in parts, here or on a Dask cluster.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import pyarrow, pyarrow.parquet
    >>> from tandemvote.votes.counting import count_votes
    >>> table = pyarrow.table({"label": [0, 1, 1], "tree": [0, None, 1], "svm": [1, 1, None]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pyarrow.parquet.write_table(table, pathlib.Path(folder, "0.parquet"))
    ...     pyarrow.parquet.write_table(table[:2], pathlib.Path(folder, "1.parquet"))
    ...     votes = VoteFiles(folder, target="label")
    ...     counts = count_votes(votes).counts
    >>> votes.n_voters, votes.n_samples
    (2, 5)
    >>> counts.errors.tolist(), counts.sizes.tolist()
    ([0, 2], [3, 4])
    """

    def __init__(
        self,
        paths: Location | Iterable[Location] | SurveyedFiles,
        *,
        target: str,
        drop: Collection[str] = (),
        empty_as_error: bool = False,
        ties: str = SMALLEST,
    ) -> None:
        files = SurveyedFiles.of(paths)
        self.source, self.target, self.drop = files.source, target, drop
        self.empty_as_error, self.ties = empty_as_error, ties
        self.voters, self.row_groups = files.voters(target, drop), files.row_groups

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return sum(group.n_samples for group in self.row_groups)

    @property
    def n_voters(self) -> int:
        """Number of voters M."""
        return len(self.voters)

    def __iter__(self) -> Iterator[Votes]:
        return self._parts({})

    def _parts(self, columns: dict[str, list[str]]) -> Iterator[Votes]:
        """Yield the votes in parts, and append the cells of further columns to their lists."""
        names = [self.target, *self.voters]
        for path, (table, words) in read_cells(self.row_groups, [*names, *columns]):
            add_texts(columns, (table[len(names) :], words))
            votes = _cells_as_votes(path, (table[: len(names)], words), self.empty_as_error)
            yield replace(votes, ties=self.ties)

    def read(
        self,
        *,
        keep: Collection[str] | None = (),
        unlabeled: Location | None = None,
        columns: Collection[str] = (),
    ) -> tuple[Votes, dict[str, list[str]]]:
        """Read all votes into memory, and further columns with them.

        Parameters
        ----------
        keep, unlabeled
            As for `read_votes`.
        columns : collection of str
            Columns that are not voters, to read as text.

        Returns
        -------
        tuple of Votes and dict
            The votes, and one text per row of each of the columns.

        Examples
        --------
        See `read_votes`.
        """
        check_size(self.source, self.row_groups, [self.target, *self.voters])
        texts: dict[str, list[str]] = {name: [] for name in columns}
        parts = list(self._parts(texts))
        try:
            votes = Votes.joined(parts)
            check_voters_tested(votes.held_out.sum(axis=1), self.voters)
            if keep is not None:
                check_voters(votes, self.voters, keep=keep)
        except ValueError as error:
            parameters = getattr(error, "parameters", {})
            raise VotesFileError(f"{self.source}: {error}", **parameters) from error
        if unlabeled is None:
            return votes, texts
        files = SurveyedFiles(unlabeled)
        voters = [name for name in files.columns if name not in self.drop]
        if voters != self.voters:
            raise VotesFileError(
                f"The voters of {unlabeled} are {shown(voters, COLUMNS_SHOWN)}, those of"
                f" {self.source} {shown(self.voters, COLUMNS_SHOWN)}. Write the same columns in the"
                " same order."
            )
        return votes.with_unlabeled(read_predictions(files, drop=self.drop)), texts

    def split(self, n_pieces: int) -> list[VoteFiles]:
        """Cut into pieces, each of whole row groups from all over the files.

        Parameters
        ----------
        n_pieces : int
            Largest number of pieces.

        Returns
        -------
        list of VoteFiles
            The pieces, which have no row in common.

        Examples
        --------
        See `count_votes`, which reads the pieces on a cluster.
        """
        pieces = [copy(self) for _ in self.row_groups[:n_pieces]]
        for first, piece in enumerate(pieces):
            piece.row_groups = self.row_groups[first::n_pieces]
        return pieces


def check_voters(votes: Votes, names: Sequence[str], *, keep: Collection[str] = ()) -> None:
    """Raise ValueError if a column of a table of votes seems to be something else than a voter.

    Parameters
    ----------
    votes : Votes
        All votes, or the first of many.
    names : sequence of str
        Names of the voters.
    keep : collection of str
        Columns that are voters. The other ones are rejected if they hold a label in less than a
        quarter of their rows (names of rows or of a split), or never err where the other voters do
        (copies of the label).

    Examples
    --------
    >>> votes = Votes.from_predictions([["a", "a"] * 20, ["train", "test"] * 20], ["a", "b"] * 20)
    >>> check_voters(votes, ["tree", "split"])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    tandemvote...ParameterError: Column 'split' holds 'test', 'train': a label in 0 of 40 rows...
    """
    check_columns_exist("The table", keep, names)
    labels, held_out = np.unique(votes.labels), votes.held_out
    predicted = votes.classes[np.unique(votes.predictions[held_out])]
    check_same_words(predicted.tolist(), votes.classes[labels].tolist(), votes.n_samples)
    sizes, errors = held_out.sum(axis=1), votes.errors.sum(axis=1)
    next_best = (errors / np.maximum(sizes, 1))[errors > 0].min(initial=1.0)
    few_perfect = 2 * (errors == 0).sum() <= len(names) > 1
    for voter, name in enumerate(names):
        n, problem = int(sizes[voter]), ""
        n_labels = int((held_out[voter] & np.isin(votes.predictions[voter], labels)).sum())
        if n >= FEWEST_SAMPLES and len(names) > 1 and n_labels < FEWEST_LABELS * n:
            values = votes.classes[np.unique(votes.predictions[voter, held_out[voter]])]
            problem = f"holds {shown(values.tolist())}: a label in {n_labels} of {n} rows"
        elif few_perfect and not errors[voter] and n * next_best >= ERRORS_EXPECTED:
            problem = (
                f"has no error in {n} rows, where the next best voter has an error rate of"
                f" {100 * next_best:.3g}%, as a copy of the label would"
            )
        if problem and name not in keep:
            raise ParameterError(
                f"Column {name!r} {problem}. Exclude it with drop=[{name!r}], or confirm that it"
                f" is a voter with keep=[{name!r}].",
                drop=[name],
                keep=[name],
            )


def _cells_as_votes(path: Path, cells: Cells, empty_as_error: bool) -> Votes:
    """Return the votes of cells whose first row is the labels."""
    table, words = cells
    held_out = table != 0
    if not held_out[0].all():
        raise VotesFileError(
            f"{path}: {np.count_nonzero(~held_out[0])} rows have no label. Remove these rows."
        )
    table += table[0] * ~held_out  # the label takes the place of a missing cell, which is 0
    classes, codes = _classes(path, (table, words))
    if empty_as_error and not held_out.all():
        if classes.size == 1:  # as a few rows of a large table may have
            classes, codes = np.array(["", *classes]), codes + 1
        # The first class, or the second one where the first is the label.
        codes[1:] = np.where(held_out[1:], codes[1:], codes[0] == 0)
        held_out[:] = True
    return Votes(codes[1:], codes[0], held_out[1:], classes, codes[1:, :0])


def _classes(path: Path, cells: Cells) -> tuple[NDArray[np.str_], Codes]:
    """Return the words that occur in cells, and the position of each cell among them."""
    table, words = cells
    present, codes = distinct(table)
    labels = [words[place] for place in present]
    for label in labels:
        if not {"\n", "\r", "\0"}.isdisjoint(label):
            raise VotesFileError(
                f"{path}: the label {label!r:.40} has a line break or a null character. Check that"
                " every quotation mark is closed, and write labels on one line."
            )
    return np.array(labels, str), codes
