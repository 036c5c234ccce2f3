"""Predictions from anywhere, judged: tables at once, Parquet files of any size a part at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from distributed import Client

    from tandemvote.certificate import Certificate
    from tandemvote.shards import ParquetVotes
    from tandemvote.votes import Votes


def judge(
    predictions: str,
    target: str,
    terms: dict[str, Any],
    *,
    unlabelled: Path | None,
    client: Client | None,
) -> tuple[Certificate, Votes | None, str]:
    """Certify the vote whose predictions stand in a table, a folder or many files.

    `unlabelled` is a table of predictions on points without labels.

    Returns
    -------
    certificate : Certificate
    votes : Votes or None
        None if they are too many to be held in memory.
    description : str
    """
    from tandemvote.shards import ParquetVotes  # noqa: PLC0415
    from tandemvote.shards.files import names_parquet  # noqa: PLC0415
    from tandemvote.shards.parquet import BATCH_CELLS  # noqa: PLC0415

    if not names_parquet(predictions):
        return _judge_table(predictions, target, terms, unlabelled)
    shards = ParquetVotes(predictions, label=target)
    if client is None and shards.n_points * shards.n_voters <= BATCH_CELLS:
        return _judge_table(predictions, target, terms, unlabelled)
    if unlabelled is not None:
        raise typer.BadParameter("--unlabelled needs predictions that fit in memory.")
    name = Path(predictions).name
    description = f"Predictions of {shards.n_voters} voters at {shards.n_points} points, {name}"
    return _judge_shards(shards, terms, client), None, description


def _judge_table(
    predictions: str, target: str, terms: dict[str, Any], unlabelled: Path | None
) -> tuple[Certificate, Votes, str]:
    from tandemvote import Votes, certify  # noqa: PLC0415
    from tandemvote.datasets import read_unlabelled_votes, read_votes  # noqa: PLC0415

    votes = read_votes(predictions, target=target)
    if unlabelled is not None:
        votes = Votes.from_predictions(
            votes.classes[votes.predictions],
            votes.classes[votes.labels],
            votes.held_out,
            unlabelled=read_unlabelled_votes(unlabelled),
        )
    description = f"Predictions of {votes.n_voters} voters, {Path(predictions).name}"
    return certify(votes, **terms), votes, description


def _judge_shards(
    shards: ParquetVotes, options: dict[str, Any], client: Client | None
) -> Certificate:
    import numpy as np  # noqa: PLC0415

    from tandemvote import VoteCounts  # noqa: PLC0415
    from tandemvote.cli.progress import counted  # noqa: PLC0415
    from tandemvote.ensembles.terms import Terms  # noqa: PLC0415

    terms = Terms(**options)
    # With two classes every bound applies, so what is wrong now is wrong with any: better said now
    # than after hours of counting.
    terms.check(n_voters=shards.n_voters, classes=np.arange(2))
    with counted(shards.n_points) as progress:
        counts = VoteCounts.from_shards(shards, client=client, progress=progress)
    terms.check(n_voters=shards.n_voters, classes=counts.classes)
    return terms.certify(counts, terms.choose_weights(counts))


@contextmanager
def connected(address: str | None) -> Iterator[Client | None]:
    """Give a Dask cluster to count on, to which joblib sends its work too; or None."""
    if address is None:
        yield None
        return
    from joblib import parallel_config  # noqa: PLC0415

    from tandemvote.shards.extra import shards_extra  # noqa: PLC0415

    distributed = shards_extra("distributed", extra="dask")
    with distributed.Client(address) as client, parallel_config("dask"):
        yield client
