"""``tandemvote certify-votes``: from predictions made anywhere to an error bound."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from tandemvote.cli import options, outputs
from tandemvote.cli.messages import progress, say
from tandemvote.cli.options import option

if TYPE_CHECKING:
    from tandemvote.auditing import Finding
    from tandemvote.certificate.pipeline import Source
    from tandemvote.votes.reading import VoteFiles
    from tandemvote.votes.votes import Votes


@options.grouped
def certify_votes(
    votes: str = typer.Argument(
        metavar="VOTES",
        help="CSV or Parquet file with one row per sample, a label column and one column per voter,"
        " empty where the voter was trained on the sample. Labels are text: NA is a label, and 1"
        " is not 1.0. For files of any size: a folder or quoted pattern of Parquet files.",
    ),
    *,
    table: options.VoteColumns,
    unlabeled: Path | None = option(
        None, "FILE", "Predictions on unlabeled samples drawn from the same distribution."
    ),
    keep: list[str] = option([], "COLUMN", "Column that is a voter whatever it holds."),
    ties: options.Ties = option(
        options.Ties.SMALLEST,
        "RULE",
        "Who breaks ties: smallest, for the first of the tied classes, or referee, for a model that"
        " is not in VOTES; the bound then holds for every referee.",
    ),
    guarantee: options.VoteGuarantee,
    files: options.VotesOutputs,
    as_json: bool = options.JSON,
) -> None:
    """Certify the vote of the predictions in VOTES.

    For example:

    tandemvote certify-votes votes.csv --target label --certificate vote.json

    tandemvote certify-votes 'votes/*.parquet' --target label --weights tandem
    """
    outputs.check_outputs(vars(files), inputs=[votes, unlabeled])
    from tandemvote import certificate as certificates
    from tandemvote.certificate.pipeline import check_request
    from tandemvote.cli.training import read_groupings
    from tandemvote.votes import reading, vote_tables
    from tandemvote.votes.dependent_sets import check_empty_rows
    from tandemvote.votes.names import CLASS, PREDICTED

    check_request(**guarantee.request, classes=())  # before hours of counting
    surveyed = vote_tables.SurveyedFiles(votes)
    by = read_groupings(guarantee.by, table.target, surveyed.columns)
    columns = [name for name in by if name not in (CLASS, PREDICTED)]
    stored = reading.VoteFiles(surveyed, **table.reading(columns), ties=ties.value)
    source: Source
    findings: list[Finding] = []
    cells: dict[str, list[str]] = {}
    n_cells = stored.n_samples * stored.n_voters
    if not vote_tables.is_parquet(votes) or n_cells <= vote_tables.BATCH_CELLS:
        source, cells = stored.read(keep=keep, unlabeled=unlabeled, columns=columns)
        check_empty_rows(source)
        findings = _about_missing(source)
    elif unlabeled or by:
        raise typer.BadParameter(
            f"VOTES has {stored.n_samples:,} rows; --unlabeled and --by require votes that fit in"
            " memory. Certify a random part of the rows, or do without these options."
        )
    else:
        reading.check_voters(next(iter(stored)), stored.voters, keep=keep)
        source = stored if guarantee.quiet else _Watched(stored)
        if not guarantee.quiet:
            say(f"Counting {stored.n_samples:,} rows.", err=True)
    certificate = certificates.certify_votes(
        source,
        **guarantee.request,
        prior=guarantee.prior,
        published=guarantee.published,
        delta=guarantee.delta,
        findings=findings,
    )
    values = {name: [cell or None for cell in cells[name]] for name in columns}
    tables = (
        *("--votes", votes),
        *(("--target", table.target) if table.target != "label" else ()),
        *("--empty-as-error",) * table.empty_as_error,
        *(() if unlabeled is None else ("--unlabeled", str(unlabeled))),
        *(word for name in table.drop for word in ("--drop", name)),
    )
    outputs.deliver(
        certificate,
        vars(files),
        guarantee,
        as_json=as_json,
        by={name: values.get(name, name) for name in by},
        data=f"Predictions of {certificate.counts.n_voters} voters, {Path(votes).name}",
        tables=() if certificate.votes is None else tables,
    )


@dataclass(frozen=True)
class _Watched:
    """Votes in files, with a progress bar each time that they are read."""

    files: VoteFiles

    def __iter__(self) -> Iterator[Votes]:
        with progress() as bars:
            task = bars.add_task("rows", total=self.files.n_samples)
            for votes in self.files:
                yield votes
                bars.advance(task, votes.n_samples)


def _about_missing(votes: Votes) -> list[Finding]:
    """Report predictions such as NA, which count as errors."""
    import numpy as np

    from tandemvote.auditing import Finding
    from tandemvote.tables.files import MISSING_TEXTS

    labels = votes.classes[np.unique(votes.labels)]
    words = {*MISSING_TEXTS} & {*votes.classes.tolist()} - {*labels.tolist()}
    return [
        Finding(
            code="missing_text",
            severity="warning",
            message=f"Some predictions are {text!r}, which is not a label. They count as errors.",
            advice="Leave the cell empty only where a voter was trained on the sample.",
        )
        for text in sorted(words)
    ]
