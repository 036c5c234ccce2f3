"""Predictions from anywhere, judged: tables at once, Parquet files of any size a part at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from distributed import Client

    from tandemvote.certification import Certification
    from tandemvote.counting.parquet import ParquetVotes
    from tandemvote.votes import Votes


def judge(
    predictions: str,
    target: str,
    terms: dict[str, Any],
    *,
    unlabelled: Path | None,
    ignore: list[str],
    client: Client | None,
) -> tuple[Certification, str]:
    """Certify the vote whose predictions stand in a table, a folder or many files.

    `unlabelled` is a table of predictions on points without labels; columns to `ignore` are no
    voters.

    Returns
    -------
    found : Certification
        Without votes if they are too many to be held in memory.
    description : str
    """
    from tandemvote.counting.parquet import BATCH_CELLS, ParquetVotes  # noqa: PLC0415
    from tandemvote.counting.parquet_files import names_parquet  # noqa: PLC0415

    if not names_parquet(predictions):
        return _judge_table(predictions, target, terms, unlabelled, ignore)
    shards = ParquetVotes(predictions, label=target, ignore=ignore)
    if client is None and shards.n_points * shards.n_voters <= BATCH_CELLS:
        return _judge_table(predictions, target, terms, unlabelled, ignore)
    if unlabelled is not None:
        raise typer.BadParameter("--unlabelled needs predictions that fit in memory.")
    name = Path(predictions).name
    description = f"Predictions of {shards.n_voters} voters at {shards.n_points} points, {name}"
    return _judge_shards(shards, terms, client), description


def _judge_table(
    predictions: str,
    target: str,
    terms: dict[str, Any],
    unlabelled: Path | None,
    ignore: list[str],
) -> tuple[Certification, str]:
    from tandemvote.certification import CertificateRequest, certify_votes  # noqa: PLC0415
    from tandemvote.tables import read_votes  # noqa: PLC0415

    votes = read_votes(predictions, target=target, ignore=ignore, unlabelled=unlabelled)
    _note_words_for_nothing(votes)
    description = f"Predictions of {votes.n_voters} voters, {Path(predictions).name}"
    return certify_votes(votes, CertificateRequest(**terms)), description


def _note_words_for_nothing(votes: Votes) -> None:
    """Say that NA, None and their like are predictions here, if no label is written like that."""
    import numpy as np  # noqa: PLC0415

    from tandemvote.tables.labels import MISSING_TEXTS  # noqa: PLC0415

    known = votes.classes[np.unique(votes.labels)]
    for word in sorted({*MISSING_TEXTS} & {*votes.classes.tolist()} - {*known.tolist()}):
        said = (votes.predictions == np.searchsorted(votes.classes, word)) & votes.held_out
        typer.echo(
            f"Note: {said.sum()} predictions are {word!r}, which no label is; they count as errors."
            " Where a voter was trained on the point, leave the cell empty.",
            err=True,
        )


def _judge_shards(
    shards: ParquetVotes, options: dict[str, Any], client: Client | None
) -> Certification:
    from tandemvote.certification import CertificateRequest, certify_counts  # noqa: PLC0415
    from tandemvote.cli.progress import counted  # noqa: PLC0415
    from tandemvote.counting.shards import count_shards  # noqa: PLC0415

    request = CertificateRequest(**options)
    # With two classes every bound applies, so what is wrong now is wrong with any: better said now
    # than after hours of counting.
    request.check(n_voters=shards.n_voters, n_classes=2)
    with counted(shards.n_points) as progress:
        counts = count_shards(shards, client=client, progress=progress)
    request.check(n_voters=shards.n_voters, n_classes=counts.n_classes)
    return certify_counts(counts, request)


@contextmanager
def connected(address: str | None) -> Iterator[Client | None]:
    """Give a Dask cluster to count on, to which joblib sends its work too; or None."""
    if address is None:
        yield None
        return
    from joblib import parallel_config  # noqa: PLC0415

    from tandemvote.extras import import_extra  # noqa: PLC0415

    distributed = import_extra("distributed", "dask")
    with distributed.Client(address) as client, parallel_config("dask"):
        yield client
