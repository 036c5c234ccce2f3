"""Certificates of given predictions, in one table or in many files."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import typer

from tandemvote.certification import (
    CertificateRequest,
    Certification,
    certify_counts,
    certify_votes,
)
from tandemvote.cli.data import GROUPS_OF_VOTES, refuse_ambiguous
from tandemvote.cli.options import Guarantee, Reading, Training
from tandemvote.cli.running import progress
from tandemvote.counting import parquet
from tandemvote.counting.parquet_files import names_parquet
from tandemvote.counting.shards import count_shards
from tandemvote.tables import read_votes
from tandemvote.tables.columns import MISSING_TEXTS
from tandemvote.tables.votes_table import column_names, refuse_no_voters
from tandemvote.votes import Votes


def certify_predictions(
    path: str, guarantee: Guarantee, reading: Reading, training: Training, *, client: Any
) -> tuple[Certification, str]:
    """Certify the vote whose predictions are in a table, a folder or many files; describe it, too.

    Small tables are read whole, Parquet files of any size in parts, whose votes are not kept.
    """
    request, target = CertificateRequest(**guarantee.request()), reading.target or "label"
    ignore = [*reading.drop, *({*guarantee.by} - {*GROUPS_OF_VOTES})]
    if not {*guarantee.by}.isdisjoint(GROUPS_OF_VOTES):
        refuse_ambiguous(guarantee.by, {*column_names(path)} - {target})
    if names_parquet(path):
        shards = parquet.ParquetVotes(path, label=target, ignore=ignore)
        if client is not None or shards.n_points * shards.n_voters > parquet.BATCH_CELLS:
            if training.unlabelled is not None:
                raise typer.BadParameter("--unlabelled needs predictions that fit in memory.")
            refuse_no_voters(next(iter(shards)), shards.columns.voters, reading.keep)
            # A mistake is better found before hours of counting; only the labels are unknown yet.
            request.check(n_voters=shards.n_voters)
            typer.echo(f"Counting {shards.n_points} points.", err=True)
            with progress() as bars:
                task = bars.add_task("points", total=shards.n_points)
                counts = count_shards(shards, client=client, progress=partial(bars.advance, task))
            request.check(n_voters=shards.n_voters, classes=counts.classes)
            voters = f"{shards.n_voters} voters at {shards.n_points} points"
            return certify_counts(counts, request), f"Predictions of {voters}, {Path(path).name}"
    votes = read_votes(
        path, target=target, ignore=ignore, keep=reading.keep, unlabelled=training.unlabelled
    )
    _note_missing_texts(votes)
    voters = f"Predictions of {votes.n_voters} voters"
    return certify_votes(votes, request), f"{voters}, {Path(path).name}"


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
