"""Predictions of any voters: small tables are read whole, Parquet files of any size in parts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import typer
from joblib import parallel_config
from rich.console import Console
from rich.progress import Progress

from tandemvote.certification import (
    CertificateRequest,
    Certification,
    certify_counts,
    certify_votes,
)
from tandemvote.counting import parquet
from tandemvote.counting.parquet_files import names_parquet
from tandemvote.counting.shards import count_shards
from tandemvote.extras import import_extra
from tandemvote.tables import read_votes
from tandemvote.tables.labels import MISSING_TEXTS
from tandemvote.votes import Votes


def certify_predictions(
    predictions: str,
    target: str,
    asked: dict[str, Any],
    *,
    unlabelled: Path | None,
    ignore: list[str],
    client: Any,
) -> tuple[Certification, str]:
    """Certify the vote whose predictions are in a table, a folder or many files; describe it, too.

    Columns to `ignore` are no voters, and `asked` are the arguments of `CertificateRequest`. The
    votes are not kept if they are too many to be held in memory.
    """
    request, name = CertificateRequest(**asked), Path(predictions).name
    if names_parquet(predictions):
        shards = parquet.ParquetVotes(predictions, label=target, ignore=ignore)
        if client is not None or shards.n_points * shards.n_voters > parquet.BATCH_CELLS:
            if unlabelled is not None:
                raise typer.BadParameter("--unlabelled needs predictions that fit in memory.")
            points = f"{shards.n_voters} voters at {shards.n_points} points"
            return _certify_shards(shards, request, client), f"Predictions of {points}, {name}"
    votes = read_votes(predictions, target=target, ignore=ignore, unlabelled=unlabelled)
    _note_missing_texts(votes)
    return certify_votes(votes, request), f"Predictions of {votes.n_voters} voters, {name}"


def _note_missing_texts(votes: Votes) -> None:
    """Say that predictions such as NA count as errors, if no label is written like that."""
    known = votes.classes[np.unique(votes.labels)]
    for text in sorted({*MISSING_TEXTS} & {*votes.classes.tolist()} - {*known.tolist()}):
        said = (votes.predictions == np.searchsorted(votes.classes, text)) & votes.held_out
        typer.echo(
            f"Note: {said.sum()} predictions are {text!r}, which is no label; they count as errors."
            " Where a voter was trained on the point, leave the cell empty.",
            err=True,
        )


def _certify_shards(
    shards: parquet.ParquetVotes, request: CertificateRequest, client: Any
) -> Certification:
    # Every bound applies to two classes, so a mistake found now is one whatever the labels are. It
    # is better found before hours of counting.
    request.check(n_voters=shards.n_voters, n_classes=2)
    typer.echo(f"Counting {shards.n_points} points.", err=True)
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bars:
        task = bars.add_task("points", total=shards.n_points)
        counts = count_shards(
            shards, client=client, progress=lambda n_more: bars.advance(task, n_more)
        )
    request.check(n_voters=shards.n_voters, n_classes=counts.n_classes)
    return certify_counts(counts, request)


@contextmanager
def connected(address: str | None) -> Iterator[Any]:
    """Yield the client of a Dask cluster to count on, which joblib uses too; or None."""
    if address is None:
        yield None
        return
    distributed = import_extra("distributed", "dask")
    with distributed.Client(address) as client, parallel_config("dask"):
        yield client
